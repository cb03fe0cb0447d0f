"""What the property tests share: tensors of any layout, the same on both devices, and the comparison.

A tensor is drawn as a storage and a view of it: any order of dimensions, every second or third element, dimensions of
size 0 and 1, expanded dimensions, an odd offset. Both devices see the same storage through the same view.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

REAL = [torch.float32, torch.float64, torch.float16, torch.bfloat16]
FLOATING = [*REAL, torch.complex64, torch.complex128]
INTEGRAL = [torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8]
DTYPES = [*FLOATING, *INTEGRAL, torch.bool]

# Relative, and absolute beside the size of what was summed.
TOLERANCES = {
    torch.float64: (1e-9, 1e-10), torch.complex128: (1e-9, 1e-10), torch.float32: (1e-4, 1e-5), torch.complex64: (1e-4, 1e-5),
    torch.float16: (2e-3, 1e-3), torch.bfloat16: (1.6e-2, 1e-2),
}  # fmt: skip
SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, 2.0, float("inf"), float("-inf"), float("nan")]

MANY = int(os.environ.get("NPU_PROPERTY_EXAMPLES", "400"))


def run(body: Callable[[st.DataObject], None], examples: int, **options: bool) -> None:
    """body for many draws; the same ones each time with derandomize=True."""
    chosen = settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck), **options)
    chosen(given(st.data())(lambda data: body(data)))()


@dataclass(frozen=True)
class Drawn:
    """One tensor on both devices."""

    cpu: torch.Tensor
    npu: torch.Tensor

    def __repr__(self) -> str:
        shown = self.cpu.tolist() if self.cpu.numel() <= 20 else f"{self.cpu.flatten()[:20].tolist()} ..."
        return f"{self.cpu.dtype} {list(self.cpu.shape)} strides {self.cpu.stride()} offset {self.cpu.storage_offset()}: {shown}"


def filled(dtype: torch.dtype, count: int, seed: int, kind: str) -> torch.Tensor:
    """kind: "normal" numbers; "special" ones among them (infinities, NaN, zeros of both signs); small "whole" ones; "nonzero"."""
    generator = torch.Generator().manual_seed(seed)
    if dtype is torch.bool:
        return torch.rand(count, generator=generator) < 0.5
    low = 1 if kind == "nonzero" else 0 if dtype is torch.uint8 else -4
    if not (dtype.is_floating_point or dtype.is_complex) or kind in ("whole", "nonzero"):
        return torch.randint(low, 5, (count,), generator=generator).to(dtype)
    values = torch.randn(count, generator=generator, dtype=torch.float64) * 2
    if dtype.is_complex:
        return torch.complex(values, torch.randn(count, generator=generator, dtype=torch.float64)).to(dtype)
    if kind == "special":
        chosen = torch.tensor(SPECIAL, dtype=torch.float64)[torch.randint(len(SPECIAL), (count,), generator=generator)]
        values = torch.where(torch.rand(count, generator=generator) < 0.3, chosen, values)
    return values.to(dtype)


def viewed(storage: torch.Tensor, shape: Sequence[int], strides: Sequence[int], offset: int) -> Drawn:
    return Drawn(storage.as_strided(shape, strides, offset), storage.to("npu").as_strided(shape, strides, offset))


@st.composite
def tensors(draw: st.DrawFn, dtype: torch.dtype, shape: Sequence[int], kind: str = "normal", overlap: bool = True) -> Drawn:
    """overlap=False: no two elements in one place, so that it may be written."""
    plain = draw(st.integers(0, 2)) == 0
    order = list(range(len(shape))) if plain else draw(st.permutations(range(len(shape))))
    step = 1 if plain else draw(st.sampled_from([1, 1, 2, 3]))
    strides, span = [0] * len(shape), step
    for d in reversed(order):
        if overlap and not plain and draw(st.integers(0, 5)) == 0:
            continue  # expanded
        strides[d] = span
        span *= max(shape[d], 1)
    offset = 0 if plain else draw(st.sampled_from([0, 0, 1, 3]))
    storage = filled(dtype, offset + span, draw(st.integers(0, 9999)), kind)
    return viewed(storage, shape, strides, offset)


def shapes(min_dims: int = 0, max_dims: int = 4, empty: bool = True) -> st.SearchStrategy[list[int]]:
    """Mostly small; one dimension in ten is long enough for whole vectors and their remainders."""
    smallest = 0 if empty else 1
    size = st.one_of(*[st.integers(1, 5)] * 8, st.integers(smallest, 1), st.integers(17, 70))
    return st.lists(size, min_size=min_dims, max_size=max_dims)


@st.composite
def broadcastable(draw: st.DrawFn, shape: Sequence[int]) -> list[int]:
    """A shape that broadcasts to `shape`."""
    kept = [1 if draw(st.integers(0, 4)) == 0 else size for size in shape]
    return kept[draw(st.integers(0, len(kept))) if draw(st.integers(0, 2)) == 0 else 0 :]


def close(got: torch.Tensor, want: torch.Tensor, weight: float = 1.0, computed: torch.dtype | None = None) -> None:
    """Equal in shape and dtype and, within the tolerance of the dtype (it was computed in), in value.

    weight: the size of what was summed.
    """
    assert got.device.type == "npu"
    assert got.shape == want.shape and got.dtype == want.dtype, (got.shape, got.dtype, want.shape, want.dtype)
    rtol, atol = max(TOLERANCES.get(dtype, (0.0, 0.0)) for dtype in (want.dtype, computed))
    torch.testing.assert_close(got.cpu(), want, rtol=rtol, atol=atol * max(weight, 1.0), equal_nan=True)


def applied(function: Callable[..., object], operands: Sequence[object]) -> tuple[object, Exception | None]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return function(*operands), None
    except (RuntimeError, IndexError, ValueError, TypeError) as error:
        return None, error


WIDER = {
    torch.float16: torch.float32,
    torch.bfloat16: torch.float32,
    torch.float32: torch.float64,
    torch.complex64: torch.complex128,
}


def widened(operand: object) -> object:
    is_narrow = isinstance(operand, torch.Tensor) and operand.dtype in WIDER
    return operand.to(WIDER[operand.dtype]) if is_narrow else operand


def check(
    function: Callable[..., object], *operands: object, weight: float = 1.0, computed: torch.dtype | None = None
) -> object:
    """function gives the same on both devices, or refuses on both for the same kind of error; the device's result.

    A dtype for which the CPU has no kernel ("not implemented for 'Bool'") says nothing of the device. Results may instead equal
    what the CPU gives in the next wider type, rounded once: it rounds some of its own sums at every step (its float32 norm of 4.8
    million elements is wrong by 1.2e-4 of itself).
    """
    cpu = [o.cpu if isinstance(o, Drawn) else o for o in operands]
    wide = [widened(o) for o in cpu]  # before the call, which may write
    want, refused = applied(function, cpu)
    got, refused_too = applied(function, [o.npu if isinstance(o, Drawn) else o for o in operands])
    if isinstance(refused, NotImplementedError):
        return None
    assert type(refused) is type(refused_too), f"CPU: {refused!r}\nNPU: {refused_too!r}"
    for i, (mine, theirs) in enumerate(zip(listed(got), listed(want), strict=True)):
        try:
            close(mine, theirs, weight, computed)
        except AssertionError:
            if all(same is operand for same, operand in zip(wide, cpu, strict=True)):
                raise
            close(mine, listed(applied(function, wide)[0])[i].to(theirs.dtype), weight, computed)
    return got


def listed(result: object) -> list[torch.Tensor]:
    return [] if result is None else [result] if isinstance(result, torch.Tensor) else list(result)
