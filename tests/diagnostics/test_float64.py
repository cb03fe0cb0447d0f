"""float64 is computed and flagged; TORCH_NPU_FLOAT64 chooses what an Ascend would do with it."""

from __future__ import annotations

import numpy
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


MADE = {
    "tensor": lambda: torch.tensor([1.0], dtype=torch.float64, device="npu"),
    "as_tensor": lambda: torch.as_tensor(torch.ones(2, dtype=torch.float64), device="npu"),
    "empty": lambda: torch.empty(2, dtype=torch.float64, device="npu"),
    "empty_strided": lambda: torch.empty_strided((2, 2), (1, 2), dtype=torch.float64, device="npu"),
    "zeros": lambda: torch.zeros(2, dtype=torch.float64, device="npu"),
    "ones": lambda: torch.ones(2, dtype=torch.float64, device="npu"),
    "full": lambda: torch.full((2,), 1.5, dtype=torch.float64, device="npu"),
    "arange": lambda: torch.arange(3, dtype=torch.float64, device="npu"),
    "range": lambda: torch.linspace(0, 1, 3, dtype=torch.float64, device="npu"),
    "logspace": lambda: torch.logspace(0, 1, 3, dtype=torch.float64, device="npu"),
    "eye": lambda: torch.eye(2, dtype=torch.float64, device="npu"),
    "rand": lambda: torch.rand(2, dtype=torch.float64, device="npu"),
    "randn": lambda: torch.randn(2, dtype=torch.float64, device="npu"),
    "randint": lambda: torch.randint(3, (2,), dtype=torch.float64, device="npu"),
    "normal": lambda: torch.normal(0.0, 1.0, (2,), dtype=torch.float64, device="npu"),
    "hann_window": lambda: torch.hann_window(4, dtype=torch.float64, device="npu"),
    "scalar_tensor": lambda: torch.scalar_tensor(2, dtype=torch.float64, device="npu"),
    "zeros_like": lambda: torch.zeros_like(torch.ones(2, device="npu"), dtype=torch.float64),
    "rand_like": lambda: torch.rand_like(torch.ones(2, device="npu"), dtype=torch.float64),
    "full_like": lambda: torch.full_like(torch.ones(2, device="npu"), 2, dtype=torch.float64),
    "new_zeros": lambda: torch.ones(2, device="npu").new_zeros(2, dtype=torch.float64),
    "new_tensor": lambda: torch.ones(2, device="npu").new_tensor([1.0], dtype=torch.float64),
    "double": lambda: torch.ones(2, device="npu").double(),
    "to": lambda: torch.ones(2, device="npu").to(torch.float64),
    "to from integers": lambda: torch.ones(2, device="npu", dtype=torch.int32).to(torch.float64),
    "type": lambda: torch.ones(2, device="npu").type(torch.float64),
    "moved": lambda: torch.ones(2, dtype=torch.float64).to("npu"),
    "moved and cast": lambda: torch.ones(2).to("npu", torch.float64),
    "npu()": lambda: torch.ones(2, dtype=torch.float64).npu(),
    "module": lambda: torch.nn.Linear(2, 2, device="npu").double().weight,
    "copied from numpy": lambda: torch.from_numpy(numpy.ones(2)).to("npu"),
}


@pytest.mark.parametrize("how", MADE)
def test_whatever_makes_float64(how):
    """native: float64; float32: float32, and the same values; error: an error at the line, before there is a tensor."""
    torch.manual_seed(0)
    native = MADE[how]()
    assert native.dtype == torch.float64
    diagnostics.set_float64("float32")
    made = MADE[how]()
    assert (made.dtype, made.device.type, made.shape) == (torch.float32, "npu", native.shape)
    if how not in ("empty", "empty_strided", "rand", "randn", "randint", "normal", "rand_like", "module"):
        torch.testing.assert_close(made.detach().cpu(), native.detach().cpu().float())
    diagnostics.set_float64("error")
    with pytest.raises(RuntimeError, match="an operator got float64") as error:
        MADE[how]()
    assert f"{__file__}:{MADE[how].__code__.co_firstlineno}" in str(error.value)


def test_a_result_that_an_operator_is_asked_for_stays_float64():
    diagnostics.set_float64("float32")
    x = torch.ones(3, device="npu")
    with diagnostics.watch() as report:
        total = x.sum(dtype=torch.float64)
    assert (total.dtype, total.item()) == (torch.float64, 3)
    assert [count.what for count in report.counts if count.kind == "float64"] == ["aten::sum"]


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
