"""The tables of a profile, out of the trace that PyTorch writes (Chrome's format): kernel_details.csv and op_statistic.csv.

Needs neither torch nor a device: a trace may come from another machine.
"""

from __future__ import annotations

import csv
import json
from bisect import bisect_right
from dataclasses import dataclass
from pathlib import Path
from typing import Any

OUTPUT = "ASCEND_PROFILER_OUTPUT"
DEVICE_WORK = ("kernel", "gpu_memcpy", "gpu_memset")
CORE = "EMBEDDED"  # in the place of AI_CORE, AI_VECTOR_CORE, AI_CPU
KERNEL_COLUMNS = (
    "Step Id", "Device_id", "Task ID", "Stream ID", "Name", "Type", "Accelerator Core", "Start Time(us)", "Duration(us)",
    "Wait Time(us)", "Input Shapes", "Input Data Types",
)  # fmt: skip
STATISTIC_COLUMNS = (
    "Device_id", "OP Type", "Core Type", "Count", "Total Time(us)", "Min Time(us)", "Avg Time(us)", "Max Time(us)", "Ratio(%)",
)  # fmt: skip


@dataclass(frozen=True)
class Kernel:
    """A kernel, copy or fill. Times in microseconds, on the trace's clock."""

    name: str
    api: str
    device: int
    stream: int
    task: int
    start: float
    duration: float
    wait: float  # since the end of the one before it on its stream; 0 for the first
    step: int | None
    shapes: str  # of the operator's inputs, where the profile recorded them: "2,3;3"
    dtypes: str


def kernels(trace: dict[str, Any]) -> list[Kernel]:
    """What ran on the devices, by device, stream and start."""
    events = [event for event in trace["traceEvents"] if event.get("ph") == "X"]
    operators = {event["args"]["External id"]: event for event in events if event.get("cat") == "cpu_op"}
    launches = {event["args"]["correlation"]: event for event in events if event.get("cat") == "privateuse1_runtime"}
    steps = sorted(_step(event) for event in events if event.get("name", "").startswith("ProfilerStep#"))
    found: list[Kernel] = []
    work = [event for event in events if event.get("cat") in DEVICE_WORK]
    for event in sorted(work, key=lambda event: (event["args"]["device"], event["args"]["stream"], event["ts"])):
        args = event["args"]
        operator = operators.get(args.get("External id"), {"args": {}})["args"]
        launch = launches.get(args["correlation"], event)
        before = found[-1] if found and (found[-1].device, found[-1].stream) == (args["device"], args["stream"]) else None
        wait = max(0.0, event["ts"] - before.start - before.duration) if before else 0.0
        found.append(
            Kernel(event["name"], args["api"], args["device"], args["stream"], args["correlation"], event["ts"], event["dur"],
                   wait, _step_of(steps, launch["ts"]), _shapes(operator.get("Input Dims", [])),
                   ";".join(kind for kind in operator.get("Input type", []) if kind))
        )  # fmt: skip
    return found


def _step(event: dict[str, Any]) -> tuple[float, float, int]:
    return event["ts"], event["ts"] + event["dur"], int(event["name"].rpartition("#")[2])


def _step_of(steps: list[tuple[float, float, int]], time: float) -> int | None:
    at = bisect_right(steps, (time, float("inf"), 0)) - 1
    return steps[at][2] if at >= 0 and time <= steps[at][1] else None


def _shapes(dims: list[Any]) -> str:
    """Those of tensors and of lists of tensors; a number has none."""
    tensors = [one for dim in dims for one in (dim if dim and isinstance(dim[0], list) else [dim]) if one]
    return ";".join(",".join(map(str, shape)) for shape in tensors)


def kernel_rows(all_kernels: list[Kernel]) -> list[list[object]]:
    return [
        ["" if k.step is None else k.step, k.device, k.task, k.stream, f"{k.api}_{k.name}".replace(" ", "_"), k.name, CORE,
         f"{k.start:.3f}", f"{k.duration:.3f}", f"{k.wait:.3f}", k.shapes, k.dtypes]
        for k in all_kernels
    ]  # fmt: skip


def statistic_rows(all_kernels: list[Kernel]) -> list[list[object]]:
    """One row a device and type of kernel, what took longest first. The ratios of a device sum to 100."""
    times: dict[tuple[int, str], list[float]] = {}
    for kernel in all_kernels:
        times.setdefault((kernel.device, kernel.name), []).append(kernel.duration)
    totals: dict[int, float] = {}
    for (device, _), durations in times.items():
        totals[device] = totals.get(device, 0.0) + sum(durations)
    return [
        [device, name, CORE, len(t), f"{sum(t):.3f}", f"{min(t):.3f}", f"{sum(t) / len(t):.3f}", f"{max(t):.3f}",
         f"{100 * sum(t) / totals[device] if totals[device] else 0:.3f}"]
        for (device, name), t in sorted(times.items(), key=lambda item: (item[0][0], -sum(item[1])))
    ]  # fmt: skip


def write(folder: str | Path) -> None:
    """kernel_details.csv and op_statistic.csv, beside the trace_view.json in this folder."""
    found = kernels(json.loads((Path(folder) / "trace_view.json").read_text(encoding="utf-8")))
    _table(Path(folder) / "kernel_details.csv", KERNEL_COLUMNS, kernel_rows(found))
    _table(Path(folder) / "op_statistic.csv", STATISTIC_COLUMNS, statistic_rows(found))


def _table(path: Path, columns: tuple[str, ...], rows: list[list[object]]) -> None:
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(rows)
