"""What a real Ascend does with each ATen overload: the facts of ascend.yaml, joined with the operator table.

Gives docs/operators.md its column, and writes csrc/ascend_table.cpp, which the adapter is asked by (dispatch/ascend.h).
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from pathlib import Path

import yaml

from codegen import aten
from codegen.contract import HEAD
from codegen.table import BadRow, Row

FACTS = Path(__file__).parent / "ascend.yaml"
ADAPTER = Path(__file__).parent.parent / "torch_npu" / "csrc" / "dispatch"
SCALAR_TYPES = {"bf16": "BFloat16", "fp16": "Half", "fp32": "Float", "fp64": "Double", "uint8": "Byte", "int8": "Char",
                "int16": "Short", "int32": "Int", "int64": "Long", "bool": "Bool"}
RUNS = {"native": "Native", "aicpu": "AiCpu", "cpu": "Cpu"}


@dataclass(frozen=True)
class Fact:
    runs: str  # native, aicpu or cpu
    dtypes: str = ""  # of the first input, as "bf16 fp16 fp32"; "" where nobody says
    only: str = ""  # the same, where any other is certain to be refused


@dataclass(frozen=True)
class Overload:
    """One ATen overload: what computes it here, and what is known of it there."""

    name: str
    row: Row | None
    here: str  # native, composed (PyTorch computes it out of others) or cpu
    there: Fact


@functools.cache
def facts() -> dict[str, Fact]:
    raw = yaml.safe_load(FACTS.read_text())
    found = {name: Fact("cpu") for name in raw["cpu"] + raw["cpu_inside"]}
    found |= {name: Fact("native") for name in raw["reached_natively"]}
    for dtypes, names in raw["native"].items():
        for name in names:
            if name in found:
                raise BadRow(f"{FACTS}: {name} is listed twice")
            found[name] = Fact("native", dtypes)
    for dtypes, names in raw["only"].items():
        for name in names:
            found[name] = Fact("native", found[name].dtypes if name in found else "", dtypes)
    return found


def overloads_of(row: Row) -> list[str]:
    """The overloads that a row serves: a structured out= overload brings its functional and in-place forms."""
    names = []
    for entry in row.entries:
        group = None if entry.handwritten or entry.out else aten.structured_group(entry.overload)
        if group is None:
            names.append(entry.overload)
        else:
            names += [str(f.func.name) for f in (group.functional, group.out, group.inplace) if f is not None]
    return names


def fact_of(name: str, row: Row) -> Fact:
    """What is known of the overload itself, else of the out= form it delegates to, else what the row says."""
    function = aten.find(name)
    delegate = str(function.structured_delegate) if function and function.structured_delegate else None
    return facts().get(name) or (facts().get(delegate) if delegate else None) or Fact(row.ascend)


def note(name: str, row: Row, first_tensor: str | None) -> list[str]:
    """What a kernel does first so that the diagnostics can mark it: statements of C++; none for most."""
    fact = fact_of(name, row)
    if first_tensor is None or (fact.runs != "cpu" and not fact.only):
        return []
    if fact.runs == "cpu":
        return [f'static events::Tally tally(events::Kind::Ascend, "aten::{name}");', "tally.note();"]
    types = ", ".join(f"at::k{SCALAR_TYPES[dtype]}" for dtype in fact.only.split())
    reason = f"CANN takes {fact.only} alone"
    return [
        f"if (!ascend::is_one_of<{types}>({first_tensor}.scalar_type())) [[unlikely]] {{",
        f'  static events::Tally tally(events::Kind::Ascend, "aten::{name}", "{reason}");',
        f"  ascend::refuse(tally, {first_tensor}.scalar_type());",
        "}",
    ]


@functools.cache
def without_a_row() -> set[str]:
    """Views and memory: what csrc/dispatch registers by hand and no row names."""
    blocks = [
        block
        for path in sorted(ADAPTER.glob("*.cpp"))
        for block in re.findall(r"TORCH_LIBRARY_IMPL\(aten, PrivateUse1, m\) \{(.*?)\n\}", path.read_text(), re.DOTALL)
    ]
    return {name for block in blocks for name in re.findall(r'm\.impl\("([\w.]+)"', block)}


def here(name: str) -> str:
    """What computes an overload that no row serves."""
    if name in without_a_row():
        return "native"
    function = aten.find(name)
    return "composed" if function is not None and function.has_composite_kernel else "cpu"


def overloads(rows: list[Row]) -> list[Overload]:
    """Every overload that a row serves or a fact is known of, by name."""
    served = {name: Overload(name, row, "native", fact_of(name, row)) for row in rows for name in overloads_of(row)}
    others = {
        name: Overload(name, None, here(name), fact)
        for name, fact in facts().items()
        if name not in served and aten.find(name)
    }
    return [both for _, both in sorted((served | others).items())]


def unit(rows: list[Row]) -> str:
    """csrc/ascend_table.cpp. Sorted by name, for binary search."""
    lines = [
        HEAD.format(source="*.yaml and codegen/ascend.yaml"),
        '#include "torch_npu/csrc/dispatch/ascend.h"',
        "",
        "namespace torch_npu::ascend {",
        "namespace {",
        "",
        "constexpr Overload kTable[] = {",
    ]
    for overload in sorted(overloads(rows), key=lambda each: f"aten::{each.name}"):
        row = overload.row
        aclnn = f'"{row.aclnn}"' if row is not None and row.aclnn and not row.extension else '""'
        here, there = "true" if overload.here == "native" else "false", overload.there
        lines.append(f'    {{"aten::{overload.name}", {aclnn}, Runs::{RUNS[there.runs]}, {here}, "{there.dtypes}"}},')
    lines += ["};", "", "constexpr std::string_view kFunctions[] = {"]
    lines += [f'    "{name}",' for name in sorted({row.aclnn for row in rows if row.aclnn and not row.extension})]
    lines += ["};", "", "}  // namespace", ""]
    lines += ["std::span<const Overload> table() noexcept { return kTable; }"]
    lines += ["std::span<const std::string_view> functions() noexcept { return kFunctions; }"]
    return "\n".join([*lines, "", "}  // namespace torch_npu::ascend", ""])
