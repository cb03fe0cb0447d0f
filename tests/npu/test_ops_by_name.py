"""torch_npu.npu_*: the operators that transformers and others import by name."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F

import torch_npu

Q, K, V = (torch.randn(2, 4, 6, 8, generator=torch.Generator().manual_seed(i)).npu() for i in range(3))


def close(got: torch.Tensor, want: torch.Tensor) -> None:
    torch.testing.assert_close(got.cpu(), want.cpu(), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("layout", ["BNSD", "BSND", "BSH", "SBH", "TND"])
def test_fusion_attention_takes_every_layout(layout):
    to = {
        "BNSD": lambda t: t,
        "BSND": lambda t: t.transpose(1, 2),
        "BSH": lambda t: t.transpose(1, 2).flatten(2),
        "SBH": lambda t: t.permute(2, 0, 1, 3).flatten(2),
        "TND": lambda t: t.transpose(1, 2).flatten(0, 1),
    }[layout]
    lengths = {"actual_seq_qlen": (6, 12), "actual_seq_kvlen": (6, 12)} if layout == "TND" else {}
    out = torch_npu.npu_fusion_attention(to(Q), to(K), to(V), 4, layout, scale=8**-0.5, **lengths)[0]
    close(out, to(F.scaled_dot_product_attention(Q, K, V)))


def test_fusion_attention_masks():
    triangle = torch.triu(torch.ones(2048, 2048, device="npu"), diagonal=1).bool()
    causal = F.scaled_dot_product_attention(Q, K, V, is_causal=True)
    for mode in (2, 3):
        out = torch_npu.npu_fusion_attention(Q, K, V, 4, "BNSD", scale=8**-0.5, atten_mask=triangle, sparse_mode=mode)[0]
        close(out, causal)
    forbidden = triangle[:6, :6]
    close(torch_npu.npu_fusion_attention(Q, K, V, 4, "BNSD", scale=8**-0.5, atten_mask=forbidden)[0], causal)
    with pytest.raises(NotImplementedError, match="sparse_mode 7"):
        torch_npu.npu_fusion_attention(Q, K, V, 4, "BNSD", sparse_mode=7)


def test_rotary():
    x, angle = torch.randn(2, 8), torch.rand(8)
    half = x * angle.cos() + torch.cat((-x[:, 4:], x[:, :4]), -1) * angle.sin()
    close(torch_npu.npu_rotary_mul(x.npu(), angle.cos().npu(), angle.sin().npu()), half)
    with pytest.raises(ValueError, match='rotary_mode must be "half" or "interleave"'):
        torch_npu.npu_rotary_mul(x, x, x, rotary_mode="quarter")


def test_norms_and_activations():
    x, gamma = torch.randn(3, 8), torch.rand(8)
    y, rstd = torch_npu.npu_rms_norm(x.npu(), gamma.npu())
    close(y, F.rms_norm(x, (8,), gamma, eps=1e-6))
    assert rstd.shape == (3, 1)
    close(torch_npu.npu_add_rms_norm(x.npu(), x.npu(), gamma.npu())[2], x + x)
    close(torch_npu.npu_swiglu(x.npu()), F.silu(x[:, :4]) * x[:, 4:])
    close(torch_npu.npu_linear(x.npu(), torch.ones(2, 8).npu()), F.linear(x, torch.ones(2, 8)))
    close(torch.npu.linear(x.npu(), torch.ones(2, 8).npu()), F.linear(x, torch.ones(2, 8)))


def test_linear_says_what_does_not_fit():
    with pytest.raises(RuntimeError):
        torch_npu.npu_linear(torch.ones(3, 4, device="npu"), torch.ones(5, 6, device="npu"))
    assert torch.ones(1, device="npu").item() == 1


def test_the_storage_format_goes_by_the_number_of_dimensions():
    names = [torch_npu.get_npu_format(torch.zeros([1] * n, device="npu")).name for n in range(7)]
    assert names == ["ND", "ND", "ND", "ND", "NCHW", "NCDHW", "ND"]
    assert torch_npu.Format.FRACTAL_NZ == 29 and torch_npu.Format.ND == 2
