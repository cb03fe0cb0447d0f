"""Random shapes, strides, dtypes and indices: the CPU's result. 40 examples a property; 1250 in `make test-full`."""

from __future__ import annotations

import os

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import torch_npu  # noqa: F401

FLOATING = [torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.complex64]
DTYPES = [*FLOATING, torch.int64, torch.int32, torch.uint8, torch.bool]
QUICK = settings(max_examples=40, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
MANY = int(os.environ.get("NPU_PROPERTY_EXAMPLES", "1250"))
SLOW = settings(max_examples=MANY, deadline=None, suppress_health_check=list(HealthCheck))


@st.composite
def tensors(draw: st.DrawFn, min_dims: int = 1) -> torch.Tensor:
    """Small integers of any dtype, so that sums are exact; any order of strides, every second element, or an offset."""
    sizes = draw(st.lists(st.integers(1, 5), min_size=min_dims, max_size=4))
    dtype, seed = draw(st.sampled_from(DTYPES)), draw(st.integers(0, 999))
    order = draw(st.permutations(range(len(sizes))))
    step = draw(st.sampled_from([1, 1, 2]))
    generator = torch.Generator().manual_seed(seed)
    full = torch.randint(0, 2 if dtype is torch.bool else 4, [sizes[d] * step for d in order], generator=generator).to(dtype)
    full = full[tuple(slice(None, None, step) for _ in order)]
    return full.permute([list(order).index(d) for d in range(len(sizes))])


def positions(draw: st.DrawFn, shape: list[int], size: int, wrap: bool) -> torch.Tensor:
    generator = torch.Generator().manual_seed(draw(st.integers(0, 999)))
    return torch.randint(-size if wrap else 0, size, shape, generator=generator)


def same(got: torch.Tensor, want: torch.Tensor) -> None:
    assert got.shape == want.shape and got.dtype == want.dtype
    torch.testing.assert_close(got.cpu(), want, rtol=0, atol=0)


def to_npu(x: torch.Tensor) -> torch.Tensor:
    """The same strides on the device."""
    span = 1 + sum((n - 1) * s for n, s in zip(x.shape, x.stride(), strict=True))
    return x.as_strided((span,), (1,)).to("npu").as_strided(x.shape, x.stride())


def reads(data: st.DataObject) -> None:
    x = data.draw(tensors())
    d = data.draw(st.integers(0, x.dim() - 1))
    i = positions(data.draw, [data.draw(st.integers(0, 6))], x.shape[d], wrap=False)
    same(to_npu(x).index_select(d, i.to("npu")), x.index_select(d, i))
    shape = [data.draw(st.integers(1, n)) for n in x.shape]
    shape[d] = data.draw(st.integers(0, 6))
    g = positions(data.draw, shape, x.shape[d], wrap=False)
    same(to_npu(x).gather(d, g.to("npu")), x.gather(d, g))
    same(torch.cat((to_npu(x), to_npu(x).narrow(d, 0, 1)), d), torch.cat((x, x.narrow(d, 0, 1)), d))


def advanced_places(data: st.DataObject, x: torch.Tensor) -> tuple:
    broadcast = data.draw(st.lists(st.integers(1, 3), max_size=2))
    place = []
    for n in x.shape:
        kind = data.draw(st.sampled_from(["all", "index", "index", "mask"]))
        if kind == "all":
            place.append(slice(None))
        elif kind == "mask" and not any(isinstance(p, torch.Tensor) for p in place):
            place.append(torch.arange(n) % 2 == 0)
            broadcast = [int(place[-1].sum())]
        else:
            place.append(positions(data.draw, broadcast, n, wrap=True))
    return tuple(place)


def moved(place: tuple) -> tuple:
    return tuple(p.to("npu") if isinstance(p, torch.Tensor) else p for p in place)


def advanced(data: st.DataObject) -> None:
    x = data.draw(tensors())
    place = advanced_places(data, x)
    want = x[place]
    got = to_npu(x)
    same(got[moved(place)], want)
    target, value = x.clone(), torch.ones((), dtype=x.dtype)
    target[place] = value
    got[moved(place)] = value.to("npu")
    same(got, target)


def writes(data: st.DataObject) -> None:
    x = data.draw(tensors())
    d = data.draw(st.integers(0, x.dim() - 1))
    shape = [data.draw(st.integers(1, n)) for n in x.shape]
    shape[d] = data.draw(st.integers(1, 6))
    index = positions(data.draw, shape, x.shape[d], wrap=False)
    src = (torch.arange(index.numel()) % 3).view(shape).to(x.dtype)
    for reduce in ("sum", "prod", "amax", "amin"):
        if x.is_complex() and reduce.startswith("a"):
            continue
        for include_self in (True, False):
            got = to_npu(x).scatter_reduce(d, index.to("npu"), src.to("npu"), reduce, include_self=include_self)
            same(got, x.scatter_reduce(d, index, src, reduce, include_self=include_self))
    rows = positions(data.draw, [shape[d]], x.shape[d], wrap=False)
    source = torch.ones([*x.shape[:d], shape[d], *x.shape[d + 1 :]], dtype=x.dtype)
    same(to_npu(x).index_add(d, rows.to("npu"), source.to("npu")), x.index_add(d, rows, source))
    same(to_npu(x).index_fill(d, rows.to("npu"), 1), x.index_fill(d, rows, 1))


def moves(data: st.DataObject) -> None:
    x = data.draw(tensors(min_dims=2))
    dims = data.draw(st.lists(st.integers(0, x.dim() - 1), unique=True, min_size=1))
    shifts = [data.draw(st.integers(-7, 7)) for _ in dims]
    pad = [data.draw(st.integers(-1, 3)) for _ in range(4)]
    k = data.draw(st.integers(-3, 3))
    for f in (lambda t: t.flip(dims), lambda t: t.roll(shifts, dims), lambda t: t.tril(k), lambda t: t.triu(k),
              lambda t: t.repeat(*[2] * t.dim(), 1), lambda t: torch.stack((t, t), k % t.dim())):
        same(f(to_npu(x)), f(x))
    if all(n + pad[2 * i] + pad[2 * i + 1] >= 0 for i, n in enumerate(reversed(x.shape[-2:]))):
        same(torch.constant_pad_nd(to_npu(x), pad, 1), torch.constant_pad_nd(x, pad, 1))


PROPERTIES = [reads, advanced, writes, moves]


@pytest.mark.parametrize("property_of", PROPERTIES, ids=lambda p: p.__name__)
def test_equals_the_cpu(property_of) -> None:
    QUICK(given(st.data())(lambda data: property_of(data)))()


@pytest.mark.slow
@pytest.mark.parametrize("property_of", PROPERTIES, ids=lambda p: p.__name__)
def test_equals_the_cpu_many_times(property_of) -> None:
    SLOW(given(st.data())(lambda data: property_of(data)))()
