"""A copy from the host and an .item() every step: each makes the host wait for the device."""

import torch
from torch import nn

model = nn.Sequential(nn.Linear(64, 256), nn.GELU(), nn.Linear(256, 1)).to("npu:0")
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
total = 0.0
for _ in range(100):
    x = torch.randn(32, 64).to("npu:0")  # trap: copy
    loss = model(x).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    total += loss.item()  # trap: sync
print("mean loss", total / 100)
