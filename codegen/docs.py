"""Writes docs/operators.md: every ATen overload that an NPU is known to have, what computes it here, and what on an Ascend."""

from __future__ import annotations

from codegen import ascend
from codegen.ascend import Fact, Overload
from codegen.table import Row

HEAD = """# Operators

Written by `make docs` from the operator table (`cann/ops/*.yaml`) and what is known of the genuine adapter
(`codegen/ascend.yaml`). An overload that is not listed here, and that is no composite of listed ones, runs on the CPU
through the counted fallback (`torch_npu.diagnostics.fallback_counts()`).

*Here*: how the embedded device computes it. *On an Ascend*: `native` on the device, with the data types that its
documentation gives for the first input, where it gives any (*no other*: another is an error there); `aicpu` on the device's
AI CPU; `cpu` on the host, through the fallback. `torch_npu.diagnostics` marks calls that run on the CPU or fail there with
their line (kind `ascend`). With `NPU_EMBEDDED_FIDELITY=ascend` the embedded device leaves to the CPU what an Ascend leaves to
it, and fails where an Ascend does.

{count} overloads here, {functions} CANN operators; {differ} of them run on the CPU of a real Ascend.
"""
ELSEWHERE = """
## Not in the table

What an Ascend is known to do with overloads that no row serves. *Composed*: PyTorch computes it out of others; *native*: a view,
or memory.

| ATen overloads | here | on an Ascend |
|---|---|---|"""


def told(fact: Fact) -> str:
    if fact.only:
        return f"{fact.runs}: {fact.only}, no other"
    return f"{fact.runs}: {fact.dtypes}" if fact.dtypes else fact.runs


def listed(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def served(rows: list[Row], every: dict[str, Overload]) -> list[str]:
    lines = []
    for family in sorted({row.family for row in rows if row.entries}):
        lines += ["", f"## {family}", "", "| ATen overloads | CANN operator | here | on an Ascend |", "|---|---|---|---|"]
        for row in rows:
            if row.family != family or not row.entries:
                continue
            operator = (row.aclnn or "(none: a view or memory)") + (" (extension)" if row.extension else "")
            alike: dict[str, list[str]] = {}  # the overloads of one row may differ in what an Ascend does
            for name in ascend.overloads_of(row):
                alike.setdefault(told(every[name].there), []).append(name)
            lines += [f"| {listed(names)} | {operator} | native | {there} |" for there, names in alike.items()]
    return lines


def elsewhere(every: dict[str, Overload]) -> list[str]:
    alike: dict[tuple[str, str], list[str]] = {}
    for overload in every.values():
        if overload.row is None:
            alike.setdefault((overload.here, told(overload.there)), []).append(overload.name)
    return [f"| {listed(names)} | {where} | {there} |" for (where, there), names in sorted(alike.items())]


def page(rows: list[Row]) -> str:
    every = {overload.name: overload for overload in ascend.overloads(rows)}
    here_too = [overload for overload in every.values() if overload.row is not None]
    head = HEAD.format(
        count=len(here_too),
        functions=sum(row.aclnn is not None for row in rows),
        differ=sum(overload.there.runs == "cpu" for overload in here_too),
    )
    return "\n".join([head.rstrip("\n"), *served(rows, every), ELSEWHERE, *elsewhere(every)]) + "\n"
