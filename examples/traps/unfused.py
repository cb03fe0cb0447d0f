"""Attention that an Ascend does not fuse: its fused operator takes boolean masks, not additive ones."""

import torch
import torch.nn.functional as F

q, k, v = (torch.randn(2, 8, 256, 64, device="npu:0", dtype=torch.float16) for _ in range(3))
mask = torch.zeros(256, 256, device="npu:0", dtype=torch.float16).masked_fill(
    torch.ones(256, 256, dtype=torch.bool, device="npu:0").triu(1), float("-inf")
)
for _ in range(30):
    out = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)  # trap: unfused
print(out.float().sum().item())
