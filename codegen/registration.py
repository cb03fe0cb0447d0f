"""Writes what the dispatcher sees of the table: for each family, kernels for its ATen overloads and their registration.

Each kernel runs inside guarded(): where CANN refuses the call, the counted CPU fallback takes it, with the reason.
"""

from __future__ import annotations

import re

from torchgen.model import NativeFunction, NativeFunctionsGroup

from codegen import ascend, aten
from codegen.contract import HEAD
from codegen.table import BadRow, Entry, Param, Row

OF_NOTES = {"torch_npu/csrc/diagnostics/events.h", "torch_npu/csrc/dispatch/ascend.h"}
OPERATORS_PER_UNIT = 50  # more would pass 1.2 GB and half a minute for the compiler


def family_handles(family: str, rows: list[Row]) -> str:
    """functions_<family>.h: one Operator handle for each of the family's aclnn functions."""
    lines = [
        HEAD.format(source=f"{family}.yaml"),
        "#pragma once",
        "",
        f'#include "aclnn/family_{family}.h"',
        '#include "torch_npu/csrc/dispatch/launch.h"',
        "",
        "namespace torch_npu::aclnn {",
        "",
    ]
    for row in rows:
        if row.aclnn:
            lines.append(
                f"inline const Operator<decltype(::{row.aclnn}GetWorkspaceSize)> {row.aclnn[5:]}"
                f'{{"{row.aclnn}", "{row.aclnn}GetWorkspaceSize"}};'
            )
    return "\n".join([*lines, "", "}  // namespace torch_npu::aclnn", ""])


def handles(families: list[str]) -> str:
    """aclnn_functions.h: all of them."""
    includes = "".join(f'#include "functions_{family}.h"\n' for family in families)
    return HEAD.format(source="*.yaml") + "\n#pragma once\n\n" + includes


class Writer:
    """One family's unit(s)."""

    def __init__(self, family: str, rows: list[Row], functions: dict[str, Row]):
        self.family, self.functions = family, functions
        self.kernels: list[tuple[str, str, str, set[str]]] = []  # (overload, function name, code, headers)
        self.declarations: list[str] = []
        self.families = {family} if any(row.aclnn for row in rows) else set()  # whose handles the units use
        for row in rows:
            for entry in row.entries:
                self._entry(row, entry)

    # --- one overload ---

    def _entry(self, row: Row, entry: Entry) -> None:
        f = aten.find(entry.overload)
        if f is None:
            raise BadRow(f"{entry.where}: aten has no overload {entry.overload}")
        if entry.handwritten:
            self._handwritten(row, f)
            return
        group = aten.structured_group(entry.overload)
        if group is not None and entry.out is None:
            self._structured(row, entry, group)
        elif entry.out is not None:
            self._ruled(row, entry, f)
        elif aten.takes_lists(f):
            self._lists(row, entry, f)
        elif aten.is_inplace(f):
            self._inplace(row, entry, f)
        else:
            raise BadRow(
                f"{entry.where}: {entry.overload} is not a structured out= overload: it needs `out:` (a shape rule) or "
                "`handwritten`"
            )

    def _add(self, row: Row, f: NativeFunction, body: list[str], headers: set[str]) -> None:
        s = aten.signature(f)
        name = aten.identifier(f)
        if note := ascend.note(str(f.func.name), row, next(iter(aten.tensor_arguments(f)), None)):
            body = [*note, *body]
            headers = headers | OF_NOTES
        lines = [f"{s.returns} {name}({s.declaration}) {{"]
        if aten.checks_device(f):
            tensors = aten.tensor_arguments(f)
            if len(tensors) > 1:
                lines.append(f'  check_devices("{name}", {", ".join(tensors)});')
        lines += [
            f"  return guarded<at::_ops::{name}>([&]() -> {s.returns} {{",
            *("    " + b for b in body),
            f"  }}{''.join(', ' + n for n in s.names)});",
            "}",
            "",
        ]
        self.kernels.append((str(f.func.name), name, "\n".join(lines), headers | {f"ATen/ops/{aten.header(f)}_ops.h"}))

    def _handwritten(self, row: Row, f: NativeFunction) -> None:
        s = aten.signature(f)
        name = aten.identifier(f)
        self.declarations.append(f"{s.returns} {name}({s.declaration});")
        self._add(row, f, [f"return op::{name}({', '.join(s.names)});"], set())

    # --- arguments ---

    def _params(self, row: Row, entry: Entry) -> tuple[str, list[Param]]:
        target = self.functions[entry.aclnn] if entry.aclnn else row
        self.families.add(target.family)
        return target.aclnn[5:], target.params

    def _call(self, row: Row, entry: Entry, f: NativeFunction, outputs: dict[str, str], rename: dict[str, str]) -> str:
        """`launch(aclnn::X, ...)` with the parameters found by name among outputs, renamed operands and ATen's arguments."""
        handle, params = self._params(row, entry)
        names = set(aten.signature(f).names)
        known = {**{n: n for n in names}, **rename, **outputs}
        if entry.call is not None:
            if len(entry.call) != len(params):
                raise BadRow(
                    f"{entry.where}: {entry.overload}: call: has {len(entry.call)} expressions, aclnn{handle} takes {len(params)}"
                )
            pattern = re.compile(
                r"(?<![\w.:>])(" + "|".join(sorted(map(re.escape, known), key=len, reverse=True)) + r")(?![\w(])"
            )
            arguments = [pattern.sub(lambda m: known[m[1]], c) for c in entry.call]
        else:
            missing = [p.name for p in params if p.name not in known]
            if missing:
                raise BadRow(
                    f"{entry.where}: {entry.overload}: aclnn{handle} takes {missing}, which are no arguments of the overload "
                    f"({', '.join(sorted(names))}): rename the parameter or give `call:`"
                )
            arguments = [known[p.name] for p in params]
        return f"launch(aclnn::{handle}{''.join(', ' + a for a in arguments)});"

    def _output_names(self, f: NativeFunction, count: int) -> list[list[str]]:
        """For each output the names it may go by in the row: out, out<i>, or the out= overload's own."""
        named = [[f"out{i}"] for i in range(count)]
        if count == 1:
            named[0] = ["out"]
        out = f if aten.is_out(f) else None
        if out is not None:
            for i, a in enumerate(out.func.arguments.out):
                named[i].append(a.name)
        for i, r in enumerate(f.func.returns):
            if r.name:
                named[i].append(r.name)
        return named

    # --- structured operators ---

    def _structured(self, row: Row, entry: Entry, g: NativeFunctionsGroup) -> None:
        out_names = [a.name for a in g.out.func.arguments.out]
        n = len(out_names)
        meta = f"at::meta::structured_{g.functional.func.name.unambiguous_name()}"
        meta_header = {f"ATen/ops/{aten.header(g.functional)}_meta.h"}
        for f in filter(None, (g.functional, g.out, g.inplace)):
            body: list[str] = []
            body += self._fast(row, entry, g, f, out_names)
            s = aten.signature(f)
            if f is g.functional:
                body += [f"Functional<{meta}, {n}> op;"]
            elif f is g.out:
                body += [f"Out<{meta}, {n}> op({', '.join(out_names)});"]
            else:
                body += [f"Inplace<{meta}, {n}> op(self);"]
            body += [f"op.meta({aten.meta_arguments(g, f)});"]
            outputs = {}
            for i, name in enumerate(out_names):
                outputs[name] = outputs["out" if n == 1 else f"out{i}"] = f"op.output({i})"
            rename = {}
            operands = [a.name for a in f.func.arguments.flat_non_out if str(a.type) in ("Tensor", "Tensor?")]
            if len(operands) > 1:
                body += [f"[[maybe_unused]] const bool mixed = mixes_scalars({', '.join(operands)});"]
                rename = {t: f"op.operand({t}, mixed, op.output(0).device())" for t in operands}
            slow = self._call(row, entry, f, outputs, rename)
            if entry.scalar:
                twin = Entry(entry.overload, entry.where, aclnn=entry.scalar, call=None)
                scalar_call = self._call(row, twin, f, outputs, {"other": "other.item()"})
                body += [f"if (is_host_scalar(self, other)) {scalar_call}", f"else {slow}"]
            else:
                body += [slow]
            if f is g.functional:
                results = ", ".join(f"std::move(op.output({i}))" for i in range(n))
                body += [f"return {results};" if n == 1 else f"return {{{results}}};"]
            else:
                body += ["op.finish();", self._return_given(s, out_names if f is g.out else ["self"])]
            self._add(row, f, body, meta_header)

    def _return_given(self, s: aten.Signature, names: list[str]) -> str:
        if s.returns == "void":
            return "return;"
        if s.returns.startswith("::std::tuple"):
            return f"return {s.returns}({', '.join(names)});"
        return f"return {names[0]};"

    def _fast(self, row: Row, entry: Entry, g: NativeFunctionsGroup, f: NativeFunction, out_names: list[str]) -> list[str]:
        """The way past TensorIterator, for operands that are alike."""
        if not entry.fast or len(out_names) != 1:
            return []
        operands = ", ".join(entry.fast)
        dtype = entry.fast_dtype or f"{entry.fast[0]}.scalar_type()"
        extra = f" && ({entry.fast_when})" if entry.fast_when else ""
        s = aten.signature(f)
        lines: list[str] = []

        def branch(condition: str, call_entry: Entry, rename: dict[str, str], aliases: str) -> None:
            if f is g.functional:
                lines.extend(
                    [
                        f"if ({condition}{extra}) {{",
                        f"  at::Tensor fast_out = empty({entry.fast[0]}.sizes(), {dtype}, {entry.fast[0]}.device());",
                        "  " + self._call(row, call_entry, f, {"out": "fast_out"}, rename),
                        "  return fast_out;",
                        "}",
                    ]
                )
            else:
                target = "self" if f is g.inplace else out_names[0]
                checks = []
                if dtype != f"{target}.scalar_type()":
                    checks.append(f"{target}.scalar_type() == {dtype}")
                if f is g.out:
                    checks.append(
                        f"plain({target}) && {target}.sizes() == {entry.fast[0]}.sizes() && writable_beside({target}, {aliases})"
                    )
                elif aliases != "self":
                    checks.append(f"writable_beside(self, {aliases})")
                lines.extend(
                    [
                        f"if ({' && '.join([condition + extra, *checks])}) {{",
                        "  " + self._call(row, call_entry, f, {"out": target, out_names[0]: target}, rename),
                        "  " + self._return_given(s, [target]),
                        "}",
                    ]
                )

        branch(f"alike({operands})", entry, {}, operands)
        if entry.scalar:
            twin = Entry(entry.overload, entry.where, aclnn=entry.scalar)
            condition = "plain(self) && is_host_scalar(self, other) && keeps_dtype(self, other)"
            branch(condition, twin, {"other": "other.item()"}, "self")
        return lines

    # --- operators whose shape the row gives ---

    def _ruled(self, row: Row, entry: Entry, f: NativeFunction) -> None:
        s = aten.signature(f)
        body: list[str] = []
        outputs: dict[str, str] = {}
        if aten.is_inplace(f):
            outputs["out"] = "self"
            body += [
                f"shape::check_inplace(self, {entry.out});",
                self._call(row, entry, f, outputs, {}),
                self._return_given(s, ["self"]),
            ]
        elif aten.is_out(f):
            names = [a.name for a in f.func.arguments.out]
            body += [f"shape::resize({entry.out}{''.join(', ' + n for n in names)});"]
            for i, name in enumerate(names):
                outputs[name] = outputs["out" if len(names) == 1 else f"out{i}"] = name
            body += [self._call(row, entry, f, outputs, {}), self._return_given(s, names)]
        else:
            count = len(f.func.returns)
            body += [f"auto outs = shape::allocate({entry.out});"]
            for i, names in enumerate(self._output_names(f, count)):
                for name in names:
                    outputs[name] = f"std::get<{i}>(outs)"
            result = (
                "return std::get<0>(std::move(outs));"
                if count == 1
                else f"return std::apply([](auto&... t) {{ return {s.returns}(t...); }}, outs);"
            )
            body += [self._call(row, entry, f, outputs, {}), result]
        self._add(row, f, body, set())

    def _inplace(self, row: Row, entry: Entry, f: NativeFunction) -> None:
        s = aten.signature(f)
        self._add(row, f, [self._call(row, entry, f, {"out": "self"}, {}), self._return_given(s, ["self"])], set())

    # --- operators over lists of tensors ---

    def _lists(self, row: Row, entry: Entry, f: NativeFunction) -> None:
        """One launch for lists that are alike; PyTorch composes any others tensor by tensor."""
        s = aten.signature(f)
        arguments = f.func.arguments.flat_non_out
        lists = [a.name for a in arguments if str(a.type) == "Tensor[]"]
        numbers = [a.name for a in arguments if str(a.type) in ("Scalar", "Scalar[]")]
        handle, _ = self._params(row, entry)
        alike = [f"lists::alike({{{', '.join(lists)}}})", *(f"lists::keeps_type({lists[0]}, {n})" for n in numbers)]
        body = [
            f"if (!aclnn::{handle}.available() || !({' && '.join(alike)}))",
            f"  return at::compositeexplicitautograd::{f.func.name.name}({', '.join(s.names)});",
        ]
        if aten.is_inplace(f):
            body += [self._call(row, entry, f, {"out": "self"}, {})]
        else:
            body += [
                f"std::vector<at::Tensor> out = lists::empty_like({lists[0]});",
                self._call(row, entry, f, {"out": "out"}, {}),
                "return out;",
            ]
        self._add(row, f, body, {f"ATen/ops/{aten.header(f)}_compositeexplicitautograd_dispatch.h"})

    # --- the files ---

    def units(self) -> dict[str, str]:
        files = {}
        for k in range(0, len(self.kernels), OPERATORS_PER_UNIT):
            chunk = self.kernels[k : k + OPERATORS_PER_UNIT]
            headers = sorted(set().union(*(c[3] for c in chunk)))
            first_index = k // OPERATORS_PER_UNIT
            text = [
                HEAD.format(source=f"{self.family}.yaml"),
                '#include "torch_npu/csrc/dispatch/precompiled.h"',
                *(f'#include "functions_{family}.h"' for family in sorted(self.families)),
                f'#include "handwritten_{self.family}.h"',
                f'#if __has_include("torch_npu/csrc/dispatch/{self.family}.h")  // the family\'s own shape rules',
                f'#include "torch_npu/csrc/dispatch/{self.family}.h"',
                "#endif",
                *(f'#include "{h}"' for h in headers if h in OF_NOTES),
                *(f"#include <{h}>" for h in headers if h not in OF_NOTES),
                "",
                "namespace torch_npu {",
                "namespace {",
                "",
                *(c[2] for c in chunk),
                "TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {",
                *(f'  m.impl("{c[0]}", TORCH_FN({c[1]}));' for c in chunk),
                "}",
                "",
                "}  // namespace",
                "}  // namespace torch_npu",
                "",
            ]
            files[f"register_{self.family}_{first_index}.cpp"] = "\n".join(text)
        files[f"handwritten_{self.family}.h"] = "\n".join(
            [
                HEAD.format(source=f"{self.family}.yaml"),
                "#pragma once",
                "",
                '#include "torch_npu/csrc/dispatch/precompiled.h"',
                "",
                "namespace torch_npu::op {",
                *self.declarations,
                "}  // namespace torch_npu::op",
                "",
            ]
        )
        return files
