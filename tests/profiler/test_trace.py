"""torch.profiler on an NPU: a track for each stream, an arrow from each launch, times that add up; and the tables of them."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
import time

import pytest
import torch
from torch.profiler import ProfilerActivity

import torch_npu

BOTH = [ProfilerActivity.CPU, ProfilerActivity.NPU]


ROUNDS, CALLS = 10, 6
APIS = {"relu": "aclnnRelu", "erf": "aclnnErf", "matmul": "aclnnMm"}  # what launches each kernel of the program below


@pytest.fixture(scope="module")
def profiled(tmp_path_factory):
    """A device-bound program under the profiler: (its profile, its trace, the wall time of each round in microseconds)."""
    x = torch.randn(1 << 20, device="npu")
    m = torch.randn(384, 384, device="npu")
    out = torch.empty_like(x)
    side = torch.npu.Stream()
    with torch.npu.stream(side):
        torch.relu(m)
    torch.npu.synchronize()
    with torch.profiler.profile(activities=BOTH, record_shapes=True, profile_memory=True) as profile:
        with torch.npu.stream(side):
            torch.relu(m)
        side.synchronize()
        walls = []
        for _ in range(ROUNDS):
            begin = time.perf_counter()
            for _ in range(CALLS):
                torch.erf(x, out=out)
            torch.npu.synchronize()
            walls.append((time.perf_counter() - begin) * 1e6)
        (m @ m).cpu()
    path = tmp_path_factory.mktemp("trace") / "trace.json"
    profile.export_chrome_trace(str(path))
    return profile, json.loads(path.read_text())["traceEvents"], walls


def work(events, category="kernel"):
    return [event for event in events if event.get("cat") == category and event["ph"] == "X"]


def test_every_kernel_has_its_stream_its_start_and_its_end(profiled):
    kernels = work(profiled[1])
    assert {kernel["name"] for kernel in kernels} == set(APIS)
    for kernel in kernels:
        assert kernel["pid"] == kernel["args"]["device"] == 0
        assert kernel["tid"] == kernel["args"]["stream"]
        assert kernel["dur"] > 0
    assert len({kernel["tid"] for kernel in kernels}) == 2


def test_tracks_are_named(profiled):
    names = {(event["name"], event["args"].get("name")) for event in profiled[1] if event["ph"] == "M" and event["pid"] == 0}
    assert {("process_name", "npu:0"), ("thread_name", "stream 0")} <= names


def test_the_times_of_kernels_are_the_wall_time_of_a_program_that_waits_for_the_device(profiled):
    kernels = sorted((k["ts"], k["dur"]) for k in work(profiled[1]) if k["name"] == "erf")
    assert len(kernels) == ROUNDS * CALLS
    sums = [sum(duration for _, duration in kernels[i * CALLS : (i + 1) * CALLS]) for i in range(ROUNDS)]
    # Never more; and 5 % less at most, in the rounds in which nobody else had the processor between the kernels.
    ratios = [total / wall for total, wall in zip(sums, profiled[2], strict=True)]
    assert 0.95 < max(ratios) <= 1.001


def test_kernels_of_one_stream_do_not_overlap(profiled):
    ends: dict[int, float] = {}
    for kernel in sorted(work(profiled[1]), key=lambda kernel: kernel["ts"]):
        assert kernel["ts"] >= ends.get(kernel["tid"], 0) - 0.002  # the trace's times are rounded
        ends[kernel["tid"]] = kernel["ts"] + kernel["dur"]


def test_an_arrow_leads_from_each_launch_to_its_kernel(profiled):
    launches = {event["args"]["correlation"]: event for event in work(profiled[1], "privateuse1_runtime")}
    operators = {event["args"]["External id"]: event for event in work(profiled[1], "cpu_op")}
    starts = {event["id"] for event in profiled[1] if event["ph"] == "s" and event["cat"] == "ac2g"}
    ends = {event["id"] for event in profiled[1] if event["ph"] == "f" and event["cat"] == "ac2g"}
    for kernel in work(profiled[1]):
        launch = launches[kernel["args"]["correlation"]]
        assert launch["name"] == kernel["args"]["api"] == APIS[kernel["name"]]
        assert launch["ts"] + launch["dur"] <= kernel["ts"] + 0.002
        assert kernel["args"]["correlation"] in starts & ends
        assert operators[kernel["args"]["External id"]]["args"]["Input Dims"]


def test_copies_and_memory_are_shown(profiled):
    assert [copy["name"] for copy in work(profiled[1], "gpu_memcpy")] == ["copy to host"]
    sizes = [event["args"]["Bytes"] for event in profiled[1] if event["name"] == "[memory]"]
    assert 384 * 384 * 4 in sizes


def test_pytorchs_own_table_has_the_device_times(profiled):
    erf = next(row for row in profiled[0].key_averages() if row.key == "aten::erf")
    kernels = sum(kernel["dur"] for kernel in work(profiled[1]) if kernel["name"] == "erf")
    assert erf.device_time_total == pytest.approx(kernels, rel=1e-3)


def test_without_npu_among_the_activities_there_is_no_device_track():
    with torch.profiler.profile(activities=[ProfilerActivity.CPU]) as profile:
        torch.ones(4, device="npu").sum().item()
    assert all(event.device_type == torch.autograd.DeviceType.CPU for event in profile.events())


def test_the_genuine_names_write_the_genuine_files(tmp_path):
    profiler = torch_npu.profiler
    x = torch.randn(8, 16, device="npu")
    w = torch.randn(16, 4, device="npu")
    with profiler.profile(
        activities=[profiler.ProfilerActivity.CPU, profiler.ProfilerActivity.NPU],
        schedule=profiler.schedule(wait=1, warmup=1, active=2, repeat=1),
        on_trace_ready=profiler.tensorboard_trace_handler(str(tmp_path), worker_name="me"),
        record_shapes=True,
        experimental_config=profiler._ExperimentalConfig(
            profiler_level=profiler.ProfilerLevel.Level1, aic_metrics=profiler.AiCMetrics.PipeUtilization
        ),
    ) as profile:
        for _ in range(5):
            torch.relu(x @ w)
            profile.step()
    (folder,) = tmp_path.glob("me_*_ascend_pt/ASCEND_PROFILER_OUTPUT")
    assert {file.name for file in folder.iterdir()} == {"trace_view.json", "kernel_details.csv", "op_statistic.csv"}
    with open(folder / "kernel_details.csv", newline="") as file:
        kernels = list(csv.DictReader(file))
    assert [(row["Step Id"], row["Type"]) for row in kernels] == [
        (step, kind) for step in ("2", "3") for kind in ("matmul", "relu")
    ]
    assert kernels[0]["Name"] == "aclnnMm_matmul"
    assert (kernels[0]["Input Shapes"], kernels[0]["Input Data Types"]) == ("8,16;16,4", "float;float")
    with open(folder / "op_statistic.csv", newline="") as file:
        statistic = {row["OP Type"]: row for row in csv.DictReader(file)}
    assert {name: row["Count"] for name, row in statistic.items()} == {"matmul": "2", "relu": "2"}
    assert sum(float(row["Ratio(%)"]) for row in statistic.values()) == pytest.approx(100, abs=0.01)
    total = sum(float(row["Duration(us)"]) for row in kernels if row["Type"] == "relu")
    assert float(statistic["relu"]["Total Time(us)"]) == pytest.approx(total, abs=0.01)


def test_analysis_may_come_later(tmp_path):
    handler = torch_npu.profiler.tensorboard_trace_handler(str(tmp_path), analyse_flag=False)
    with torch_npu.profiler.profile(on_trace_ready=handler):
        torch.ones(4, device="npu").relu()
    torch_npu.profiler.analyse(str(tmp_path))
    assert list(tmp_path.glob("*_ascend_pt/ASCEND_PROFILER_OUTPUT/kernel_details.csv"))
    with pytest.raises(ValueError, match=r"there is no ASCEND_PROFILER_OUTPUT/trace_view.json below /nowhere"):
        torch_npu.profiler.analyse("/nowhere")


def test_a_data_base_is_refused():
    with pytest.raises(ValueError, match=r"use ExportType\.Text"):
        torch_npu.profiler._ExperimentalConfig(export_type=torch_npu.profiler.ExportType.Db)


def test_a_program_without_a_device_is_profiled_all_the_same():
    code = """
import torch, torch_npu
with torch_npu.profiler.profile() as profile:
    torch.ones(4).sum()
print([event.key for event in profile.key_averages() if event.key == "aten::sum"])
"""
    environment = {**os.environ, "ASCEND_RT_VISIBLE_DEVICES": ""}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    assert done.stdout.endswith("['aten::sum']\n"), done.stderr


def test_the_profiler_without_kineto_times_operators_between_events():
    x = torch.randn(1 << 20, device="npu")
    started = time.perf_counter()
    with torch.autograd.profiler.profile(use_device="npu") as profile:
        for _ in range(5):
            x.exp()
    wall = (time.perf_counter() - started) * 1e6
    (row,) = [row for row in profile.key_averages() if row.key == "aten::exp"]
    assert row.count == 5
    assert 0 < row.device_time_total < wall
