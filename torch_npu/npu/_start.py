"""Lazy start: devices are touched at the first use, and never in a process forked after that."""

from __future__ import annotations

from collections.abc import Callable

from torch_npu import _C

_queued: list[Callable[[], None]] = []


def is_initialized() -> bool:
    """True once this process has started its devices."""
    return _C.is_started() and not _C.is_in_bad_fork()


def init() -> None:
    """Starts the devices now rather than at the first use. RuntimeError if there is no device or CANN cannot be opened."""
    _lazy_init()


def _lazy_init() -> None:
    """What torch calls before it makes the first tensor on a device."""
    _C.start()
    while _queued:
        _queued.pop(0)()


def _lazy_call(callback: Callable[[], None]) -> None:
    """Runs the callback once the devices have started; now if they have."""
    if is_initialized():
        callback()
    else:
        _queued.append(callback)
