"""Distances and cross products: every order of norm, broadcast batches, gradients; all on the device."""

from __future__ import annotations

import math

import pytest
import torch

pytestmark = pytest.mark.usefixtures("native")

G = torch.Generator().manual_seed(0)


def equals_cpu(function, *tensors):
    outcomes = []
    for device in ("cpu", "npu"):
        leaves = [t.detach().to(device).requires_grad_() for t in tensors]
        result = function(*leaves)
        (result * torch.linspace(-1, 1, result.numel()).to(result).view(result.shape)).sum().backward()
        outcomes.append([result.detach().cpu(), *(leaf.grad.cpu() for leaf in leaves)])
    for want, got in zip(*outcomes, strict=True):
        torch.testing.assert_close(got, want, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("p", [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, math.inf])
def test_cdist(p):
    a, b = torch.randn(2, 1, 5, 4, generator=G), torch.randn(3, 6, 4, generator=G)
    equals_cpu(lambda x, y: torch.cdist(x, y, p=p), a, b)
    equals_cpu(lambda x: torch.cdist(x, x, p=p), a)  # distances of 0


def test_cdist_without_points_or_numbers():
    for shape in ((0, 3), (4, 0)):
        got = torch.cdist(torch.ones(shape).npu(), torch.ones(5, shape[1]).npu())
        torch.testing.assert_close(got.cpu(), torch.cdist(torch.ones(shape), torch.ones(5, shape[1])))


@pytest.mark.parametrize("p", [0.0, 1.0, 2.0, math.inf])
def test_pdist(p):
    for n in (0, 1, 2, 7):
        x = torch.randn(n, 3, generator=G)
        torch.testing.assert_close(torch.pdist(x.npu(), p).cpu(), torch.pdist(x, p))


def test_cross():
    a, b = torch.randn(4, 3, 5, generator=G), torch.randn(3, 5, generator=G)
    equals_cpu(lambda x, y: torch.linalg.cross(x, y, dim=-2), a, b.expand(4, 3, 5).contiguous())
    got = torch.linalg.cross(a.npu(), b[None].npu(), dim=1)
    torch.testing.assert_close(got.cpu(), torch.linalg.cross(a, b[None], dim=1))
    wide = a.double()
    torch.testing.assert_close(torch.cross(wide.npu(), wide.npu() + 1, 1).cpu(), torch.cross(wide, wide + 1, 1))
