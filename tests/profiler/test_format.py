"""A trace is what viewers of Chrome's trace format expect: checked event by event, and by Perfetto where it is installed."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from numbers import Number

import pytest
import torch
from torch.profiler import ProfilerActivity


@pytest.fixture(scope="module")
def trace(tmp_path_factory):
    x = torch.randn(64, 64, device="npu", requires_grad=True)
    with torch.profiler.profile(activities=[ProfilerActivity.CPU, ProfilerActivity.NPU], profile_memory=True) as profile:
        torch.relu(x @ x).sum().backward()
    path = tmp_path_factory.mktemp("trace") / "trace.json"
    profile.export_chrome_trace(str(path))
    return path


# What each phase must have besides a name: "X" lasts, "s" and "f" are an arrow's ends, "M" names things, "i" is an instant.
FIELDS = {
    "X": {"cat": str, "ts": Number, "dur": Number},
    "s": {"cat": str, "ts": Number, "id": int},
    "f": {"cat": str, "ts": Number, "id": int, "bp": str},
    "M": {"args": dict},
    "i": {"ts": Number, "s": str},
}


def test_every_event_has_the_fields_of_its_phase(trace):
    events = json.loads(trace.read_text())["traceEvents"]
    for event in events:
        for field, kind in {"name": str, "pid": (int, str), "tid": (int, str), **FIELDS[event["ph"]]}.items():
            assert isinstance(event[field], kind), event
        assert event.get("dur", 0) >= 0


def test_every_arrow_has_two_ends_which_lie_on_events(trace):
    events = json.loads(trace.read_text())["traceEvents"]
    spans = {(event["pid"], event["tid"], event["ts"]) for event in events if event["ph"] == "X"}
    arrows = [event for event in events if event.get("cat") == "ac2g"]
    assert {(event["pid"], event["tid"], event["ts"]) for event in arrows} <= spans
    assert set(Counter((event["id"], event["ph"]) for event in arrows).values()) == {1}
    assert {e["id"] for e in arrows if e["ph"] == "s"} == {e["id"] for e in arrows if e["ph"] == "f"} != set()


def test_perfetto_finds_every_kernel_on_its_stream(trace):
    processor = pytest.importorskip("perfetto.trace_processor", reason="Perfetto is not installed: pip install perfetto")
    binary = shutil.which("trace_processor_shell")  # the package itself would download it
    if binary is None:
        pytest.skip("Perfetto's trace_processor_shell is not on the PATH")
    config = processor.TraceProcessorConfig(bin_path=binary)
    with processor.TraceProcessor(trace=str(trace), config=config) as perfetto:
        rows = perfetto.query(
            "select slice.name, slice.dur, thread.name as stream from slice join thread_track on slice.track_id = "
            "thread_track.id join thread using (utid) where slice.category = 'kernel'"
        )
        found = [(row.name, row.stream) for row in rows if row.dur > 0]
    assert ("matmul", "stream 0") in found
    assert ("relu", "stream 0") in found
