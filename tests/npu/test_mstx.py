"""torch.npu.mstx: a program's marks and ranges stand in the profile, around the work launched inside."""

import pytest
import torch


def test_marks_and_ranges_are_in_the_profile() -> None:
    mstx = torch.npu.mstx
    x = torch.ones(4, 4, device="npu")

    @mstx.mstx_range("decorated")
    def product() -> torch.Tensor:
        return x @ x

    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
        mstx.mark("moment")
        assert (mstx.range_push("outer"), mstx.range_push("inner", domain="mine")) == (0, 1)
        first, second = mstx.range_start("first"), mstx.range_start("second")
        product()
        mstx.range_end(first)
        mstx.range_end(second)
        assert (mstx.range_pop(), mstx.range_pop()) == (1, 0)
        with mstx.mstx_range("context"):
            product()
    counts = {event.key: event.count for event in profile.key_averages()}
    assert {name: counts.get(name) for name in ("moment", "outer", "mine: inner", "first", "second", "context", "decorated")} == {
        "moment": 1, "outer": 1, "mine: inner": 1, "first": 1, "second": 1, "context": 1, "decorated": 2,
    }  # fmt: skip


def test_what_is_not_open_cannot_be_closed() -> None:
    with pytest.raises(RuntimeError, match="no open range"):
        torch.npu.mstx.range_pop()
    with pytest.raises(ValueError, match="7000 is no open range"):
        torch.npu.mstx.range_end(7000)
