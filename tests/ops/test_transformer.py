"""What torch.nn's attention modules call in inference: equal to the CPU, without leaving the device."""

from __future__ import annotations

import copy

import pytest
import torch

import torch_npu

BATCH, LENGTH, EMBED, HEADS = 2, 5, 16, 4


def both(module, *inputs, **keywords):
    """The module's result on the CPU and on the device."""
    on_device = copy.deepcopy(module).npu()
    moved = [t.npu() for t in inputs]
    given = {k: v.npu() if isinstance(v, torch.Tensor) else v for k, v in keywords.items()}
    with torch.no_grad():
        wanted = module(*inputs, **keywords)
        torch_npu.diagnostics.reset()
        got = on_device(*moved, **given)
        assert torch_npu.diagnostics.fallback_counts() == {}
    return got, wanted


def masks(kind):
    if kind == "causal":
        return {"attn_mask": torch.ones(LENGTH, LENGTH, dtype=torch.bool).triu(1)}
    if kind == "padding":
        return {"key_padding_mask": torch.tensor([[False] * 5, [False, False, False, True, True]])}
    return {}


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
@pytest.mark.parametrize("kind", ["none", "causal", "padding"])
@pytest.mark.parametrize("weights", [None, "mean", "each"])
def test_multi_head_attention(kind, weights, dtype):
    torch.manual_seed(0)
    module = torch.nn.MultiheadAttention(EMBED, HEADS, batch_first=True, dtype=dtype).eval()
    x = torch.randn(BATCH, LENGTH, EMBED, dtype=dtype)
    asked = {"need_weights": weights is not None, "average_attn_weights": weights != "each"}
    got, wanted = both(module, x, x, x, **asked, **masks(kind))
    close = 1e-5 if dtype == torch.float32 else 2e-2
    torch.testing.assert_close(got[0].cpu(), wanted[0], rtol=close, atol=close)
    assert (got[1] is None) == (weights is None)
    if weights is not None:
        torch.testing.assert_close(got[1].cpu(), wanted[1], rtol=close, atol=close)


@pytest.mark.parametrize("norm_first", [False, True])
@pytest.mark.parametrize("activation", ["relu", "gelu"])
def test_encoder_layer(norm_first, activation):
    torch.manual_seed(0)
    module = torch.nn.TransformerEncoderLayer(
        EMBED, HEADS, 32, batch_first=True, norm_first=norm_first, activation=activation
    ).eval()
    got, wanted = both(module, torch.randn(BATCH, LENGTH, EMBED))
    torch.testing.assert_close(got.cpu(), wanted, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("mask_type", [0, 1, 2])
def test_masked_softmax(mask_type):
    torch.manual_seed(0)
    scores, gradient = torch.randn(2, 3, 5, 5), torch.randn(2, 3, 5, 5)
    mask = torch.rand({0: (5, 5), 1: (2, 5), 2: (2, 3, 5, 5)}[mask_type]) < 0.3
    mask.view(-1, 5)[1] = True  # a row of it, so that nothing is left
    got = torch._masked_softmax(scores.npu(), mask.npu(), 3, mask_type)
    wanted = torch._masked_softmax(scores, mask, 3, mask_type)
    torch.testing.assert_close(got.cpu(), wanted, equal_nan=True)
    if mask_type == 2:
        back = torch.ops.aten._masked_softmax_backward
        torch.testing.assert_close(back(gradient.npu(), got, mask.npu(), 3).cpu(), back(gradient, wanted, mask, 3))


def test_scaled_and_split_by_heads():
    torch.manual_seed(0)
    qkv, bias = torch.randn(2, 5, 3 * EMBED), torch.randn(3 * EMBED)
    got = torch._transform_bias_rescale_qkv(qkv.npu(), bias.npu(), HEADS)
    for a, b in zip(got, torch._transform_bias_rescale_qkv(qkv, bias, HEADS), strict=True):
        torch.testing.assert_close(a.cpu(), b)


def test_bad_arguments_are_refused_as_on_the_cpu():
    x, w, b = torch.randn(2, 3, 8), torch.randn(24, 8), torch.randn(24)
    p, pb = torch.randn(8, 8), torch.randn(8)
    for arguments in (
        (x, x, x, 8, 3, w, b, p, pb),
        (x[0], x[0], x[0], 8, 2, w, b, p, pb),
        (x, x, x, 6, 2, w, b, p, pb),
        (x, x[:, :2], x, 8, 2, w, b, p, pb),
        (x, x, x, 8, 2, w[:8], b, p, pb),
        (x, x, x, 8, 2, w, b[:8], p, pb),
        (x, x, x, 8, 2, w, b, p, pb, torch.zeros(3, 3, dtype=torch.bool)),
    ):
        with pytest.raises(RuntimeError) as wanted:
            torch._native_multi_head_attention(*arguments)
        with pytest.raises(RuntimeError) as got:
            torch._native_multi_head_attention(*(a.npu() if isinstance(a, torch.Tensor) else a for a in arguments))
        assert str(got.value).splitlines()[0] == str(wanted.value).splitlines()[0]
