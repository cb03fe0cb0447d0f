"""What a real Ascend does with an operator: known for each overload, asked by the adapter."""

from __future__ import annotations

from pathlib import Path

import pytest

from codegen import ascend, table

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.fixture(scope="module")
def rows():
    return table.load(ROOT / "cann" / "ops")


def test_an_overload_is_known_by_itself_or_by_the_out_form_it_delegates_to(rows):
    known = {overload.name: overload for overload in ascend.overloads(rows)}
    assert known["fmax.out"].there == ascend.Fact("cpu")  # as listed
    assert known["fmax"].there == ascend.Fact("cpu")  # structured: computed by fmax.out
    assert known["softmax.int"].here == "composed"
    assert known["as_strided"].here == "native"  # a view: registered by hand, in no row
    assert known["baddbmm"].there == ascend.Fact("native", "bf16 fp16 fp32")
    assert known["bmm"].there == ascend.Fact("native", "fp16 fp32", only="bf16 fp16 fp32")
    assert known["nanmedian.dim_values"].there == ascend.Fact("native")  # what calls it is native there


def test_a_kernel_notes_what_an_ascend_does_otherwise(rows):
    row = {name: row for row in rows for name in ascend.overloads_of(row)}
    fmax = ascend.note("fmax", row["fmax"], "self")
    assert fmax == ['static events::Tally tally(events::Kind::Ascend, "aten::fmax");', "tally.note();"]
    mm = ascend.note("mm", row["mm"], "self")
    assert mm[0] == "if (!ascend::is_one_of<at::kBFloat16, at::kHalf, at::kFloat>(self.scalar_type())) [[unlikely]] {"
    assert ascend.note("add.Tensor", row["add.Tensor"], "self") == []
    assert ascend.note("_efficientzerotensor", row["_efficientzerotensor"], None) == []  # nothing to copy to the host


def test_the_adapters_table_is_sorted_for_its_binary_search(rows):
    names = [line.split('"')[1] for line in ascend.unit(rows).splitlines() if line.startswith('    {"aten::')]
    assert names == sorted(set(names))
    assert len(names) > 1000
