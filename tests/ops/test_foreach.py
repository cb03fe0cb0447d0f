"""_foreach_ operators: lists that are alike go to one launch and give the bits of the tensors one by one; others are composed."""

from __future__ import annotations

import pytest
import torch

import torch_npu

DTYPES = [torch.float32, torch.float16, torch.bfloat16, torch.float64]
UNARY = (
    "abs acos asin atan ceil cos cosh erf erfc exp expm1 floor frac log log10 log1p log2 neg reciprocal round sigmoid sign sin "
    "sinh sqrt tan tanh trunc"
).split()
BINARY = "add sub mul div maximum minimum pow clamp_min clamp_max".split()


def tensors(dtype, seed=0, positive=False):
    """Contiguous and transposed, empty, of no dimensions, and one that more than one thread takes."""
    torch.manual_seed(seed)
    made = [torch.rand(3, 4), torch.rand(4, 3).t(), torch.rand(0, 2), torch.rand(()), torch.rand(70_001), torch.rand(2, 3, 2)]
    return [(t + 0.1 if positive else t * 3 - 1.5).to(dtype).to("npu") for t in made]


def bits(got, want):
    assert len(got) == len(want)
    for a, b in zip(got, want, strict=True):
        assert a.dtype == b.dtype and a.stride() == b.stride()
        assert torch.equal(a.cpu().nan_to_num(7), b.cpu().nan_to_num(7))


def both_forms(name, lists, rest, want, **keywords):
    """The functional form, then the one in place."""
    torch_npu.diagnostics.reset()
    bits(getattr(torch, f"_foreach_{name}")(*lists, *rest, **keywords), want)
    changed = [t.clone() for t in lists[0]]
    getattr(torch, f"_foreach_{name}_")(changed, *lists[1:], *rest, **keywords)
    bits(changed, want)
    assert torch_npu.diagnostics.fallback_counts() == {}


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("name", UNARY)
def test_unary(name, dtype):
    x = tensors(dtype)
    both_forms(name, [x], [], [getattr(torch, name)(t) for t in x])


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("name", BINARY)
def test_lists_scalars_and_lists_of_scalars(name, dtype):
    x, y = tensors(dtype, positive=True), tensors(dtype, seed=1, positive=True)
    numbers = [0.5, 2, 3.0, 1.25, 2.0, 1]
    one = getattr(torch, name)
    exact = {"maximum": torch.clamp_min, "minimum": torch.clamp_max}.get(name, one)  # torch.maximum takes no number
    both_forms(name, [x, y], [], [one(a, b) for a, b in zip(x, y, strict=True)])
    both_forms(name, [x], [1.7], [exact(a, 1.7) for a in x])
    both_forms(name, [x], [numbers], [exact(a, n) for a, n in zip(x, numbers, strict=True)])


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("name", ["add", "sub"])
def test_alpha(name, dtype):
    x, y = tensors(dtype), tensors(dtype, seed=1)
    both_forms(name, [x, y], [], [getattr(torch, name)(a, b, alpha=0.3) for a, b in zip(x, y, strict=True)], alpha=0.3)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("name", ["addcmul", "addcdiv"])
def test_three_lists(name, dtype):
    x, y, z = tensors(dtype), tensors(dtype, seed=1), tensors(dtype, seed=2, positive=True)
    one = getattr(torch, name)
    numbers = [0.5, 2.0, 3.0, 1.25, -1.0, 0.1]
    both_forms(name, [x, y, z], [0.7], [one(a, b, c, value=0.7) for a, b, c in zip(x, y, z, strict=True)])
    wanted = [one(a, b, c, value=n) for a, b, c, n in zip(x, y, z, numbers, strict=True)]
    both_forms(name, [x, y, z], [numbers], wanted)
    both_forms(name, [x, y, z], [torch.tensor(numbers, dtype=torch.float64)], wanted)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_lerp(dtype):
    x, y, w = tensors(dtype), tensors(dtype, seed=1), tensors(dtype, seed=2, positive=True)
    both_forms("lerp", [x, y], [0.2], [torch.lerp(a, b, 0.2) for a, b in zip(x, y, strict=True)])
    both_forms("lerp", [x, y, w], [], [torch.lerp(a, b, c) for a, b, c in zip(x, y, w, strict=True)])


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_powers_of_one_number(dtype):
    x = tensors(dtype)
    bits(torch._foreach_pow(1.5, x), [torch.empty_like(t).copy_(torch.pow(1.5, t)) for t in x])


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_copy_and_zero(dtype):
    x, y = tensors(dtype), tensors(dtype, seed=1)
    torch._foreach_copy_(x, y)
    bits(x, y)
    torch._foreach_copy_(x, [t.cpu() for t in tensors(dtype)])
    bits(x, tensors(dtype))
    torch._foreach_zero_(x)
    bits(x, [torch.zeros_like(t) for t in y])


@pytest.mark.parametrize("order", [0, 1, 2, 3, float("inf"), float("-inf")])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_norms(dtype, order):
    x = [t for t in tensors(dtype) if t.numel()]
    torch_npu.diagnostics.reset()
    bits(torch._foreach_norm(x, order), [torch.linalg.vector_norm(t, order) for t in x])
    if dtype == torch.float16:
        bits(torch._foreach_norm(x, order, torch.float32), [torch.linalg.vector_norm(t, order, dtype=torch.float32) for t in x])
    assert torch_npu.diagnostics.fallback_counts() == {}
    assert torch._foreach_norm([torch.zeros(0, 3, device="npu"), torch.ones(4, device="npu")])[1].item() == 2


def test_what_is_not_alike_is_composed():
    """Types that differ, integers, sizes that broadcast, strides that differ, complex numbers."""
    mixed = [torch.ones(3, device="npu"), torch.arange(4, device="npu"), torch.ones(2, device="npu", dtype=torch.float16)]
    bits(torch._foreach_add(mixed, 0.5), [t + 0.5 for t in mixed])
    bits(torch._foreach_add(mixed[:2], 1j), [t + 1j for t in mixed[:2]])
    bits(torch._foreach_div([torch.arange(4, device="npu")], 2), [torch.arange(4, device="npu") / 2])
    x, y = torch.rand(3, 4, device="npu"), torch.rand(4, 3, device="npu")
    bits(torch._foreach_mul([x], [y.t()]), [x * y.t()])
    bits(torch._foreach_mul([x], [x[0]]), [x * x[0]])
    bits(torch._foreach_exp([x[:, ::2]]), [x[:, ::2].exp()])
    numbers = torch.rand(3, dtype=torch.complex64, device="npu")
    bits([torch.view_as_real(t) for t in torch._foreach_mul([numbers], 2)], [torch.view_as_real(numbers * 2)])


def test_errors_are_pytorchs():
    x = torch.ones(3, device="npu")
    with pytest.raises(RuntimeError, match="must have at least one tensor"):
        torch._foreach_exp([])
    with pytest.raises(RuntimeError, match="must have the same number of tensors"):
        torch._foreach_add([x], [x, x])
    with pytest.raises(RuntimeError, match="same number of elements as scalar list"):
        torch._foreach_add([x], [1.0, 2.0])


def test_gradients_pass_through():
    x = [torch.rand(3, device="npu", requires_grad=True), torch.rand(2, 2, device="npu", requires_grad=True)]
    sum(t.sum() for t in torch._foreach_mul(torch._foreach_exp(x), 2.0)).backward()
    for t in x:
        torch.testing.assert_close(t.grad, 2 * t.detach().exp())


def test_clipping_gradients_stays_on_the_device():
    torch.manual_seed(0)
    made = [torch.rand(5, 6), torch.rand(1000), torch.rand(3)]
    totals, clipped = [], []
    torch_npu.diagnostics.reset()
    for device in ("cpu", "npu"):
        params = [torch.nn.Parameter(t.clone().to(device)) for t in made]
        for p in params:
            p.grad = p.detach().clone()
        totals.append(torch.nn.utils.clip_grad_norm_(params, 1.0).cpu())
        clipped.append([p.grad.cpu() for p in params])
    assert torch_npu.diagnostics.fallback_counts() == {}
    torch.testing.assert_close(totals[1], totals[0])
    torch.testing.assert_close(clipped[1], clipped[0])
