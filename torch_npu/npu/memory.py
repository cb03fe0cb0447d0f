"""Device memory: what is in use, what the caching allocator keeps, and how to give it back. All sizes in bytes."""

from __future__ import annotations

import pickle
from collections import OrderedDict
from typing import Any

import torch

from torch_npu import _C
from torch_npu.npu._start import _lazy_init, is_initialized
from torch_npu.npu.device import Device, index_of


def empty_cache() -> None:
    """Gives unused memory back to the device. Waits for its work. Tensors keep theirs."""
    if is_initialized():
        torch._C._accelerator_emptyCache()


def memory_stats_as_nested_dict(device: Device = None) -> dict[str, Any]:
    """The allocator's counters, e.g. stats["allocated_bytes"]["all"]["peak"]; empty before the devices have started."""
    return torch._C._accelerator_getDeviceStats(index_of(device)) if is_initialized() else {}


def memory_stats(device: Device = None) -> OrderedDict[str, Any]:
    """The allocator's counters by flat names: "<what>.<pool>.<kind>".

    what: allocation, allocated_bytes, active, active_bytes, reserved_bytes, segment, inactive_split, requested_bytes;
    pool: all, large_pool, small_pool; kind: current, peak, allocated, freed. Also num_alloc_retries, num_ooms, ...
    """
    flat: dict[str, Any] = {}

    def flatten(prefix: str, value: Any) -> None:
        if isinstance(value, dict):
            for name, inner in value.items():
                flatten(f"{prefix}{name}.", inner)
        else:
            flat[prefix[:-1]] = value

    flatten("", memory_stats_as_nested_dict(device))
    return OrderedDict(sorted(flat.items()))


def memory_allocated(device: Device = None) -> int:
    """Bytes that tensors hold now."""
    return memory_stats(device).get("allocated_bytes.all.current", 0)


def max_memory_allocated(device: Device = None) -> int:
    """The most bytes that tensors held, since the start or reset_peak_memory_stats."""
    return memory_stats(device).get("allocated_bytes.all.peak", 0)


def memory_reserved(device: Device = None) -> int:
    """Bytes that the caching allocator has from the device, used or not."""
    return memory_stats(device).get("reserved_bytes.all.current", 0)


def max_memory_reserved(device: Device = None) -> int:
    """The most bytes that the caching allocator had from the device."""
    return memory_stats(device).get("reserved_bytes.all.peak", 0)


memory_cached = memory_reserved
max_memory_cached = max_memory_reserved


def reset_peak_memory_stats(device: Device = None) -> None:
    """Peaks start again from what is in use now."""
    if is_initialized():
        torch._C._accelerator_resetPeakStats(index_of(device))


def reset_accumulated_memory_stats(device: Device = None) -> None:
    """The counts of what was allocated and freed so far start again at 0."""
    if is_initialized():
        torch._C._accelerator_resetAccumulatedStats(index_of(device))


reset_max_memory_allocated = reset_peak_memory_stats
reset_max_memory_cached = reset_peak_memory_stats


def mem_get_info(device: Device = None) -> tuple[int, int]:
    """(free, total) bytes of a device, as the device sees it: what the allocator keeps is not free."""
    _lazy_init()
    return torch._C._accelerator_getMemoryInfo(index_of(device))


def set_per_process_memory_fraction(fraction: float, device: Device = None) -> None:
    """This process may take at most this part of a device's memory; beyond it torch.OutOfMemoryError is raised.

    Args:
        fraction: from 0 to 1. ValueError otherwise.
    """
    if not isinstance(fraction, int | float):
        raise TypeError(f"Invalid type for fraction argument, must be `float`, but got {type(fraction).__name__}")
    if not 0 <= fraction <= 1:
        raise ValueError(f"Invalid fraction value: {fraction}. Allowed range: 0~1")
    _lazy_init()
    _C.set_memory_fraction(float(fraction), index_of(device))


def get_allocator_backend() -> str:
    """ "native": the caching allocator; there is no other."""
    return "native"


def ipc_collect() -> None:
    """Gives back memory that other processes shared and are done with: none, since tensors of a device are not shared."""


def caching_allocator_alloc(size: int, device: Device = None, stream: torch.Stream | int | None = None) -> int:
    """Takes `size` bytes from the caching allocator and returns their address; caching_allocator_delete gives them back."""
    index = index_of(device)
    if stream is None or isinstance(stream, int):
        return _C.memory_allocate(size, index)
    with torch.npu.stream(stream):
        return _C.memory_allocate(size, index)


def caching_allocator_delete(mem_ptr: int) -> None:
    """Gives back what caching_allocator_alloc returned. RuntimeError for another address."""
    _C.memory_release(mem_ptr)


def memory_snapshot() -> list[dict[str, Any]]:
    """Every segment of every device with its blocks: address, size, state."""
    return _C.memory_snapshot() if is_initialized() else []


def _snapshot(device: Device = None) -> dict[str, Any]:
    """The snapshot in the form that pytorch.org/memory_viz reads."""
    return {"segments": memory_snapshot(), "device_traces": [], "allocator_settings": {}, "external_annotations": []}


def _dump_snapshot(filename: str = "dump_snapshot.pickle") -> None:
    """Writes the snapshot as a pickle for pytorch.org/memory_viz."""
    with open(filename, "wb") as file:
        pickle.dump(_snapshot(), file)


def memory_summary(device: Device = None, abbreviated: bool = False) -> str:
    """The main counters as a table to print."""
    index = index_of(device)
    stats = memory_stats(index)
    rows = [
        ("allocated to tensors", "allocated_bytes"),
        ("in use or waiting", "active_bytes"),
        ("kept by the allocator", "reserved_bytes"),
    ]
    if not abbreviated:
        rows.append(("asked for", "requested_bytes"))
    lines = [f"npu:{index} memory, MiB{'current':>22}{'peak':>12}"]
    for title, key in rows:
        current, peak = (stats.get(f"{key}.all.{kind}", 0) / 2**20 for kind in ("current", "peak"))
        lines.append(f"{title:<24}{current:>16.1f}{peak:>12.1f}")
    retries, failures = stats.get("num_alloc_retries", 0), stats.get("num_ooms", 0)
    lines.append(f"retries after emptying the cache: {retries}; out of memory: {failures}")
    return "\n".join(lines)
