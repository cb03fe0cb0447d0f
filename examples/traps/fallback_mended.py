"""fallback.py mended: this part is done on the CPU as a whole, with one copy at its end."""

import torch

x = torch.randn(1024)
for _ in range(30):
    x = torch.special.airy_ai(x)
x = x.to("npu:0")
print(x.sum().item())
