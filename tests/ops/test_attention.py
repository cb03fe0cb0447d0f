"""scaled_dot_product_attention on the device against the formula written out in float64."""

from __future__ import annotations

import math

import pytest
import torch
import torch.nn.functional as F

import torch_npu  # noqa: F401

TOLERANCE = {torch.float32: 2e-5, torch.float16: 4e-3, torch.bfloat16: 3e-2}


def formula(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: torch.Tensor | None, causal: bool) -> torch.Tensor:
    group = q.shape[1] // k.shape[1]
    k, v = k.repeat_interleave(group, 1), v.repeat_interleave(group, 1)
    scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
    if causal:
        mask = torch.ones(scores.shape[-2:], dtype=torch.bool).tril()
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf) if mask.dtype is torch.bool else scores + mask
    unseen = (scores == -math.inf).all(-1, keepdim=True)
    return torch.softmax(scores.masked_fill(unseen, 0), -1).masked_fill(unseen, 0) @ v


def heads(b: int, n: int, s: int, d: int, dtype: torch.dtype) -> torch.Tensor:
    """[b, n, s, d] as a model makes it: a transposed [b, s, n, d]."""
    return torch.randn(b, s, n, d, generator=torch.Generator().manual_seed(b * n + s + d)).to(dtype).transpose(1, 2)


SHAPES = {  # queries, keys, heads, key-value heads, head size, value size
    "square": (130, 130, 2, 2, 32, 32),
    "decoding": (1, 300, 4, 4, 64, 64),
    "decoding, grouped": (1, 70, 8, 2, 16, 16),
    "grouped": (65, 65, 6, 2, 24, 24),
    "odd sizes": (7, 129, 1, 1, 13, 20),
    "wide heads": (9, 33, 1, 1, 300, 300),
}


@pytest.mark.parametrize("dtype", TOLERANCE, ids=str)
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES.keys())
@pytest.mark.parametrize("kind", ["plain", "causal", "bool", "additive", "padding"])
def test_forward_and_gradient(dtype: torch.dtype, shape: tuple[int, ...], kind: str) -> None:
    s, t, n, kv, d, dv = shape
    given = [heads(2, n, s, d, dtype), heads(2, kv, t, d, dtype), heads(2, kv, t, dv, dtype)]
    generator = torch.Generator().manual_seed(0)
    mask = {
        "bool": torch.rand(s, t, generator=generator) < 0.7,
        "padding": (torch.arange(t) < t - 2).expand(2, 1, 1, t),
        "additive": torch.randn(2, n, s, t, generator=generator).to(dtype),
    }.get(kind)
    leaves = [x.double().requires_grad_() for x in given]
    on_device = [x.npu().requires_grad_() for x in given]
    want = formula(*leaves, mask.double() if kind == "additive" else mask, kind == "causal")
    got = F.scaled_dot_product_attention(
        *on_device, attn_mask=None if mask is None else mask.npu(), is_causal=kind == "causal", enable_gqa=n != kv
    )
    seed = torch.randn(want.shape, generator=generator).to(dtype)
    want_grads, got_grads = torch.autograd.grad(want, leaves, seed.double()), torch.autograd.grad(got, on_device, seed.npu())
    tolerance = TOLERANCE[dtype]
    for x, y in zip((got, *got_grads), (want, *want_grads), strict=True):
        torch.testing.assert_close(x.detach().cpu().double(), y.detach(), rtol=tolerance, atol=4 * tolerance)


def test_rows_that_see_no_key_give_zeros() -> None:
    q = heads(1, 2, 5, 8, torch.float32).npu().requires_grad_()
    mask = torch.ones(5, 5, dtype=torch.bool)
    mask[2] = False
    y = F.scaled_dot_product_attention(q, q, q, attn_mask=mask.npu())
    assert y[:, :, 2].abs().max().item() == 0
    y.sum().backward()
    assert torch.isfinite(q.grad).all().item()


def test_the_fused_operator_is_what_runs() -> None:
    q = heads(1, 2, 5, 8, torch.float32).npu().requires_grad_()
    y = F.scaled_dot_product_attention(q, q, q)
    assert "FusedAttentionOverrideable" in type(y.grad_fn).__name__


def test_dropout_is_composed_and_keeps_the_mean() -> None:
    q = torch.zeros(1, 1, 64, 16, device="npu")
    v = torch.ones(1, 1, 64, 16, device="npu")
    torch.manual_seed(0)
    y = F.scaled_dot_product_attention(q, q, v, dropout_p=0.5)
    assert abs(y.mean().item() - 1) < 0.1
    assert y.std().item() > 0
