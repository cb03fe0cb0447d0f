"""The READMEs say what is so: their code runs, their links lead somewhere, and no option is left out."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

READMES = ["README.md", "README.zh-CN.md"]


@pytest.mark.parametrize("name", READMES)
def test_the_code_runs(root, name):
    for code in re.findall(r"```python\n(.*?)```", (root / name).read_text(encoding="utf-8"), re.DOTALL):
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=root)
        assert done.returncode == 0, done.stderr
        assert done.stdout.strip().endswith("{}")  # no operator fell back


@pytest.mark.parametrize("name", [*READMES, "CONTRIBUTING.md"])
def test_links_lead_somewhere(root, name):
    links = re.findall(r"\]\((?!https?:)([^)#]+)\)", (root / name).read_text(encoding="utf-8"))
    assert [link for link in links if not (root / link).exists()] == []


@pytest.mark.parametrize("name", READMES)
def test_every_option_is_listed(root, name):
    table = (root / "cann" / "base" / "options.cpp").read_text()
    options = re.findall(r'^\s+\{"([A-Z_]+)", "', table, re.MULTILINE)
    assert len(options) > 5
    text = (root / name).read_text(encoding="utf-8")
    assert [option for option in options if f"`{option}`" not in text] == []


@pytest.mark.parametrize("name", READMES)
def test_every_make_target_exists(root, name):
    makefile = (root / "Makefile").read_text()
    targets = set(re.findall(r"`?make ([a-z-]+)", (root / name).read_text(encoding="utf-8")))
    assert [target for target in targets if not re.search(rf"^{target}:", makefile, re.MULTILINE)] == []
