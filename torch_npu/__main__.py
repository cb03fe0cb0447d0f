"""python -m torch_npu: one page about this installation. With --check it ends with 1 if something does not fit."""

from __future__ import annotations

import argparse
import ctypes
import platform
import sys
from pathlib import Path

import torch

import torch_npu
from torch_npu import _C, versions


def embedded_facts(lib_dir: str) -> dict[str, str]:
    """What the embedded CANN says of itself (isa, threads, ...); {} for a real one."""
    library = ctypes.CDLL(str(Path(lib_dir) / "libascendcl.so"))
    try:
        describe = library.aclEmbeddedDescribe
    except AttributeError:
        return {}
    describe.restype = ctypes.c_char_p
    return dict(line.split("=", 1) for line in describe().decode().splitlines())


def gib(size: int) -> str:
    return f"{size / 2**30:.1f} GiB"


def page() -> tuple[list[tuple[str, str]], list[str]]:
    """(label, text) for each line of the page, and what does not fit."""
    lines = [("Python", f"{platform.python_version()} in {sys.prefix}")]
    # With another torch the import of torch_npu has already failed, with the reason.
    lines.append(("torch", f"{torch.__version__} (fits: torch_npu was built for {versions.BUILT_FOR_TORCH})"))
    lines.append(("torch_npu", f"{torch_npu.__version__} in {Path(torch_npu.__file__).parent}"))
    cann, missing = _C.find_cann()
    if missing:
        return [*lines, ("CANN", "none")], [missing]
    cann = _C.open_cann()
    version = versions.cann_version_of(cann["root"])
    kind = "embedded: computes on this machine's CPU" if cann["embedded"] else "an installed toolkit"
    lines += [("CANN", f"{version or 'version not known'} ({kind})"), ("", f"in {cann['root']}, chosen by {cann['chosen_by']}")]
    problem = versions.cann_problem(version, torch.__version__) if version else None
    torch.npu.init()  # raises if an environment variable is wrong
    if facts := embedded_facts(cann["lib_dir"]):
        lines.append(("Kernels", f"x86-64-{facts['isa']}" if facts["isa"].startswith("v") else facts["isa"]))
        lines.append(("Threads", f"{facts['threads']} (all devices share them)"))
    count = torch.npu.device_count()
    for index in range(count):
        free, total = torch.npu.mem_get_info(index)
        lines.append((f"npu:{index}", f"{torch.npu.get_device_name(index)}, {gib(free)} free of {gib(total)}"))
    problems = [problem] if problem else []
    if count == 0:
        lines.append(("Devices", "none"))
        problems.append("CANN finds no device. ASCEND_RT_VISIBLE_DEVICES may hide them all.")
    return lines, problems


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m torch_npu", description="What torch_npu is and finds on this machine.")
    parser.add_argument("--check", action="store_true", help="exit with 1 if something does not fit")
    options = parser.parse_args()
    try:
        lines, problems = page()
    except RuntimeError as error:  # a library that is missing, or an environment variable that is wrong
        lines, problems = [], [str(error)]
    for label, text in lines:
        print(f"{label:10} {text}")
    for problem in problems:
        print(f"\nProblem: {problem}")
    return int(bool(problems) and options.check)


if __name__ == "__main__":
    sys.exit(main())
