"""Products of the half types, on CPUs with matrix units and without: float32's sum, rounded once."""

from __future__ import annotations

import math

import pytest
import torch
import torch.nn.functional as F

import torch_npu  # noqa: F401

DTYPES = [torch.float16, torch.bfloat16]
SIZES = [(16, 16, 16), (33, 47, 65), (130, 257, 100), (64, 300, 512), (300, 64, 37)]


def numbers(*shape: int, dtype: torch.dtype, seed: int = 0) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed)).to(dtype)


def rounded_once(got: torch.Tensor, exact: torch.Tensor) -> None:
    """Within half a unit in the last place of the dtype, and the rounding of a float32 sum."""
    half_unit = torch.finfo(got.dtype).eps / 2
    allowed = exact.abs() * half_unit * 1.01 + 1e-5 * exact.abs().max()
    assert ((got.double().cpu() - exact).abs() <= allowed).all()


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_every_layout_of_the_operands(sizes, dtype):
    m, n, k = sizes
    a, b = numbers(m, k, dtype=dtype), numbers(k, n, dtype=dtype, seed=1)
    exact = a.double() @ b.double()
    rows, columns = a.t().contiguous().npu().t(), b.t().contiguous().npu().t()
    for left in (a.npu(), rows):
        for right in (b.npu(), columns):
            rounded_once(left @ right, exact)
    wide = torch.zeros(m, k + 5, dtype=dtype)
    wide[:, 3 : k + 3] = a
    rounded_once(wide.npu()[:, 3 : k + 3] @ b.npu(), exact)
    out = torch.zeros(n, m, dtype=dtype, device="npu").t()
    rounded_once(torch.mm(a.npu(), b.npu(), out=out), exact)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_bias_and_factors(dtype):
    a, b, c = numbers(40, 70, dtype=dtype), numbers(70, 90, dtype=dtype, seed=1), numbers(40, 90, dtype=dtype, seed=2)
    exact = a.double() @ b.double()
    rounded_once(torch.addmm(c.npu(), a.npu(), b.npu(), beta=0.5, alpha=2), 0.5 * c.double() + 2 * exact)
    rounded_once(F.linear(a.npu(), b.t().contiguous().npu(), c[0].npu()), exact + c[0].double())
    batch = numbers(5, 40, 70, dtype=dtype, seed=3)
    rounded_once(torch.bmm(batch.npu(), b.expand(5, 70, 90).npu()), batch.double() @ b.double())


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("where", ["left", "right", "both"])
def test_infinities_and_nan_touch_their_rows_and_columns_alone(where, dtype):
    a, b = numbers(70, 64, dtype=dtype).abs(), numbers(64, 80, dtype=dtype, seed=1).abs()
    if where != "right":
        a[3, 5], a[40, 7] = math.inf, math.nan
    if where != "left":
        b[9, 11], b[2, 70] = -math.inf, math.nan
    got, want = (a.npu() @ b.npu()).float().cpu(), (a.float() @ b.float())
    finite = want.isfinite()
    assert torch.equal(got.isnan(), want.isnan()) and torch.equal(got.isinf(), want.isinf())
    assert torch.equal(got[want.isinf()], want[want.isinf()])
    torch.testing.assert_close(got[finite], want[finite], rtol=2e-2, atol=1e-2)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_the_smallest_and_largest_numbers(dtype):
    tiny, large = torch.finfo(dtype).tiny, torch.finfo(dtype).max
    a = torch.full((32, 32), tiny, dtype=dtype)
    rounded_once(a.npu() @ torch.ones(32, 32, dtype=dtype).npu(), a.double() @ torch.ones(32, 32).double())
    a = torch.full((32, 32), large, dtype=dtype)
    assert torch.equal((a.npu() @ torch.eye(32, dtype=dtype).npu()).cpu(), a)
    assert (a.npu() @ torch.ones(32, 32, dtype=dtype).npu()).isinf().all()


def test_subnormal_float16_counts():
    a = torch.full((32, 64), 2.0**-24, dtype=torch.float16)  # the smallest of all
    assert torch.equal((a.npu() @ torch.ones(64, 32, dtype=torch.float16).npu()).cpu(), torch.full((32, 32), 2.0**-18).half())
