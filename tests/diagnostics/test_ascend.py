"""What is computed here and not on an Ascend is marked with its line: operators without a CANN kernel, dtypes it refuses."""

from __future__ import annotations

import inspect
import json

import pytest
import torch
from torch import nn

from torch_npu import _C, diagnostics
from torch_npu.diagnostics import Kind

pytestmark = pytest.mark.filterwarnings("ignore:CAUTION")
REFUSED = "CANN takes bf16 fp16 fp32 alone"


def line() -> int:
    return inspect.currentframe().f_back.f_lineno


def marked() -> dict[str, int]:
    return {what: count.calls for what, count in diagnostics.read("ascend").items()}


@pytest.fixture
def x() -> torch.Tensor:
    return torch.ones(3, 3, device="npu")


def test_it_is_marked_with_its_line_below_what_costs_here(x):
    with diagnostics.watch() as report:
        for _ in range(50):
            torch.fmax(x, x)
        for _ in range(3):
            x = x + 1
            x.sum().item()
    waits, there = report.traps
    assert (waits.kind, there.kind) == (Kind.sync, Kind.ascend), "although it happened much oftener"
    assert (there.what, there.line.number, there.calls, there.reason) == (("aten::fmax",), line() - 6, 50, "")
    told = str(report)
    assert "on an Ascend: CPU: aten::fmax, 50 times" in told
    assert "why:    The embedded device computes it. An Ascend has no kernel for it" in told


def test_page_and_json_say_it_too(x, tmp_path):
    with diagnostics.watch() as report:
        torch.fmax(x, x)
    report.to_html(tmp_path / "page.html")
    report.to_json(tmp_path / "report.json")
    assert "on an Ascend: CPU: aten::fmax" in (tmp_path / "page.html").read_text()
    (trap,) = json.loads((tmp_path / "report.json").read_text())["traps"]
    assert (trap["kind"], trap["source"]) == ("ascend", "torch.fmax(x, x)")
    assert report.failing(["ascend"]) and not report.failing(["fallback"])


def test_without_a_watch_it_is_counted(x):
    diagnostics.reset()
    torch.fmax(x, x)
    with diagnostics.watch():
        torch.fmax(x, x)
    torch.fmax(x, x, out=torch.empty_like(x))
    assert marked() == {"aten::fmax": 2, "aten::fmax.out": 1}
    diagnostics.reset()
    assert marked() == {}


def test_policies(x):
    diagnostics.reset()
    diagnostics.set_policy("ascend", "ignore")
    torch.fmax(x, x)
    assert marked() == {}
    diagnostics.set_policy("ascend", "error")
    with pytest.raises(RuntimeError, match="an Ascend does not compute this operator on the device: aten::fmax, at ") as error:
        torch.fmax(x, x)
    assert f"{__file__}:{line() - 1}" in str(error.value)


def test_what_cann_computes_is_not_marked(x):
    x = x.requires_grad_()
    diagnostics.reset()
    model = nn.Sequential(nn.Linear(3, 3), nn.GELU(), nn.LayerNorm(3), nn.Dropout(0.1)).to("npu")
    optimizer = torch.optim.AdamW(model.parameters())
    torch.softmax(model(x), -1).sum().backward()
    optimizer.step()
    torch.nanmedian(x.detach(), 1)  # native there, and composed here of what is not
    torch.nn.utils.parametrizations.weight_norm(nn.Linear(3, 3).to("npu"))(x).sum().backward()
    assert marked() == {}


def test_one_call_is_one_mark():
    """embedding_bag's backward is composed of another operator that an Ascend leaves to the CPU."""
    bag = nn.EmbeddingBag(5, 4, mode="sum").to("npu")
    with diagnostics.watch() as report:
        bag(torch.tensor([[0, 1], [2, 3]], device="npu")).sum().backward()
    assert [trap.calls for trap in report.traps if trap.kind == Kind.ascend] == [1]


def called_with_tensors_alone() -> list[str]:
    """The functional operators that an Ascend leaves to the CPU and that one or two float tensors are enough for."""
    found = []
    for name in torch._C._dispatch_get_registrations_for_dispatch_key("PrivateUse1"):
        if not name.startswith("aten::") or _C.ascend(name) != ("cpu", ""):
            continue
        operator, _, overload = name.removeprefix("aten::").partition(".")
        schema = getattr(getattr(torch.ops.aten, operator), overload or "default")._schema
        needed = [argument for argument in schema.arguments if not argument.has_default_value()]
        if all(str(argument.type) == "Tensor" and argument.alias_info is None for argument in needed) and len(needed) in (1, 2):
            found.append(name)
    return sorted(found)


@pytest.mark.parametrize("name", called_with_tensors_alone())
def test_each_of_them_is_marked(name):
    operator, _, overload = name.removeprefix("aten::").partition(".")
    function = getattr(getattr(torch.ops.aten, operator), overload or "default")
    tensors = [torch.rand(3, device="npu") for argument in function._schema.arguments if str(argument.type) == "Tensor"]
    if "lcm" in name:
        tensors = [tensor.int() for tensor in tensors]
    if name == "aten::multi_margin_loss":
        tensors = [tensors[0], torch.tensor(1, device="npu")]
    diagnostics.reset()
    function(*tensors)
    assert marked() == {name: 1}


@pytest.mark.parametrize("call", [lambda d: d @ d, lambda d: torch.mm(d, d), lambda d: nn.functional.linear(d, d)])
def test_a_dtype_that_cann_refuses(call, x):
    with diagnostics.watch() as report:
        call(x)
        assert report.traps == []
        call(x.double())
    (trap,) = [trap for trap in report.traps if trap.kind == Kind.ascend]
    assert (trap.reason, trap.calls) == (REFUSED, 1)
    told = str(report)
    assert "on an Ascend: an error" in told and f"reason: {REFUSED}" in told
    assert "remedy: float32 or a half type." in told


def test_float64_that_goes_to_the_cpu_is_no_error_there(x):
    double = x.double()
    diagnostics.set_float64("fallback")
    diagnostics.reset()
    torch.mm(double, double)
    assert marked() == {}
