"""Reductions and scans on random dtypes, shapes, strides and dimensions: the CPU's result."""

from __future__ import annotations

import pytest
import torch
from hypothesis import strategies as st

import torch_npu  # noqa: F401
from tests.ops.properties import DTYPES, FLOATING, MANY, REAL, Drawn, check, run, shapes, tensors

# Over one dimension, several, or all.
MANY_DIMS = {
    "sum": torch.sum, "mean": torch.mean, "nansum": torch.nansum, "nanmean": torch.nanmean, "amax": torch.amax,
    "amin": torch.amin, "all": torch.all, "any": torch.any, "logsumexp": torch.logsumexp, "std": torch.std, "var": torch.var,
    "norm": torch.linalg.vector_norm,
    "norm 1": lambda x, dim, keepdim: torch.linalg.vector_norm(x, 1, dim, keepdim),
    "norm inf": lambda x, dim, keepdim: torch.linalg.vector_norm(x, float("inf"), dim, keepdim),
    "norm 3": lambda x, dim, keepdim: torch.linalg.vector_norm(x, 3, dim, keepdim),
    "var_mean": torch.var_mean, "population variance": lambda x, dim, keepdim: torch.var(x, dim, correction=0, keepdim=keepdim),
    "count_nonzero": lambda x, dim, keepdim: torch.count_nonzero(x, dim),
}  # fmt: skip
ONE_DIM = {
    "prod": torch.prod, "max": torch.max, "min": torch.min, "argmax": torch.argmax, "argmin": torch.argmin,
    "aminmax": lambda x, dim, keepdim: torch.aminmax(x, dim=dim, keepdim=keepdim),
    "median": lambda x, dim, keepdim: torch.median(x, dim, keepdim).values,
    "sort": lambda x, dim, keepdim: torch.sort(x, dim=dim, stable=True, descending=keepdim),
    "topk": lambda x, dim, keepdim: torch.topk(x, min(2, x.shape[dim]) if x.dim() else 1, dim, largest=keepdim).values,
}  # fmt: skip
SCANS = {
    "cumsum": torch.cumsum, "cumprod": torch.cumprod, "cummax": torch.cummax, "cummin": torch.cummin,
    "logcumsumexp": torch.logcumsumexp, "softmax": torch.softmax, "log_softmax": torch.log_softmax,
    "diff": lambda x, d: x.diff(dim=d),
}  # fmt: skip


def drawn(data: st.DataObject, overlap: bool = True) -> tuple[Drawn, float]:
    """A tensor, and how much a sum over it may weigh beside its result."""
    dtype, shape = data.draw(st.sampled_from(DTYPES)), data.draw(shapes())
    x = data.draw(tensors(dtype, shape, data.draw(st.sampled_from(["normal", "whole", "special"])), overlap))
    return x, max(x.cpu.numel(), 1) ** 0.5 * 4


def many_dims(data: st.DataObject) -> None:
    x, weight = drawn(data)
    function = MANY_DIMS[data.draw(st.sampled_from(sorted(MANY_DIMS)))]
    n = max(x.cpu.dim(), 1)
    dims = data.draw(st.lists(st.integers(0, n - 1), unique=True, min_size=1, max_size=n))
    dims = [d - n if data.draw(st.booleans()) else d for d in dims]
    keepdim = data.draw(st.booleans())
    check(lambda t: function(t, dim=dims, keepdim=keepdim), x, weight=weight)
    dtype = data.draw(st.sampled_from(FLOATING if x.cpu.dtype in FLOATING else DTYPES))  # NaN is no integer
    check(lambda t: torch.sum(t, dim=dims, keepdim=keepdim, dtype=dtype), x, weight=weight)


def one_dim(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(ONE_DIM)))
    function = ONE_DIM[name]
    x, weight = drawn(data, overlap=name != "median")  # wrong on the CPU where a dimension is expanded
    dim = data.draw(st.integers(-max(x.cpu.dim(), 1), max(x.cpu.dim(), 1) - 1))
    keepdim = data.draw(st.booleans())
    check(lambda t: function(t, dim=dim, keepdim=keepdim), x, weight=weight)


def whole(data: st.DataObject) -> None:
    x, weight = drawn(data)
    for name in ("sum", "mean", "prod", "max", "min", "argmax", "argmin", "all", "any", "std", "var", "norm"):
        if name == "prod" and x.cpu.numel() > 100 and x.cpu.dtype in FLOATING:
            continue  # the order of the factors decides whether a partial product overflows
        check(getattr(torch, name), x, weight=weight)


def scans(data: st.DataObject) -> None:
    x, weight = drawn(data)
    name = data.draw(st.sampled_from(sorted(SCANS)))
    dim = data.draw(st.integers(-max(x.cpu.dim(), 1), max(x.cpu.dim(), 1) - 1))
    check(lambda t: SCANS[name](t, dim), x, weight=weight)


def written(data: st.DataObject) -> None:
    """Into out= of any layout: resized where it is empty."""
    dtype, shape = data.draw(st.sampled_from(REAL)), data.draw(shapes(min_dims=1))
    x = data.draw(tensors(dtype, shape))
    dim = data.draw(st.integers(0, len(shape) - 1))
    reduced = [n for d, n in enumerate(shape) if d != dim]
    out = data.draw(tensors(dtype, data.draw(st.sampled_from([reduced, [0]])), overlap=False))
    function = data.draw(st.sampled_from([torch.sum, torch.mean, torch.amax, torch.logsumexp, torch.prod]))
    check(lambda t, o: function(t, dim, out=o), x, out, weight=len(shape) * 4)
    scanned = data.draw(tensors(dtype, shape, overlap=False))
    check(lambda t, o: torch.cumsum(t, dim, out=o), x, scanned, weight=len(shape) * 4)


PROPERTIES = [many_dims, one_dim, whole, scans, written]


@pytest.mark.parametrize("body", PROPERTIES, ids=lambda p: p.__name__)
def test_equals_the_cpu(body) -> None:
    run(body, 40, derandomize=True)


@pytest.mark.slow
@pytest.mark.parametrize("body", PROPERTIES, ids=lambda p: p.__name__)
def test_equals_the_cpu_many_times(body) -> None:
    run(body, MANY)
