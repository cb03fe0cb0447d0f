"""Matrix products on the device: PyTorch's results for every dtype
and stride, and the same bits whatever the number of threads."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
import torch
import torch.nn.functional as F

import torch_npu

DTYPES = [torch.float32, torch.float16, torch.bfloat16, torch.float64, torch.int8, torch.int64, torch.complex64]
TOLERANCE = {torch.float16: 2e-3, torch.bfloat16: 1.6e-2, torch.float32: 1e-5, torch.complex64: 1e-5, torch.float64: 1e-12}


def sample(*shape: int, dtype: torch.dtype = torch.float32, seed: int = 0) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed + sum(shape))
    if dtype.is_floating_point or dtype.is_complex:
        return torch.randn(shape, generator=generator, dtype=torch.float64).to(dtype)
    return torch.randint(-9, 9, shape, generator=generator).to(dtype)


def close(got: torch.Tensor, want: torch.Tensor) -> None:
    assert got.device.type == "npu"
    tolerance = TOLERANCE.get(want.dtype, 0)
    torch.testing.assert_close(got.cpu(), want, rtol=tolerance, atol=4 * tolerance, equal_nan=True)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize(
    "m, k, n", [(1, 1, 1), (3, 5, 7), (1, 300, 40), (40, 300, 1), (33, 17, 65), (130, 70, 90), (9, 300, 64), (24, 260, 33)]
)
def test_every_dtype_and_layout(dtype: torch.dtype, m: int, k: int, n: int) -> None:
    a, b = sample(m, k, dtype=dtype), sample(k, n, dtype=dtype)
    want = a @ b
    for x in (a.npu(), a.t().contiguous().npu().t(), torch.stack((a, a), -1).npu()[..., 1]):
        for y in (b.npu(), b.t().contiguous().npu().t()):
            close(x @ y, want)


def test_sizes_that_multiply_nothing() -> None:
    assert (torch.zeros(3, 0, device="npu") @ torch.zeros(0, 4, device="npu")).cpu().equal(torch.zeros(3, 4))
    assert (torch.zeros(0, 3, device="npu") @ torch.zeros(3, 4, device="npu")).shape == (0, 4)


def test_beta_zero_does_not_read_self() -> None:
    a, b = sample(3, 4).npu(), sample(4, 5).npu()
    nan = torch.full((3, 5), float("nan"), device="npu")
    close(torch.addmm(nan, a, b, beta=0), (a @ b).cpu())
    close(torch.addmm(nan[0], a, b, beta=2), torch.full((3, 5), float("nan")))


def test_nan_and_infinity_go_through() -> None:
    a = torch.tensor([[1.0, float("inf")], [float("nan"), 0.0]])
    close(a.npu() @ torch.eye(2).npu(), a @ torch.eye(2))


def test_integers_wrap() -> None:
    a = torch.full((2, 3), 100, dtype=torch.int8)
    close(a.npu() @ a.t().contiguous().npu(), a @ a.t())


@pytest.mark.parametrize(
    "a, b", [((4,), (4,)), ((3, 4), (4,)), ((4,), (4, 5)), ((2, 3, 4), (4, 5)), ((2, 1, 3, 4), (5, 4, 2)), ((4,), (2, 4, 3))]
)
def test_matmul_broadcasts_and_differentiates(a: tuple[int, ...], b: tuple[int, ...]) -> None:
    leaves = [sample(*a).requires_grad_(), sample(*b, seed=1).requires_grad_()]
    on_device = [x.detach().npu().requires_grad_() for x in leaves]
    want, got = torch.matmul(*leaves), torch.matmul(*on_device)
    close(got.detach(), want.detach())
    seed = sample(*want.shape, seed=2)
    for x, y in zip(torch.autograd.grad(got, on_device, seed.npu()), torch.autograd.grad(want, leaves, seed), strict=True):
        close(x, y)


def test_gradients_of_gradients() -> None:
    a, b = (sample(3, 3, dtype=torch.float64, seed=s).npu().requires_grad_() for s in (0, 1))
    assert torch.autograd.gradgradcheck(torch.matmul, (a, b))
    assert torch.autograd.gradgradcheck(F.linear, (a, b))


def test_linear_is_one_node() -> None:
    x, w, b = (sample(*s).npu().requires_grad_() for s in ((2, 3, 8), (5, 8), (5,)))
    y = F.linear(x, w, b)
    assert type(y.grad_fn).__name__ == "LinearBackward0"
    close(y.detach(), F.linear(x.detach().cpu(), w.detach().cpu(), b.detach().cpu()))


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
def test_large_products(dtype: torch.dtype) -> None:
    """Large enough for oneDNN, with edges that no tile divides."""
    x, w, b = sample(300, 260, dtype=dtype), sample(513, 260, dtype=dtype), sample(513, dtype=dtype)
    want = F.linear(x.double(), w.double(), b.double()).to(dtype)
    close(F.linear(x.npu(), w.npu(), b.npu()), want)
    close(
        torch.addmm(b.npu(), x.npu(), w.npu().t(), beta=2, alpha=3),
        (2 * b.double() + 3 * (x.double() @ w.double().t())).to(dtype),
    )


@pytest.mark.parametrize(
    "a, b, text", [((2, 3), (4, 5), "cannot be multiplied"), ((), (3,), "at least 1D"), ((2, 3, 4), (5, 4, 2), "must match")]
)
def test_shapes_that_do_not_fit(a: tuple[int, ...], b: tuple[int, ...], text: str) -> None:
    with pytest.raises(RuntimeError, match=text):
        torch.matmul(torch.zeros(a, device="npu"), torch.zeros(b, device="npu"))


BITS = """
import hashlib, torch, torch_npu
import torch.nn.functional as F
torch.manual_seed(0)
h = hashlib.sha256()
for dtype in (torch.float32, torch.bfloat16, torch.float64):
    x, w = torch.randn(333, 500).to(dtype).npu(), torch.randn(700, 500).to(dtype).npu()
    q = torch.randn(1, 3, 200, 40).to(dtype).npu()
    c, k = torch.randn(2, 16, 30, 30).to(dtype).npu(), torch.randn(48, 16, 3, 3).to(dtype).npu()
    for y in (F.linear(x, w), x[:1] @ w.t(), F.scaled_dot_product_attention(q, q, q, is_causal=True), F.conv2d(c, k, padding=1)):
        h.update(y.double().cpu().numpy().tobytes())
print(h.hexdigest())
"""


def test_threads_do_not_change_the_bits() -> None:
    digests = {
        subprocess.run(
            [sys.executable, "-c", BITS],
            env={**os.environ, "NPU_EMBEDDED_THREADS": threads},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for threads in ("1", "2", "3")
    }
    assert len(digests) == 1


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16, torch.int64, torch.complex64], ids=str)
def test_addr_rounds_where_the_cpu_does(dtype):
    whole = dtype == torch.int64
    m, a, b = ((torch.randn(n) * 9).to(dtype) for n in ((5, 7), (5,), (7,)))
    for beta, alpha in ((2, 3), (0, 1), (1, -2)) if whole else ((0.3, -1.7), (0, 0.6), (1, 1)):
        got = torch.addr(m.npu(), a.npu(), b.npu(), beta=beta, alpha=alpha)
        torch.testing.assert_close(got.cpu(), torch.addr(m, a, b, beta=beta, alpha=alpha), rtol=1e-6, atol=1e-5)
    with pytest.raises(RuntimeError, match="Expected 1-D argument vec1"):
        torch.addr(m.npu(), m.npu(), b.npu())


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_products_into_float32_are_not_rounded_on_the_way(dtype):
    a, b, c = sample(3, 70, dtype=dtype), sample(70, 4, dtype=dtype), sample(4, dtype=dtype)
    batches = a.expand(2, 3, 70), b.expand(2, 70, 4)
    npu = {t: t.npu() for t in (a, b, c, *batches)}
    wide, bias = a.float() @ b.float(), c.float()
    torch_npu.diagnostics.reset()
    for got, want in (
        (torch.mm(npu[a], npu[b], out_dtype=torch.float32), wide),
        (torch.bmm(npu[batches[0]], npu[batches[1]], out_dtype=torch.float32), wide.expand(2, 3, 4)),
        (torch.addmm(npu[c], npu[a], npu[b], out_dtype=torch.float32, beta=2, alpha=0.5), 2 * bias + 0.5 * wide),
        (torch.baddbmm(npu[c], npu[batches[0]], npu[batches[1]], out_dtype=torch.float32), (bias + wide).expand(2, 3, 4)),
        (torch.mm(npu[a], npu[b], out_dtype=torch.float32, out=torch.empty(3, 4, device="npu")), wide),
    ):
        assert got.dtype == torch.float32
        torch.testing.assert_close(got.cpu(), want, rtol=1e-5, atol=1e-5)
    assert torch_npu.diagnostics.fallback_counts() == {}
    with pytest.raises(RuntimeError, match="out_dtype"):
        torch.mm(npu[a], npu[b], out_dtype=torch.float64)
