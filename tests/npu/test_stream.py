"""Streams and events: order within one, independence between, waiting, timing."""

from __future__ import annotations

import pytest
import torch

import torch_npu  # noqa: F401


def test_the_current_stream():
    default = torch.npu.default_stream()
    assert torch.npu.current_stream() == default
    stream = torch.npu.Stream()
    with torch.npu.stream(stream):
        assert torch.npu.current_stream() == stream != default
    assert torch.npu.current_stream() == default
    assert torch.accelerator.current_stream() == default


def test_a_stream_waits_for_an_event():
    side = torch.npu.Stream()
    x = torch.zeros(1 << 20, device="npu")
    for _ in range(20):
        x += 1
    done = torch.npu.current_stream().record_event()
    with torch.npu.stream(side):
        side.wait_event(done)
        y = x * 2
    torch.npu.current_stream().wait_stream(side)
    assert (y == 40).all()
    side.synchronize()
    assert side.query() and done.query()


def test_elapsed_time():
    start, end = (torch.npu.Event(enable_timing=True) for _ in range(2))
    start.record()
    torch.ones(1 << 22, device="npu").exp_()
    end.record()
    end.synchronize()
    assert 0 < start.elapsed_time(end) < 10_000


def test_generic_names_work_too():
    stream = torch.Stream("npu")
    event = torch.Event("npu")
    event.record(stream)
    stream.wait_event(event)
    event.synchronize()
    assert stream.device == torch.device("npu:0")


def test_a_stream_made_elsewhere():
    stream = torch.npu.Stream()
    outside = torch.npu.ExternalStream(stream.npu_stream)
    assert outside.npu_stream == stream.npu_stream
    with torch.npu.stream(outside):
        assert (torch.ones(4, device="npu") + 1).sum().item() == 8


def test_interprocess_events_are_refused():
    with pytest.raises(ValueError, match="interprocess"):
        torch.npu.Event(interprocess=True)
