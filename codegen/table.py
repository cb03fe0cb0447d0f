"""The operator table: cann/ops/*.yaml read into rows; a bad row is refused with its file and line.

What a row may hold is told in CONTRIBUTING.md. Nothing here knows ATen (aten.py) or writes code (contract.py, registration.py).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

# Shorthand: (C parameter of the contract, C++ parameter of the operator function)
TYPES = {
    "Tensor": ("const aclTensor*", "const TensorView&"),
    "Tensor?": ("const aclTensor*", "const TensorView*"),
    "TensorList": ("const aclTensorList*", "TensorList"),
    "Scalar": ("const aclScalar*", "const Scalar&"),
    "Scalar?": ("const aclScalar*", "const Scalar*"),
    "ScalarList": ("const aclScalarList*", "std::span<const Scalar>"),
    "IntArray": ("const aclIntArray*", "IntArray"),
    "IntArray?": ("const aclIntArray*", "std::optional<IntArray>"),
    "FloatArray": ("const aclFloatArray*", "std::span<const float>"),
    "BoolArray": ("const aclBoolArray*", "std::span<const bool>"),
    "int": ("int64_t", "int64_t"),
    "uint64": ("uint64_t", "uint64_t"),
    "uint32": ("uint32_t", "uint32_t"),
    "int32": ("int32_t", "int32_t"),
    "int8": ("int8_t", "int8_t"),
    "double": ("double", "double"),
    "float": ("float", "float"),
    "bool": ("bool", "bool"),
    "DType": ("aclDataType", "DType"),
    "string": ("const char*", "const char*"),
}
ROW_KEYS = {"op", "aclnn", "kernel", "aten", "ascend", "extension", "check", "note"}
ENTRY_KEYS = {"call", "scalar", "aclnn", "out", "fast", "fast_when", "fast_dtype"}
ASCEND = {"native", "cpu", "aicpu"}


class BadRow(Exception):
    """A row that the generator refuses; the text begins with file:line."""


@dataclass(frozen=True)
class Param:
    type: str
    name: str

    @property
    def c_type(self) -> str:
        return TYPES[self.type][0]


@dataclass
class Entry:
    """One ATen overload that a row serves."""

    overload: str
    where: str
    handwritten: bool = False
    call: list[str] | None = None  # C++ expressions given to aclnn instead of the parameters' names
    scalar: str | None = None  # the aclnn function that takes `other` as a host scalar
    aclnn: str | None = None  # another row's function
    out: str | None = None  # C++ expression for the outputs' shape::Spec, where ATen has no structured meta
    fast: list[str] = field(default_factory=list)  # operands which, alike and contiguous, need no meta
    fast_when: str | None = None
    fast_dtype: str | None = None


@dataclass
class Row:
    op: str
    family: str
    where: str
    aclnn: str | None
    params: list[Param]
    kernel: str | None
    entries: list[Entry]
    ascend: str
    extension: bool


class _LineLoader(yaml.SafeLoader):
    """Adds each mapping's line number under the key `__line__`."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        mapping = super().construct_mapping(node, deep=deep)
        mapping["__line__"] = node.start_mark.line + 1
        return mapping


def parse_signature(text: str, where: str) -> tuple[str, list[Param]]:
    """`aclnnExp(Tensor self, Tensor out)` -> name and parameters."""
    match = re.fullmatch(r"(aclnn\w+)\((.*)\)", text.strip(), re.DOTALL)
    if not match:
        raise BadRow(f"{where}: aclnn: {text!r} is not of the form aclnnName(Type name, ...)")
    params = []
    for part in filter(None, (p.strip() for p in match[2].split(","))):
        words = part.split()
        if len(words) != 2 or words[0] not in TYPES:
            raise BadRow(f"{where}: {match[1]}: parameter {part!r}: needs `Type name` with a type of {', '.join(TYPES)}")
        params.append(Param(words[0], words[1]))
    return match[1], params


def _entry(value: Any, where: str) -> Entry:
    if isinstance(value, str):
        return Entry(value, where)
    items = [(k, v) for k, v in value.items() if k != "__line__"]
    if len(items) != 1:
        raise BadRow(f"{where}: aten: {value}: one overload to an entry")
    overload, spec = items[0]
    if spec == "handwritten":
        return Entry(overload, where, handwritten=True)
    spec = {k: v for k, v in (spec or {}).items() if k != "__line__"}
    unknown = set(spec) - ENTRY_KEYS
    if unknown:
        raise BadRow(f"{where}: {overload}: unknown keys {sorted(unknown)}; known are {sorted(ENTRY_KEYS)}")
    if isinstance(spec.get("fast"), str):
        spec["fast"] = [s.strip() for s in spec["fast"].split(",")]
    if "call" in spec:
        spec["call"] = [str(c).lower() if isinstance(c, bool) else str(c) for c in spec["call"]]
    return Entry(overload, where, **spec)


def _row(raw: Any, family: str, path: Path) -> Row:
    where = f"{path}:{raw.get('__line__', '?') if isinstance(raw, dict) else '?'}"
    if not isinstance(raw, dict) or "op" not in raw:
        raise BadRow(f"{where}: a row is a mapping that begins with `op:`")
    unknown = set(raw) - ROW_KEYS - {"__line__"}
    if unknown:
        raise BadRow(f"{where}: {raw['op']}: unknown keys {sorted(unknown)}; known are {sorted(ROW_KEYS)}")
    ascend = raw.get("ascend", "native")
    if ascend not in ASCEND:
        raise BadRow(f"{where}: {raw['op']}: ascend: {ascend!r}: needs one of {sorted(ASCEND)}")
    name, params = parse_signature(raw["aclnn"], where) if "aclnn" in raw else (None, [])
    entries = [_entry(e, where) for e in raw.get("aten", [])]
    return Row(raw["op"], family, where, name, params, raw.get("kernel"), entries, ascend, bool(raw.get("extension", False)))


def load(folder: Path) -> list[Row]:
    """Every row of every table, checked against each other."""
    rows: list[Row] = []
    for path in sorted(folder.glob("*.yaml")):
        try:
            content = yaml.load(path.read_text(), Loader=_LineLoader) or []
        except yaml.YAMLError as error:
            raise BadRow(f"{path}: {error}") from None
        rows += [_row(raw, path.stem, path.relative_to(folder.parent.parent)) for raw in content]
    functions: dict[str, Row] = {}
    overloads: dict[str, str] = {}
    for row in rows:
        if row.aclnn:
            if row.aclnn in functions:
                raise BadRow(f"{row.where}: {row.aclnn} is already defined at {functions[row.aclnn].where}")
            functions[row.aclnn] = row
        for entry in row.entries:
            if entry.overload in overloads:
                raise BadRow(f"{row.where}: {entry.overload} is already served at {overloads[entry.overload]}")
            overloads[entry.overload] = row.where
    for row in rows:
        for entry in row.entries:
            for used in (entry.aclnn, entry.scalar):
                if used and used not in functions:
                    raise BadRow(f"{row.where}: {entry.overload}: {used} is defined in no row")
            if not entry.handwritten and not (entry.aclnn or row.aclnn):
                raise BadRow(f"{row.where}: {entry.overload}: the row has no aclnn function and the entry is not handwritten")
    return rows
