"""What the source says about a line: its loop, and whether a condition thins it out."""

from __future__ import annotations

import textwrap

import pytest

from torch_npu.diagnostics.source import Where, where

PROGRAM = textwrap.dedent(
    """\
    x = first()
    for epoch in range(9):
        for batch in data:
            if batch.index % 100 == 0:
                log(batch)
            elif batch.odd:
                skip(batch)
            if batch.index % 2 == 0:
                half(batch)
        report()
    while again():
        step()
    def helper(step):
        if step % every == 0:
            print(step)
        return [one(i)
                for i in range(3)]
    for item in items():
        pass
    """
)
INNER, OUTER, WHILE = (3, 9), (2, 10), (11, 12)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (1, Where((), False, False)),
        (5, Where((INNER, OUTER), True, True)),
        (7, Where((INNER, OUTER), True, False)),
        (9, Where((INNER, OUTER), True, False)),
        (10, Where((OUTER,), False, False)),
        (11, Where((WHILE,), False, False)),
        (12, Where((WHILE,), False, False)),
        (15, Where((), True, True)),
        (16, Where((), False, False)),
        (18, Where((), False, False)),
        (99, Where((), False, False)),
    ],
)
def test_where_a_line_stands(tmp_path, line, expected):
    file = tmp_path / "program.py"
    file.write_text(PROGRAM)
    assert where(str(file), line) == expected


@pytest.mark.parametrize("text", ["%matplotlib inline\n", "\0", ""])
def test_a_file_that_is_no_python(tmp_path, text):
    file = tmp_path / "strange.py"
    file.write_text(text)
    assert where(str(file), 1) == Where((), False, False)
    assert where(str(tmp_path / "missing.py"), 1) == Where((), False, False)
