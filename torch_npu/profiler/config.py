"""What the genuine profiler can be asked for on an Ascend. An embedded device has no AI cores and no counters, so most of it
is taken and changes nothing; `profiler_level` does."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class ProfilerLevel(Enum):
    """How much of the device is recorded. Level_none: nothing. The others: every kernel, copy and fill with its launch."""

    Level_none = "Level_none"
    Level0 = "Level0"
    Level1 = "Level1"
    Level2 = "Level2"


class AiCMetrics(Enum):
    """Counters of an AI core. An embedded device has none."""

    PipeUtilization = "ACL_AICORE_PIPE_UTILIZATION"
    ArithmeticUtilization = "ACL_AICORE_ARITHMETIC_UTILIZATION"
    Memory = "ACL_AICORE_MEMORY_BANDWIDTH"
    MemoryL0 = "ACL_AICORE_L0B_AND_WIDTH"
    MemoryUB = "ACL_AICORE_MEMORY_UB"
    ResourceConflictRatio = "ACL_AICORE_RESOURCE_CONFLICT_RATIO"
    L2Cache = "ACL_AICORE_L2_CACHE"
    MemoryAccess = "ACL_AICORE_MEMORY_ACCESS"
    AiCoreNone = "ACL_AICORE_NONE"


class ExportType(Enum):
    """Text: JSON and CSV. Db is refused: it is a data base of CANN's own tools."""

    Text = "text"
    Db = "db"


class HostSystem(Enum):
    CPU = "cpu"
    MEM = "mem"
    DISK = "disk"
    NETWORK = "network"
    OSRT = "osrt"


@dataclass
class _ExperimentalConfig:
    """Ascend's own options of `torch_npu.profiler.profile`. Raises ValueError for ExportType.Db."""

    profiler_level: ProfilerLevel = ProfilerLevel.Level0
    aic_metrics: AiCMetrics = AiCMetrics.AiCoreNone
    l2_cache: bool = False
    msprof_tx: bool = False
    mstx: bool = False
    data_simplification: bool = True
    record_op_args: bool = False
    op_attr: bool = False
    gc_detect_threshold: float | None = None
    export_type: ExportType | list[ExportType] = ExportType.Text
    host_sys: list[HostSystem] | None = None
    mstx_domain_include: list[str] | None = None
    mstx_domain_exclude: list[str] | None = None
    sys_io: bool = False
    sys_interconnection: bool = False

    def __post_init__(self) -> None:
        wanted = self.export_type if isinstance(self.export_type, list) else [self.export_type]
        if ExportType.Db in wanted:
            raise ValueError("export_type: ExportType.Db is written by CANN's own tools only; use ExportType.Text")


def supported_profiler_level() -> set[ProfilerLevel]:
    return set(ProfilerLevel)


def supported_ai_core_metrics() -> set[AiCMetrics]:
    return {AiCMetrics.AiCoreNone}


def supported_export_type() -> set[ExportType]:
    return {ExportType.Text}
