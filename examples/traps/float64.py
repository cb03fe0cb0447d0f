"""numpy's floats are float64, and they stay so on the device."""

import numpy as np
import torch

table = torch.from_numpy(np.random.rand(256, 256)).to("npu:0")  # trap: float64
for _ in range(30):
    scores = table @ table  # trap: float64, ascend
    scores = torch.softmax(scores, -1)  # trap: float64
print(scores.argmax().item() >= 0)  # trap: float64
