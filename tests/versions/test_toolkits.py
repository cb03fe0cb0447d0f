"""What a user reads when the CANN is not the right one. The toolkits are fakes, made out of the embedded CANN's own libraries."""

from __future__ import annotations

import os
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from torch_npu import _C, elf, versions

USE = "import torch, torch_npu; print(torch.ones(2, device='npu').sum().item())"


def python(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, env={**os.environ, **environment})


@pytest.fixture
def toolkit(tmp_path, package_dir):
    """Makes a toolkit of a version; its libraries are links, for tests to replace."""

    def make(version: str = "9.1.0") -> Path:
        root = tmp_path / "toolkit"
        (root / "lib64").mkdir(parents=True)
        for library in (package_dir / "cann" / "lib64").glob("lib*"):
            (root / "lib64" / library.name).symlink_to(library)
        (root / "version.info").write_text(f"version={version}\n")
        return root

    return make


@pytest.fixture
def stub(tmp_path):
    """Builds a library that defines the given functions, all of them empty, and nothing else."""

    def build(path: Path, functions: list[str]) -> None:
        source = tmp_path / "stub.c"
        source.write_text("".join(f"int {name}(void) {{ return 0; }}\n" for name in functions))
        path.unlink(missing_ok=True)
        done = subprocess.run(["gcc", "-shared", "-fPIC", source, "-o", path], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr

    return build


def refusal(toolkit: Path) -> str | None:
    """What is said against the libraries of this toolkit."""
    return versions.broken_cann(toolkit / "lib64", versions.cann_version_of(toolkit))


REMEDY = "or use the embedded CANN: export TORCH_NPU_CANN=embedded"


def test_a_toolkit_that_is_complete_is_used(toolkit):
    root = toolkit()
    page = python("-m", "torch_npu", "--check", TORCH_NPU_CANN=str(root))
    assert page.returncode == 0, page.stdout + page.stderr
    count = len(_C.cann_operators())
    assert f"in {root}, chosen by TORCH_NPU_CANN" in page.stdout
    assert f"Operators  {count} of the {count} that torch_npu calls" in page.stdout


def test_a_library_that_is_missing_is_told_at_import_and_by_the_page(toolkit):
    root = toolkit()
    (root / "lib64" / "libopapi.so").unlink()
    told = f"CANN is incomplete: {root}/lib64/libopapi.so is missing. Install the whole toolkit, {REMEDY}"
    assert refusal(root) == told
    done = python("-c", USE, TORCH_NPU_CANN=str(root), TORCH_DEVICE_BACKEND_AUTOLOAD="0")
    assert done.returncode == 1
    assert done.stderr.endswith(f"\nImportError: torch_npu: {told}\n")
    page = python("-m", "torch_npu", "--check", TORCH_NPU_CANN=str(root))
    assert page.returncode == 1
    assert page.stdout.endswith(f"\nProblem: {told}\n")


def test_a_library_that_is_a_text(toolkit):
    root = toolkit()
    (root / "lib64" / "libopapi.so").unlink()
    (root / "lib64" / "libopapi.so").write_text("not a library")
    assert refusal(root) == (
        f"{root}/lib64/libopapi.so cannot be opened: it is no shared library. Install a CANN for this machine, {REMEDY}"
    )


def test_a_library_for_another_processor(toolkit, package_dir):
    root = toolkit()
    library = root / "lib64" / "libascendcl.so"
    library.unlink()
    shutil.copy(package_dir / "cann" / "lib64" / "libascendcl.so", library)
    other, number = ("aarch64", 0xB7) if os.uname().machine != "aarch64" else ("x86_64", 0x3E)
    with open(library, "r+b") as file:
        file.seek(18)
        file.write(struct.pack("<H", number))
    assert refusal(root) == (
        f"{library} cannot be opened: it is built for {other}, and this machine is an {os.uname().machine}. "
        f"Install a CANN for this machine, {REMEDY}"
    )


def test_a_library_that_lacks_what_everything_needs(toolkit, stub):
    root = toolkit()
    stub(root / "lib64" / "libascendcl.so", ["aclInit", "aclrtMalloc", "aclrtFree", "aclrtMemcpy", "aclrtMemcpyAsync"])
    text = refusal(root)
    assert text.startswith(f"{root}/lib64/libascendcl.so lacks aclrtCreateEventExWithFlag, aclrtCreateStreamWithConfig, ")
    assert text.endswith(f"this CANN (9.1.0) is too old, or another library has its name. Install CANN 9.1, {REMEDY}")


def test_a_cann_that_is_too_old(toolkit):
    assert refusal(toolkit("7.0.1")) == (
        "CANN 7.0.1 is too old for torch 2.13.0: functions that torch_npu calls have other arguments before CANN 8.0. "
        f"Install CANN 9.1, {REMEDY}"
    )


def test_an_older_cann_is_warned_about_with_the_operators_that_it_lacks(toolkit, stub):
    root = toolkit("8.0.RC2")
    operators = [name for name in _C.cann_operators() if name not in ("aclnnAdd", "aclnnSoftplus")]
    # aclnnSoftplus is half there: without its first phase it cannot be called.
    stub(
        root / "lib64" / "libopapi.so",
        [*operators, *(f"{name}GetWorkspaceSize" for name in operators), "aclnnSoftplus", "aclCreateTensor"],
    )
    done = python("-c", "import torch_npu", TORCH_NPU_CANN=str(root), TORCH_DEVICE_BACKEND_AUTOLOAD="0")
    assert done.returncode == 0, done.stderr
    assert "UserWarning: torch_npu: CANN 8.0.RC2 is not made for torch 2.13.0" in done.stderr
    assert f"It lacks 2 of the {len(operators) + 2} operators that torch_npu calls: aclnnAdd, aclnnSoftplus" in done.stderr


def test_operators_may_stand_in_a_library_of_their_domain(toolkit, stub, package_dir):
    root = toolkit()
    opapi = root / "lib64" / "libopapi.so"
    opapi.unlink()
    subprocess.run(["gcc", "-shared", "-x", "c", "/dev/null", "-o", opapi], check=True)
    (root / "lib64" / "libopapi_math.so").symlink_to(package_dir / "cann" / "lib64" / "libopapi.so")
    done = python("-c", USE, TORCH_NPU_CANN=str(root))
    assert (done.stdout, done.stderr) == ("2.0\n", "")


def test_a_toolkit_on_the_library_path_is_used(toolkit, monkeypatch):
    root = toolkit()
    monkeypatch.delenv("ASCEND_HOME_PATH", raising=False)
    monkeypatch.delenv("TORCH_NPU_CANN", raising=False)
    monkeypatch.setenv("LD_LIBRARY_PATH", f"/nowhere:{root}/lib64")
    cann, problem = _C.find_cann()
    assert (cann["root"], cann["chosen_by"], problem) == (str(root), "LD_LIBRARY_PATH", "")


def test_embedded_wins_over_what_the_machine_has(toolkit, monkeypatch):
    monkeypatch.setenv("ASCEND_HOME_PATH", str(toolkit()))
    monkeypatch.setenv("TORCH_NPU_CANN", "embedded")
    cann, problem = _C.find_cann()
    assert (cann["embedded"], cann["chosen_by"], problem) == (True, "TORCH_NPU_CANN", "")


def test_a_misspelt_choice():
    done = python("-c", USE, TORCH_NPU_CANN="embeded", TORCH_DEVICE_BACKEND_AUTOLOAD="0")
    assert done.stderr.endswith(
        "\nImportError: torch_npu: TORCH_NPU_CANN='embeded': needs embedded, or the folder of a CANN toolkit such as "
        "/usr/local/Ascend/ascend-toolkit/latest\n"
    )


def test_another_torch_is_told_by_the_page(tmp_path):
    # As if the environment's torch had been exchanged: a torch that says another version of itself.
    (tmp_path / "sitecustomize.py").write_text("import torch; torch.__version__ = '2.12.1'\n")
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    page = python("-m", "torch_npu", "--check", PYTHONPATH=path, TORCH_DEVICE_BACKEND_AUTOLOAD="0")
    assert page.returncode == 1
    assert "torch      2.12.1 (does not fit: torch_npu was built for 2.13.0)" in page.stdout
    assert "Problem: torch_npu was built for torch 2.13.0, but torch 2.12.1 is installed" in page.stdout
    assert page.stdout.endswith("Install the torch it needs: pip install torch==2.13.0\n")


def test_the_essential_functions_are_those_that_the_adapter_calls(root):
    called = (root / "torch_npu" / "csrc" / "loader" / "acl.h").read_text()
    assert [name for name in versions.ESSENTIAL if f'"{name}"' not in called] == []


def test_reading_a_library_agrees_with_the_linker(package_dir):
    library = package_dir / "cann" / "lib64" / "libascendcl.so"
    listed = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout
    assert elf.defined(library) == {line.split()[-1].split("@")[0] for line in listed.splitlines()}
    assert "libc.so.6" in elf.needed(library)
