"""Mixed precision: torch.autocast("npu") and torch.amp.GradScaler under the names of torch.cuda.amp."""

from __future__ import annotations

import torch


def get_amp_supported_dtype() -> list[torch.dtype]:
    """The dtypes that torch.autocast("npu") accepts."""
    return [torch.float16, torch.bfloat16, torch.float32]


def is_autocast_enabled() -> bool:
    """True inside torch.autocast("npu")."""
    return torch.is_autocast_enabled("npu")


def set_autocast_enabled(enable: bool) -> None:
    """Turns autocast on or off until somebody turns it back."""
    torch.set_autocast_enabled("npu", enable)


def get_autocast_dtype() -> torch.dtype:
    """The dtype of torch.autocast("npu")."""
    return torch.get_autocast_dtype("npu")


def set_autocast_dtype(dtype: torch.dtype) -> None:
    """Sets the dtype of torch.autocast("npu")."""
    torch.set_autocast_dtype("npu", dtype)


class autocast(torch.amp.autocast_mode.autocast):
    """torch.autocast("npu"): operators inside run in `dtype` where that is safe."""

    def __init__(self, enabled: bool = True, dtype: torch.dtype = torch.float16, cache_enabled: bool = True):
        super().__init__("npu", enabled=enabled, dtype=dtype, cache_enabled=cache_enabled)


class GradScaler(torch.amp.GradScaler):
    """torch.amp.GradScaler("npu"). `dynamic=False` keeps the scale constant."""

    def __init__(
        self,
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        dynamic: bool = True,
        enabled: bool = True,
    ):
        if not dynamic:
            growth_interval, backoff_factor = 2**31 - 1, 1.0 - 1e-9
        super().__init__("npu", init_scale, growth_factor, backoff_factor, growth_interval, enabled)


def custom_fwd(fwd=None, **kwargs):
    """torch.amp.custom_fwd for device_type "npu"."""
    return torch.amp.custom_fwd(fwd, device_type="npu", **kwargs)


def custom_bwd(bwd):
    """torch.amp.custom_bwd for device_type "npu"."""
    return torch.amp.custom_bwd(bwd, device_type="npu")
