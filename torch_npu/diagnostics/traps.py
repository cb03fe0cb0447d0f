"""From counted events to traps: what a user can mend, worst first.

What cannot be avoided is no trap: the first copies of a model, a result that is read once after the loop, a loss that is read
every hundred steps. Waits and copies count only where they repeat with device work between them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from torch_npu.diagnostics import source
from torch_npu.diagnostics.events import Count, Kind, Line

REPEATED = 3  # rounds from which a wait or a copy is one too many
# A wait is rare if what surrounds it runs this much oftener: a guard that lets through a tenth; an epoch of 50 batches.
RARE_UNDER_IF = 10
RARE_AROUND_LOOP = 50
# What one occurrence costs, roughly, against the others. Ranks, and nothing else.
WEIGHTS = {
    Kind.fallback: 20.0,
    Kind.sync: 10.0,
    Kind.copy: 8.0,
    Kind.float64: 6.0,
    Kind.unfused: 5.0,
    Kind.contiguous: 3.0,
    Kind.complex: 2.0,
    Kind.retry: 50.0,
    Kind.recompile: 1000.0,
    Kind.ascend: 20.0,
}
# Waits that another event tells about already.
TOLD_ELSEWHERE = ("fallback", "copy_ through the host", "copy to device")
SLOW_COPIES = ("to device", "to device, non_blocking from memory that is not pinned")

Visits = dict[tuple[str, int], int]  # (file, line) -> about how often it ran


@dataclass(frozen=True)
class Trap:
    """One thing to mend, at one line. `line` is None where Python's frames told none (a thread without any)."""

    kind: Kind
    what: tuple[str, ...]  # the operators, or why the host waited
    line: Line | None
    called_from: Line | None  # the user's line, where `line` is a library's
    calls: int
    rounds: int
    bytes: int
    time_ns: int
    op_name: str
    reason: str
    operands: str

    @property
    def own(self) -> bool:
        """The user can change the line."""
        return self.line is None or self.line.own

    @property
    def score(self) -> float:
        often = self.rounds if self.kind in (Kind.sync, Kind.copy) else self.calls
        return WEIGHTS[self.kind] * often

    @property
    def source(self) -> str:
        return source.text_of(self.line.file, self.line.number) if self.line else ""


def find(counts: Iterable[Count], visits: Visits) -> list[Trap]:
    """The traps among the counted events: the user's own first, then the libraries'; each part worst first, and what costs on
    an Ascend alone last."""
    groups: dict[tuple, list[Count]] = defaultdict(list)
    for count in counts:
        if _may_be_trap(count):
            line = count.lines[0] if count.lines else None
            # A line's float64 operators are one trap, its waits are one a reason.
            one_a_line = count.kind in (Kind.float64, Kind.complex)
            subject = "" if one_a_line else count.reason if count.kind == Kind.ascend else count.what
            groups[count.kind, subject, line].append(count)
    traps = [_trap(line, group) for (_, _, line), group in groups.items() if _matters(group, visits)]
    # What costs nothing here stands below what does.
    return sorted(traps, key=lambda trap: (not trap.own, trap.kind == Kind.ascend, -trap.score))


def _may_be_trap(count: Count) -> bool:
    if count.kind == Kind.sync:
        return count.what not in TOLD_ELSEWHERE
    if count.kind == Kind.copy:
        return count.what in SLOW_COPIES
    return count.kind in WEIGHTS


def _matters(group: list[Count], visits: Visits) -> bool:
    if group[0].kind not in (Kind.sync, Kind.copy):
        return True
    often = [count for count in group if not _is_rare(count, visits)]
    return sum(count.rounds for count in often) >= REPEATED


def _is_rare(count: Count, visits: Visits) -> bool:
    """The innermost loop that the event happens in does far more between two of them than one round of work."""
    for line in count.lines:
        if not line.own:
            continue
        where = source.where(line.file, line.number)
        if where.thinned:
            return True
        if where.loops:
            return _is_rare_in_loop(line, where, count.rounds, visits)
    return False


def _is_rare_in_loop(line: Line, where: source.Where, rounds: int, visits: Visits) -> bool:
    first, last = where.loops[0]
    times_of_loop, times_inside = [], [0]
    for (file, number), times in visits.items():
        if file != line.file or not first <= number <= last or number == line.number:
            continue
        other = source.where(file, number)
        if other.loops and other.loops[0] == where.loops[0]:
            if not other.conditional:
                times_of_loop.append(times)
        else:
            times_inside.append(times)
    if max(times_inside) >= RARE_AROUND_LOOP * rounds:
        return True
    return where.conditional and bool(times_of_loop) and min(times_of_loop) >= RARE_UNDER_IF * rounds


def _trap(line: Line | None, group: list[Count]) -> Trap:
    most = max(group, key=lambda count: count.calls)
    own = [found for count in group for found in count.lines if found.own]
    names = dict.fromkeys(count.what for count in sorted(group, key=lambda count: -count.calls))
    return Trap(
        kind=most.kind,
        what=tuple(names),
        line=line,
        called_from=own[0] if own and line is not None and not line.own else None,
        calls=sum(count.calls for count in group),
        rounds=sum(count.rounds for count in group),
        bytes=sum(count.bytes for count in group),
        time_ns=sum(count.time_ns for count in group),
        op_name=most.op_name,
        reason=most.reason,
        operands=most.operands,
    )
