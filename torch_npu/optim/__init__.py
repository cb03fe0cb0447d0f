"""Optimizers under the names of the genuine adapter; the device's fused kernels serve torch.optim's own."""

from __future__ import annotations

import torch


class NpuFusedAdamW(torch.optim.AdamW):
    """torch.optim.AdamW, same arguments and results."""


class NpuFusedAdam(torch.optim.Adam):
    """torch.optim.Adam, same arguments and results."""


class NpuFusedSGD(torch.optim.SGD):
    """torch.optim.SGD, same arguments and results."""


__all__ = ["NpuFusedAdam", "NpuFusedAdamW", "NpuFusedSGD"]
