"""Seeds and generator states; what operators draw from them is tested with the operators."""

from __future__ import annotations

import pytest
import torch

import torch_npu  # noqa: F401


def test_seeding():
    torch.manual_seed(5)
    a = torch.randn(9, device="npu")
    torch.npu.manual_seed(5)
    assert torch.equal(torch.randn(9, device="npu"), a)
    assert torch.npu.initial_seed() == 5
    assert not torch.equal(torch.randn(9, device="npu"), a)


def test_states():
    state = torch.npu.get_rng_state()
    assert state.dtype == torch.uint8 and state.numel() == 16 and state.device.type == "cpu"
    a = torch.rand(5, device="npu")
    torch.npu.set_rng_state(state)
    assert torch.equal(torch.rand(5, device="npu"), a)
    torch.npu.set_rng_state_all([state])
    assert torch.equal(torch.rand(5, device="npu"), a)
    with pytest.raises(RuntimeError, match="RNG state is wrong size: 3 bytes, an NPU generator's has 16"):
        torch.npu.set_rng_state(torch.zeros(3, dtype=torch.uint8))


def test_a_generator_of_its_own():
    g = torch.Generator("npu").manual_seed(3)
    a = torch.randn(4, generator=g, device="npu")
    assert g.device == torch.device("npu:0")
    assert torch.equal(torch.randn(4, generator=torch.Generator("npu:0").manual_seed(3), device="npu"), a)
    twin = g.clone_state()
    assert torch.equal(torch.rand(3, generator=g, device="npu"), torch.rand(3, generator=twin, device="npu"))
    with pytest.raises(RuntimeError, match="Expected a 'npu' device type for generator but found 'cpu'"):
        torch.randn(3, generator=torch.Generator(), device="npu")


def test_fork_rng():
    with torch.random.fork_rng(device_type="npu"):
        a = torch.rand(3, device="npu")
    assert torch.equal(torch.rand(3, device="npu"), a)


def test_fallbacks_follow_the_npu_seed():
    x = torch.full((64,), 2.0, device="npu")
    torch.npu.manual_seed(1)
    a = torch._standard_gamma(x)
    torch.npu.manual_seed(1)
    assert torch.equal(torch._standard_gamma(x), a)
