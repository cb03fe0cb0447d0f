"""What several families' tests share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from torch_npu import diagnostics


@pytest.fixture
def native() -> Iterator[None]:
    """Fails the test if anything of it ended on the CPU."""
    diagnostics.reset()
    yield
    assert diagnostics.fallback_counts() == {}
