"""float64.py mended: one word, before the copy."""

import numpy as np
import torch

table = torch.from_numpy(np.random.rand(256, 256).astype(np.float32)).to("npu:0")
for _ in range(30):
    scores = table @ table
    scores = torch.softmax(scores, -1)
print(scores.argmax().item() >= 0)
