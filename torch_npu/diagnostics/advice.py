"""What a trap is called, why it costs, and what to do about it: the texts of the reports."""

from __future__ import annotations

from torch_npu.diagnostics.events import Kind
from torch_npu.diagnostics.traps import Trap

NAMES = {
    Kind.fallback: "runs on the CPU",
    Kind.sync: "the host waits for the device",
    Kind.copy: "copy from the host",
    Kind.contiguous: "input that is not contiguous",
    Kind.float64: "float64",
    Kind.complex: "complex numbers",
    Kind.unfused: "missed fused operator",
    Kind.fused: "fused operator",
    Kind.retry: "device memory ran short",
    Kind.recompile: "compiled again",
    Kind.ascend: "on an Ascend: CPU",
}

WHY = {
    Kind.fallback: "Its tensors travel to the host and back, and the device stands idle meanwhile.",
    Kind.sync: "The host can enqueue nothing until the device has done all it was given: the pipeline runs dry.",
    Kind.copy: "CANN waits for the stream before a copy from memory that is not pinned.",
    Kind.contiguous: "CANN first copies the input into rows.",
    Kind.float64: "An Ascend has no float64 cores: such an operator runs on its slow auxiliary processor, or not at all.",
    Kind.complex: "An Ascend computes few operators on complex numbers, and those slowly.",
    Kind.unfused: "The operator is composed of many, with its intermediate results in memory.",
    Kind.retry: "All streams were waited for, and cached memory was given back and asked for again.",
    Kind.recompile: "Compiling takes as long as many steps.",
    Kind.ascend: "The embedded device computes it. An Ascend has no kernel for it: its tensors go to the host and back.",
}

# Their reason says what the line alone does not.
WITH_REASON = (Kind.fallback, Kind.unfused, Kind.recompile, Kind.ascend)

# A graph break is a compilation too, and another trap.
_BREAK = {
    "name": "a compiled graph is cut",
    "why": "What follows is another graph: no fusion across the cut, and Python runs in between at every call.",
    "remedy": "Move what the reason names out of the compiled function, or after its last operator",
}


# So is a dtype that an Ascend refuses, beside the operators that it leaves to the CPU.
_REFUSED = {
    "name": "on an Ascend: an error",
    "why": "The embedded device computes it. CANN does not take this dtype for this operator: the call raises there.",
    "remedy": "float32 or a half type. NPU_EMBEDDED_FIDELITY=ascend raises here too",
}


def _special(trap: Trap) -> dict[str, str] | None:
    if trap.what[0] == "graph break":
        return _BREAK
    return _REFUSED if trap.kind == Kind.ascend and trap.reason else None


def name(trap: Trap) -> str:
    special = _special(trap)
    return special["name"] if special else NAMES[trap.kind]


def why(trap: Trap) -> str:
    special = _special(trap)
    return special["why"] if special else WHY[trap.kind]


_DATA_DEPENDENT = (
    "The size of the result depends on values that only the device knows. torch.where(mask, a, b), or multiplying by the mask, "
    "keeps sizes fixed"
)
_WAITS = {
    "item": (
        "Keep the value on the device (total += loss.detach()) and read it after the loop, or every hundred steps; instead of "
        "`if tensor:` use torch.where"
    ),
    "copy to host": (
        "Collect the results on the device and copy them once after the loop; or copy into pinned memory with non_blocking=True "
        "and synchronize before reading"
    ),
    "synchronize": "A stream keeps its order by itself: leave it out, and measure time with torch.npu.Event",
    "equal": "torch.equal needs its answer on the host. (a == b).all() stays on the device",
}
_COPIES = {
    "to device": (
        'Make the tensor on the device (device="npu") or copy it once before the loop; batches: DataLoader(pin_memory=True) and '
        '.to("npu", non_blocking=True)'
    ),
    "to device, non_blocking from memory that is not pinned": (
        "non_blocking works only from pinned memory: DataLoader(pin_memory=True), or tensor.pin_memory() once"
    ),
}


def remedy(trap: Trap) -> str:
    """What to do, in one or two sentences."""
    what = trap.what[0]
    if trap.kind == Kind.sync:
        return _WAITS.get(what, _DATA_DEPENDENT)
    if trap.kind == Kind.copy:
        return _COPIES[what]
    if special := _special(trap):
        return special["remedy"]
    if trap.kind == Kind.unfused:
        return f"CANN's fused attention takes it but for this: {trap.reason}"
    return {
        Kind.ascend: (
            "Use operators that docs/operators.md calls native on an Ascend. NPU_EMBEDDED_FIDELITY=ascend takes the way over the "
            "CPU here too, so that its copies and waits are told"
        ),
        Kind.fallback: (
            "Use operators that docs/operators.md calls native; where there is none, do this part once outside the loop, or "
            "wholly on the CPU"
        ),
        Kind.contiguous: (
            "Make it in this layout, or call .contiguous() once where it is made, outside the loop"
            if what != "copy_ through the host"
            else "At most 8 dimensions and a dtype that CANN knows: flatten some dimensions first"
        ),
        Kind.float64: (
            "float32: dtype=torch.float32, or array.astype(numpy.float32) before torch.from_numpy. TORCH_NPU_FLOAT64=float32 "
            "shows whether the results stay good enough"
        ),
        Kind.complex: "torch.view_as_real, and the arithmetic written out in real numbers",
        Kind.retry: "A smaller batch; fewer live tensors; PYTORCH_NPU_ALLOC_CONF=max_split_size_mb:... against fragmentation",
        Kind.recompile: "Keep shapes the same (pad), or torch._dynamo.mark_dynamic(tensor, dim) before the first call",
    }[trap.kind]


def often(trap: Trap) -> str:
    """ "100 times", "300 times in 100 rounds"."""
    times = "once" if trap.calls == 1 else f"{trap.calls} times"
    in_rounds = trap.kind in (Kind.sync, Kind.copy) and trap.rounds != trap.calls
    return f"{times} in {trap.rounds} rounds" if in_rounds else times


def subject(trap: Trap) -> str:
    """What it is about: "item", "aten::linear Float[8, 8]"."""
    listed = ", ".join(trap.what[:4]) + (", ..." if len(trap.what) > 4 else "")
    return f"{listed} {trap.operands}".strip()


def cost(trap: Trap) -> str:
    """ "12.3 ms, 4.0 KB"; "" if nothing was measured."""
    told = []
    if trap.time_ns >= 1000:
        told.append(f"{trap.time_ns / 1e6:.1f} ms")
    if trap.bytes:
        told.append(size(trap.bytes))
    return ", ".join(told)


def size(count: int) -> str:
    for unit, factor in (("GB", 2**30), ("MB", 2**20), ("KB", 2**10)):
        if count >= factor:
            return f"{count / factor:.1f} {unit}"
    return f"{count} B"
