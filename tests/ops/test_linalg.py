"""Factorisations and triangular systems on the device: the CPU's values, its signs too, for any batch and side."""

from __future__ import annotations

import pytest
import torch

import torch_npu


def on_device(call, *tensors):
    torch_npu.diagnostics.reset()
    result = call(*(t.npu() for t in tensors))
    assert torch_npu.diagnostics.fallback_counts() == {}
    return result


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("mode", ["reduced", "complete", "r"])
@pytest.mark.parametrize("shape", [(5, 5), (7, 3), (3, 7), (2, 3, 4, 2), (0, 3), (3, 0), (2, 0, 3), (90, 70)])
def test_qr(shape, mode, dtype):
    torch.manual_seed(0)
    a = torch.randn(shape, dtype=dtype)
    got, wanted = on_device(lambda t: torch.linalg.qr(t, mode=mode), a), torch.linalg.qr(a, mode=mode)
    for x, y in zip(got, wanted, strict=True):
        torch.testing.assert_close(x.cpu(), y, rtol=1e-4, atol=1e-4 if dtype == torch.float32 else 1e-10)


@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("left", [False, True])
@pytest.mark.parametrize("unitriangular", [False, True])
@pytest.mark.parametrize(
    ("a_shape", "b_shape"), [((4, 4), (4, 4)), ((2, 1, 4, 4), (3, 4, 4)), ((0, 0), (0, 0)), ((2, 4, 4), (4, 4))]
)
def test_solve_triangular(a_shape, b_shape, unitriangular, left, upper):
    torch.manual_seed(0)
    a, b = torch.rand(a_shape, dtype=torch.float64) + 1, torch.rand(b_shape, dtype=torch.float64)
    options = {"upper": upper, "left": left, "unitriangular": unitriangular}
    wanted = torch.linalg.solve_triangular(a, b, **options)
    got = on_device(lambda x, y: torch.linalg.solve_triangular(x, y, **options), a, b)
    torch.testing.assert_close(got.cpu(), wanted)
    out = b.expand(wanted.shape).clone().npu()
    torch.linalg.solve_triangular(a.npu(), out, **options, out=out)  # over its own right side
    torch.testing.assert_close(out.cpu(), wanted)


@pytest.mark.parametrize("transpose", [False, True])
@pytest.mark.parametrize("upper", [False, True])
def test_triangular_solve(upper, transpose):
    torch.manual_seed(0)
    b, a = torch.rand(2, 4, 3), torch.rand(2, 4, 4) + 1
    wanted = torch.triangular_solve(b, a, upper=upper, transpose=transpose)
    got = on_device(lambda x, y: torch.triangular_solve(x, y, upper=upper, transpose=transpose), b, a)
    for x, y in zip(got, wanted, strict=True):
        torch.testing.assert_close(x.cpu(), y)


def test_gradients():
    torch.manual_seed(0)
    grads = []
    for device in ("cpu", "npu"):
        a = torch.eye(4, dtype=torch.float64, device=device) * 2 + torch.arange(16.0, device=device).view(4, 4).sin().double()
        a.requires_grad_()
        q, r = torch.linalg.qr(a)
        x = torch.linalg.solve_triangular(r, q, upper=True)
        x.square().sum().backward()
        grads.append(a.grad.cpu())
    torch.testing.assert_close(grads[1], grads[0])


def test_errors_are_the_cpus():
    a, b = torch.rand(3, 4), torch.rand(3, 3)
    for call in (
        lambda t: torch.linalg.solve_triangular(t(a), t(b), upper=True),
        lambda t: torch.linalg.solve_triangular(t(b), t(a.T), upper=True),
        lambda t: torch.linalg.qr(t(a), mode="all"),
        lambda t: torch.linalg.qr(t(a[0])),
    ):
        with pytest.raises(RuntimeError) as wanted:
            call(lambda t: t)
        with pytest.raises(RuntimeError) as got:
            call(lambda t: t.npu())
        assert str(got.value).splitlines()[0] == str(wanted.value).splitlines()[0]
