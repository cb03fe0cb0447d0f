"""What ran on the devices, when, and who launched it.

    with torch_npu.profiler.profile(on_trace_ready=torch_npu.profiler.tensorboard_trace_handler("./profile")) as prof:
        model(x)

torch.profiler shows the same with activities=[ProfilerActivity.CPU, ProfilerActivity.NPU].
"""

from torch.profiler import ProfilerAction, ProfilerActivity

from torch_npu.profiler.config import (
    AiCMetrics,
    ExportType,
    HostSystem,
    ProfilerLevel,
    _ExperimentalConfig,
    supported_ai_core_metrics,
    supported_export_type,
    supported_profiler_level,
)
from torch_npu.profiler.profiler import analyse, profile, schedule, supported_activities, tensorboard_trace_handler

ProfilerActivity.NPU = ProfilerActivity.PrivateUse1

__all__ = [
    "AiCMetrics",
    "ExportType",
    "HostSystem",
    "ProfilerAction",
    "ProfilerActivity",
    "ProfilerLevel",
    "_ExperimentalConfig",
    "analyse",
    "profile",
    "schedule",
    "supported_activities",
    "supported_ai_core_metrics",
    "supported_export_type",
    "supported_profiler_level",
    "tensorboard_trace_handler",
]
