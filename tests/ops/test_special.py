"""Special functions against float64: their stated bounds, and what they give at the edges."""

from __future__ import annotations

import math

import pytest
import torch

import torch_npu  # noqa: F401

INF, NAN = math.inf, math.nan


def units(got: torch.Tensor, exact: torch.Tensor) -> float:
    """The largest distance in units of float32's last place."""
    want = exact.float()
    spacing = (torch.nextafter(want.abs(), torch.tensor(INF)) - want.abs()).double()
    return ((got.cpu().double() - exact).abs() / spacing).max().item()


def spread(low: float, high: float) -> torch.Tensor:
    return torch.logspace(math.log10(low), math.log10(high), 20001, dtype=torch.float64).float()


def test_lgamma_within_two_units():
    x = torch.cat((spread(1e-37, 1e36), torch.linspace(0.5, 3.5, 20001)))
    x = x[(x - 1).abs().minimum((x - 2).abs()) > 1e-6]
    assert units(torch.lgamma(x.npu()), torch.lgamma(x.double())) <= 2
    x = -torch.linspace(0.001, 60, 20011)
    exact = torch.lgamma(x.double())
    plain = (exact.abs() > 1e-2) & exact.isfinite()  # poles are tested below; zeros lie at irrational places
    x, exact = x[plain], exact[plain]
    assert units(torch.lgamma(x.npu()), exact) <= 2


def test_erfinv_within_five_units():
    x = torch.cat((spread(1e-30, 0.999), 1 - spread(1e-7, 0.5)))
    x = torch.cat((x, -x))
    assert units(torch.erfinv(x.npu()), torch.erfinv(x.double())) <= 5


@pytest.mark.parametrize(("name", "bound"), [("i0e", 2), ("i1e", 2), ("i0", 5), ("i1", 5)])
def test_bessel_functions(name, bound):
    function = getattr(torch.special, name)
    x = torch.linspace(-88, 88, 40001)
    assert units(function(x.npu()), function(x.double())) <= bound
    wide = spread(80, 1e30) if name.endswith("e") else torch.tensor([100.0, -100.0])
    torch.testing.assert_close(function(wide.npu()).cpu(), function(wide), rtol=1e-5, atol=0)


def test_the_normal_quantile_within_six_units():
    x = torch.cat((spread(1e-37, 0.499), 1 - spread(1e-6, 0.499)))
    assert units(torch.special.ndtri(x.npu()), torch.special.ndtri(x.double())) <= 6


def test_trigamma():
    x = torch.cat((spread(1e-3, 1e6), -torch.linspace(0.1, 20.05, 777)))
    torch.testing.assert_close(torch.polygamma(1, x.npu()).cpu(), torch.polygamma(1, x.double()).float(), rtol=1e-5, atol=1e-6)


def test_nextafter_is_the_cpus():
    points = torch.tensor([0.0, -0.0, 1.0, -1.0, 1e-45, -1e-45, 3.4e38, INF, -INF, NAN])
    a, b = torch.meshgrid(points, points, indexing="ij")
    for dtype in (torch.float32, torch.float64):
        got = torch.nextafter(a.to(dtype).npu(), b.to(dtype).npu()).cpu()
        want = torch.nextafter(a.to(dtype), b.to(dtype))
        torch.testing.assert_close(got, want, rtol=0, atol=0, equal_nan=True)
        assert torch.equal(got.signbit(), want.signbit())


def test_gelu_in_the_tails():
    x = torch.linspace(-12, 12, 24001)
    exact = x.double() * 0.5 * torch.erfc(-x.double() / math.sqrt(2))
    error = (torch.nn.functional.gelu(x.npu()).cpu().double() - exact).abs()
    assert (error < 6e-7 + 1e-7 * exact.abs()).all()  # the CPU's own: 1e-6
    assert torch.nn.functional.gelu(torch.tensor([-1e30, INF]).npu()).tolist() == [0, INF]


@pytest.mark.parametrize(
    ("name", "points"),
    [("lgamma", [0.0, -0.0, 1.0, 2.0, -1.0, -7.0, INF, -INF, NAN]), ("erfinv", [0.0, 1.0, -1.0, 1.5, -2.0, INF, NAN]),
     ("ndtri", [0.0, 0.5, 1.0, -1.0, 2.0, NAN]), ("i1e", [0.0, -0.0, INF, -INF, NAN])],
)  # fmt: skip
def test_edges_are_the_cpus(name, points):
    x = torch.tensor(points)
    function = getattr(torch, name, None) or getattr(torch.special, name)
    torch.testing.assert_close(function(x.npu()).cpu(), function(x), rtol=0, atol=0, equal_nan=True)
