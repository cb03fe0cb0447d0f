"""What the diagnostics hear of compiling: functions that are compiled again, and graphs that are cut in two.

Dynamo tells both to its backend: why a guard failed (torch._dynamo.utils.guard_failures), and what ended a graph
(compile_subgraph_reason, which torch._dynamo.explain shows too). Read once a graph; costs nothing when it runs.
"""

from __future__ import annotations

from typing import Any

import torch

from torch_npu.diagnostics import events

_failures_seen: dict[Any, int] = {}  # code object -> how many of its guards' failures were told already


def note_compilation(graph: torch.fx.GraphModule) -> None:
    _note_recompilation()
    _note_graph_break(graph)


def _note_recompilation() -> None:
    """An event where a function is compiled again: other shapes, dtypes or flags than before."""
    why = _new_guard_failure()
    compiled = torch._guards.CompileContext.current_compile_id()
    if compiled is None or not compiled.frame_compile_id:
        return
    reason = f"compilation {compiled.frame_compile_id + 1} of the same function"
    if why:
        reason += f": {why}"
    if compiled.frame_compile_id + 1 >= torch._dynamo.config.recompile_limit:
        reason += "; torch._dynamo.config.recompile_limit is reached, so that the next one would run uncompiled"
    events.record(events.Kind.recompile, "torch.compile", reason)


def _new_guard_failure() -> str:
    """Why what was compiled before does not fit: the latest failure since this was last asked, or ""."""
    newest = ""
    for code, reasons in torch._dynamo.utils.guard_failures.items():
        seen = _failures_seen.get(code, 0)
        if len(reasons) > seen:
            newest = reasons[seen].partition(": ")[2] or reasons[seen]  # without the number of the compilation
            _failures_seen[code] = len(reasons)
    return newest.partition("\n")[0]


def _note_graph_break(graph: torch.fx.GraphModule) -> None:
    """An event where a graph ends before its function does: the rest is another graph, with eager Python between them."""
    end = getattr(graph, "compile_subgraph_reason", None)
    if end is None or not end.graph_break:
        return
    reason = end.reason.partition("\n")[0]
    if end.user_stack:
        reason += f", at {end.user_stack[-1].filename}:{end.user_stack[-1].lineno}"
    events.record(events.Kind.recompile, "graph break", reason)
