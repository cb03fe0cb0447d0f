"""Prints the instruction-set levels that the embedded CANN can run with on this CPU, lowest first: "v2 v3 v4".

They are what NPU_EMBEDDED_ISA may be set to here; one word where there is one level only.
"""

from torch_npu import _C
from torch_npu.__main__ import embedded_facts

LEVELS = ("v2", "v3", "v4")
highest = embedded_facts(_C.open_cann()["lib_dir"])["isa"].removeprefix("x86-64-")
print(*(LEVELS[: LEVELS.index(highest) + 1] if highest in LEVELS else (highest,)))
