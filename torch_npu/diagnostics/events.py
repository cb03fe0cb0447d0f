"""What happened, counted: one Count for each kind of event, thing it is about, and line."""

from __future__ import annotations

import site
import sysconfig
from dataclasses import dataclass
from enum import Enum
from functools import cache
from pathlib import Path

import torch

from torch_npu import _C


class Kind(str, Enum):
    """The kinds of events. Their values are the names that policies and reports use."""

    fallback = "fallback"  # an operator ran on the CPU
    sync = "sync"  # the host waited for the device
    copy = "copy"  # bytes between host and device that the program asked for
    contiguous = "contiguous"  # a hidden copy, or an input that makes CANN copy
    float64 = "float64"  # an operator got float64
    complex = "complex"  # an operator got complex numbers
    unfused = "unfused"  # an operator that an Ascend would not fuse
    fused = "fused"  # one that it would
    retry = "retry"  # device memory ran short, and the cache was given back
    recompile = "recompile"  # a compiled graph was compiled again, or left to eager operators
    ascend = "ascend"  # computed here; an Ascend leaves it to the CPU, or refuses it

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True)
class Line:
    """A line of a Python program. `own` is the user's; others are an installed library's."""

    file: str
    number: int
    function: str
    own: bool

    def __str__(self) -> str:
        return f"{self.file}:{self.number}"


@dataclass(frozen=True)
class Count:
    """Events of one kind, about one thing, from one place.

    `rounds` are the calls with device work between them: a hundred copies in a row are one round. `lines` is innermost first:
    the line outside torch and torch_npu, then the user's own lines that led there. Both are known only while a watch is on.
    """

    kind: Kind
    what: str
    calls: int
    bytes: int
    time_ns: int
    reason: str = ""
    rounds: int = 0
    op_name: str = ""
    operands: str = ""
    place: int = 0
    lines: tuple[Line, ...] = ()


def counts() -> list[Count]:
    """All that was counted since the last reset()."""
    return [_count(**values) for values in _C.event_counts()]


def _count(kind: str, place: int, **values) -> Count:
    return Count(kind=Kind(kind), place=place, lines=lines_of(place), **values)


def record(kind: Kind, what: str, reason: str = "", size: int = 0) -> None:
    """Counts an event that happens in Python, at the user's line. RuntimeError where the kind's policy says so."""
    _C.record_event(str(kind), what, reason, size)


@cache  # a place never changes
def lines_of(place: int) -> tuple[Line, ...]:
    return tuple(Line(*line) for line in _C.event_lines(place))


def tell_whose_files() -> None:
    """Tells the library which files are torch's and Python's own (passed over) and which an installed library's."""
    here = Path(__file__).resolve().parent.parent
    torch_root = Path(torch.__file__).resolve().parent
    passed_over = {here, torch_root, Path(torch.__file__).parent, torch_root.parent / "functorch", torch_root.parent / "torchgen"}
    passed_over |= {Path(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib")}
    libraries = {"/site-packages/", "/dist-packages/"} | {f"{folder}/" for folder in site.getsitepackages()}
    _C.set_event_roots(sorted(f"{folder}/" for folder in passed_over), sorted(libraries))
