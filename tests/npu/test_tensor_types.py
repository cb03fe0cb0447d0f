"""torch.npu.FloatTensor and its like: made, recognised and converted to as torch.FloatTensor is."""

import pytest
import torch

NAMES = [f"{kind}Tensor" for kind in "BFloat16 Bool Byte Char Double Float Half Int Long Short".split()]


@pytest.mark.parametrize("name", NAMES)
def test_it_is_the_cpu_s_type_on_the_device(name: str) -> None:
    own, cpu = getattr(torch.npu, name), getattr(torch, name)
    made = own([1, 0])
    assert made.device == torch.device("npu:0") and made.dtype == cpu.dtype and made.tolist() == [1, 0]
    assert own(2, 3).shape == (2, 3)
    assert isinstance(made, own) and not isinstance(made.cpu(), own) and not isinstance(torch.ones(1, dtype=torch.cfloat), own)
    for to in (own, f"torch.npu.{name}"):
        assert torch.ones(2).type(to).type() == f"torch.npu.{name}"
