"""A policy makes an event nothing, a number, a warning once a line, or an error that names the line."""

from __future__ import annotations

import inspect
import warnings

import pytest
import torch

from torch_npu import diagnostics


@pytest.fixture
def x() -> torch.Tensor:
    return torch.ones(2, device="npu")


def line() -> int:
    return inspect.currentframe().f_back.f_lineno


def test_ignored_events_are_not_counted(x):
    diagnostics.set_policy("sync", "ignore")
    x[0].item()
    assert diagnostics.host_wait_counts() == {}


def test_an_error_comes_before_the_event_and_names_the_line(x):
    diagnostics.set_policy("fallback", "error")
    with pytest.raises(RuntimeError, match="an operator ran on the CPU: aten::special_airy_ai") as error:
        torch.special.airy_ai(x)
    assert f"{__file__}:{line() - 1}" in str(error.value)
    assert "The policy fallback=error" in str(error.value)


def test_a_warning_once_a_line(x):
    diagnostics.set_policy("sync", "warn")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(3):
            x[0].item()
        x[1].item()
    told = [str(warning.message) for warning in caught]
    assert len(told) == 2
    assert "called a synchronizing NPU operation: item" in told[0] and f":{line() - 4}" in told[0]
    assert f":{line() - 4}" in told[1]


def test_all_kinds_at_once():
    diagnostics.set_policy("all", "ignore")
    assert set(diagnostics.policies().values()) == {"ignore"}


@pytest.mark.parametrize("mode", [("default", 0), ("warn", 1), ("error", 2)])
def test_sync_debug_mode(mode):
    for asked in mode:
        torch.npu.set_sync_debug_mode(asked)
        assert torch.npu.get_sync_debug_mode() == mode[1]
    assert diagnostics.policies()["sync"] == ("count", "warn", "error")[mode[1]]


def test_sync_debug_mode_error(x):
    torch.npu.set_sync_debug_mode("error")
    with pytest.raises(RuntimeError, match="called a synchronizing NPU operation"):
        x.cpu()


@pytest.mark.parametrize("mode", [3, -1, "loud", True, None])
def test_a_wrong_sync_debug_mode(mode):
    with pytest.raises(RuntimeError, match="invalid value of debug_mode"):
        torch.npu.set_sync_debug_mode(mode)


@pytest.mark.parametrize(
    ("text", "parsed"),
    [
        ("", {}),
        ("fallback=error,sync=warn", {"fallback": "error", "sync": "warn"}),
        (" float64 = ignore , ", {"float64": "ignore"}),
    ],
)
def test_the_variables_grammar(text, parsed):
    assert diagnostics.parse_policies(text) == parsed


@pytest.mark.parametrize(
    ("variables", "told"),
    [
        ({"TORCH_NPU_DIAGNOSTICS": "sycn=warn"}, 'TORCH_NPU_DIAGNOSTICS="sycn=warn": no such kind of event: "sycn". Kinds: fall'),
        ({"TORCH_NPU_DIAGNOSTICS": "sync=loud"}, 'no such policy: "loud". Policies: ignore, count, warn, error'),
        ({"TORCH_NPU_DIAGNOSTICS": "garbage"}, '"garbage" is not kind=policy. Example: TORCH_NPU_DIAGNOSTICS="fallback=error,'),
        ({"TORCH_NPU_FLOAT64": "half"}, 'TORCH_NPU_FLOAT64 should be one of native, float32, fallback, error, but is "half"'),
    ],
)
def test_garbage_in_a_variable(fresh, variables, told):
    process = fresh("import torch_npu", **variables)
    assert process.returncode == 1
    assert told in process.stderr


def test_the_variable_sets_policies(fresh):
    process = fresh(
        "import torch, torch_npu; torch.ones(1, device='npu').item()",
        TORCH_NPU_DIAGNOSTICS="sync=error,fallback=warn",
    )
    assert process.returncode == 1
    assert "called a synchronizing NPU operation: item, at <string>:1. The policy sync=error" in process.stderr
