"""on_an_ascend.py mended: where no NaN is to be passed over, maximum is the same, and CANN has it."""

import torch

x = torch.randn(1024, device="npu:0")
y = torch.randn(1024, device="npu:0")
for _ in range(30):
    x = torch.maximum(x, y)
print(x.sum().item())
