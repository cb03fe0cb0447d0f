"""python -m torch_npu: one page about this installation. With --check it ends with 1 if something does not fit.

Nothing that the page tells may keep it from telling: with another torch, torch_npu has no libraries here (see __init__.py).
"""

from __future__ import annotations

import argparse
import ctypes
import platform
import sys
from pathlib import Path

import torch

import torch_npu
from torch_npu import versions


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


class Page:
    """Lines of label and text, and the problems that stand below them."""

    def __init__(self) -> None:
        self.lines: list[tuple[str, str]] = []
        self.problems: list[str] = []

    def add(self, label: str, text: str) -> None:
        self.lines.append((label, text))

    def fill(self) -> None:
        self.add("Python", f"{platform.python_version()} in {sys.prefix}")
        fits = "does not fit" if versions.torch_problem(torch.__version__) else "fits"
        self.add("torch", f"{torch.__version__} ({fits}: torch_npu was built for {versions.BUILT_FOR_TORCH})")
        self.add("torch_npu", f"{torch_npu.__version__} in {Path(torch_npu.__file__).parent}")
        if problem := versions.unusable(torch.__version__):
            self.problems.append(problem)
        elif self.add_cann():
            self.add_devices()

    def add_cann(self) -> bool:
        """Whether there is a CANN that can be used."""
        cann, missing = torch_npu._C.find_cann()
        if missing:
            self.add("CANN", "none")
            self.problems.append(missing)
            return False
        version = versions.cann_version_of(cann["root"])
        kind = "embedded: computes on this machine's CPU" if cann["embedded"] else "an installed toolkit"
        self.add("CANN", f"{version or 'version not known'} ({kind})")
        self.add("", f"in {cann['root']}, chosen by {cann['chosen_by']}")
        if broken := versions.broken_cann(cann["lib_dir"], version):
            self.problems.append(broken)
            return False
        if version and (unfit := versions.cann_problem(version, torch.__version__)):
            self.problems.append(unfit)
        operators = torch_npu._C.cann_operators()
        lacking = versions.lacking_operators(cann["lib_dir"], operators)
        self.add("Operators", f"{len(operators) - len(lacking)} of the {len(operators)} that torch_npu calls")
        if lacking:
            self.problems.append(f"this CANN lacks {len(lacking)} operators; they run on the CPU: {', '.join(lacking)}")
        return True

    def add_devices(self) -> None:
        cann = torch_npu._C.open_cann()
        torch.npu.init()  # raises if an environment variable is wrong
        if facts := embedded_facts(cann["lib_dir"]):
            self.add("Kernels", f"x86-64-{facts['isa']}" if facts["isa"].startswith("v") else facts["isa"])
            self.add("Threads", f"{facts['threads']} (all devices share them)")
        count = torch.npu.device_count()
        for index in range(count):
            free, total = torch.npu.mem_get_info(index)
            self.add(f"npu:{index}", f"{torch.npu.get_device_name(index)}, {gib(free)} free of {gib(total)}")
        if count == 0:
            self.add("Devices", "none")
            self.problems.append("CANN finds no device. ASCEND_RT_VISIBLE_DEVICES may hide them all.")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m torch_npu", description="What torch_npu is and finds on this machine.")
    parser.add_argument("--check", action="store_true", help="exit with 1 if something does not fit")
    options = parser.parse_args()
    page = Page()
    try:
        page.fill()
    except RuntimeError as error:  # a library that does not open, or an environment variable that is wrong
        page.problems.append(str(error))
    for label, text in page.lines:
        print(f"{label:10} {text}")
    for problem in page.problems:
        print(f"\nProblem: {problem}")
    return int(bool(page.problems) and options.check)


if __name__ == "__main__":
    sys.exit(main())
