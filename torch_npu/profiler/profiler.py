"""The genuine profiler's names on top of torch.profiler, which sees the devices by itself (csrc/profiler/kineto.cpp)."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import torch
from torch.profiler import ProfilerAction, ProfilerActivity

from torch_npu.profiler import analysis
from torch_npu.profiler.config import ProfilerLevel, _ExperimentalConfig


def supported_activities() -> set[ProfilerActivity]:
    """{ProfilerActivity.CPU, ProfilerActivity.NPU}; without NPU where there is none."""
    return {ProfilerActivity.CPU} | ({ProfilerActivity.PrivateUse1} if torch.npu.is_available() else set())


def schedule(
    wait: int, active: int, warmup: int = 0, repeat: int = 0, skip_first: int = 0, skip_first_wait: int = 0
) -> Callable[[int], ProfilerAction]:
    """Which steps are recorded: as torch.profiler.schedule, with its arguments in CANN's order. Counts of steps."""
    return torch.profiler.schedule(
        wait=wait, warmup=warmup, active=active, repeat=repeat, skip_first=skip_first, skip_first_wait=skip_first_wait
    )


class profile(torch.profiler.profile):
    """torch.profiler.profile that records the CPU and the NPUs if nothing else is said.

    `experimental_config` is torch_npu.profiler._ExperimentalConfig. The other arguments are torch.profiler.profile's.
    """

    def __init__(
        self,
        *,
        activities: Iterable[ProfilerActivity] | None = None,
        schedule: Callable[[int], ProfilerAction] | None = None,
        on_trace_ready: Callable[..., Any] | None = None,
        record_shapes: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        with_flops: bool = False,
        with_modules: bool = False,
        experimental_config: _ExperimentalConfig | None = None,
        execution_trace_observer: Any = None,
        custom_trace_id_callback: Callable[[], str] | None = None,
        use_cuda: bool | None = None,
    ) -> None:
        wanted = set(activities) if activities is not None else supported_activities()
        self.npu_config = experimental_config or _ExperimentalConfig()
        if self.npu_config.profiler_level is ProfilerLevel.Level_none:
            wanted.discard(ProfilerActivity.PrivateUse1)
        if use_cuda:
            wanted.add(ProfilerActivity.PrivateUse1)
        super().__init__(
            activities=wanted,
            schedule=schedule,
            on_trace_ready=on_trace_ready,
            record_shapes=record_shapes,
            profile_memory=profile_memory,
            with_stack=with_stack,
            with_flops=with_flops,
            with_modules=with_modules,
            execution_trace_observer=execution_trace_observer,
            custom_trace_id_callback=custom_trace_id_callback,
        )


def tensorboard_trace_handler(
    dir_name: str | None = None, worker_name: str | None = None, analyse_flag: bool = True, async_mode: bool = False
) -> Callable[[torch.profiler.profile], None]:
    """For `on_trace_ready`: writes a folder `<worker>_<time>_ascend_pt` with the trace and, with analyse_flag, its tables.

    dir_name is the current folder if it is left out, worker_name `<host>_<pid>`. async_mode is taken: writing always waits.
    """
    parent = Path(dir_name or os.environ.get("ASCEND_WORK_PATH") or ".")

    def write(profiler: torch.profiler.profile) -> None:
        worker = worker_name or f"{socket.gethostname()}_{os.getpid()}"
        stamp = f"{time.strftime('%Y%m%d%H%M%S')}{time.time_ns() // 1_000_000 % 1000:03d}"
        folder = parent / f"{worker}_{stamp}_ascend_pt" / analysis.OUTPUT
        folder.mkdir(parents=True)
        profiler.export_chrome_trace(str(folder / "trace_view.json"))
        if analyse_flag:
            analysis.write(folder)

    return write


def analyse(profiler_path: str, max_process_number: int = 1, export_type: object = None) -> None:
    """Writes the tables of every profile below the folder, as tensorboard_trace_handler does with analyse_flag.

    ValueError if there is none. max_process_number and export_type are taken and change nothing.
    """
    traces = sorted(Path(profiler_path).rglob(f"{analysis.OUTPUT}/trace_view.json"))
    if not traces:
        raise ValueError(f"analyse: there is no {analysis.OUTPUT}/trace_view.json below {profiler_path}")
    for trace in traces:
        analysis.write(trace.parent)
