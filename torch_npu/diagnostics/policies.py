"""What is to happen when an event happens, in code or by TORCH_NPU_DIAGNOSTICS; and what becomes of float64."""

from __future__ import annotations

import os
from collections.abc import Mapping

from torch_npu import _C
from torch_npu.diagnostics.events import Kind

POLICIES = ("ignore", "count", "warn", "error")  # in the library's order
FLOAT64 = ("native", "float32", "fallback", "error")
VARIABLE = "TORCH_NPU_DIAGNOSTICS"
FLOAT64_VARIABLE = "TORCH_NPU_FLOAT64"


def set_policy(kind: Kind | str, policy: str) -> None:
    """What an event of a kind does from now on.

    Args:
        kind: a Kind or its name ("fallback", "sync", ...); "all" for every kind.
        policy: "ignore" (not even counted), "count" (the default), "warn" (a UserWarning once a line), "error" (RuntimeError,
            before anything has been done). Warnings and errors name the user's line, which costs a little for each operator.

    Raises ValueError for another name.
    """
    for one in _kinds(str(kind)):
        _C.set_event_policy(one, _index_of(policy))


def policies() -> dict[str, str]:
    """Each kind's policy."""
    return {str(kind): POLICIES[_C.event_policy(str(kind))] for kind in Kind}


def _kinds(name: str) -> list[str]:
    known = [str(kind) for kind in Kind]
    if name != "all" and name not in known:
        raise ValueError(f'no such kind of event: "{name}". Kinds: {", ".join(known)}, all')
    return known if name == "all" else [name]


def _index_of(policy: str) -> int:
    if policy not in POLICIES:
        raise ValueError(f'no such policy: "{policy}". Policies: {", ".join(POLICIES)}')
    return POLICIES.index(policy)


def parse(text: str) -> dict[str, str]:
    """ "fallback=error,sync=warn" as a dict; ValueError that names what was given and what is allowed."""
    chosen = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        kind, equals, policy = (word.strip() for word in part.partition("="))
        try:
            if not equals:
                raise ValueError(f'"{part}" is not kind=policy')
            _index_of(policy)
            chosen.update(dict.fromkeys(_kinds(kind), policy))
        except ValueError as error:
            raise ValueError(f'{VARIABLE}="{text}": {error}. Example: {VARIABLE}="fallback=error,sync=warn"') from None
    return chosen


def apply_environment(environment: Mapping[str, str] = os.environ) -> None:
    """What the two variables ask for; ValueError if one of them cannot be read."""
    for kind, policy in parse(environment.get(VARIABLE, "")).items():
        set_policy(kind, policy)
    set_float64(environment.get(FLOAT64_VARIABLE) or "native")


def set_float64(choice: str) -> None:
    """What becomes of float64: "native" (computed, flagged), "float32" (tensors made, cast or moved there are float32),
    "fallback" (its operators run on the CPU, counted), "error". ValueError for another name."""
    if choice not in FLOAT64:
        raise ValueError(f'{FLOAT64_VARIABLE} should be one of {", ".join(FLOAT64)}, but is "{choice}"')
    _C.set_float64_mode(0 if choice == "error" else FLOAT64.index(choice))
    if choice == "error":
        set_policy(Kind.float64, "error")
