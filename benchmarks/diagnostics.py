"""What the diagnostics cost a small eager operator: host instructions a call, counted by valgrind, so without noise.

    python benchmarks/diagnostics.py                 a table; valgrind must be installed, and takes some minutes
    python benchmarks/diagnostics.py --calls 500     less exact, sooner

Each figure is the difference of two loops of different length on the thread that calls, so that start-up cancels. `ignored`:
every policy is "ignore"; `counted`: the default; `watched`: inside watch(), with lines. float64 makes an event of each call.
Build with -DNPU_ISA_LEVELS="v2;v3;v4": valgrind has no AVX-512.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from contextlib import nullcontext
from pathlib import Path

MODES = ("ignored", "counted", "watched")
CASES = {
    "add, float32": "torch.add(x, x)",
    "fmax, float32 (on an Ascend: CPU)": "torch.fmax(x, x)",
    "add, float64": "torch.add(d, d)",
}


def control(*arguments: str) -> None:
    subprocess.run(["callgrind_control", *arguments, str(os.getpid())], check=True, stdout=subprocess.DEVNULL)


def inside(calls: int) -> None:
    """Runs under valgrind: a dump for each case, mode and length, named by its number."""
    import torch

    import torch_npu

    names = {"x": torch.ones(16, device="npu"), "d": torch.ones(16, device="npu", dtype=torch.float64), "torch": torch}

    def loop(code, count: int) -> None:
        for _ in range(count):
            eval(code, names)

    control("--instr=on")
    for expression in CASES.values():
        code = compile(expression, "<benchmark>", "eval")
        for mode in MODES:
            torch_npu.diagnostics.set_policy("all", "ignore" if mode == "ignored" else "count")
            with torch_npu.diagnostics.watch() if mode == "watched" else nullcontext():
                loop(code, 50)
                for count in (calls, 3 * calls):
                    torch.npu.synchronize()
                    control("--zero")
                    loop(code, count)
                    control("--dump")


def totals(folder: Path) -> list[int]:
    """The instructions of the calling thread in each dump, in the order of the dumps."""
    found = {}
    for file in folder.glob("out.*-01"):
        text = file.read_text()
        number = int(re.search(r"^part: (\d+)", text, re.MULTILINE)[1])
        found[number] = int(re.search(r"^(?:totals|summary): (\d+)", text, re.MULTILINE)[1])
    return [found[number] for number in sorted(found)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=2000, help="in the shorter of the two loops")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        inside(options.calls)
        return 0
    with tempfile.TemporaryDirectory() as name:
        command = ["valgrind", "--tool=callgrind", "--instr-atstart=no", "--separate-threads=yes"]
        command += [f"--callgrind-out-file={name}/out", sys.executable, __file__, "--inside", "--calls", str(options.calls)]
        subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
        counted = totals(Path(name))
    pairs = iter(zip(counted[::2], counted[1::2], strict=False))
    print(f"{'instructions a call':36s}" + "".join(f"{mode:>10s}" for mode in MODES) + "   counted   watched: more than ignored")
    for case in CASES:
        each = [(long - short) / (2 * options.calls) for short, long in (next(pairs) for _ in MODES)]
        more = [f"{100 * (value / each[0] - 1):9.2f}%" for value in each[1:]]
        print(f"{case:36s}" + "".join(f"{value:10.0f}" for value in each) + "".join(more))
    return 0


if __name__ == "__main__":
    sys.exit(main())
