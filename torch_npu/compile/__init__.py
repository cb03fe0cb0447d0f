"""torch.compile(model, backend="npu").

This module is what the entry point `torch_dynamo_backends: npu` names. Importing it costs nothing: TorchDynamo (1.6 s)
is loaded when something is compiled.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch

__all__ = ["npu"]


def npu(
    graph: torch.fx.GraphModule,
    inputs: Sequence[Any],
    *,
    mode: str | None = None,
    options: dict[str, Any] | None = None,
) -> Callable[..., Any]:
    """Compiles one graph of Dynamo's for the NPU; called by torch.compile, not by users.

    Args:
        graph: operators of torch.*, as Dynamo captured them.
        inputs: fake tensors and symbolic integers in the order of the graph's inputs.
        mode: torch.compile's mode. Accepted so that scripts written for other backends run; it changes nothing yet.
        options: torch.compile's options. None is known yet: ValueError names what was given.

    Returns:
        A callable with the graph's signature that runs forward and, where gradients are needed, backward on the device.
    """
    if options:
        raise ValueError(f'torch.compile(backend="npu"): unknown options {sorted(options)}; this version has none')
    from torch_npu.compile.backend import compile_graph

    return compile_graph(graph, inputs)
