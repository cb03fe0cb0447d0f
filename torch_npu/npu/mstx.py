"""torch.npu.mstx: a program's own marks and ranges in a profile, under the names of CANN's marker library.

They are what torch.profiler.record_function makes: rows of the host thread, which the work launched inside points to. Without a
profiler they cost a few microseconds and leave nothing.
"""

from __future__ import annotations

import itertools
import threading

import torch


def _named(message: str, domain: str) -> torch.profiler.record_function:
    return torch.profiler.record_function(message if domain == "default" else f"{domain}: {message}")


class _Open(threading.local):
    """The nested ranges that a thread has open."""

    def __init__(self) -> None:
        self.ranges: list[torch.profiler.record_function] = []


_open = _Open()
_started: dict[int, torch.profiler.record_function] = {}
_ids = itertools.count(1)


class mstx:
    """Marks and ranges. `stream` is accepted: on the device's side a range is known by the work launched inside it.

    A domain other than "default" stands before the message.
    """

    @staticmethod
    def mark(message: str, stream: torch.Stream | None = None, domain: str = "default") -> None:
        """A moment."""
        with _named(message, domain):
            pass

    @staticmethod
    def range_push(message: str, stream: torch.Stream | None = None, domain: str = "default") -> int:
        """Opens a range inside the thread's innermost one. Returns how many were open before."""
        entered = _named(message, domain)
        entered.__enter__()
        _open.ranges.append(entered)
        return len(_open.ranges) - 1

    @staticmethod
    def range_pop(domain: str = "default") -> int:
        """Closes the thread's innermost range. Returns how many are open then. RuntimeError if none is."""
        if not _open.ranges:
            raise RuntimeError("torch.npu.mstx.range_pop: this thread has no open range")
        _open.ranges.pop().__exit__(None, None, None)
        return len(_open.ranges)

    @staticmethod
    def range_start(message: str, stream: torch.Stream | None = None, domain: str = "default") -> int:
        """Opens a range that need not nest, and returns its id."""
        entered = _named(message, domain)
        entered.__enter__()
        range_id = next(_ids)
        _started[range_id] = entered
        return range_id

    @staticmethod
    def range_end(range_id: int, domain: str = "default") -> None:
        """Closes the range of that id. ValueError if there is none."""
        if range_id not in _started:
            raise ValueError(f"torch.npu.mstx.range_end: {range_id} is no open range")
        _started.pop(range_id).__exit__(None, None, None)

    @staticmethod
    def mstx_range(message: str, stream: torch.Stream | None = None, domain: str = "default") -> torch.profiler.record_function:
        """The range as a context manager or a decorator."""
        return _named(message, domain)
