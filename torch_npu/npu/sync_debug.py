"""torch.npu.set_sync_debug_mode, as torch.cuda has it: the diagnostics' policy for waits of the host."""

from __future__ import annotations

MODES = ("default", "warn", "error")
POLICIES = ("count", "warn", "error")


def set_sync_debug_mode(debug_mode: int | str) -> None:
    """What an operation that makes the host wait for the device does.

    Args:
        debug_mode: 0 or "default": nothing; 1 or "warn": a warning, once a line; 2 or "error": RuntimeError.

    Raises RuntimeError for another value.
    """
    from torch_npu import diagnostics

    mode = MODES.index(debug_mode) if debug_mode in MODES else debug_mode
    if isinstance(mode, bool) or mode not in (0, 1, 2):
        raise RuntimeError(f"invalid value of debug_mode: {debug_mode!r}; expected 0, 1, 2 or one of `default`, `warn`, `error`")
    diagnostics.set_policy("sync", POLICIES[mode])


def get_sync_debug_mode() -> int:
    """The mode as a number: 0, 1 or 2."""
    from torch_npu import diagnostics

    return max(0, ("ignore", *POLICIES).index(diagnostics.policies()["sync"]) - 1)
