"""Pointwise operators on random dtypes, shapes, strides and broadcasts: the CPU's result, in every form."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F
from hypothesis import strategies as st

import torch_npu  # noqa: F401
from tests.ops.properties import DTYPES, MANY, broadcastable, check, run, shapes, tensors

UNARY = [
    torch.abs, torch.acos, torch.acosh, torch.angle, torch.asin, torch.asinh, torch.atan, torch.atanh, torch.bitwise_not,
    torch.ceil, torch.conj_physical, torch.cos, torch.cosh, torch.deg2rad, torch.digamma, torch.erf, torch.erfc, torch.erfinv,
    torch.exp, torch.exp2, torch.expm1, torch.fix, torch.floor, torch.frac, torch.isfinite, torch.isinf, torch.isnan,
    torch.isneginf, torch.isposinf, torch.lgamma, torch.log, torch.log10, torch.log1p, torch.log2, torch.logical_not, torch.neg,
    torch.positive, torch.reciprocal, torch.relu, torch.round, torch.rsqrt, torch.sigmoid, torch.sgn, torch.sign, torch.signbit,
    torch.sin, torch.sinc, torch.sinh, torch.sqrt, torch.square, torch.tan, torch.tanh, torch.trunc, F.celu, F.elu, F.gelu,
    F.hardsigmoid, F.hardswish, F.hardtanh, F.leaky_relu, F.logsigmoid, F.mish, F.relu6, F.selu, F.silu, F.softplus,
    F.softshrink, F.softsign, torch.nan_to_num, torch.special.entr, torch.special.i0, torch.special.ndtr,
]  # fmt: skip
BINARY = [
    torch.add, torch.sub, torch.mul, torch.maximum, torch.minimum, torch.fmax, torch.fmin, torch.atan2, torch.hypot,
    torch.copysign, torch.nextafter, torch.logaddexp, torch.logaddexp2, torch.xlogy, torch.eq, torch.ne, torch.lt, torch.le,
    torch.gt, torch.ge, torch.logical_and, torch.logical_or, torch.logical_xor, torch.bitwise_and, torch.bitwise_or,
    torch.bitwise_xor, torch.heaviside, torch.gcd, torch.lcm, torch.isclose, torch.ldexp,
]  # fmt: skip
DIVISIONS = [torch.div, torch.true_divide, torch.floor_divide, torch.remainder, torch.fmod]  # integers by 0: docs/differences.md
IN_PLACE = "add_ sub_ mul_ div_ atan2_ eq_ lt_ logical_and_ bitwise_or_ copysign_ hypot_ xlogy_".split()


def unary(data: st.DataObject) -> None:
    function, dtype = data.draw(st.sampled_from(UNARY)), data.draw(st.sampled_from(DTYPES))
    kind = data.draw(st.sampled_from(["normal", "special"])) if function is not F.gelu else "normal"  # NaN of inf on the CPU
    x = data.draw(tensors(dtype, data.draw(shapes()), kind))
    check(function, x)


def two(data: st.DataObject, divisor: bool = False):
    shape = data.draw(shapes())
    first, second = data.draw(st.sampled_from(DTYPES)), data.draw(st.sampled_from(DTYPES))
    if data.draw(st.booleans()):
        second = first
    kind = data.draw(st.sampled_from(["normal", "special"]))
    a = data.draw(tensors(first, data.draw(broadcastable(shape)), kind))
    b = data.draw(tensors(second, data.draw(broadcastable(shape)), "nonzero" if divisor else kind))
    if divisor and second is torch.bool:
        b = data.draw(tensors(torch.int8, list(b.cpu.shape), "nonzero"))
    return a, b


def binary(data: st.DataObject) -> None:
    function = data.draw(st.sampled_from([*BINARY, *DIVISIONS]))
    a, b = two(data, divisor=function in DIVISIONS)
    if data.draw(st.integers(0, 3)) == 0:
        b = data.draw(st.sampled_from([2, 1.5, -3, True]))  # a Python number; not every function takes one
    check(function, a, b)


def ternary(data: st.DataObject) -> None:
    dtype, shape = data.draw(st.sampled_from(DTYPES)), data.draw(shapes())
    a, b = (data.draw(tensors(dtype, data.draw(broadcastable(shape)))) for _ in range(2))
    c = data.draw(tensors(dtype, data.draw(broadcastable(shape)), "nonzero"))
    condition = data.draw(tensors(torch.bool, data.draw(broadcastable(shape))))
    value = data.draw(st.sampled_from([1, 2, 0.5, -1]))
    for function, operands in (
        (torch.where, (condition, a, b)),
        (lambda x, y, z: torch.addcmul(x, y, z, value=value), (a, b, c)),
        (lambda x, y, z: torch.addcdiv(x, y, z, value=value), (a, b, c)),
        (torch.clamp, (a, b, c)),
        (torch.lerp, (a, b, c)),
        (lambda x, y: torch.lerp(x, y, 0.3), (a, b)),
        (lambda x, y: torch.add(x, y, alpha=value), (a, b)),
        (lambda x: torch.clamp(x, -1, value), (a,)),
    ):
        check(function, *operands, weight=20)  # a product of two numbers may cancel a third


def written(data: st.DataObject) -> None:
    """In place, into out= of any layout or a castable dtype, and over memory that is also read."""
    shape = data.draw(shapes())
    first, second = data.draw(st.sampled_from(DTYPES)), data.draw(st.sampled_from(DTYPES))
    b = data.draw(tensors(second, data.draw(broadcastable(shape)), "nonzero"))
    x = data.draw(tensors(first, shape, overlap=False))
    method = data.draw(st.sampled_from(IN_PLACE))

    def in_place(t: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
        getattr(t, method)(other)
        return t

    check(in_place, x, b)
    out = data.draw(tensors(data.draw(st.sampled_from(DTYPES)), data.draw(st.sampled_from([shape, [0]])), overlap=False))
    a = data.draw(tensors(first, shape))
    function = data.draw(st.sampled_from([torch.add, torch.mul, torch.div, torch.maximum, torch.lt, torch.atan2]))
    computed = torch.result_type(a.cpu, b.cpu)
    computed = computed if computed.is_floating_point or computed.is_complex else torch.float32  # as division does
    check(lambda s, o, t: function(s, o, out=t), a, b, out, computed=computed)


PROPERTIES = [unary, binary, ternary, written]


@pytest.mark.parametrize("body", PROPERTIES, ids=lambda p: p.__name__)
def test_equals_the_cpu(body) -> None:
    run(body, 40, derandomize=True)


@pytest.mark.slow
@pytest.mark.parametrize("body", PROPERTIES, ids=lambda p: p.__name__)
def test_equals_the_cpu_many_times(body) -> None:
    run(body, MANY)
