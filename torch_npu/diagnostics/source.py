"""Reads a program's source for what its lines cannot tell by themselves: their loops and their conditions."""

from __future__ import annotations

import ast
import linecache
import textwrap
from dataclasses import dataclass
from functools import cache

Loop = ast.For | ast.AsyncFor | ast.While
Scope = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.Module
# A condition like `step % 2 == 0` thins out nothing worth the name.
RARE_MODULUS = 10
MOST_LINES = 12  # of a statement that a report shows


@dataclass(frozen=True)
class Where:
    """Where a line stands in its function."""

    loops: tuple[tuple[int, int], ...]  # first and last line of each loop around it, innermost first
    conditional: bool  # under an `if` inside the innermost loop (inside the function, if there is none)
    thinned: bool  # that `if` asks for every n-th round, n at least RARE_MODULUS


def text_of(file: str, line: int) -> str:
    """The lines of the statement that the line belongs to, without common indentation; of a compound statement its head.

    At most MOST_LINES around the line, with "..." for the others; the line alone where the file is no Python; "" if it cannot
    be read.
    """
    first, last = _statement_at(file, line)
    begin = max(first, min(line - MOST_LINES // 2, last - MOST_LINES + 1))
    end = min(last, begin + MOST_LINES - 1)
    shown = [linecache.getline(file, number).rstrip() for number in range(begin, end + 1)]
    text = textwrap.dedent("\n".join(shown)).strip("\n")
    if len(shown) == 1:
        text = text.strip()
    return ("...\n" if begin > first else "") + text + ("\n..." if end < last else "")


@cache
def _statement_at(file: str, line: int) -> tuple[int, int]:
    """First and last line of the innermost statement around a line; the line itself where there is none."""
    node: ast.AST | None = _tree(file)
    innermost: ast.stmt | None = None
    while node is not None:
        if isinstance(node, ast.stmt):
            innermost = node
        node = next((child for child in ast.iter_child_nodes(node) if _holds(child, line)), None)
    if innermost is None:
        return line, line
    first, last = innermost.lineno, innermost.end_lineno or innermost.lineno
    if hasattr(innermost, "body") or hasattr(innermost, "cases"):
        inner = ast.stmt | ast.ExceptHandler | ast.match_case
        head = [part for part in ast.iter_child_nodes(innermost) if not isinstance(part, inner)]
        last = max([first, *(getattr(node, "end_lineno", None) or 0 for part in head for node in ast.walk(part))])
    return (first, last) if line <= last else (line, line)  # beyond a head: an `else:`, a `case`


@cache
def _tree(file: str) -> ast.Module | None:
    try:
        return ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError):  # a notebook's magic, a binary file: nothing can be said about its loops
        return None


@cache
def where(file: str, line: int) -> Where:
    """What the source says about a line; as if it stood alone where there is no source."""
    tree = _tree(file)
    around = _around(tree, line) if tree is not None else []
    loops: list[tuple[int, int]] = []
    conditional = thinned = False
    for node, part in reversed(around):
        if isinstance(node, Scope):
            break
        if isinstance(node, Loop):
            loops.append((node.lineno, node.end_lineno or node.lineno))
        elif isinstance(node, ast.If) and part and not loops:
            conditional = True
            thinned = thinned or (part == "body" and _every_nth(node.test))
    return Where(tuple(loops), conditional, thinned)


def _around(tree: ast.Module, line: int) -> list[tuple[ast.AST, str]]:
    """The statements that hold the line, outermost first, and which part of each: "body", "orelse", or "" for its head."""
    around: list[tuple[ast.AST, str]] = []
    node: ast.AST | None = tree
    while node is not None:
        inner = next((child for child in ast.iter_child_nodes(node) if _holds(child, line)), None)
        if isinstance(node, (Loop, ast.If, Scope)):
            part = next((name for name in ("body", "orelse") if inner in _statements(node, name)), "")
            around.append((node, part))
        node = inner
    # The head of a `while` runs once a round; that of a `for` runs once.
    return [(n, part) for n, part in around if part or not isinstance(n, ast.For | ast.AsyncFor)]


def _statements(node: ast.AST, name: str) -> list[ast.stmt]:
    found = getattr(node, name, [])
    return found if isinstance(found, list) else []  # a lambda's body is an expression


def _holds(node: ast.AST, line: int) -> bool:
    first = getattr(node, "lineno", None)
    if first is None:  # such as arguments, which have no place of their own
        return any(_holds(child, line) for child in ast.iter_child_nodes(node))
    return first <= line <= (getattr(node, "end_lineno", None) or first)


def _every_nth(test: ast.expr) -> bool:
    for node in ast.walk(test):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
            modulus = node.right
            small = isinstance(modulus, ast.Constant) and isinstance(modulus.value, int) and modulus.value < RARE_MODULUS
            if not small:
                return True
    return False
