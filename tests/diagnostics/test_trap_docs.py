"""docs/traps.md shows what examples/traps holds, in both languages: the same code, the same changes, the same reports."""

from __future__ import annotations

import difflib
import re
from pathlib import Path

import pytest

PAGES = ["traps.md", "traps.zh-CN.md"]
NAMES = ["copies", "transposed", "float64", "fallback", "unfused", "on_an_ascend"]  # in the page's order


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", page.read_text(), re.DOTALL | re.MULTILINE)


def code(script: Path) -> str:
    """A script as the page shows it: without its docstring and its marks."""
    text = re.sub(r'\A""".*?"""\n+', "", script.read_text(), flags=re.DOTALL)
    return re.sub(r"  # trap: [\w, ]+$", "", text, flags=re.MULTILINE)


def changed(script: Path, mended: Path) -> str:
    """The lines that the mended script has and the script has not."""
    compared = difflib.ndiff(code(script).splitlines(), code(mended).splitlines())
    return "".join(f"{line[2:]}\n" for line in compared if line.startswith("+ "))


@pytest.mark.parametrize("page", PAGES)
def test_the_code_is_the_examples(root, page):
    folder = root / "examples" / "traps"
    shown = blocks(root / "docs" / page, "python")
    expected = []
    for name in NAMES:
        script, mended = folder / f"{name}.py", folder / f"{name}_mended.py"
        expected += [code(script), changed(script, mended)]
    assert shown == expected
    assert {file.name for file in folder.glob("*.py")} == {f"{name}{end}.py" for name in NAMES for end in ("", "_mended")}


def test_both_languages_show_the_same_reports(root):
    assert blocks(root / "docs" / PAGES[0], "text") == blocks(root / "docs" / PAGES[1], "text")


@pytest.mark.parametrize("name", NAMES)
def test_the_report_is_what_the_command_prints(root, watched, monkeypatch, name):
    monkeypatch.chdir(root / "examples" / "traps")
    process, _ = watched(Path(f"{name}.py"))
    printed = re.search(r"torch_npu diagnostics:.*?(?=\n\nAll events)", process.stdout, re.DOTALL)
    assert printed is not None, process.stderr
    shown = blocks(root / "docs" / PAGES[0], "text")[NAMES.index(name)]
    assert plain(printed[0]) == plain(shown.rstrip("\n"))


def plain(report: str) -> str:
    """Without times and marks."""
    return re.sub(r"  # trap: [\w, ]+$", "", re.sub(r"\d+\.\d ms", "... ms", report), flags=re.MULTILINE)
