"""Devices: how many, which is current, what they are called."""

from __future__ import annotations

import os
import warnings
from dataclasses import dataclass
from typing import Any

import torch

from torch_npu import _C
from torch_npu.npu._start import _lazy_init

Device = torch.device | str | int | None
DEVICE_TYPES = {"npu"}  # that name an NPU; torch_npu.contrib.transfer_to_npu adds "cuda"


def index_of(device: Device, optional: bool = True) -> int:
    """The index that `device` means: "npu:1", torch.device("npu", 1) and 1 are 1; None and "npu" are the current device.

    ValueError if it is no NPU.
    """
    if isinstance(device, int) and not isinstance(device, bool):
        return device if device >= 0 else _C.current_device()
    if device is None:
        if not optional:
            raise ValueError("Expected an NPU device (an index, a torch.device or a string), but got None")
        return _C.current_device()
    if isinstance(device, torch.Tensor):
        device = device.device
    device = torch.device(device)
    if device.type not in DEVICE_TYPES:
        raise ValueError(f"Expected an NPU device, but got {device}")
    return _C.current_device() if device.index is None else device.index


def device_count() -> int:
    """The number of visible devices (ASCEND_RT_VISIBLE_DEVICES narrows them). Starts nothing."""
    return _C.device_count()


def is_available() -> bool:
    """True if there is at least one device. Starts nothing."""
    return _C.device_count() > 0


def current_device() -> int:
    """The index of this thread's current device."""
    _lazy_init()
    return _C.current_device()


def set_device(device: Device) -> None:
    """Makes `device` this thread's current one. RuntimeError if there is no such device."""
    _C.set_device(index_of(device, optional=False))


def exchange_device(device: int) -> int:
    """Makes `device` current and returns the former one; a negative index changes nothing."""
    return _C.exchange_device(device)


maybe_exchange_device = exchange_device


def synchronize(device: Device = None) -> None:
    """Waits until all work of a device's streams is done. Raises what failed there."""
    _lazy_init()
    _C.synchronize(index_of(device))


class device:
    """Context manager: `device` is current inside. None or a negative index changes nothing."""

    def __init__(self, device: Device):
        self.index = -1 if device is None or (isinstance(device, int) and device < 0) else index_of(device)
        self.former = -1

    def __enter__(self) -> None:
        self.former = _C.exchange_device(self.index)

    def __exit__(self, *exception: object) -> None:
        if self.index >= 0:
            _C.exchange_device(self.former)


class device_of(device):
    """Context manager: the device of a tensor or storage is current inside; for others nothing changes."""

    def __init__(self, obj: Any):
        super().__init__(obj.device.index if obj.device.type == "npu" else None)


@dataclass(frozen=True)
class DeviceProperties:
    """What a device is. Memory in bytes."""

    name: str
    total_memory: int
    cube_core_num: int
    vector_core_num: int
    L2_cache_size: int = 0

    @property
    def multi_processor_count(self) -> int:
        return self.cube_core_num


def get_device_properties(device: Device = None) -> DeviceProperties:
    """Name, memory and cores of a device."""
    _lazy_init()
    index = index_of(device)
    _, total = torch._C._accelerator_getMemoryInfo(index)
    cubes, vectors = _C.core_counts(index)
    return DeviceProperties(_C.soc_name(), total, cubes, vectors)


def get_device_name(device: Device = None) -> str:
    """The SoC's name, e.g. "Ascend910B2"."""
    return get_device_properties(device).name


def get_device_capability(device: Device = None) -> tuple[int, int] | None:
    """TORCH_NPU_DEVICE_CAPABILITY ("9.1") as a pair: Ascend has no such number, but programs made for others ask."""
    wanted = os.environ.get("TORCH_NPU_DEVICE_CAPABILITY")
    if not wanted:
        warnings.warn("torch.npu.get_device_capability: an NPU has none; TORCH_NPU_DEVICE_CAPABILITY can give one", stacklevel=2)
        return None
    try:
        major, minor = wanted.split(".")
        return int(major), int(minor)
    except ValueError:
        raise ValueError(f'TORCH_NPU_DEVICE_CAPABILITY should look like "9.1", but is "{wanted}"') from None


def can_device_access_peer(device: Device, peer_device: Device) -> bool:
    """True if the two devices can read each other's memory."""
    _lazy_init()
    return _C.can_access_peer(index_of(device), index_of(peer_device))


def utilization(device: Device = None) -> int:
    """Percent of time in which the device was busy; an embedded device cannot tell, and says 0."""
    index_of(device)
    return 0
