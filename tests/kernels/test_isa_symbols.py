"""Kernel files are compiled once per instruction-set level; the linker must never merge the code of two levels.

It merges weak symbols (inline functions, templates) of the same name, so each must carry its level in its name.
A std:: template on plain types does not: AVX-512 code under that name would run on machines without it.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

WEAK = re.compile(r"^[0-9a-f]*\s+([WVuv])\s+(.*)$")
HARMLESS = re.compile(r"^DW\.ref\.")  # a pointer to the exception handler: data, the same at every level


def weak_symbols(objects: list[Path]):
    """(object, demangled name) of every weak symbol that an object defines."""
    command = ["nm", "-C", "--defined-only", "--print-file-name", *map(str, objects)]
    listing = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    for line in listing.splitlines():
        file, _, rest = line.partition(".o:")
        found = WEAK.match(rest)
        if found and not HARMLESS.match(found[2]):
            yield Path(file).name, found[2]


@pytest.mark.parametrize("level", ["v2", "v3", "v4"])
def test_no_weak_symbol_outside_its_level(build_dir, level):
    objects = sorted(build_dir.glob(f"**/cann_kernels_{level}.dir/**/*.o"))
    if not objects:
        pytest.skip(f"this build has no kernels of level {level}")
    outside = [f"{file}: {name}" for file, name in weak_symbols(objects) if f"cann::kernels::{level}::" not in name]
    assert not outside, f"{len(outside)} weak symbols outside cann::kernels::{level}:\n" + "\n".join(outside[:40])


def test_the_check_sees_a_weak_symbol(tmp_path):
    source = tmp_path / "leak.cpp"
    source.write_text("template <class T> T twice(T x) { return x + x; }\nint f(int x) { return twice(x); }\n")
    subprocess.run(["g++", "-c", "-O0", source, "-o", tmp_path / "leak.o"], check=True)
    assert [name for _, name in weak_symbols([tmp_path / "leak.o"])] == ["int twice<int>(int)"]
