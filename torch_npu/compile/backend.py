"""From a graph of Dynamo's to two graphs of ATen operators, forward and backward, that run on the device.

AOTAutograd removes mutation and derives the backward graph; nothing is decomposed, since the device has the whole
operators. Each operator then runs as in eager mode, without Python's and autograd's cost between them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from functorch.compile import make_boxed_func, min_cut_rematerialization_partition
from torch._dynamo.backends.common import aot_autograd

from torch_npu.compile.rng import use_device_rng_state
from torch_npu.diagnostics import events


def run_operators(graph: torch.fx.GraphModule, _inputs: Sequence[Any]) -> Callable[..., Any]:
    """The graph's generated forward function, in the boxed form: AOTAutograd frees inputs as soon as they are used."""
    use_device_rng_state(graph)
    graph.recompile()
    return make_boxed_func(graph.forward)


def note_recompilation() -> None:
    """An event for the diagnostics where a function is compiled again: other shapes, dtypes or flags than before."""
    compiled = torch._guards.CompileContext.current_compile_id()
    if compiled is not None and compiled.frame_compile_id:
        events.record(events.Kind.recompile, "torch.compile", f"compilation {compiled.frame_compile_id + 1} of the same function")


def compile_graph(graph: torch.fx.GraphModule, inputs: Sequence[Any]) -> Callable[..., Any]:
    note_recompilation()
    compiler = aot_autograd(
        fw_compiler=run_operators,
        bw_compiler=run_operators,
        partition_fn=min_cut_rematerialization_partition,
        keep_inference_input_mutations=True,  # a buffer (batch norm, a cache) is written in place, not copied back
    )
    return compiler(graph, inputs)
