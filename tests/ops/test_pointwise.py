"""Pointwise operators: any strides, broadcasts, dtypes and special values, in the three forms, equal to the CPU and native."""

from __future__ import annotations

import math

import pytest
import torch
import torch.nn.functional as F

pytestmark = pytest.mark.usefixtures("native")

SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 3.0, -3.0, math.inf, -math.inf, math.nan, 1e-3, 88.0, -88.0, 104.0, 1e4]


def same(got, want, **tolerance):
    assert got.is_npu and got.dtype == want.dtype and got.shape == want.shape
    torch.testing.assert_close(got.cpu(), want, equal_nan=True, **tolerance)


UNARY = [
    "exp",
    "exp2",
    "expm1",
    "log",
    "log2",
    "log10",
    "log1p",
    "sqrt",
    "rsqrt",
    "reciprocal",
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "sinh",
    "cosh",
    "tanh",
    "asinh",
    "acosh",
    "atanh",
    "sigmoid",
    "erf",
    "erfc",
    "neg",
    "abs",
    "sign",
    "ceil",
    "floor",
    "round",
    "trunc",
    "frac",
    "square",
    "isnan",
    "isinf",
    "isfinite",
    "signbit",
    "logical_not",
]


@pytest.mark.parametrize("name", UNARY)
def test_special_values(name):
    """NaN, infinity, signed zero and overflow come out as on the CPU."""
    x = torch.tensor(SPECIAL)
    same(getattr(torch, name)(x.npu()), getattr(torch, name)(x), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", ["add", "sub", "mul", "div", "maximum", "eq", "lt", "atan2", "remainder", "pow"])
def test_transposed_and_broadcast_operands(name):
    """A transposed matrix, a row, a column and a slice with gaps need no copy by the user."""
    f = getattr(torch, name)
    a, row, column, gaps = torch.rand(37, 53) + 0.1, torch.rand(37), torch.rand(53, 1), torch.rand(53, 74)[:, ::2]
    for other in (row, column, gaps):
        same(f(a.npu().t(), other.npu()), f(a.t(), other))


@pytest.mark.parametrize("a", [torch.float16, torch.bfloat16, torch.float32, torch.int64, torch.uint8, torch.bool], ids=str)
@pytest.mark.parametrize("b", [torch.float16, torch.float32, torch.float64, torch.int32, torch.bool, torch.complex64], ids=str)
def test_promotion(a, b):
    """Mixed dtypes give PyTorch's result dtype, with and without dimensions."""
    x, y = torch.arange(6).to(a), torch.arange(6).flip(0).to(b)
    same((x.npu() + y.npu()), x + y)
    same((x.npu() * y[1].npu()), x * y[1])
    same((x.npu() + 2), x + 2)
    same((1.5 * x.npu()), 1.5 * x)


def test_half_types_round_once():
    """1 + 2^-11 + 2^-11: float16 rounds each sum, so 1 stays; a fused a * b + c rounds once."""
    one, tiny = torch.ones(4, dtype=torch.float16).npu(), torch.full((4,), 2.0**-11, dtype=torch.float16).npu()
    assert torch.equal((one + tiny + tiny).cpu(), torch.ones(4, dtype=torch.float16))
    assert torch.equal(
        torch.addcmul(one, tiny, torch.full_like(tiny, 2)).cpu(), torch.full((4,), 1 + 2.0**-10, dtype=torch.float16)
    )


def test_integers_wrap_and_divide_as_on_the_cpu():
    x = torch.tensor([127, -128, 5, -7], dtype=torch.int8)
    same(x.npu() + x.npu(), x + x)
    y = torch.tensor([2, 3, -2, 2], dtype=torch.int8)
    for mode in (None, "trunc", "floor"):
        same(torch.div(x.npu(), y.npu(), rounding_mode=mode), torch.div(x, y, rounding_mode=mode))
    same(x.npu() % y.npu(), x % y)


def test_in_place_and_out():
    """In place on a view writes through; out= is resized."""
    x = torch.rand(4, 6)
    d = x.npu()
    d[:, ::2].mul_(3).add_(torch.ones(3).npu(), alpha=2)
    x[:, ::2].mul_(3).add_(torch.ones(3), alpha=2)
    same(d, x)
    out = torch.empty(0, device="npu")
    torch.exp(d, out=out)
    same(out, x.exp())


def test_masks():
    x, mask = torch.rand(5, 7), torch.rand(5, 7) > 0.5
    same(torch.where(mask.npu(), x.npu(), 0.0), torch.where(mask, x, 0.0))
    same(x.npu().masked_fill(mask.npu(), -math.inf), x.masked_fill(mask, -math.inf))
    same(x.npu().half().masked_fill_(mask.npu()[:1], 2), x.half().masked_fill_(mask[:1], 2))


ACTIVATIONS = [
    F.relu,
    F.gelu,
    lambda x: F.gelu(x, approximate="tanh"),
    F.silu,
    F.mish,
    F.elu,
    F.selu,
    F.celu,
    F.leaky_relu,
    F.hardswish,
    F.hardsigmoid,
    F.hardtanh,
    F.hardshrink,
    F.softshrink,
    F.softplus,
    F.logsigmoid,
    F.glu,
    F.relu6,
    torch.tanh,
    torch.sigmoid,
]


@pytest.mark.parametrize("f", ACTIVATIONS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_activation_and_gradient(f, dtype):
    x = torch.linspace(-5, 5, 64).to(dtype).reshape(4, 16).requires_grad_()
    d = x.detach().npu().requires_grad_()
    tolerance = {"rtol": 1e-5, "atol": 1e-6} if dtype == torch.float32 else {"rtol": 1.6e-2, "atol": 1e-2}
    same(f(d), f(x), **tolerance)
    f(x).sum().backward()
    f(d).sum().backward()
    same(d.grad, x.grad, **tolerance)


@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
@pytest.mark.parametrize(
    "name",
    [
        "mse_loss",
        "l1_loss",
        "smooth_l1_loss",
        "huber_loss",
        "binary_cross_entropy",
        "binary_cross_entropy_with_logits",
        "soft_margin_loss",
    ],
)
def test_loss_and_gradient(name, reduction):
    f = getattr(F, name)
    x, y = torch.rand(9, 11).requires_grad_(), torch.rand(9, 11)
    d = x.detach().npu().requires_grad_()
    same(f(d, y.npu(), reduction=reduction), f(x, y, reduction=reduction), rtol=1e-5, atol=1e-6)
    f(x, y, reduction=reduction).sum().backward()
    f(d, y.npu(), reduction=reduction).sum().backward()
    same(d.grad, x.grad, rtol=1e-5, atol=1e-6)


def test_what_pytorch_rejects():
    """Same types of exception, and the device works afterwards."""
    x = torch.rand(3).npu()
    with pytest.raises(RuntimeError, match="must match the size"):
        x + torch.rand(4).npu()
    with pytest.raises(RuntimeError, match="bool"):
        -torch.ones(3, dtype=torch.bool).npu()
    with pytest.raises(RuntimeError, match=r"can't be cast|cannot be cast"):
        torch.ones(3, dtype=torch.int64).npu().add_(1.5)
    with pytest.raises(RuntimeError, match="overflow"):
        torch.ones(3, dtype=torch.uint8).npu().fill_(300)
    same(x + 1, x.cpu() + 1)


@pytest.mark.parametrize("other", [True, torch.tensor(True), torch.tensor([True, False])], ids=["number", "scalar", "tensor"])
def test_subtracting_a_bool_is_refused(other):
    on_npu = other.npu() if isinstance(other, torch.Tensor) and other.dim() else other
    for x, y in ((torch.ones(2), other), (torch.ones(2).npu(), on_npu)):
        with pytest.raises(RuntimeError, match="with a bool tensor is not supported"):
            torch.sub(x, y)


DIVISIONS = {
    "floor_divide": torch.floor_divide,
    "remainder": torch.remainder,
    "fmod": torch.fmod,
    "trunc": lambda a, b: torch.div(a, b, rounding_mode="trunc"),
    "floor": lambda a, b: torch.div(a, b, rounding_mode="floor"),
    "in place": lambda a, b: a.clone().remainder_(b),
}


@pytest.mark.parametrize("dtype", [torch.int64, torch.int32, torch.int8, torch.uint8], ids=str)
@pytest.mark.parametrize("name", DIVISIONS)
def test_an_integer_divided_by_zero_is_an_error_at_the_next_wait(name, dtype):
    divide = DIVISIONS[name]
    x, bad, good = (torch.tensor(values, dtype=dtype) for values in ([5, 3, 7], [1, 0, 2], [1, 4, 2]))
    for divisor in (bad, bad[1], 0):
        on_npu = divisor.npu() if isinstance(divisor, torch.Tensor) else divisor
        with pytest.raises(RuntimeError, match="ZeroDivisionError"):
            divide(x, divisor)
        with pytest.raises(RuntimeError, match="ZeroDivisionError"):
            divide(x.npu(), on_npu).cpu()
    same(divide(x.npu(), good.npu()), divide(x, good))  # what came before does not poison it
    same(divide(x.npu()[:0], 0), divide(x[:0], 0))


def test_remainder_of_a_number():
    x = torch.tensor([3, -4, 2])
    same(torch.remainder(5, x.npu()), torch.remainder(5, x))
    same(torch.remainder(5.5, x.npu()), torch.remainder(5.5, x))


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int8, torch.int32, torch.int64], ids=str)
def test_shift_operators(dtype):
    x, y = torch.arange(-4, 8).to(dtype), torch.arange(12).remainder(7).to(dtype)
    for shift in ("__lshift__", "__rshift__", "__ilshift__", "__irshift__"):
        for other in (y, 2):
            on_device = other.npu() if isinstance(other, torch.Tensor) else other
            same(getattr(x.clone().npu(), shift)(on_device), getattr(x.clone(), shift)(other))
