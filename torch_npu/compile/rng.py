"""Activation checkpointing in a compiled graph: the recomputed dropout draws what the first one drew.

torch's partitioner marks such operators with two higher-order operators that save and restore the random state. Those
have a closed list of devices, so that on an NPU they end in "Backend not supported for npu"; here they are replaced by
functions that do the same to the NPU's generator.
"""

from __future__ import annotations

from typing import Any

import torch
from torch._prims import rng_prims


def run_and_save_npu_rng_state(operator: Any, *args: Any, **kwargs: Any) -> tuple[torch.Tensor, Any]:
    state = torch.npu.get_rng_state()
    return state, operator(*args, **kwargs)


def run_with_npu_rng_state(state: torch.Tensor, operator: Any, *args: Any, **kwargs: Any) -> Any:
    now = torch.npu.get_rng_state()
    torch.npu.set_rng_state(state.cpu())
    try:
        return operator(*args, **kwargs)
    finally:
        torch.npu.set_rng_state(now)


# Which function stands for which operator, and where the random operator's own arguments begin.
REPLACEMENTS = {
    rng_prims.run_and_save_rng_state: (run_and_save_npu_rng_state, 1),
    rng_prims.run_with_rng_state: (run_with_npu_rng_state, 2),
}


def on_npu(node: torch.fx.Node, first_argument: int) -> bool:
    """Whether a wrapped random operator works on an NPU: as torch decides, by its `device` or its first tensor."""
    device = node.kwargs.get("device")
    if device is not None:
        return torch.device(device).type == "npu"
    for argument in node.args[first_argument:]:
        value = argument.meta.get("val") if isinstance(argument, torch.fx.Node) else None
        if isinstance(value, torch.Tensor):
            return value.device.type == "npu"
    return False


def use_device_rng_state(graph: torch.fx.GraphModule) -> None:
    """Replaces the wrappers of random operators that work on an NPU. Those on the CPU stay."""
    for wrapper, (replacement, first_argument) in REPLACEMENTS.items():
        for node in graph.graph.find_nodes(op="call_function", target=wrapper):
            if on_npu(node, first_argument):
                node.target = replacement
