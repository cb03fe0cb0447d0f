"""watch() and the report that it gives."""

from __future__ import annotations

import json
import os
import textwrap
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from types import TracebackType

from torch_npu import _C
from torch_npu.diagnostics import advice, html, traps
from torch_npu.diagnostics.events import Count, Kind, counts
from torch_npu.diagnostics.traps import Trap, Visits


@dataclass(frozen=True)
class Moment:
    """One event by itself. Times in nanoseconds; the start counts from the beginning of the watch."""

    kind: Kind
    what: str
    place: int
    thread: int
    start_ns: int
    duration_ns: int
    bytes: int


class Report:
    """What happened during a watch. Complete when the watch has ended; until then it shows what there is."""

    def __init__(self) -> None:
        self._start_ns = _C.event_time_ns()
        self._before = {_key(count): count for count in counts()}
        self._visits_before = _visits()
        self._final: tuple[list[Count], Visits, list[Moment], int] | None = None

    def _finish(self) -> None:
        self._final = self._now()

    def _now(self) -> tuple[list[Count], Visits, list[Moment], int]:
        since = [_minus(count, self._before.get(_key(count))) for count in counts()]
        visits = {line: times - self._visits_before.get(line, 0) for line, times in _visits().items()}
        moments = [
            Moment(Kind(kind), what, place, thread, start - self._start_ns, duration, size)
            for kind, what, place, thread, start, duration, size in _C.event_timeline()
            if start >= self._start_ns
        ]
        seen = [count for count in since if count.calls > 0]
        return seen, visits, moments, _C.event_time_ns() - self._start_ns

    @property
    def counts(self) -> list[Count]:
        """Every kind of event, thing and line that occurred, traps or not."""
        return (self._final or self._now())[0]

    @property
    def traps(self) -> list[Trap]:
        """What to mend: the user's own lines first, then the libraries'; each part worst first."""
        seen, visits, _, _ = self._final or self._now()
        return traps.find(seen, visits)

    @property
    def timeline(self) -> list[Moment]:
        """The events one by one, oldest first; at most the latest 65536."""
        return (self._final or self._now())[2]

    @property
    def seconds(self) -> float:
        return (self._final or self._now())[3] / 1e9

    def totals(self) -> dict[str, int]:
        """Kind -> number of events, traps or not."""
        total: Counter[str] = Counter()
        for count in self.counts:
            total[str(count.kind)] += count.calls
        return dict(total)

    def failing(self, kinds: Iterable[Kind | str]) -> list[Trap]:
        """The traps of the given kinds: what a gate in CI refuses."""
        wanted = {Kind(kind) for kind in kinds}
        return [trap for trap in self.traps if trap.kind in wanted]

    def __str__(self) -> str:
        found = self.traps
        own, foreign = [t for t in found if t.own], [t for t in found if not t.own]
        told = f"{len(own)} trap{'' if len(own) == 1 else 's'}" if own else "no traps"
        lines = [f"torch_npu diagnostics: {told}" + (f", {len(foreign)} in libraries" if foreign else "")]
        lines += [_told(number, trap) for number, trap in enumerate(own, 1)]
        if foreign:
            lines.append("\nIn libraries (below your own lines: they are not yours to change)")
            lines += [_told(number, trap) for number, trap in enumerate(foreign, len(own) + 1)]
        totals = ", ".join(f"{kind} {number}" for kind, number in self.totals().items())
        return "\n".join([*lines, f"\nAll events in {self.seconds:.1f} s: {totals or 'none'}"])

    def to_json(self, path: str | os.PathLike) -> None:
        """Writes traps, counts and totals as JSON. OSError if the file cannot be written."""
        found = [
            {**asdict(trap), "source": trap.source, "remedy": advice.remedy(trap), "own": trap.own} for trap in self.traps
        ]
        data = {
            "seconds": self.seconds,
            "totals": self.totals(),
            "traps": found,
            "counts": [asdict(count) for count in self.counts],
        }
        with open(path, "w", encoding="utf-8") as file:
            json.dump(data, file, indent=1)

    def to_html(self, path: str | os.PathLike) -> None:
        """Writes one self-contained page: timeline, traps with source and remedy. OSError if the file cannot be written."""
        page = html.page(self.traps, self.timeline, self.totals(), self.seconds)
        with open(path, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(page)


class watch:
    """`with watch() as report:` keeps lines, operators and single events inside. Nests; costs a few percent of the time."""

    def __enter__(self) -> Report:
        self._report = Report()
        _C.start_tracing()
        return self._report

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        _C.stop_tracing()
        self._report._finish()


def shown(path: str) -> str:
    """A file's path as people like to read it: relative where that is shorter."""
    relative = os.path.relpath(path) if os.path.isabs(path) else path
    return relative if len(relative) < len(path) and not relative.startswith("..") else path


def _told(number: int, trap: Trap) -> str:
    place = f"{shown(trap.line.file)}:{trap.line.number}" if trap.line else f"in {trap.op_name or 'a thread without Python'}"
    measured = advice.cost(trap)
    lines = [f"\n{number:2}. {place}  {advice.name(trap)}: {advice.subject(trap)}, {advice.often(trap)}"]
    lines[0] += f" ({measured})" if measured else ""
    if trap.source:
        lines.append(textwrap.indent(trap.source, "        "))
    if trap.called_from:
        lines.append(f"    called from {shown(trap.called_from.file)}:{trap.called_from.number}")
    if trap.reason and trap.kind in advice.WITH_REASON:
        lines.append(f"    reason: {trap.reason}")
    if trap.own:
        lines += [f"    why:    {advice.why(trap)}", f"    remedy: {advice.remedy(trap)}."]
    return "\n".join(lines)


def _key(count: Count) -> tuple:
    return count.kind, count.what, count.place


def _minus(count: Count, before: Count | None) -> Count:
    if before is None or before.calls > count.calls:  # there was a reset() in between
        return count
    return replace(
        count,
        calls=count.calls - before.calls,
        rounds=count.rounds - before.rounds,
        bytes=count.bytes - before.bytes,
        time_ns=count.time_ns - before.time_ns,
    )


def _visits() -> Visits:
    most: Visits = {}
    for (file, number, _, _), times in _C.event_visits():  # a line has several calls: the one that ran least tells its rounds
        most[file, number] = min(times, most.get((file, number), times))
    return most
