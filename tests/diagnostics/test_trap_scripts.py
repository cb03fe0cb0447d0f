"""The examples in examples/traps/: each trap is reported at its line with its count, and the mended scripts report nothing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

TRAPS = ["copies", "transposed", "float64", "fallback", "unfused", "on_an_ascend"]


def marked(script: Path) -> set[tuple[int, str]]:
    """(line, kind), from the comments "# trap: kind, kind"."""
    lines = enumerate(script.read_text().splitlines(), 1)
    found = {number: kinds[1] for number, line in lines if (kinds := re.search(r"# trap: ([\w, ]+)", line))}
    return {(number, kind) for number, kinds in found.items() for kind in kinds.split(", ")}


@pytest.mark.parametrize("name", TRAPS)
def test_a_trap_is_reported_at_its_line(root, watched, name):
    script = root / "examples" / "traps" / f"{name}.py"
    process, report = watched(script)
    assert process.returncode == 0, process.stderr
    assert {(trap["line"]["number"], trap["kind"]) for trap in report["traps"]} == marked(script)
    in_loop = [trap for trap in report["traps"] if trap["calls"] > 1]
    assert in_loop and all(trap["calls"] == (100 if name in ("copies", "transposed") else 30) for trap in in_loop)
    assert all(trap["remedy"] for trap in report["traps"])


@pytest.mark.parametrize("name", TRAPS)
def test_the_mended_script_reports_nothing(root, watched, name):
    process, report = watched(root / "examples" / "traps" / f"{name}_mended.py")
    assert process.returncode == 0, process.stderr
    assert report["traps"] == []
    assert "no traps" in process.stdout
