"""torch.npu.FloatTensor and its like: the old way to name device and dtype at once, as torch.FloatTensor is the CPU's.

`torch.npu.FloatTensor(2, 3)` and `torch.npu.FloatTensor([1.0])` make tensors, `isinstance` tells them, `x.type(...)` converts.
"""

from __future__ import annotations

import torch


class TensorType(type):
    """The type of these types: it knows a tensor by device and dtype."""

    dtype: torch.dtype

    def __call__(cls, *args) -> torch.Tensor:
        return torch.tensor([], dtype=cls.dtype).new(*args).npu()

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, torch.Tensor) and instance.is_npu and instance.dtype == cls.dtype


def tensor_type(name: str) -> TensorType:
    """torch.npu.<name>, of the dtype that torch.<name> has. Tensor.type reads the dtype from the class's full name."""
    return TensorType(f"torch.npu.{name}", (), {"dtype": getattr(torch, name).dtype, "__module__": "torch.npu"})


BFloat16Tensor = tensor_type("BFloat16Tensor")
BoolTensor = tensor_type("BoolTensor")
ByteTensor = tensor_type("ByteTensor")
CharTensor = tensor_type("CharTensor")
DoubleTensor = tensor_type("DoubleTensor")
FloatTensor = tensor_type("FloatTensor")
HalfTensor = tensor_type("HalfTensor")
IntTensor = tensor_type("IntTensor")
LongTensor = tensor_type("LongTensor")
ShortTensor = tensor_type("ShortTensor")
