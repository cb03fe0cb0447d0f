# Every target does all of its own set-up: it makes an environment in .venv, builds the package there and runs.
# Needs Python 3.10 or newer (with venv and its headers) and g++ 12 or newer. Nothing outside this folder is changed, but that
# missing headers of Python, and for `make test` GoogleTest, are installed where that may be (root with apt-get).
# JOBS=n sets the compiler processes (each takes up to 4 GB).

PYTHON ?= python3
JOBS ?= $(shell awk -v cpus=$$(nproc) '/MemAvailable/ {n = int($$2 / 3e6); if (n > cpus) n = cpus; if (n < 1) n = 1; print n}' /proc/meminfo)
VENV := $(CURDIR)/.venv
BUILD := $(CURDIR)/build/dev
PIP := $(VENV)/bin/python -m pip --disable-pip-version-check -qq
RUN := env -u PYTHONPATH PATH="$(VENV)/bin:$$PATH" VIRTUAL_ENV="$(VENV)"
PY := $(RUN) $(VENV)/bin/python
CONFORMANCE ?= ../shared/conformance

export CMAKE_BUILD_PARALLEL_LEVEL := $(JOBS)

.PHONY: help compiler headers demo build test test-full cpp-test sanitize lint format bench bench-rows conformance wheel clean googletest browser docs

help:
	@echo 'make demo         semantic search with a real language model on npu:0'
	@echo 'make test         all tests (C++ and Python); test-full adds sanitizers and the slow ones'
	@echo 'make lint         formatting and static checks; make format mends the formatting'
	@echo 'make bench        every operator against the CPU, as a table'
	@echo 'make conformance  PyTorch operator database, and the genuine adapter on our libraries'
	@echo 'make wheel        a wheel in dist/'

# ---- the environment ------------------------------------------------------------------------------------------------

$(VENV)/.made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || { echo "torch_npu needs Python 3.10 or newer; $(PYTHON) is $$($(PYTHON) -V 2>&1). Name another: make PYTHON=python3.11"; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { echo "$(PYTHON) cannot make an environment: install its venv module (Debian, Ubuntu: apt-get install python3-venv)"; rm -rf $(VENV); exit 1; }
	@$(PIP) install 'pip>=23.1'   # Debian 12 and Ubuntu 22.04 make environments with an older one, which knows no -C
	@touch $@

# What the build needs, read from pyproject.toml so that it is written once.
$(VENV)/.build: pyproject.toml | $(VENV)/.made
	@echo '[make] installing the build requirements (torch is the large one)'
	@$(PIP) install $$($(VENV)/bin/python tools/requirements.py build)
	@touch $@

$(VENV)/.test: pyproject.toml | $(VENV)/.build
	@echo '[make] installing the test requirements'
	@$(PIP) install $$($(VENV)/bin/python tools/requirements.py test)
	@touch $@

$(VENV)/.demo: pyproject.toml | $(VENV)/.build
	@echo '[make] installing the demo requirements (MiniLM and its tokenizer)'
	@$(PIP) install $$($(VENV)/bin/python tools/requirements.py demo)
	@touch $@

$(VENV)/.lint: pyproject.toml | $(VENV)/.made
	@$(PIP) install $$($(VENV)/bin/python tools/requirements.py lint)
	@touch $@

# ---- the build ------------------------------------------------------------------------------------------------------

compiler:
	@version=$$($${CXX:-g++} -dumpfullversion -dumpversion 2>/dev/null); major=$${version%%.*}; \
	if [ -z "$$version" ]; then echo "no C++ compiler: install g++ 12 or newer (Debian, Ubuntu: apt-get install g++), or set CXX"; exit 1; fi; \
	case "$$($${CXX:-g++} --version | head -1)" in *clang*) ;; *) [ "$$major" -ge 12 ] || { echo "g++ 12 or newer is needed, this is $$version; set CXX"; exit 1; } ;; esac

# Python.h comes with most Pythons, but Debian and Ubuntu keep it in a package of its own.
headers: $(VENV)/.made
	@header=$$($(VENV)/bin/python -c 'import sysconfig; print(sysconfig.get_paths()["include"])')/Python.h; \
	if [ ! -e "$$header" ]; then \
	  if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	    echo "[make] installing Python's headers"; (apt-get install -y -qq python3-dev || (apt-get update -qq && apt-get install -y -qq python3-dev)) >/dev/null 2>&1 || true; fi; \
	  [ -e "$$header" ] || { echo "no $$header: install Python's headers (Debian, Ubuntu: sudo apt-get install python3-dev)"; exit 1; }; fi

# pip configures and installs the metadata (entry points); the compiling is done here, where it can be watched, and the next
# time only what has changed is compiled.
$(BUILD)/.installed: pyproject.toml | $(VENV)/.build compiler headers
	@echo '[make] configuring'
	@mkdir -p $(BUILD)
	@$(RUN) $(VENV)/bin/python -m pip --disable-pip-version-check install -qq --no-build-isolation --no-deps -e . \
	  -Cbuild-dir=$(BUILD) -Cbuild.targets=npu_configured > $(BUILD)/install.log 2>&1 || { tail -60 $(BUILD)/install.log; exit 1; }
	@$(PIP) install $$($(VENV)/bin/python tools/requirements.py run)
	@touch $@

build: $(BUILD)/.installed
	@echo '[make] building torch_npu with $(JOBS) compiler processes; the first time takes 10 to 15 minutes on two cores'
	@$(RUN) cmake --build $(BUILD)

# ---- what people come for -------------------------------------------------------------------------------------------

demo: build $(VENV)/.demo
	@HF_HUB_OFFLINE=1 $(PY) examples/semantic_search.py $(DEMO_ARGS)

# GoogleTest is the one thing taken from the system. Without it the Python tests still run, and this says what was left out.
googletest:
	@if [ -e /usr/include/gtest/gtest.h ]; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  echo '[make] installing GoogleTest'; (apt-get install -y -qq libgtest-dev || (apt-get update -qq && apt-get install -y -qq libgtest-dev)) >/dev/null 2>&1 || \
	  echo '[make] GoogleTest could not be installed: the C++ tests are left out'; \
	else echo '[make] GoogleTest is missing: the C++ tests are left out (Debian, Ubuntu: sudo apt-get install libgtest-dev)'; fi

# A browser looks at the diagnostics' page. Without one the other tests still run, and this says what was left out.
browser:
	@if command -v chromium chromium-browser google-chrome >/dev/null || [ -n "$$NPU_TEST_BROWSER" ]; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  echo '[make] installing Chromium'; (apt-get install -y -qq --no-install-recommends chromium || (apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium)) >/dev/null 2>&1 || \
	  echo '[make] Chromium could not be installed: the browser test fails'; \
	else echo '[make] Chromium is missing: the browser test fails (Debian, Ubuntu: sudo apt-get install chromium, or set NPU_TEST_BROWSER)'; fi

cpp-test: googletest build
	@if [ -e /usr/include/gtest/gtest.h ]; then \
	  $(RUN) cmake -DBUILD_TESTING=ON $(BUILD) >$(BUILD)/build.log 2>&1 && $(RUN) cmake --build $(BUILD) >>$(BUILD)/build.log 2>&1 \
	    || { tail -40 $(BUILD)/build.log; exit 1; }; \
	  $(RUN) ctest --test-dir $(BUILD) --output-on-failure; fi

test: cpp-test $(VENV)/.test
	@$(PY) -m pytest -q -m 'not slow' $(PYTEST_ARGS)

# Also every kernel at the lower levels that this CPU has (the tests before them take the highest), and under the sanitizers.
test-full: cpp-test $(VENV)/.test browser sanitize
	@$(PY) -m pytest -q $(PYTEST_ARGS)
	@for level in $$($(PY) tools/isa_levels.py); do \
	  echo "[make] C++ and operator tests with NPU_EMBEDDED_ISA=$$level"; \
	  NPU_EMBEDDED_ISA=$$level $(RUN) ctest --test-dir $(BUILD) --output-on-failure || exit 1; \
	  NPU_EMBEDDED_ISA=$$level $(PY) -m pytest -q -m 'not slow' tests/ops || exit 1; done

# The embedded CANN under AddressSanitizer (with UndefinedBehaviorSanitizer) and ThreadSanitizer: its C++ tests, in builds of
# their own; then the operators' Python tests on the first of these builds. Python itself leaks at exit: leaks are looked for in C++ only.
sanitize: googletest build $(VENV)/.test
	@for kind in address thread; do \
	  echo "[make] C++ tests under the $$kind sanitizer"; \
	  $(RUN) cmake -S . -B build/$$kind -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DNPU_SANITIZE=$$kind -DNPU_BUILD_ADAPTER=OFF \
	    -DNPU_ISA_LEVELS=v3 -DBUILD_TESTING=ON >build/$$kind.log 2>&1 && \
	  $(RUN) cmake --build build/$$kind >>build/$$kind.log 2>&1 || { tail -40 build/$$kind.log; exit 1; }; \
	  $(RUN) ctest --test-dir build/$$kind --output-on-failure || exit 1; done
	@echo '[make] operator tests under the address sanitizer'
	@LD_PRELOAD="$$($${CXX:-g++} -print-file-name=libasan.so) $$($${CXX:-g++} -print-file-name=libubsan.so)" ASAN_OPTIONS=detect_leaks=0 \
	  UBSAN_OPTIONS=print_stacktrace=1 TORCH_NPU_CANN=$(CURDIR)/build/address/torch_npu/cann $(PY) -m pytest -q -m 'not slow' tests/ops

docs: $(VENV)/.build
	@$(PY) -m codegen --docs docs/operators.md

lint: $(VENV)/.lint
	@$(VENV)/bin/ruff check .
	@$(VENV)/bin/clang-format --dry-run --Werror $$(git ls-files '*.h' '*.cpp' '*.cc')

format: $(VENV)/.lint
	@$(VENV)/bin/ruff check --fix .
	@$(VENV)/bin/clang-format -i $$(git ls-files '*.h' '*.cpp' '*.cc')

bench: build
	@$(PY) benchmarks/ops.py $(BENCH_ARGS)

# Every row of the operator table on 1M elements; fails if one is slower than 3x.
bench-rows: build
	@$(PY) benchmarks/rows.py $(BENCH_ARGS)

# Tools that are not part of this repository: they stand beside it, or where CONFORMANCE says.
conformance: build $(VENV)/.test
	@[ -e $(CONFORMANCE)/opinfo.py ] || { echo "no $(CONFORMANCE)/opinfo.py: give the folder with CONFORMANCE=..."; exit 1; }
	@$(PY) $(CONFORMANCE)/opinfo.py --device npu
	@$(CONFORMANCE)/genuine.sh $(CURDIR)/torch_npu/cann/lib64

wheel: $(VENV)/.made compiler headers
	@$(VENV)/bin/python -m pip --disable-pip-version-check wheel --no-deps -w dist .

clean:
	rm -rf build dist .venv .cache torch_npu/cann torch_npu/lib torch_npu/_C*.so
