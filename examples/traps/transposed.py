"""A transposed input to a linear layer: CANN copies it into rows, every time."""

import torch
from torch import nn

layer = nn.Linear(256, 128).to("npu:0")
features = torch.randn(256, 512, device="npu:0")
with torch.no_grad():
    for _ in range(100):
        y = layer(features.t())  # trap: contiguous
print(y.sum().item())
