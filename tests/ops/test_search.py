"""Searches, counts and different values against the CPU; the ones whose size depends on the data, too."""

from __future__ import annotations

import pytest
import torch

pytestmark = pytest.mark.usefixtures("native")

TYPES = [torch.float32, torch.float64, torch.float16, torch.int64, torch.int32, torch.uint8]


def same(on_npu, on_cpu):
    torch.testing.assert_close(on_npu.cpu(), on_cpu, rtol=1e-6, atol=1e-6, equal_nan=True)


@pytest.mark.parametrize("dtype", TYPES, ids=str)
@pytest.mark.parametrize("right", [False, True])
def test_searchsorted_and_bucketize(dtype, right):
    rows = (10 * torch.rand(4, 30)).to(dtype).sort(-1).values
    x = (10 * torch.rand(4, 50)).to(dtype)
    same(torch.searchsorted(rows.npu(), x.npu(), right=right), torch.searchsorted(rows, x, right=right))
    options = {"right": right, "out_int32": True}
    same(torch.bucketize(x.npu(), rows[0].npu(), **options), torch.bucketize(x, rows[0], **options))
    same(torch.searchsorted(rows[0].npu(), 5, right=right), torch.searchsorted(rows[0], 5, right=right))
    shuffled, order = rows.flip(-1), torch.arange(29, -1, -1).repeat(4, 1)
    same(torch.searchsorted(shuffled.npu(), x.npu(), sorter=order.npu()), torch.searchsorted(shuffled, x, sorter=order))
    with pytest.raises(RuntimeError):
        torch.searchsorted(rows.npu(), x[:2].npu())


def test_isin():
    x, tests = torch.tensor([1.0, 2.0, float("nan"), 4.0]), torch.tensor([2.0, 4.0, float("nan")])
    for invert in (False, True):
        same(torch.isin(x.npu(), tests.npu(), invert=invert), torch.isin(x, tests, invert=invert))
        same(torch.isin(x.npu(), 4, invert=invert), torch.isin(x, 4, invert=invert))
        same(torch.isin(2, tests.npu(), invert=invert), torch.isin(2, tests, invert=invert))


def test_equal_as_a_whole():
    for dtype in (*TYPES, torch.bool, torch.bfloat16, torch.complex64):
        x = torch.randint(0, 2, (40, 70)).to(dtype)
        y = x.clone()
        assert torch.equal(x.npu(), y.npu())
        assert torch.equal(x.npu().t(), y.npu().t())
        y[39, 69] = 1 - x[39, 69].to(torch.int64)
        assert not torch.equal(x.npu(), y.npu())
    nan = torch.tensor([float("nan")]).npu()
    assert not torch.equal(nan, nan.clone())
    assert not torch.equal(nan, torch.zeros(2).npu())


def test_histc_and_bincount():
    x = torch.randn(3000)
    same(torch.histc(x.npu(), 20), torch.histc(x, 20))
    same(torch.histc(x.npu(), 7, -1, 2), torch.histc(x, 7, -1, 2))
    n, weights = torch.randint(0, 40, (500,)), torch.rand(500)
    same(torch.bincount(n.npu(), minlength=50), torch.bincount(n, minlength=50))
    same(torch.bincount(n.npu(), weights.npu()), torch.bincount(n, weights))
    with pytest.raises(RuntimeError, match="bincount only supports 1-d non-negative integral inputs"):
        torch.bincount(torch.tensor([-1]).npu())


@pytest.mark.parametrize("shape", [(), (0,), (7,), (50000,), (30, 40), (3, 0, 2), (5, 6, 7)], ids=str)
def test_nonzero(shape):
    x = torch.randint(0, 3, shape)
    for y in (x, x.float(), x.bool(), x.transpose(0, -1) if x.dim() > 1 else x):
        same(y.npu().nonzero(), y.nonzero())
    same(torch.argwhere(x.npu()), torch.argwhere(x))


@pytest.mark.parametrize("dtype", [*TYPES, torch.bool], ids=str)
def test_unique(dtype):
    x = torch.randint(0, 9, (40, 3)).to(dtype)
    extras = {"return_inverse": True, "return_counts": True}
    pairs = [(x.npu().unique(**extras), x.unique(**extras))]
    pairs.append((x.npu().unique_consecutive(**extras), x.unique_consecutive(**extras)))
    for dim in (0, 1):
        pairs.append((x.npu().unique(dim=dim, **extras), x.unique(dim=dim, **extras)))
        pairs.append((x.npu().unique_consecutive(dim=dim, **extras), x.unique_consecutive(dim=dim, **extras)))
    for on_npu, on_cpu in pairs:
        for a, b in zip(on_npu, on_cpu, strict=True):
            same(a, b)


def test_nothing_is_unique():
    assert torch.empty(0).npu().unique().shape == (0,)


@pytest.mark.parametrize("size", [0, 1, 4, 30_000])
@pytest.mark.parametrize("shape", [(2, 3), (40_001,), (), (0, 3), (2, 1, 4)])
def test_nonzero_static(shape, size):
    torch.manual_seed(0)
    x = (torch.rand(shape) < 0.5).float()
    assert torch.equal(torch.nonzero_static(x.npu(), size=size).cpu(), torch.nonzero_static(x, size=size))
    columns = torch.zeros(x.dim(), size, dtype=torch.long).t()
    got = torch.nonzero_static(x.npu(), size=size, fill_value=7, out=columns.npu())
    assert torch.equal(got.cpu(), torch.nonzero_static(x, size=size, fill_value=7, out=columns))
