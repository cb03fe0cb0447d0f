"""What the source says about a line: its loop, and whether a condition thins it out."""

from __future__ import annotations

import textwrap

import pytest

from torch_npu.diagnostics.source import MOST_LINES, Where, text_of, where

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


STATEMENTS = textwrap.dedent(
    """\
    total = first(
        batch,
        batch.item(),
    )
    with open(
        name
    ) as file, lock:
        # what follows is not the head
        step()
    if flag: once()
    else:
        other = [
            one(i)
            for i in range(3)
        ]
    @decorated(
        1
    )
    def helper(
        x,
    ): return x
    match (
        kind
    ):
        case 1: pass
        case _:
            big(
                1, 2,
                3, 4,
            )
    """
)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (1, (1, 4)),
        (3, (1, 4)),
        (5, (5, 7)),
        (6, (5, 7)),
        (8, (8, 8)),
        (9, (9, 9)),
        (10, (10, 10)),
        (11, (11, 11)),
        (13, (12, 15)),
        (17, (17, 17)),
        (18, (18, 18)),
        (20, (19, 20)),
        (23, (22, 23)),
        (25, (25, 25)),
        (28, (27, 30)),
        (99, (99, 99)),
    ],
)
def test_the_statement_around_a_line(tmp_path, line, expected):
    """All lines of a plain statement; the head of a compound one; a line by itself where neither is."""
    file = tmp_path / "program.py"
    file.write_text(STATEMENTS)
    lines = STATEMENTS.splitlines()[expected[0] - 1 : expected[1]]
    assert text_of(str(file), line) == textwrap.dedent("\n".join(lines)).strip("\n")


def test_of_a_long_statement_the_lines_around_are_shown(tmp_path):
    file = tmp_path / "program.py"
    file.write_text("table = [\n" + "".join(f"    f({n}),\n" for n in range(100)) + "]\n")
    shown = text_of(str(file), 50).splitlines()
    assert (shown[0], shown[-1], len(shown)) == ("...", "...", MOST_LINES + 2)
    assert "f(48)," in shown
    assert text_of(str(file), 1).startswith("table = [\n")
    assert text_of(str(file), 102).endswith("\n]")
