"""An orderly end: autograd's device threads let go of Python before the interpreter goes.

After a backward pass its thread still releases the pass's Python objects. If the interpreter is being torn down by then, the
thread is ended inside a C++ destructor, which ends the process with "terminate called without an active exception". So the
exit waits, without the interpreter's lock, until those threads have nothing left to do: a few milliseconds, and only where a
backward pass has run.
"""

from __future__ import annotations

import atexit
import time
from pathlib import Path

_LOOK_S = 0.001
_AT_MOST_S = 1.0


def _autograd_threads() -> dict[str, str]:
    """Each autograd thread's state and number of switches: equal twice in a row means it sleeps."""
    seen = {}
    for task in Path("/proc/self/task").iterdir():
        try:
            if (task / "comm").read_text().startswith("pt_autograd"):
                lines = (task / "status").read_text().splitlines()
                seen[task.name] = "".join(line for line in lines if line.startswith(("State", "voluntary", "nonvoluntary")))
        except FileNotFoundError:  # the thread has ended in the meantime
            continue
    return seen


def wait_for_autograd_threads() -> None:
    """Returns when autograd's device threads have slept through two looks, or after a second."""
    end = time.monotonic() + _AT_MOST_S
    before = _autograd_threads()
    still = 0
    while before and still < 2 and time.monotonic() < end:
        time.sleep(_LOOK_S)
        now = _autograd_threads()
        still = still + 1 if now == before and all("S (sleeping)" in state for state in now.values()) else 0
        before = now


atexit.register(wait_for_autograd_threads)
