"""The report as one page that needs nothing else: no script, no font, no network. All text from the program is escaped, and the
page forbids scripts by policy too, so that a source line can do nothing but be read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from torch_npu.diagnostics import advice
from torch_npu.diagnostics.events import Kind, lines_of

if TYPE_CHECKING:
    from torch_npu.diagnostics.report import Moment
    from torch_npu.diagnostics.traps import Trap

COLOURS = {
    Kind.fallback: "#b3261e",
    Kind.sync: "#d9730d",
    Kind.copy: "#0b6e99",
    Kind.contiguous: "#6940a5",
    Kind.float64: "#ad1a72",
    Kind.complex: "#64473a",
    Kind.unfused: "#8a6d00",
    Kind.fused: "#0f7b6c",
    Kind.retry: "#444444",
    Kind.recompile: "#1f4e99",
    Kind.ascend: "#7a7a00",
}
WIDTH, ROW, LEFT = 1000, 22, 90
MOST_MARKS = 4000  # more than a screen can show; equal parts of the time keep one mark each
STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; color: #222; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2rem; }
.trap { border-left: 4px solid; padding: .2rem 1rem; margin: 1rem 0; background: #fafafa; }
.place { font-family: ui-monospace, monospace; font-weight: 600; } .muted { color: #666; }
pre { background: #f0f0f0; padding: .4rem .7rem; overflow-x: auto; margin: .4rem 0; }
svg { width: 100%; height: auto; background: #fafafa; } svg text { font: 12px system-ui, sans-serif; fill: #444; }
table { border-collapse: collapse; } td, th { padding: .15rem 1rem .15rem 0; text-align: left; }
"""


def text(value: object) -> str:
    """Escaped for any place in the page; what HTML cannot hold is shown as a mark."""
    return escape(re.sub(r"[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "�", str(value)), quote=True)


def page(traps: Sequence[Trap], timeline: Sequence[Moment], totals: dict[str, int], seconds: float) -> str:
    own, foreign = [t for t in traps if t.own], [t for t in traps if not t.own]
    told = f"{len(own)} trap{'' if len(own) == 1 else 's'}" if own else "No traps"
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8"><title>torch_npu diagnostics</title>',
        '<meta name="viewport" content="width=device-width">',
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">",
        f"<style>{STYLE}</style></head><body>",
        f'<h1>{told}</h1><p class="muted">torch_npu diagnostics of {seconds:.1f} s</p>',
        "<h2>Timeline</h2>",
        _timeline(timeline, seconds),
        *([f'<h2>Your lines</h2><section id="own">{_list(own, 1)}</section>'] if own else []),
        *([f'<h2>In libraries</h2><section id="libraries">{_list(foreign, len(own) + 1)}</section>'] if foreign else []),
        "<h2>All events</h2><table><tr><th>kind</th><th>number</th></tr>",
        *(f"<tr><td>{text(kind)}</td><td>{number}</td></tr>" for kind, number in totals.items()),
        "</table></body></html>",
    ]
    return "\n".join(parts)


def _list(traps: Sequence[Trap], first: int) -> str:
    return "\n".join(_trap(number, trap) for number, trap in enumerate(traps, first))


def _trap(number: int, trap: Trap) -> str:
    place = f"{trap.line.file}:{trap.line.number}" if trap.line else f"in {trap.op_name or 'a thread without Python'}"
    measured = advice.cost(trap)
    lines = [
        f'<div class="trap" style="border-color: {COLOURS[trap.kind]}">',
        f'<div>{number}. <span class="place">{text(place)}</span> {text(advice.name(trap))}: '
        f"{text(advice.subject(trap))}, <b>{text(advice.often(trap))}</b>{f' ({text(measured)})' if measured else ''}</div>",
    ]
    if trap.source:
        lines.append(f"<pre>{text(trap.source)}</pre>")
    if trap.called_from:
        lines.append(f'<div class="muted">called from {text(trap.called_from)}</div>')
    if trap.reason and trap.kind in advice.WITH_REASON:
        lines.append(f'<div class="muted">reason: {text(trap.reason)}</div>')
    lines.append(f"<div>{text(advice.why(trap))}</div><div><b>Remedy:</b> {text(advice.remedy(trap))}.</div></div>")
    return "\n".join(lines)


def _timeline(timeline: Sequence[Moment], seconds: float) -> str:
    """A row a kind, a mark an event; its text appears under the pointer."""
    if not timeline:
        return "<p>No events.</p>"
    kinds = [kind for kind in Kind if any(moment.kind == kind for moment in timeline)]
    end_ns = max(seconds * 1e9, 1.0)
    scale = (WIDTH - LEFT - 10) / end_ns
    height = ROW * len(kinds) + 24
    svg = [f'<svg id="timeline" viewBox="0 0 {WIDTH} {height}" role="img" aria-label="events over time">']
    for row, kind in enumerate(kinds):
        svg.append(f'<text x="4" y="{row * ROW + 15}">{kind}</text>')
    taken = set()
    for moment in timeline:
        slot = (moment.kind, int(moment.start_ns / end_ns * MOST_MARKS))
        if slot in taken:
            continue
        taken.add(slot)
        x, width = LEFT + moment.start_ns * scale, max(moment.duration_ns * scale, 1.0)
        y = kinds.index(moment.kind) * ROW + 3
        line = (lines_of(moment.place) or ("",))[0]
        label = f"{moment.kind}: {moment.what} at {moment.start_ns / 1e6:.2f} ms, {moment.duration_ns / 1e3:.0f} µs {line}"
        svg.append(
            f'<rect x="{x:.2f}" y="{y}" width="{width:.2f}" height="{ROW - 6}" fill="{COLOURS[moment.kind]}">'
            f"<title>{text(label)}</title></rect>"
        )
    svg.append(f'<text x="{LEFT}" y="{height - 6}">0 s</text>')
    svg.append(f'<text x="{WIDTH - 10}" y="{height - 6}" text-anchor="end">{seconds:.2f} s</text></svg>')
    return "".join(svg)
