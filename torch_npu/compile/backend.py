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

from torch_npu.compile.notes import note_compilation
from torch_npu.compile.rng import use_device_rng_state


def run_operators(graph: torch.fx.GraphModule, _inputs: Sequence[Any]) -> Callable[..., Any]:
    """The graph's generated forward function, in the boxed form: AOTAutograd frees inputs as soon as they are used."""
    use_device_rng_state(graph)
    graph.recompile()
    return make_boxed_func(graph.forward)


def compile_graph(graph: torch.fx.GraphModule, inputs: Sequence[Any]) -> Callable[..., Any]:
    note_compilation(graph)
    compiler = aot_autograd(
        fw_compiler=run_operators,
        bw_compiler=run_operators,
        partition_fn=min_cut_rematerialization_partition,
        keep_inference_input_mutations=True,  # a buffer (batch norm, a cache) is written in place, not copied back
    )
    return compiler(graph, inputs)
