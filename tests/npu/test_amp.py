"""torch.npu's words for the state of autocast."""

import torch


def test_the_state_of_autocast() -> None:
    assert not torch.npu.is_autocast_enabled()
    with torch.autocast("npu", dtype=torch.bfloat16):
        assert torch.npu.is_autocast_enabled() and torch.npu.get_autocast_dtype() == torch.bfloat16
        torch.npu.set_autocast_enabled(False)
        assert not torch.is_autocast_enabled("npu")
        torch.npu.set_autocast_dtype(torch.float16)
        assert torch.get_autocast_dtype("npu") == torch.float16
    assert not torch.npu.is_autocast_enabled()
