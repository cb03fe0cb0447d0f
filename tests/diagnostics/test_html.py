"""The page: all there is to know, in one file, and nothing of the program in it can do anything but be read."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from html.parser import HTMLParser

import pytest
import torch

HOSTILE = """\
import torch
x = torch.ones(4, device="npu")
for i in range(3):
    x = x + 1; x.sum().item(); "</pre></script><script>document.title = 'broken'</script><img src=x onerror=alert(1)> & ' \\x00"
"""


class Checker(HTMLParser):
    """Every element is closed in order; what elements there are."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()
        self.attributes: set[str] = set()

    def handle_starttag(self, tag, attrs):
        self.seen.add(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.fixture
def page(tmp_path, watched):
    script = tmp_path / "<b>script & 'co'.py"
    script.write_text(HOSTILE)
    file = tmp_path / "report.html"
    process, _ = watched(script, "--html", str(file))
    assert process.returncode == 0, process.stderr
    return file


def test_the_programs_text_is_escaped(page):
    text = page.read_text()
    checker = Checker()
    checker.feed(text)
    assert checker.open == []
    assert not checker.seen & {"script", "img", "b>script"}
    assert not any(name.startswith("on") for name in checker.attributes)
    assert "&lt;/pre&gt;&lt;/script&gt;&lt;script&gt;document.title" in text
    assert "default-src &#x27;none&#x27;" in text or "default-src 'none'" in text
    assert not re.search(r'(?:src|href)\s*=\s*"', text), "nothing is loaded from elsewhere"


def browser() -> str:
    for name in ("chromium", "chromium-browser", "google-chrome", "chrome"):
        if path := os.environ.get("NPU_TEST_BROWSER") or shutil.which(name):
            return path
    pytest.fail("no browser: apt-get install chromium, or name one in NPU_TEST_BROWSER; `make test-full` installs it")


@pytest.mark.slow
def test_a_browser_shows_it(page, tmp_path):
    command = [browser(), "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}"]
    shot = tmp_path / "page.png"
    seen = subprocess.run(
        [*command, "--dump-dom", page.as_uri()], capture_output=True, text=True, timeout=120, check=True
    ).stdout
    assert "<title>torch_npu diagnostics</title>" in seen, "no script has changed the title"
    assert "1 trap</h1>" in seen and 'id="timeline"' in seen and seen.count("<rect") >= 3
    assert "<b>Remedy:</b> Keep the value on the device" in seen
    subprocess.run([*command, f"--screenshot={shot}", "--window-size=1200,900", page.as_uri()], timeout=120, check=True)
    assert shot.stat().st_size > 5000


def test_nothing_happened(tmp_path):
    from torch_npu import diagnostics

    with diagnostics.watch() as report:
        torch.ones(1)
    report.to_html(tmp_path / "empty.html")
    assert "No traps" in (tmp_path / "empty.html").read_text()
    assert str(report).startswith("torch_npu diagnostics: no traps")
    with pytest.raises(OSError):
        report.to_html(tmp_path / "missing" / "folder.html")


