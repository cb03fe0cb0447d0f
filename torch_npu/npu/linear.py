"""The explicit form of what torch.nn.functional.linear does on an NPU."""

from __future__ import annotations

import torch


def linear(input: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None = None) -> torch.Tensor:
    """input @ weight.T + bias.

    Args:
        input: [..., in_features]
        weight: [out_features, in_features], of input's dtype
        bias: [out_features] or None

    Returns [..., out_features]. RuntimeError if inner sizes, dtypes or devices differ. CANN: aclnnMatmul, aclnnAddmm.
    """
    return torch.nn.functional.linear(input, weight, bias)
