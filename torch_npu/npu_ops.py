"""torch_npu.npu_*: operators that programs for Ascend call by name, as compositions of PyTorch's own (so each has a
gradient, runs in torch.compile and on any device)."""

from __future__ import annotations

import torch
import torch.nn.functional as F

__all__ = [
    "fast_gelu",
    "npu_add_rms_norm",
    "npu_dtype_cast",
    "npu_format_cast",
    "npu_format_cast_",
    "npu_fusion_attention",
    "npu_gelu",
    "npu_linear",
    "npu_rms_norm",
    "npu_rotary_mul",
    "npu_silu",
    "npu_swiglu",
]


def npu_linear(input: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None = None) -> torch.Tensor:
    """input [..., in] @ weight [out, in].T + bias [out]: the explicit form of torch.nn.functional.linear."""
    return F.linear(input, weight, bias)


def npu_rotary_mul(
    self: torch.Tensor, r1: torch.Tensor, r2: torch.Tensor, rotary_mode: str = "half", rotate: torch.Tensor | None = None
) -> torch.Tensor:
    """Rotary position embedding: self * r1 + rotated(self) * r2.

    Args:
        self: [..., head_dim], head_dim even
        r1, r2: cosines and sines, broadcast against self
        rotary_mode: "half" pairs element i with i + head_dim / 2, "interleave" pairs neighbours. ValueError otherwise.
        rotate: a matrix [head_dim, head_dim] that does the rotation instead.
    """
    if rotate is not None:
        return self * r1 + (self @ rotate) * r2
    if rotary_mode == "half":
        first, second = self.chunk(2, dim=-1)
        return self * r1 + torch.cat((-second, first), dim=-1) * r2
    if rotary_mode == "interleave":
        even, odd = self[..., ::2], self[..., 1::2]
        return self * r1 + torch.stack((-odd, even), dim=-1).flatten(-2) * r2
    raise ValueError(f'npu_rotary_mul: rotary_mode must be "half" or "interleave", but got "{rotary_mode}"')


def npu_rms_norm(self: torch.Tensor, gamma: torch.Tensor, epsilon: float = 1e-6) -> tuple[torch.Tensor, torch.Tensor]:
    """(self * rstd * gamma, rstd) with rstd = 1 / sqrt(mean(self^2) + epsilon) over gamma's dimensions, in float32."""
    dims = tuple(range(-gamma.dim(), 0))
    wide = self.float() if self.dtype in (torch.float16, torch.bfloat16) else self
    rstd = torch.rsqrt(wide.pow(2).mean(dims, keepdim=True) + epsilon)
    return (wide * rstd * gamma.to(wide.dtype)).to(self.dtype), rstd


def npu_add_rms_norm(
    x1: torch.Tensor, x2: torch.Tensor, gamma: torch.Tensor, epsilon: float = 1e-6
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """(y, rstd, x) with x = x1 + x2 and y, rstd = npu_rms_norm(x, gamma, epsilon)."""
    x = x1 + x2
    y, rstd = npu_rms_norm(x, gamma, epsilon)
    return y, rstd, x


def npu_swiglu(self: torch.Tensor, dim: int = -1) -> torch.Tensor:
    """silu(a) * b, where a and b are the halves of self along dim."""
    a, b = self.chunk(2, dim=dim)
    return F.silu(a) * b


def npu_silu(self: torch.Tensor) -> torch.Tensor:
    """self * sigmoid(self)."""
    return F.silu(self)


def npu_gelu(self: torch.Tensor, *, approximate: str = "none") -> torch.Tensor:
    """GELU, exact ("none") or by tanh ("tanh")."""
    return F.gelu(self, approximate=approximate)


def fast_gelu(self: torch.Tensor) -> torch.Tensor:
    """self * sigmoid(1.702 * self), which approximates GELU."""
    return self * torch.sigmoid(1.702 * self)


def npu_dtype_cast(self: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """self.to(dtype), with a gradient."""
    return self.to(dtype)


def npu_format_cast(self: torch.Tensor, acl_format: int, **_: object) -> torch.Tensor:
    """self: the plain format is the only one, and every operator takes it."""
    return self


def npu_format_cast_(self: torch.Tensor, acl_format: int | torch.Tensor) -> torch.Tensor:
    """self: the plain format is the only one, and every operator takes it."""
    return self


# --- attention ---


def npu_fusion_attention(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    head_num: int,
    input_layout: str,
    pse: torch.Tensor | None = None,
    padding_mask: torch.Tensor | None = None,
    atten_mask: torch.Tensor | None = None,
    scale: float = 1.0,
    keep_prob: float = 1.0,
    pre_tockens: int = 2147483647,
    next_tockens: int = 2147483647,
    inner_precise: int = 0,
    prefix: list[int] | None = None,
    actual_seq_qlen: list[int] | None = None,
    actual_seq_kvlen: list[int] | None = None,
    sparse_mode: int = 0,
    gen_mask_parallel: bool = True,
    sync: bool = False,
    **unsupported: object,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, int, int, int]:
    """softmax(scale * query @ key.T + pse, masked) @ value for each head.

    Args:
        query, key, value: in `input_layout`: "BNSD", "BSND", "BSH", "SBH", or "TND" with the running totals of the
            sequences' lengths in actual_seq_qlen and actual_seq_kvlen. key and value may have fewer heads (a divisor).
        head_num: heads of query.
        atten_mask: boolean or uint8, true where attention is *not* allowed. In modes 2 and 3 only its triangle matters,
            so a 2048 x 2048 upper triangle serves every length.
        keep_prob: 1 - the dropout probability.
        sparse_mode: 0 the mask and the band pre_tockens/next_tockens, 1 the mask alone, 2 causal aligned top left,
            3 causal aligned bottom right, 4 the band aligned bottom right. NotImplementedError otherwise.

    Returns (attention, softmax max, softmax sum, softmax in, seed, offset, mask length); the middle three are empty: the
    gradient does not need them here. CANN: aclnnFlashAttentionScore.
    """
    if padding_mask is not None or prefix is not None or any(value is not None for value in unsupported.values()):
        raise NotImplementedError("npu_fusion_attention: padding_mask, prefix, sink and dropout_mask are not supported")
    settings = (pse, atten_mask, scale, keep_prob, pre_tockens, next_tockens, sparse_mode)
    if input_layout == "TND":
        if actual_seq_qlen is None or actual_seq_kvlen is None:
            raise ValueError("npu_fusion_attention: layout TND needs actual_seq_qlen and actual_seq_kvlen")
        out = _packed_attention(query, key, value, list(actual_seq_qlen), list(actual_seq_kvlen), settings)
    else:
        heads = [_to_bnsd(t, input_layout, n) for t, n in _with_heads(query, key, value, head_num, input_layout)]
        out = _from_bnsd(_attention(*heads, *settings), input_layout)
    empty = query.new_empty(0, dtype=torch.float32)
    return out, empty, empty, empty, 0, 0, 0


def _with_heads(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, head_num: int, layout: str):
    """Each tensor with its number of heads, which layouts with an H leave to be worked out."""
    if layout not in ("BSH", "SBH"):
        return (query, head_num), (key, head_num), (value, head_num)
    head_dim = query.shape[-1] // head_num
    kv_heads = key.shape[-1] // head_dim
    return (query, head_num), (key, kv_heads), (value, kv_heads)


def _to_bnsd(t: torch.Tensor, layout: str, heads: int) -> torch.Tensor:
    if layout == "BNSD":
        return t
    if layout == "BSND":
        return t.transpose(1, 2)
    if layout == "BSH":
        return t.unflatten(-1, (heads, -1)).transpose(1, 2)
    if layout == "SBH":
        return t.unflatten(-1, (heads, -1)).permute(1, 2, 0, 3)
    raise ValueError(f'npu_fusion_attention: input_layout must be BNSD, BSND, BSH, SBH or TND, but got "{layout}"')


def _from_bnsd(t: torch.Tensor, layout: str) -> torch.Tensor:
    if layout == "BSND":
        return t.transpose(1, 2)
    if layout == "BSH":
        return t.transpose(1, 2).flatten(2)
    if layout == "SBH":
        return t.permute(2, 0, 1, 3).flatten(2)
    return t


def _packed_attention(query, key, value, query_ends: list[int], key_ends: list[int], settings) -> torch.Tensor:
    """Sequence by sequence: [tokens, heads, head_dim], cut where the running totals say."""
    outs, query_start, key_start = [], 0, 0
    for query_end, key_end in zip(query_ends, key_ends, strict=True):
        part = (query[query_start:query_end], key[key_start:key_end], value[key_start:key_end])
        q, k, v = (t.transpose(0, 1).unsqueeze(0) for t in part)
        outs.append(_attention(q, k, v, *settings).squeeze(0).transpose(0, 1))
        query_start, key_start = query_end, key_end
    return torch.cat(outs)


def _attention(q, k, v, pse, atten_mask, scale, keep_prob, before, after, sparse_mode) -> torch.Tensor:
    allowed = _allowed(q, k, atten_mask, before, after, sparse_mode)
    mask = allowed
    if pse is not None:
        mask = pse.to(q.dtype)
        if allowed is not None:
            mask = mask.masked_fill(~allowed, float("-inf"))
    grouped = q.shape[1] != k.shape[1]
    return F.scaled_dot_product_attention(q, k, v, mask, 1.0 - keep_prob, scale=scale, enable_gqa=grouped)


def _allowed(q, k, atten_mask, before: int, after: int, sparse_mode: int) -> torch.Tensor | None:
    """True where attention is allowed, [.., rows, cols]; None if everywhere."""
    rows, cols = q.shape[-2], k.shape[-2]
    given = None if atten_mask is None else ~atten_mask.bool()
    if sparse_mode == 1:
        return given
    row = torch.arange(rows, device=q.device).unsqueeze(1)
    distance = torch.arange(cols, device=q.device) - row  # how far a key lies after the query
    if sparse_mode == 2:
        return distance <= 0
    if sparse_mode == 3:
        return distance <= cols - rows
    if sparse_mode not in (0, 4):
        raise NotImplementedError(f"npu_fusion_attention: sparse_mode {sparse_mode}; supported: 0 to 4")
    if sparse_mode == 4:
        distance = distance - (cols - rows)
        given = None  # the band says it all; the mask is a triangle
    if before >= rows and after >= cols:
        return given
    band = (distance <= after) & (distance >= -before)
    return band if given is None else band & given
