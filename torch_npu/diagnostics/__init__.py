"""What is slow or surprising on an NPU, told with its line: fallbacks, waits, copies, float64, missed fused paths.

    with torch_npu.diagnostics.watch() as report:
        train(model)
    print(report)                                       # the traps, worst first, each with its line and remedy
    report.to_html("traps.html")

Without a watch only the numbers are kept: fallback_counts(), summary(). A policy makes an event a warning or an error
(set_policy, or TORCH_NPU_DIAGNOSTICS="fallback=error,sync=warn"). `python -m torch_npu.diagnostics script.py` watches a script.
"""

from __future__ import annotations

from torch_npu import _C
from torch_npu.diagnostics.events import Count, Kind, Line, counts, tell_whose_files
from torch_npu.diagnostics.policies import apply_environment, policies, set_float64, set_policy
from torch_npu.diagnostics.policies import parse as parse_policies
from torch_npu.diagnostics.report import Report, watch
from torch_npu.diagnostics.traps import Trap

Counter = Kind

tell_whose_files()
apply_environment()


def reset() -> None:
    """All counts start again at 0. Warnings that were given once are not given again."""
    _C.reset_events()


def read(kind: Kind) -> dict[str, Count]:
    """One kind in full: operator or reason -> Count, all lines together."""
    found: dict[str, Count] = {}
    for count in counts():
        if count.kind == kind:
            found[count.what] = _together(found[count.what], count) if count.what in found else count
    return found


def fallback_counts() -> dict[str, int]:
    """Operators that ran on the CPU, such as "aten::special_airy_ai.out" -> how often."""
    return _calls(Kind.fallback)


def host_wait_counts() -> dict[str, int]:
    """Why the host waited for the device ("item", "copy to host", ...) -> how often."""
    return _calls(Kind.sync)


def hidden_copy_counts() -> dict[str, int]:
    """Copies that no line of the program asks for, and operators whose inputs make CANN copy -> how often."""
    return _calls(Kind.contiguous)


def float64_counts() -> dict[str, int]:
    """Operators that got float64: an Ascend computes them on its slow scalar cores -> how often."""
    return _calls(Kind.float64)


def summary() -> str:
    """One line for people: "2 fallbacks (aten::fmax 2), 1 host wait (item 1)", or "no fallbacks, no host waits"."""
    told = [_told(fallback_counts(), "fallback"), _told(host_wait_counts(), "host wait")]
    # Named only if there are any: most programs have none.
    for counted, name in ((hidden_copy_counts(), "hidden copy"), (float64_counts(), "float64 operator")):
        if counted:
            told.append(_told(counted, name))
    return ", ".join(told)


def _told(counted: dict[str, int], name: str) -> str:
    total = sum(counted.values())
    plural = f"{name[:-1]}ies" if name.endswith("y") else f"{name}s"
    if not total:
        return f"no {plural}"
    most = sorted(counted.items(), key=lambda item: -item[1])
    listed = ", ".join(f"{what} {calls}" for what, calls in most[:3]) + (", ..." if len(most) > 3 else "")
    return f"{total} {name if total == 1 else plural} ({listed})"


def _calls(kind: Kind) -> dict[str, int]:
    return {what: count.calls for what, count in read(kind).items()}


def _together(a: Count, b: Count) -> Count:
    return Count(a.kind, a.what, a.calls + b.calls, a.bytes + b.bytes, a.time_ns + b.time_ns, b.reason or a.reason)
