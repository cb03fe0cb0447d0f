"""Order against the CPU: sort, topk, median and their like; ties, NaN, every type, every stride."""

from __future__ import annotations

import pytest
import torch

pytestmark = pytest.mark.usefixtures("native")

FLOATS = [torch.float32, torch.float64, torch.float16, torch.bfloat16]
TYPES = [*FLOATS, torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8]
SHAPES = [(5,), (3000,), (7, 33), (3, 5, 130), (300, 520), (2000, 3)]


def values(shape, dtype):
    x = (20 * torch.randn(shape, generator=torch.Generator().manual_seed(0))).to(dtype)
    if dtype.is_floating_point:
        x.view(-1)[::7] = float("nan")
        x.view(-1)[1::5] = 0.0
        x.view(-1)[2::5] = -0.0
    return x


def same(on_npu, on_cpu):
    torch.testing.assert_close(on_npu.cpu(), on_cpu, rtol=0, atol=0, equal_nan=True)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", [*TYPES, torch.bool], ids=str)
def test_sorting_is_stable_and_puts_nan_above_everything(shape, dtype):
    x = values(shape, dtype)
    for y in (x, x.transpose(0, -1)):
        for dim in range(y.dim()):
            for descending in (False, True):
                on_npu = torch.sort(y.npu(), dim=dim, descending=descending, stable=True)
                on_cpu = torch.sort(y, dim=dim, descending=descending, stable=True)
                same(on_npu.values, on_cpu.values)
                same(on_npu.indices, on_cpu.indices)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_topk(shape, dtype):
    x = values(shape, dtype)
    for dim in range(x.dim()):
        n = x.size(dim)
        for k in {1, n // 20, n // 2, n} - {0}:
            for largest in (True, False):
                on_npu, on_cpu = x.npu().topk(k, dim, largest), x.topk(k, dim, largest)
                same(on_npu.values, on_cpu.values)
                same(x.gather(dim, on_npu.indices.cpu()), on_cpu.values)


@pytest.mark.parametrize("name", ["median", "nanmedian", "mode"])
@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_middle_and_most_frequent(name, dtype):
    x = values((9, 31), dtype)
    if name == "mode":  # the CPU's answer to NaN depends on its sort; here no two NaN are alike
        x = x.nan_to_num(1)
    for dim in (0, 1):
        on_npu, on_cpu = getattr(x.npu(), name)(dim), getattr(x, name)(dim)
        same(on_npu.values, on_cpu.values)
        same(on_npu.indices, on_cpu.indices)
    if name != "mode":
        same(getattr(x.npu(), name)(), getattr(x, name)())


def test_kthvalue():
    x = torch.randn(40, 50)
    same(x.npu().kthvalue(7, 1).values, x.kthvalue(7, 1).values)
    same(x.npu().kthvalue(7, 0).indices, x.kthvalue(7, 0).indices)
    for dtype in (torch.int64, torch.uint8, torch.float16):  # among equal values the CPU's index
        tied = torch.randint(0, 6, (30, 70)).to(dtype)
        for k in (1, 2, 35, 70):
            on_npu, on_cpu = tied.npu().kthvalue(k, 1), tied.kthvalue(k, 1)
            same(on_npu.values, on_cpu.values)
            same(on_npu.indices, on_cpu.indices)
    with pytest.raises(RuntimeError, match="selected number k out of range for dimension 1"):
        x.npu().kthvalue(51, 1)


def test_a_number_is_sorted_already():
    x = torch.tensor(3.0).npu()
    assert x.sort().values.item() == 3 and x.sort().indices.item() == 0
