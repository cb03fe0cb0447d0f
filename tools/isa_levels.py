"""Prints the instruction-set levels that the embedded CANN can run with on this CPU besides the one it picks: "v2 v3".

They are what NPU_EMBEDDED_ISA may be set to; nothing where there is one level only.
"""

from torch_npu import _C
from torch_npu.__main__ import embedded_facts

LEVELS = ("v2", "v3", "v4")
highest = embedded_facts(_C.open_cann()["lib_dir"])["isa"].removeprefix("x86-64-")
print(*LEVELS[: LEVELS.index(highest)] if highest in LEVELS else ())
