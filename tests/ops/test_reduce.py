"""Reductions on the device against the CPU: every way of walking a tensor, every type, NaN, nothing, ties."""

from __future__ import annotations

import itertools

import pytest
import torch

pytestmark = pytest.mark.usefixtures("native")

SHAPES = [(7,), (3, 300), (300, 3), (4, 5, 6), (70000,), (2, 40000), (40000, 2), (600, 130), (3, 33, 65)]
FLOATS = [torch.float32, torch.float64, torch.float16, torch.bfloat16]
TYPES = [*FLOATS, torch.int64, torch.int32, torch.uint8, torch.bool, torch.complex64]


def values(shape, dtype):
    x = torch.randn(shape, generator=torch.Generator().manual_seed(0))
    return x > 0 if dtype == torch.bool else (3 * x).to(dtype)


def layouts(x):
    yield x
    if x.dim() > 1:
        yield x.transpose(0, -1).contiguous().transpose(0, -1)
    yield torch.cat([x, x], -1)[..., ::2]


def dim_sets(x):
    return itertools.chain.from_iterable(itertools.combinations(range(x.dim()), r) for r in range(1, x.dim() + 1))


def same(on_npu, on_cpu, tolerance=1e-4):
    assert on_npu.device.type == "npu"
    torch.testing.assert_close(on_npu.cpu(), on_cpu, rtol=tolerance, atol=tolerance, equal_nan=True)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_sums_over_any_dims_of_any_layout(shape, dtype):
    tolerance = 2e-2 if dtype in (torch.float16, torch.bfloat16) else 2e-4
    for x in layouts(values(shape, dtype)):
        for dims in dim_sets(x):
            reference = x.double().sum(dims).to(dtype) if dtype.is_floating_point else x.sum(dims)
            same(x.npu().sum(dims), reference, tolerance)
            kept = x.npu().sum(dims, keepdim=True)
            assert kept.shape == x.sum(dims, keepdim=True).shape
            same(kept.view(reference.shape), reference, tolerance)


@pytest.mark.parametrize("name", ["amax", "amin", "mean", "var", "std", "logsumexp"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_of_floats(name, shape):
    for x in layouts(values(shape, torch.float32)):
        for dims in dim_sets(x):
            same(getattr(x.npu(), name)(dims), getattr(x.double(), name)(dims).float())


@pytest.mark.parametrize("p", [0, 0.5, 1, 2, 3, float("inf"), -float("inf")])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.complex64], ids=str)
def test_norms(p, dtype):
    x = values((33, 70), dtype)
    for dims in (None, 0, 1, (0, 1)):
        same(torch.linalg.vector_norm(x.npu(), p, dims), torch.linalg.vector_norm(x, p, dims))


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.int32, torch.bool], ids=str)
def test_the_first_of_equal_extrema_is_taken(shape, dtype):
    x = values(shape, dtype)
    for dim in range(x.dim()):
        for function in (torch.max, torch.min):
            on_npu, on_cpu = function(x.npu(), dim), function(x, dim)
            same(on_npu.values, on_cpu.values)
            same(on_npu.indices, on_cpu.indices)
    if dtype != torch.bool:
        same(x.npu().argmax(), x.argmax())
        same(x.npu().argmin(0), x.argmin(0))


def test_nan_wins_an_extremum_and_the_first_one_is_named():
    x = torch.tensor([[1.0, float("nan"), 3.0, float("nan")], [4.0, 1.0, 2.0, 3.0]])
    for function in (torch.max, torch.min):
        on_npu, on_cpu = function(x.npu(), 1), function(x, 1)
        same(on_npu.values, on_cpu.values)
        assert on_npu.indices.tolist() == on_cpu.indices.tolist()
    assert x.npu().amax(1).isnan().tolist() == [True, False]
    assert x.npu().nansum().item() == 14


def test_any_all_and_counts_of_every_type():
    for dtype in TYPES:
        x = values((5, 40), dtype)
        for dim in (0, 1):
            same(x.npu().any(dim), x.any(dim))
            same(x.npu().all(dim), x.all(dim))
            same(torch.count_nonzero(x.npu(), dim), torch.count_nonzero(x, dim))
        same(x.npu().any(), x.any())


def test_nothing_reduces_to_the_identity_or_to_pytorchs_error():
    x = torch.empty(3, 0).npu()
    assert x.sum(1).tolist() == [0, 0, 0]
    assert x.prod(1).tolist() == [1, 1, 1]
    assert x.all(1).tolist() == [True] * 3
    assert x.mean().isnan().item()
    assert x.logsumexp(1).tolist() == [-float("inf")] * 3
    assert x.sum(0).shape == (0,)
    with pytest.raises(IndexError):
        x.amax(1)
    with pytest.raises(RuntimeError, match=r"max\(\): Expected reduction dim to be specified for input.numel\(\) == 0"):
        x.max()


def test_integers_widen_and_wrap_as_pytorchs():
    x = torch.full((300,), 127, dtype=torch.int8)
    assert x.npu().sum().item() == 300 * 127
    assert x.npu().sum(dtype=torch.int8).item() == x.sum(dtype=torch.int8).item()
    big = torch.tensor([2**62, 2**62, 5])
    assert big.npu().sum().item() == big.sum().item()
    assert (big * 3).npu().prod().item() == (big * 3).prod().item()


def test_a_sum_of_halves_is_rounded_once():
    x = torch.full((4096,), 0.1, dtype=torch.bfloat16)
    assert x.npu().sum().item() == x.float().sum().to(torch.bfloat16).item()


def test_results_do_not_depend_on_where_the_input_lies():
    x = values((1 << 20,), torch.float32)
    assert x.npu().sum().item() == x.npu().sum().item() == torch.cat([x, x]).npu()[1 << 20 :].sum().item()


@pytest.mark.parametrize("dtype", [*FLOATS, torch.complex64, torch.complex128], ids=str)
@pytest.mark.parametrize("correction", [None, 0, 1, 0.5, 2.25])
@pytest.mark.parametrize("dim", [None, 0, (0, 2), -1])
def test_variances_of_complex_numbers_and_with_fractional_corrections(dim, correction, dtype):
    x = values((4, 5, 6), torch.float32)
    x = torch.complex(x, x.flip(0)).to(dtype) if dtype.is_complex else x.to(dtype)
    tolerance = {torch.float16: 2e-3, torch.bfloat16: 1.6e-2}.get(dtype, 1e-5)
    for name in ("var", "std", "var_mean", "std_mean"):
        call = getattr(torch, name)
        for keepdim in (False, True):
            got, want = (call(t, dim, correction=correction, keepdim=keepdim) for t in (x.npu(), x))
            for a, b in zip(*((v if isinstance(v, tuple) else (v,)) for v in (got, want)), strict=True):
                torch.testing.assert_close(a.cpu(), b, rtol=tolerance, atol=tolerance)
    wanted = torch.var(x, dim, correction=correction)
    out = torch.empty(0, dtype=x.real.dtype, device="npu")
    torch.testing.assert_close(
        torch.var(x.npu(), dim, correction=correction, out=out).cpu(), wanted, rtol=tolerance, atol=tolerance
    )


def test_a_correction_that_leaves_no_freedom_warns():
    x = torch.rand(2)
    for correction in (2, 2.5):
        with pytest.warns(UserWarning, match="degrees of freedom"):
            got = torch.var(x.npu(), correction=correction)
        assert got.item() == float("inf")
