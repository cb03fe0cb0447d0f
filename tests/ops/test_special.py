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


@pytest.mark.parametrize(
    ("name", "points"),
    [("lgamma", [0.0, -0.0, 1.0, 2.0, -1.0, -7.0, INF, -INF, NAN]), ("erfinv", [0.0, 1.0, -1.0, 1.5, -2.0, INF, NAN])],
)
def test_edges_are_the_cpus(name, points):
    x = torch.tensor(points)
    torch.testing.assert_close(getattr(torch, name)(x.npu()).cpu(), getattr(torch, name)(x), rtol=0, atol=0, equal_nan=True)
