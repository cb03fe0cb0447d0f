"""Running sums, products and extrema against the CPU, along dimensions of every kind of stride."""

from __future__ import annotations

import pytest
import torch

pytestmark = pytest.mark.usefixtures("native")

SHAPES = [(5,), (200000,), (7, 33), (33, 7), (3, 5, 130), (600, 520), (100000, 3), (2, 140000)]


def values(shape, dtype=torch.float32):
    return (3 * torch.randn(shape, generator=torch.Generator().manual_seed(0))).to(dtype)


def same(on_npu, on_cpu, tolerance=1e-4):
    torch.testing.assert_close(on_npu.cpu(), on_cpu, rtol=tolerance, atol=tolerance, equal_nan=True)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.int32, torch.bool], ids=str)
def test_cumsum(shape, dtype):
    x = values(shape, dtype)
    for dim in range(x.dim()):
        same(x.npu().cumsum(dim), x.cumsum(dim))
    y = x.transpose(0, -1)
    same(y.npu().cumsum(0), y.cumsum(0))


@pytest.mark.parametrize("name", ["cummax", "cummin"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_running_extrema_name_the_last_of_equals(name, shape):
    x = values(shape).round()
    x.view(-1)[x.numel() * 2 // 3] = float("nan")
    for dim in range(x.dim()):
        on_npu, on_cpu = getattr(x.npu(), name)(dim), getattr(x, name)(dim)
        same(on_npu.values, on_cpu.values, 0)
        same(on_npu.indices, on_cpu.indices, 0)


def test_products_and_logsumexp():
    x = values((40, 50)) / 3
    for dim in (0, 1):
        same(x.npu().cumprod(dim), x.cumprod(dim))
        same(torch.logcumsumexp(x.npu(), dim), torch.logcumsumexp(x, dim))
    infinite = torch.tensor([-float("inf"), -float("inf"), 1.0, float("inf"), 2.0])
    same(torch.logcumsumexp(infinite.npu(), 0), torch.logcumsumexp(infinite, 0))


def test_in_place_and_into_an_output_of_any_stride():
    x = values((6, 8))
    y = x.npu()
    y.cumsum_(1)
    same(y, x.cumsum(1))
    out = torch.empty(8, 6).npu().t()
    torch.cumsum(x.npu(), 0, out=out)
    same(out, x.cumsum(0))


def test_halves_are_summed_in_float32():
    x = torch.full((3000,), 0.1, dtype=torch.float16)
    same(x.npu().cumsum(0), x.float().cumsum(0).half(), 0)
