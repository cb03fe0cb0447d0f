"""Streams and events, as torch.Stream and torch.Event with the names that programs for torch.cuda use."""

from __future__ import annotations

import ctypes

import torch

from torch_npu import _C
from torch_npu.npu._start import _lazy_init
from torch_npu.npu.device import Device, index_of

PRIVATE_USE_1 = 20  # c10::DeviceType::PrivateUse1


class Stream(torch.Stream):
    """A queue of work on a device: first in, first out, independent of other streams.

    Args:
        device: the device; the current one if None.
        priority: below 0 is urgent.
    """

    def __new__(cls, device: Device = None, priority: int = 0, **kwargs):
        _lazy_init()
        if "stream_id" in kwargs:
            return _wrap(cls, kwargs["stream_id"], kwargs.get("device_index", index_of(device)))
        return super().__new__(cls, device=torch.device("npu", index_of(device)), priority=priority)

    @property
    def npu_stream(self) -> int:
        """The address of the aclrtStream."""
        return self.native_handle

    @property
    def _as_parameter_(self):
        return ctypes.c_void_p(self.npu_stream)

    def record_event(self, event: torch.Event | None = None) -> torch.Event:
        """Records an event (a new one if none is given) behind the work enqueued so far, and returns it."""
        event = Event() if event is None else event
        event.record(self)
        return event

    def wait_event(self, event: torch.Event) -> None:
        """Work enqueued from now on waits for the event; the caller does not."""
        event.wait(self)

    def wait_stream(self, stream: torch.Stream) -> None:
        """Work enqueued from now on waits for what `stream` has now; the caller does not."""
        self.wait_event(stream.record_event())

    def __repr__(self) -> str:
        return f"<torch.npu.Stream device={self.device} npu_stream={self.npu_stream:#x}>"


class ExternalStream(Stream):
    """A stream made elsewhere, given by the address of its aclrtStream. Its maker must keep it alive."""

    def __new__(cls, stream_ptr: int, device: Device = None, **kwargs):
        index = index_of(device)
        return _wrap(cls, _C.external_stream_id(stream_ptr, index), index)


def _wrap(cls: type, stream_id: int, index: int):
    return torch.Stream.__new__(cls, stream_id=stream_id, device_index=index, device_type=PRIVATE_USE_1)


class Event(torch.Event):
    """A mark in a stream: to wait for, to ask about, to measure the time between.

    Args:
        enable_timing: keep the time at which it was reached.
        blocking: accepted; a waiting host thread always sleeps.
        interprocess: not supported (ValueError).
    """

    def __new__(cls, enable_timing: bool = False, blocking: bool = False, interprocess: bool = False, **kwargs):
        if interprocess:
            raise ValueError("torch.npu.Event: interprocess events are not supported")
        return super().__new__(cls, device=torch.device("npu"), enable_timing=enable_timing, blocking=blocking)

    def record(self, stream: torch.Stream | None = None) -> None:
        """Records the event behind the work that the stream (the current one if None) has now."""
        super().record(current_stream() if stream is None else stream)

    def wait(self, stream: torch.Stream | None = None) -> None:
        """Work enqueued from now on in the stream (the current one if None) waits for the event."""
        super().wait(current_stream() if stream is None else stream)

    def elapsed_time(self, end_event: torch.Event) -> float:
        """Milliseconds between the two events. Both need enable_timing and must have been reached."""
        if not isinstance(end_event, torch.Event):
            raise TypeError(f"Event.elapsed_time: expected an event, but got {type(end_event).__name__}")
        # torch.Event's own takes exactly a torch.Event, not what is derived from it.
        return _C.elapsed_time(self.event_id, end_event.event_id)


def current_stream(device: Device = None) -> Stream:
    """The stream that new work of this thread goes to."""
    _lazy_init()
    index = index_of(device)
    return _wrap(Stream, torch._C._accelerator_getStream(index).stream_id, index)


def default_stream(device: Device = None) -> Stream:
    """The stream that is current unless another was chosen."""
    _lazy_init()
    return _wrap(Stream, 0, index_of(device))


def set_stream(stream: torch.Stream | None) -> None:
    """Makes a stream current on its device, and its device current. None changes nothing."""
    if stream is not None:
        torch._C._accelerator_setStream(stream)


class StreamContext:
    """Context manager: the stream and its device are current inside. None changes nothing."""

    def __init__(self, stream: torch.Stream | None):
        self.stream = stream

    def __enter__(self) -> torch.Stream | None:
        if self.stream is not None:
            self.former_device = _C.current_device()
            self.former = torch._C._accelerator_getStream(self.stream.device.index)
            set_stream(self.stream)
        return self.stream

    def __exit__(self, *exception: object) -> None:
        if self.stream is not None:
            set_stream(self.former)
            _C.exchange_device(self.former_device)


def stream(stream: torch.Stream | None) -> StreamContext:
    """`with torch.npu.stream(s):` enqueues on s what stands inside."""
    return StreamContext(stream)
