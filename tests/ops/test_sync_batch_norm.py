"""The pieces of SyncBatchNorm: over parts of a batch, of any sizes, they give what batch norm gives over the whole."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F

import torch_npu

EPS, MOMENTUM = 1e-3, 0.2


def parts_of(shape, dtype, channels_last):
    torch.manual_seed(1)
    x = torch.randn(shape, dtype=torch.float64).to(dtype) * 2 + 1
    dy = torch.randn(shape, dtype=torch.float64).to(dtype)
    if channels_last:
        x, dy = x.to(memory_format=torch.channels_last), dy.to(memory_format=torch.channels_last)
    return x, dy


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.bfloat16], ids=str)
@pytest.mark.parametrize(
    ("shape", "channels_last"), [((6, 5), False), ((6, 3, 7), False), ((6, 4, 3, 5), False), ((6, 4, 3, 5), True)]
)
def test_two_parts_give_the_whole(shape, channels_last, dtype):
    x, dy = parts_of(shape, dtype, channels_last)
    statistics = torch.float64 if dtype == torch.float64 else torch.float32
    channels = shape[1]
    weight, bias = torch.rand(channels, dtype=statistics) + 0.5, torch.rand(channels, dtype=statistics)
    running = torch.rand(channels, dtype=statistics), torch.rand(channels, dtype=statistics) + 0.5

    torch_npu.diagnostics.reset()
    xs, dys = [t.npu() for t in x.split([2, 4])], [t.npu() for t in dy.split([2, 4])]
    w, b = weight.npu(), bias.npu()
    running_npu = [t.npu() for t in running]
    stats = [torch.batch_norm_stats(t, EPS) for t in xs]
    counts = torch.tensor([t.numel() / channels for t in xs], dtype=statistics).npu()
    mean, invstd = torch.batch_norm_gather_stats_with_counts(
        xs[0], torch.stack([s[0] for s in stats]), torch.stack([s[1] for s in stats]), *running_npu, MOMENTUM, EPS, counts
    )
    ys = [torch.batch_norm_elemt(t, w, b, mean, invstd, EPS) for t in xs]
    reduced = [torch.batch_norm_backward_reduce(g, t, mean, invstd, w, True, True, True) for g, t in zip(dys, xs, strict=True)]
    sum_dy, sum_dy_xmu = reduced[0][0] + reduced[1][0], reduced[0][1] + reduced[1][1]
    dxs = [
        torch.batch_norm_backward_elemt(g, t, mean, invstd, w, sum_dy, sum_dy_xmu, counts.int())
        for g, t in zip(dys, xs, strict=True)
    ]
    assert torch_npu.diagnostics.fallback_counts() == {}
    assert all(t.dtype == statistics for t in (mean, invstd, sum_dy, sum_dy_xmu))
    assert all(y.dtype == dtype and y.stride() == t.stride() for y, t in zip(ys + dxs, xs + xs, strict=True))

    wide = [t.double() for t in (x, weight, bias)]
    for t in wide:
        t.requires_grad_()
    running = [t.double() for t in running]
    y = F.batch_norm(wide[0], *running, wide[1], wide[2], True, MOMENTUM, EPS)
    y.backward(dy.double())
    close = {torch.float32: 1e-4, torch.float64: 1e-10, torch.float16: 4e-3, torch.bfloat16: 3e-2}[dtype]

    def agree(got, want, tolerance=close):
        torch.testing.assert_close(got.cpu().double(), want, rtol=tolerance, atol=tolerance)

    agree(torch.cat(ys), y.detach())
    agree(torch.cat(dxs), wide[0].grad)
    few = 1e-4 if statistics == torch.float32 else 1e-10
    agree(reduced[0][2] + reduced[1][2], wide[1].grad, few * 10)
    agree(reduced[0][3] + reduced[1][3], wide[2].grad, few * 10)
    for got, want in zip(running_npu, running, strict=True):
        agree(got, want, few)


def test_only_what_is_asked_for_is_given():
    x = torch.rand(3, 4, device="npu")
    mean, invstd = torch.batch_norm_stats(x, EPS)
    sum_dy, sum_dy_xmu, dw, db = torch.batch_norm_backward_reduce(x, x, mean, invstd, None, False, True, False)
    assert sum_dy is sum_dy_xmu is db is None
    assert dw.shape == (4,)


def test_native_batch_norm_into_given_tensors():
    x = torch.rand(6, 3, 4)
    outs = [torch.empty(0, device="npu") for _ in range(3)]
    torch.native_batch_norm(x.npu(), None, None, None, None, True, 0.1, EPS, out=outs)
    for got, want in zip(outs, torch.native_batch_norm(x, None, None, None, None, True, 0.1, EPS), strict=True):
        torch.testing.assert_close(got.cpu(), want)
