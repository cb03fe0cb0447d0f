"""Matrix products on random dtypes, shapes, strides and broadcasts: the CPU's result.

Operands are small whole numbers, so that sums are exact in every dtype and any difference is a fault; the "normal" ones
check the rounding.
"""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F
from hypothesis import strategies as st

import torch_npu  # noqa: F401
from tests.ops.properties import FLOATING, INTEGRAL, MANY, Drawn, broadcastable, check, run, shapes, tensors

DTYPES = [*FLOATING, *FLOATING, *INTEGRAL]


def size(data: st.DataObject) -> int:
    return data.draw(st.one_of(*[st.integers(1, 9)] * 6, st.integers(0, 1), st.integers(15, 80)))


def operand(data: st.DataObject, dtype: torch.dtype, *shape: int, overlap: bool = True) -> Drawn:
    kind = data.draw(st.sampled_from(["whole", "whole", "normal"]))
    return data.draw(tensors(dtype, list(shape), kind, overlap=overlap))


def multiplied(function, *operands: Drawn, depth: int) -> None:
    check(function, *operands, weight=(depth + 1) ** 0.5 * 10)


def factors(data: st.DataObject, dtype: torch.dtype) -> dict[str, float]:
    choices = [0, 1, 2, -3] if dtype in INTEGRAL else [0, 1, 0.5, -2]
    return {"beta": data.draw(st.sampled_from(choices)), "alpha": data.draw(st.sampled_from(choices))}


def matmul(data: st.DataObject) -> None:
    """Vectors, matrices and broadcast batches of either."""
    dtype, m, n, k = data.draw(st.sampled_from(DTYPES)), size(data), size(data), size(data)
    batch = data.draw(shapes(max_dims=2))
    left = [*data.draw(broadcastable(batch)), m, k] if data.draw(st.integers(0, 4)) else [k]
    right = [*data.draw(broadcastable(batch)), k, n] if data.draw(st.integers(0, 4)) else [k]
    multiplied(torch.matmul, operand(data, dtype, *left), operand(data, dtype, *right), depth=k)


def matrices(data: st.DataObject) -> None:
    dtype, m, n, k = data.draw(st.sampled_from(DTYPES)), size(data), size(data), size(data)
    a, b = operand(data, dtype, m, k), operand(data, dtype, k, n)
    multiplied(torch.mm, a, b, depth=k)
    scale = factors(data, dtype)
    c = operand(data, dtype, *data.draw(broadcastable([m, n])))
    multiplied(lambda x, y, z: torch.addmm(x, y, z, **scale), c, a, b, depth=k)
    v = operand(data, dtype, k)
    multiplied(torch.mv, a, v, depth=k)
    bias = operand(data, dtype, *(data.draw(broadcastable([m])) if m and k else [m]))  # the CPU forgets to broadcast it
    multiplied(lambda x, y, z: torch.addmv(x, y, z, **scale), bias, a, v, depth=k)
    out = operand(data, dtype, m, n, overlap=False)
    multiplied(lambda x, y, o: torch.mm(x, y, out=o), a, b, out, depth=k)
    multiplied(lambda o, x, y: o.addmm_(x, y, **scale), out, a, b, depth=k)


def batches(data: st.DataObject) -> None:
    dtype, m, n, k = data.draw(st.sampled_from(DTYPES)), size(data), size(data), size(data)
    count = data.draw(st.integers(0, 4))
    a, b = operand(data, dtype, count, m, k), operand(data, dtype, count, k, n)
    multiplied(torch.bmm, a, b, depth=k)
    scale = factors(data, dtype)
    c = operand(data, dtype, *data.draw(broadcastable([count, m, n])))
    multiplied(lambda x, y, z: torch.baddbmm(x, y, z, **scale), c, a, b, depth=k)
    out = operand(data, dtype, count, m, n, overlap=False)
    multiplied(lambda x, y, o: torch.bmm(x, y, out=o), a, b, out, depth=k)


def layers(data: st.DataObject) -> None:
    """linear, einsum, tensordot, vectors."""
    dtype, m, n, k = data.draw(st.sampled_from(DTYPES)), size(data), size(data), size(data)
    x = operand(data, dtype, *data.draw(shapes(max_dims=2)), k)
    bias = [operand(data, dtype, n)] if data.draw(st.booleans()) else []
    multiplied(F.linear, x, operand(data, dtype, n, k), *bias, depth=k)
    a, b = operand(data, dtype, m, k), operand(data, dtype, n, k)
    multiplied(lambda s, t: torch.einsum("ik,jk->ji", s, t), a, b, depth=k)
    multiplied(lambda s, t: torch.tensordot(s, t, dims=([1], [1])), a, b, depth=k)
    u, v = operand(data, dtype, k), operand(data, dtype, k)
    for function in (torch.dot, torch.vdot, torch.outer, torch.inner):
        multiplied(function, u, v, depth=k)


PROPERTIES = [matmul, matrices, batches, layers]


@pytest.mark.parametrize("body", PROPERTIES, ids=lambda p: p.__name__)
def test_equals_the_cpu(body) -> None:
    run(body, 40, derandomize=True)


@pytest.mark.slow
@pytest.mark.parametrize("body", PROPERTIES, ids=lambda p: p.__name__)
def test_equals_the_cpu_many_times(body) -> None:
    run(body, MANY)
