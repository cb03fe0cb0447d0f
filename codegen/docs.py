"""Writes docs/operators.md: which ATen overloads run natively, on which CANN operator, and what a real Ascend does."""

from __future__ import annotations

from codegen import aten
from codegen.table import Row

HEAD = """# Operators

Written by `make docs` from the operator table (`cann/ops/*.yaml`). An overload that is not listed here, and that is no
composite of listed ones, runs on the CPU through the counted fallback (`torch_npu.diagnostics.fallback_counts()`).

*Here*: how the embedded device computes it. *On an Ascend*: `native` on the AI cores, `aicpu` on the device's AI CPU,
`cpu` on the host (the genuine adapter falls back).

{count} overloads, {functions} CANN operators.
"""


def overloads(row: Row) -> list[str]:
    """The overloads a row serves: a structured out= overload brings its functional and in-place forms."""
    names = []
    for entry in row.entries:
        group = None if entry.handwritten or entry.out else aten.structured_group(entry.overload)
        if group is None:
            names.append(entry.overload)
        else:
            names += [str(f.func.name) for f in (group.functional, group.out, group.inplace) if f is not None]
    return names


def page(rows: list[Row]) -> str:
    lines, count = [], 0
    for family in sorted({row.family for row in rows}):
        served = [row for row in rows if row.family == family and row.entries]
        if not served:
            continue
        lines += ["", f"## {family}", "", "| ATen overloads | CANN operator | here | on an Ascend |", "|---|---|---|---|"]
        for row in served:
            names = overloads(row)
            count += len(names)
            operator = (row.aclnn or "(none: a view or memory)") + (" (extension)" if row.extension else "")
            lines.append(f"| {', '.join(f'`{n}`' for n in names)} | {operator} | native | {row.ascend} |")
    return HEAD.format(count=count, functions=sum(row.aclnn is not None for row in rows)) + "\n".join(lines) + "\n"
