"""Whether torch, torch_npu and CANN fit together, and what to do where they do not.

Nothing here needs torch_npu's libraries: with another torch than the one they were built for, they do not even load.
`check_installation` runs first in `import torch_npu`; `check_cann` once it is known which CANN is used.
"""

from __future__ import annotations

import importlib.metadata
import re
import sys
import warnings
from collections.abc import Callable
from pathlib import Path

from torch_npu import elf

BUILT_FOR_TORCH = "2.13.0"
EMBEDDED = "embedded"  # the local version (2.13.0+embedded) that tells this package from the genuine wheel

# CANN release -> the torch releases it is published for: the table of the genuine adapter, oldest first. 2.13 is newer
# than the table; it is written for CANN 9.1, which is also what the embedded CANN says it is.
CANN_TABLE: dict[str, tuple[str, ...]] = {
    "8.0": ("2.1", "2.4"),
    "8.1": ("2.4", "2.5"),
    "8.2": ("2.5", "2.6"),
    "8.3": ("2.6", "2.7", "2.8"),
    "8.5": ("2.3", "2.6", "2.7", "2.8", "2.9"),
    "9.0": ("2.7", "2.8", "2.9"),
    "9.1": ("2.7", "2.9", "2.10", "2.11", "2.12", "2.13"),
}

OLDEST_CANN = "8.0"  # before it, the functions that the adapter calls have other arguments, or do not exist
USE_THE_EMBEDDED_ONE = "use the embedded CANN: export TORCH_NPU_CANN=embedded"

# Without one of these functions of libascendcl nothing runs.
ESSENTIAL = (
    "aclInit",
    "aclrtSetDevice",
    "aclrtMalloc",
    "aclrtFree",
    "aclrtMemcpy",
    "aclrtMemcpyAsync",
    "aclrtCreateStreamWithConfig",
    "aclrtSynchronizeStream",
    "aclrtStreamWaitEvent",
    "aclrtCreateEventExWithFlag",
    "aclrtRecordEvent",
    "aclrtSynchronizeDevice",
)

VERSION_FILES = (
    "version.info",
    "ascend_toolkit_install.info",
    "x86_64-linux/ascend_toolkit_install.info",
    "aarch64-linux/ascend_toolkit_install.info",
    "runtime/version.info",
    "compiler/version.info",
)


def release(version: str) -> str:
    """The first two numbers of a version: "2.13.0+cpu" -> "2.13", "8.0.RC2" -> "8.0"; as given where there are none."""
    found = re.match(r"\d+\.\d+", version)
    return found[0] if found else version


def torch_problem(torch_version: str) -> str | None:
    """What is wrong with running on this torch, with the remedy; None if it is the one this package was built for."""
    if torch_version.split("+")[0] == BUILT_FOR_TORCH:
        return None
    return (
        f"torch_npu was built for torch {BUILT_FOR_TORCH}, but torch {torch_version} is installed, and the C++ interface of "
        f"torch differs between releases. Install the torch it needs: pip install torch=={BUILT_FOR_TORCH}"
    )


def installation_problem(installed: list[tuple[str, str]]) -> str | None:
    """What is wrong with the installed distributions called torch_npu, given as (version, folder).

    pip replaces one by the other, so two can only meet in different folders (a user's and the environment's), or by hand;
    Python would then take files of both.
    """
    foreign = [place for place in installed if EMBEDDED not in place[0]]
    if len(installed) < 2 and not foreign:
        return None
    found = "; ".join(f"torch_npu {version} in {folder}" for version, folder in installed)
    which = "the genuine torch_npu is mixed with this one" if foreign else "torch_npu is installed more than once"
    return f"{which}: {found}. Run `pip uninstall -y torch_npu` until nothing is found, then install the one you want."


def cann_problem(cann_version: str, torch_version: str) -> str | None:
    """What the table says against this CANN with this torch, with the remedy; None if they fit or CANN is newer."""
    torch_release, cann_release = release(torch_version), release(cann_version)
    fitting = [cann for cann, torches in CANN_TABLE.items() if torch_release in torches]
    if not fitting or cann_release in fitting or not re.match(r"\d", cann_version):
        return None
    if numbers(cann_release) > max(map(numbers, CANN_TABLE)):
        return None
    return (
        f"CANN {cann_version} is not made for torch {torch_version}: it fits torch "
        f"{', '.join(CANN_TABLE.get(cann_release, ())) or 'of an older time'}, and this torch needs CANN "
        f"{' or '.join(fitting)}. Operators that this CANN lacks will run on the CPU. Install CANN {fitting[-1]}, or use the "
        "embedded one: TORCH_NPU_CANN=embedded"
    )


def numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in release(version).split(".") if part.isdigit())


def broken_cann(lib_dir: str | Path, version: str | None) -> str | None:
    """Why the CANN in this folder cannot work with this package, with the remedy; None if it can. Loads nothing."""
    for name in ("libascendcl.so", "libopapi.so"):
        path = Path(lib_dir) / name
        if not path.exists():
            return f"CANN is incomplete: {path} is missing. Install the whole toolkit, or {USE_THE_EMBEDDED_ONE}"
        if problem := elf.problem(path):
            return f"{path} cannot be opened: {problem}. Install a CANN for this machine, or {USE_THE_EMBEDDED_ONE}"
    if version is not None and re.match(r"\d", version) and numbers(version) < numbers(OLDEST_CANN):
        return (
            f"CANN {version} is too old for torch {BUILT_FOR_TORCH}: functions that torch_npu calls have other arguments "
            f"before CANN {OLDEST_CANN}. Install CANN {list(CANN_TABLE)[-1]}, or {USE_THE_EMBEDDED_ONE}"
        )
    if absent := elf.lacking(set(ESSENTIAL), [Path(lib_dir) / "libascendcl.so"]):
        return (
            f"{Path(lib_dir) / 'libascendcl.so'} lacks {', '.join(sorted(absent))}, without which torch_npu cannot work: this "
            f"CANN ({version or 'version not known'}) is too old, or another library has its name. Install CANN "
            f"{list(CANN_TABLE)[-1]}, or {USE_THE_EMBEDDED_ONE}"
        )
    return None


def lacking_operators(lib_dir: str | Path, operators: list[str]) -> list[str]:
    """Which of these aclnn operators the CANN in this folder does not have. Loads nothing; reads some megabytes."""
    libraries = [Path(lib_dir) / "libopapi.so", *sorted(Path(lib_dir).glob("libopapi_*.so"))]
    pairs = {name for operator in operators for name in (operator, f"{operator}GetWorkspaceSize")}
    absent = elf.lacking(pairs, libraries)
    return [operator for operator in operators if {operator, f"{operator}GetWorkspaceSize"} & absent]


def operators_told(lib_dir: str | Path, operators: Callable[[], list[str]]) -> str:
    """Such as "It lacks 2 of the 560 operators that torch_npu calls: aclnnAdd, aclnnMul"."""
    wanted = operators()
    lacking = lacking_operators(lib_dir, wanted)
    if not lacking:
        return f"It has all {len(wanted)} operators that torch_npu calls"
    named = ", ".join(lacking[:8]) + (", ... (python -m torch_npu lists all)" if len(lacking) > 8 else "")
    return f"It lacks {len(lacking)} of the {len(wanted)} operators that torch_npu calls: {named}"


def cann_version_of(toolkit: str | Path) -> str | None:
    """The version that a toolkit folder says it has, e.g. "8.0.RC2"; None if no file says so."""
    for name in VERSION_FILES:
        try:
            text = (Path(toolkit) / name).read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        if found := re.search(r"^\s*version\s*=\s*\[?([\w.]+)", text, re.IGNORECASE | re.MULTILINE):
            return found[1]
    return None


def installed_distributions() -> list[tuple[str, str]]:
    """(version, folder) of each distribution called torch_npu or torch-npu that this Python can see."""
    places = {}
    for distribution in importlib.metadata.distributions(name="torch_npu"):
        # A folder that is twice on the path is one installation.
        places.setdefault(str(Path(str(distribution.locate_file(""))).resolve()), distribution.version)
    return [(version, folder) for folder, version in places.items()]


def is_page() -> bool:
    """Whether this is `python -m torch_npu`, which shows what is wrong instead of failing with it."""
    if sys.argv[:1] != ["-m"]:  # so it is while Python looks for the module that -m names
        return False
    arguments = sys.orig_argv
    return "-m" in arguments and arguments[arguments.index("-m") + 1 :][:1] == ["torch_npu"]


def unusable(torch_version: str) -> str | None:
    """Why torch_npu's libraries cannot be loaded here: another torch, or two torch_npu's."""
    return torch_problem(torch_version) or installation_problem(installed_distributions())


def check_installation(torch_version: str) -> bool:
    """Whether torch_npu can work here. If not: ImportError, but False for `python -m torch_npu`, which tells why."""
    problem = unusable(torch_version)
    if problem and not is_page():
        raise ImportError(f"torch_npu: {problem}")
    return problem is None


def check_libraries(lib_dir: str | Path, version: str | None) -> None:
    """Raises ImportError if the CANN in this folder cannot work with this package."""
    if problem := broken_cann(lib_dir, version):
        raise ImportError(f"torch_npu: {problem}")


def check_cann(toolkit: str | Path, torch_version: str, lacking: Callable[[], str] = str) -> str | None:
    """Warns (UserWarning) if the table says that this toolkit and this torch do not fit, with what `lacking` tells of its
    operators. Returns the toolkit's version."""
    version = cann_version_of(toolkit)
    if version is not None and (problem := cann_problem(version, torch_version)):
        warnings.warn(f"torch_npu: {problem}. {lacking()}".rstrip(". "), stacklevel=2)
    return version
