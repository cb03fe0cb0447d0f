"""What was slow or surprising: operators that ran on the CPU, waits of the host, hidden copies, float64.

    torch_npu.diagnostics.reset()
    model(x)
    print(torch_npu.diagnostics.fallback_counts())      # {} when every operator ran on the device
"""

from __future__ import annotations

from dataclasses import dataclass

from torch_npu import _C

Counter = _C.Counter


@dataclass(frozen=True)
class Count:
    """How often something happened, the bytes moved between host and device for it, and why the last time."""

    calls: int
    bytes: int
    reason: str


def reset() -> None:
    """All counters start again at 0. Warnings that were given once are not given again."""
    _C.reset_counters()


def read(counter: Counter) -> dict[str, Count]:
    """One counter in full: operator or reason -> Count."""
    return {what: Count(*values) for what, values in _C.read_counter(counter).items()}


def fallback_counts() -> dict[str, int]:
    """Operators that ran on the CPU, such as "aten::special_airy_ai" -> how often."""
    return _calls(Counter.fallback)


def host_wait_counts() -> dict[str, int]:
    """Why the host waited for the device ("item", "copy to host", ...) -> how often."""
    return _calls(Counter.host_wait)


def hidden_copy_counts() -> dict[str, int]:
    """Copies that no line of the program asks for -> how often."""
    return _calls(Counter.hidden_copy)


def float64_counts() -> dict[str, int]:
    """Tensors of float64 given to operators: an Ascend computes them on its slow scalar cores -> how often."""
    return _calls(Counter.float64)


def summary() -> str:
    """One line for people: "2 fallbacks (aten::fmax 2), 1 host wait (item 1)", or "no fallbacks, no host waits"."""
    told = [_told(fallback_counts(), "fallback"), _told(host_wait_counts(), "host wait")]
    # Named only if there are any: most programs have none.
    for counts, name in ((hidden_copy_counts(), "hidden copy"), (float64_counts(), "float64 operator")):
        if counts:
            told.append(_told(counts, name))
    return ", ".join(told)


def _told(counts: dict[str, int], name: str) -> str:
    total = sum(counts.values())
    plural = f"{name[:-1]}ies" if name.endswith("y") else f"{name}s"
    if not total:
        return f"no {plural}"
    most = sorted(counts.items(), key=lambda item: -item[1])
    listed = ", ".join(f"{what} {calls}" for what, calls in most[:3]) + (", ..." if len(most) > 3 else "")
    return f"{total} {name if total == 1 else plural} ({listed})"


def _calls(counter: Counter) -> dict[str, int]:
    return {what: count.calls for what, count in read(counter).items()}
