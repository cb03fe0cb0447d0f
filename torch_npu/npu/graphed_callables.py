"""Functions and modules whose forward and backward are replays of captured graphs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.utils import _pytree as pytree

from torch_npu.npu.device import synchronize
from torch_npu.npu.graphs import NPUGraph, Pool, graph, graph_pool_handle
from torch_npu.npu.streams import Stream, stream


class _Captured:
    """One callable's two graphs and the tensors that they read and write."""

    def __init__(self, function: Callable, args: Sequence[torch.Tensor], allow_unused: bool) -> None:
        self.function, self.args, self.allow_unused = function, tuple(args), allow_unused
        self._check()
        parameters = tuple(function.parameters()) if isinstance(function, torch.nn.Module) else ()
        self.inputs = self.args + parameters
        self.wanted = tuple(t for t in self.inputs if t.requires_grad)
        self.forward_graph, self.backward_graph = NPUGraph(), NPUGraph()

    def _check(self) -> None:
        if not all(isinstance(a, torch.Tensor) for a in self.args):
            raise TypeError("make_graphed_callables: sample_args must be tensors")
        if isinstance(self.function, torch.nn.Module):
            module = self.function
            if any(b.requires_grad for b in module.buffers()):
                raise RuntimeError("make_graphed_callables: a module's buffers must not require a gradient")
            if module._forward_hooks or module._forward_pre_hooks or module._backward_hooks:
                raise RuntimeError("make_graphed_callables: modules must not have hooks; add them afterwards")

    def run(self) -> tuple[torch.Tensor, ...]:
        leaves, self.structure = pytree.tree_flatten(self.function(*self.args))
        return tuple(leaves)

    def gradients(self) -> tuple[torch.Tensor | None, ...]:
        outputs = [o for o in self.outputs if o.requires_grad]
        given = [g for g in self.output_grads if g is not None]
        if not outputs or not self.wanted:
            return ()
        return torch.autograd.grad(outputs, self.wanted, given, allow_unused=self.allow_unused)

    def set_outputs(self, outputs: tuple[torch.Tensor, ...]) -> None:
        self.outputs = outputs
        self.output_grads = tuple(torch.empty_like(o) if o.requires_grad else None for o in outputs)

    def warm_up(self, times: int) -> None:
        for _ in range(times):
            self.set_outputs(self.run())
            self.gradients()
        self.outputs = self.output_grads = ()

    def capture_forward(self, pool: Pool) -> None:
        with graph(self.forward_graph, pool=pool):
            self.outputs = self.run()

    def capture_backward(self, pool: Pool) -> None:
        self.set_outputs(self.outputs)
        with graph(self.backward_graph, pool=pool):
            found = iter(self.gradients())
        self.input_grads = tuple(next(found, None) if t.requires_grad else None for t in self.inputs)
        self.outputs = tuple(o.detach() for o in self.outputs)

    def replay(self) -> Callable:
        """The function that replaces the captured one."""
        captured = self

        class Replay(torch.autograd.Function):
            @staticmethod
            def forward(ctx, *inputs):
                for static, given in zip(captured.args, inputs, strict=False):  # the parameters follow
                    if static.data_ptr() != given.data_ptr():
                        static.copy_(given)
                captured.forward_graph.replay()
                outputs = tuple(o.detach() for o in captured.outputs)
                ctx.mark_non_differentiable(*(o for o, g in zip(outputs, captured.output_grads, strict=True) if g is None))
                return outputs

            @staticmethod
            @torch.autograd.function.once_differentiable
            def backward(ctx, *grads):
                for static, given in zip(captured.output_grads, grads, strict=True):
                    if static is not None and static.data_ptr() != given.data_ptr():
                        static.copy_(given)
                captured.backward_graph.replay()
                return tuple(g if g is None else g.detach() for g in captured.input_grads)

        shapes = [a.shape for a in captured.args]

        def call(*args: torch.Tensor) -> Any:
            if [a.shape for a in args] != shapes:
                raise ValueError(
                    f"graphed callable: captured for shapes {[list(s) for s in shapes]}, but got {[list(a.shape) for a in args]}"
                )
            outputs = Replay.apply(*args, *captured.inputs[len(captured.args) :])
            return pytree.tree_unflatten(list(outputs), captured.structure)

        return call


def make_graphed_callables(
    callables: Callable | tuple[Callable, ...],
    sample_args: tuple,
    num_warmup_iters: int = 3,
    allow_unused_input: bool = False,
    pool: Pool | None = None,
) -> Any:
    """Callables that replay captured graphs, forward and backward. A module is changed in place and returned.

    Args:
        callables: a function or module, or a tuple of them in the order in which they will run.
        sample_args: its arguments, all of them tensors of the device; for a tuple, a tuple of such tuples. Later calls
            need the same shapes, dtypes and requires_grad.
        num_warmup_iters: runs before the capture.
        allow_unused_input: an input without influence on the outputs gets no gradient instead of an error.
        pool: see NPUGraph.capture_begin.

    The results of a call are overwritten by the next one. A module captured in training mode calls its former forward
    in evaluation mode, and the other way round.
    """
    single = not isinstance(callables, tuple)
    functions = (callables,) if single else callables
    samples = (sample_args,) if single else sample_args
    if len(functions) != len(samples):
        raise ValueError(f"make_graphed_callables: {len(functions)} callables, but {len(samples)} sample_args")
    all_captured = [_Captured(f, s, allow_unused_input) for f, s in zip(functions, samples, strict=True)]
    synchronize()
    with torch.enable_grad():
        with stream(Stream()):
            for captured in all_captured:
                captured.warm_up(num_warmup_iters)
        synchronize()
        # One pool for all: forward in their order, backward in the opposite one, is the order of the replays.
        pool = graph_pool_handle() if pool is None else pool
        for captured in all_captured:
            captured.capture_forward(pool)
        for captured in reversed(all_captured):
            captured.capture_backward(pool)
    results = tuple(_put_in_place(c) for c in all_captured)
    return results[0] if single else results


def _put_in_place(captured: _Captured) -> Callable:
    replay = captured.replay()
    module = captured.function
    if not isinstance(module, torch.nn.Module):
        return replay
    training, former = module.training, module.forward

    def forward(*args: torch.Tensor) -> Any:
        return (replay if module.training == training else former)(*args)

    module.forward = forward
    return module
