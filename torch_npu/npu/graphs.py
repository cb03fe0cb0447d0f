"""Captured graphs: a stretch of device work, recorded once and replayed without Python in between.

A replay reads and writes the memory that was used at capture: fill the inputs in place (``copy_``), replay, read the
outputs. What cannot be replayed raises RuntimeError at capture: waiting for the device (``item``, ``cpu``), copies from
ordinary host memory, operators that fall back to the CPU, random numbers. CANN names: aclmdlRICaptureBegin, ...End,
aclmdlRIExecuteAsync.
"""

from __future__ import annotations

import gc
import os
from types import TracebackType

import torch

from torch_npu import _C
from torch_npu.npu._start import _lazy_init
from torch_npu.npu.device import synchronize
from torch_npu.npu.memory import empty_cache
from torch_npu.npu.streams import Stream, StreamContext

Pool = tuple[int, int]

_MODES = {"global": 0, "thread_local": 1, "relaxed": 2}


def is_current_stream_capturing() -> bool:
    """True while the current stream records a graph. Does not start the devices."""
    return _C.is_capturing()


def graph_pool_handle() -> Pool:
    """A new memory pool's token, for graphs that share memory: they must be replayed in the order of their captures,
    one at a time, and no output of one may be read after the next has run."""
    return (0, _C.new_graph_pool())


class NPUGraph:
    """A recorded graph. It keeps its memory until it is dropped or reset."""

    def __init__(self) -> None:
        self._graph = _C.Graph()

    def capture_begin(self, pool: Pool | None = None, capture_error_mode: str = "global") -> None:
        """From now on the current stream, which must not be the default one, records and runs nothing.

        Args:
            pool: of another graph, or from graph_pool_handle(); a new one if None.
            capture_error_mode: "global", "thread_local" or "relaxed", handed to CANN.
        """
        if capture_error_mode not in _MODES:
            raise ValueError(f"capture_error_mode: expected one of {list(_MODES)}, but got {capture_error_mode!r}")
        _lazy_init()
        self._graph.begin(0 if pool is None else pool[1], _MODES[capture_error_mode])

    def capture_end(self) -> None:
        """Ends the recording."""
        self._graph.end()

    def replay(self) -> None:
        """Runs what was recorded on the current stream. Does not wait."""
        self._graph.replay()

    def reset(self) -> None:
        """Drops the recording and its memory. Another may follow."""
        self._graph.reset()

    def pool(self) -> Pool:
        """The memory pool's token, for graphs that share it."""
        return (0, self._graph.pool())

    def debug_dump(self, debug_path: str) -> None:
        """Writes the recorded work to a file, as JSON."""
        self._graph.dump(str(debug_path))


class graph:
    """Context manager: what runs inside is recorded into `npu_graph` instead.

    Waits for the device and empties the cache first; the recording happens on a stream of its own. Tensors made inside
    belong to the graph's pool; after an error inside the graph is reset.

    Args:
        npu_graph: the NPUGraph to record into.
        pool: see NPUGraph.capture_begin.
        stream: the stream to record on; one that all captures share if None.
        capture_error_mode: see NPUGraph.capture_begin.
    """

    _stream: Stream | None = None

    def __init__(
        self,
        npu_graph: NPUGraph,
        pool: Pool | None = None,
        stream: torch.Stream | None = None,
        auto_dispatch_capture: bool = False,
        capture_error_mode: str = "global",
    ) -> None:
        if auto_dispatch_capture:
            raise NotImplementedError("torch.npu.graph: auto_dispatch_capture (NPUGraph.update) is not supported")
        if stream is None:
            if graph._stream is None:
                graph._stream = Stream()
            stream = graph._stream
        self._npu_graph = npu_graph
        self._begin = (pool, capture_error_mode)
        self._current = StreamContext(stream)

    def __enter__(self) -> None:
        synchronize()
        if os.environ.get("TORCH_NPUGRAPH_GC") == "1":
            gc.collect()
        empty_cache()
        self._current.__enter__()
        try:
            self._npu_graph.capture_begin(*self._begin)
        except BaseException:
            self._current.__exit__(None, None, None)
            raise

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        try:
            if kind is None:
                self._npu_graph.capture_end()
            else:
                self._npu_graph.reset()  # ends the capture, too
        finally:
            self._current.__exit__(kind, value, trace)
