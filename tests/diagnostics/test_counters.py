"""What is slow is counted by name, and the summary says it in one line."""

import pytest
import torch

from torch_npu import diagnostics


@pytest.fixture(autouse=True)
def fresh_counters():
    diagnostics.reset()


def test_nothing_happened():
    x = torch.ones(3, device="npu")
    (x + x).exp()
    assert diagnostics.fallback_counts() == {}
    assert diagnostics.summary() == "no fallbacks, no host waits"


def test_a_fallback_is_counted_by_operator():
    x = torch.ones(3, device="npu")
    for _ in range(2):
        torch.special.airy_ai(x)
    assert diagnostics.fallback_counts() == {"aten::special_airy_ai.out": 2}
    assert diagnostics.summary().startswith("2 fallbacks (aten::special_airy_ai.out 2), ")


def test_item_makes_the_host_wait():
    torch.ones(1, device="npu").item()
    assert sum(diagnostics.host_wait_counts().values()) == 1


def test_reset():
    torch.ones(1, device="npu").item()
    diagnostics.reset()
    assert diagnostics.host_wait_counts() == {}
