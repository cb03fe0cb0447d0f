"""The embedded device has a kernel for it, CANN has none: what is quick here travels to the host and back there."""

import torch

x = torch.randn(1024, device="npu:0")
y = torch.randn(1024, device="npu:0")
for _ in range(30):
    x = torch.fmax(x, y)  # trap: ascend
print(x.sum().item())
