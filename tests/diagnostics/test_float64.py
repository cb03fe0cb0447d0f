"""float64 is computed and flagged; TORCH_NPU_FLOAT64 chooses what an Ascend would do with it."""

from __future__ import annotations

import pytest
import torch

from torch_npu import diagnostics


def test_an_operator_counts_once_whatever_its_operands():
    a = torch.ones(3, 3, device="npu", dtype=torch.float64)
    with diagnostics.watch() as report:
        for _ in range(4):
            a.addmm(a, a)
    (count,) = [count for count in report.counts if count.kind == "float64"]
    assert (count.what, count.calls, count.lines[0].file) == ("aten::addmm", 4, __file__)


def test_without_a_watch_it_is_still_counted():
    a = torch.ones(3, device="npu", dtype=torch.float64)
    diagnostics.reset()
    a + a
    assert diagnostics.float64_counts() == {"operator": 1}


def test_float32():
    diagnostics.set_float64("float32")
    host = torch.full((2,), 1 / 3, dtype=torch.float64)
    made = [
        host.to("npu"),
        torch.ones(2, device="npu", dtype=torch.float64),
        torch.tensor([1.0], device="npu", dtype=torch.float64),
        torch.ones(2, device="npu").double(),
        torch.zeros_like(host, device="npu"),
    ]
    assert [t.dtype for t in made] == [torch.float32] * len(made)
    torch.testing.assert_close(made[0].cpu(), host.float())
    assert diagnostics.float64_counts().keys() <= {"copy to device"}


def test_float32_warns_once(fresh):
    process = fresh(
        "import torch, torch_npu\nfor _ in range(3): torch.ones(1, device='npu', dtype=torch.float64)",
        TORCH_NPU_FLOAT64="float32",
    )
    assert process.returncode == 0, process.stderr
    assert process.stderr.count("tensors of float64 are float32 on the NPU") == 1


@pytest.mark.filterwarnings("ignore:CAUTION")
def test_fallback():
    diagnostics.set_float64("fallback")
    a = torch.rand(4, 3, dtype=torch.float64)
    b = a.npu()
    diagnostics.reset()
    got = (b @ b.t()).sin()
    assert got.device.type == "npu" and got.dtype == torch.float64
    torch.testing.assert_close(got.cpu(), (a @ a.t()).sin())
    assert {"aten::sin"} <= diagnostics.fallback_counts().keys()
    assert diagnostics.read("fallback")["aten::sin"].reason == "TORCH_NPU_FLOAT64=fallback"
    assert diagnostics.float64_counts() == {}


def test_error(fresh):
    process = fresh("import torch, torch_npu\nx = torch.ones(1, device='npu', dtype=torch.float64)", TORCH_NPU_FLOAT64="error")
    assert process.returncode == 1
    assert "an operator got float64: aten::ones (float64), at <string>:2" in process.stderr


def test_complex_numbers_are_flagged_too():
    with diagnostics.watch() as report:
        torch.ones(2, device="npu", dtype=torch.complex64) * 2
    assert {count.what for count in report.counts if count.kind == "complex"} == {"aten::ones", "aten::mul"}
