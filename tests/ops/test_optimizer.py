"""Fused optimizer steps and the gradient scaler: equal to the CPU's, in one pass, without leaving the device."""

from __future__ import annotations

import math

import pytest
import torch

import torch_npu

CASES = [
    (torch.optim.AdamW, {}),
    (torch.optim.AdamW, {"amsgrad": True, "maximize": True}),
    (torch.optim.Adam, {"weight_decay": 0.1}),
    (torch.optim.SGD, {"momentum": 0.9, "nesterov": True, "weight_decay": 0.01}),
    (torch.optim.SGD, {}),
    (torch.optim.Adagrad, {"lr_decay": 0.1, "weight_decay": 0.05}),
    (torch.optim.Adagrad, {"maximize": True}),
]


def steps(device, optimizer, options, count=4):
    torch.manual_seed(3)
    params = [torch.rand(5, 7), torch.rand(40_000), torch.rand(3, 4).t()]
    params = [p.to(device).requires_grad_() for p in params]
    opt = optimizer(params, lr=0.05, **options)
    for i in range(count):
        for p in params:
            p.grad = (p.detach() * (i + 1)).sin()
        opt.step()
    return [p.detach().cpu() for p in params]


@pytest.mark.parametrize(
    "form", [{"fused": True}, {"foreach": True}, {"foreach": False}], ids=lambda f: next(iter(f)) + str(*f.values())
)
@pytest.mark.parametrize(("optimizer", "options"), CASES, ids=lambda v: getattr(v, "__name__", None))
def test_steps_equal_the_cpu(optimizer, options, form):
    torch_npu.diagnostics.reset()
    got = steps("npu", optimizer, {**options, **form})
    assert torch_npu.diagnostics.fallback_counts() == {}
    for a, b in zip(got, steps("cpu", optimizer, {**options, "foreach": False}), strict=True):
        torch.testing.assert_close(a, b, rtol=1e-5, atol=1e-6)


def test_an_overflow_skips_the_fused_step():
    p = torch.ones(4, device="npu", requires_grad=True)
    opt = torch.optim.AdamW([p], lr=0.1, fused=True)
    p.grad = torch.ones_like(p)
    opt.grad_scale, opt.found_inf = torch.tensor(2.0).npu(), torch.tensor(1.0).npu()
    opt.step()
    assert torch.equal(p.detach().cpu(), torch.ones(4))


@pytest.mark.parametrize("bad", [math.inf, math.nan, None])
def test_unscale_finds_what_is_not_finite(bad):
    grads = [torch.full((3,), 8.0).npu(), torch.full((2, 2), 4.0).half().npu()]
    if bad is not None:
        grads[1][0, 1] = bad
    found, inverse = torch.zeros(1).npu(), torch.full((1,), 0.25).npu()
    torch._amp_foreach_non_finite_check_and_unscale_(grads[:1], found, inverse)
    torch._amp_foreach_non_finite_check_and_unscale_(grads[1:], found, inverse)
    assert found.item() == (bad is not None)
    assert torch.equal(grads[0].cpu(), torch.full((3,), 2.0))


def test_scale_backs_off_and_grows():
    scale, tracker = torch.full((1,), 1024.0).npu(), torch.zeros(1, dtype=torch.int32).npu()
    torch._amp_update_scale_(scale, tracker, torch.ones(1).npu(), 2.0, 0.5, 2)
    assert (scale.item(), tracker.item()) == (512.0, 0)
    for _ in range(2):
        torch._amp_update_scale_(scale, tracker, torch.zeros(1).npu(), 2.0, 0.5, 2)
    assert (scale.item(), tracker.item()) == (1024.0, 0)
