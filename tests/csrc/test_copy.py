"""Copies between any two places: values arrive, whatever strides, dtypes and bits stand on either side, and nothing else
is touched."""

from __future__ import annotations

import itertools

import pytest
import torch

import torch_npu  # noqa: F401

LAYOUTS = {
    "contiguous": lambda t: t,
    "transposed": lambda t: t.t(),
    "sliced": lambda t: t[1:, ::2],
    "offset": lambda t: t[1:],
}
DTYPES = [torch.float32, torch.float16, torch.bfloat16, torch.float64, torch.int64, torch.uint8, torch.bool, torch.complex64]


def base(device: str, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    return torch.arange(48).reshape(6, 8).to(dtype).to(device)


@pytest.mark.parametrize("places", itertools.product(["cpu", "npu"], repeat=2), ids="->".join)
@pytest.mark.parametrize("source", LAYOUTS)
@pytest.mark.parametrize("target", LAYOUTS)
def test_any_layout(places, source, target):
    src_place, dst_place = places
    for dst_dtype in (torch.float32, torch.int64):
        src = LAYOUTS[source](base(src_place))
        whole, expected = (torch.full((8, 8), -1, dtype=dst_dtype, device=d) for d in (dst_place, "cpu"))
        shape = LAYOUTS[target](expected).shape
        src = src[: min(shape[0], src.shape[0]), : min(shape[1], src.shape[1])]
        part = (slice(0, src.shape[0]), slice(0, src.shape[1]))
        LAYOUTS[target](whole)[part].copy_(src)
        LAYOUTS[target](expected)[part].copy_(src.cpu())
        assert torch.equal(whole.cpu(), expected)


@pytest.mark.parametrize("src_dtype", DTYPES)
def test_any_dtype(src_dtype):
    for dst_dtype in DTYPES:
        if src_dtype.is_complex and not dst_dtype.is_complex:
            continue
        expected = base("cpu", src_dtype).to(dst_dtype)
        assert torch.equal(base("npu", src_dtype).to(dst_dtype).cpu(), expected)
        assert torch.equal(base("npu", src_dtype).to("cpu", dst_dtype), expected)
        assert torch.equal(base("cpu", src_dtype).to("npu", dst_dtype).cpu(), expected)


@pytest.mark.parametrize("places", itertools.product(["cpu", "npu"], repeat=2), ids="->".join)
def test_conjugate_and_negative_bits(places):
    src = torch.complex(torch.arange(4.0), torch.arange(4.0) + 1)
    views = {"plain": lambda t: t, "conj": torch.conj, "neg": lambda t: t.conj().imag, "imag": lambda t: t.imag}
    for (a, from_view), (b, to_view) in itertools.product(views.items(), repeat=2):
        if (a in ("plain", "conj")) != (b in ("plain", "conj")):
            continue
        want = torch.zeros(4, dtype=torch.complex64)
        got = want.to(places[1])
        to_view(want).copy_(from_view(src))
        to_view(got).copy_(from_view(src.to(places[0])))
        assert torch.equal(got.cpu(), want), (a, b)


def test_lazy_bits_resolve():
    x = torch.randn(3, 3, dtype=torch.complex64)
    assert torch.equal(x.npu().conj().resolve_conj().cpu(), x.conj().resolve_conj())
    assert torch.equal(x.npu().H.clone().cpu(), x.H.clone())
    assert torch.equal(x.npu().conj().imag.resolve_neg().cpu(), x.conj().imag.resolve_neg())


def test_broadcast_and_its_errors():
    x = torch.zeros(2, 3, device="npu")
    assert x.copy_(torch.arange(3.0)).tolist() == [[0, 1, 2]] * 2
    with pytest.raises(RuntimeError, match=r"The size of tensor a \(3\) must match the size of tensor b \(4\)"):
        x.copy_(torch.zeros(4, device="npu"))
    with pytest.raises(RuntimeError, match="doesn't match the broadcast shape"):
        x.copy_(torch.zeros(2, 2, 3))


def test_more_than_eight_dimensions():
    x = torch.arange(1024.0, device="npu").reshape([2] * 10)
    y = x.permute(*reversed(range(10)))
    assert torch.equal(y.contiguous().cpu(), y.cpu().contiguous())


def test_overlap_is_refused():
    x = torch.arange(6.0, device="npu")
    with pytest.raises(RuntimeError, match="refer to a single memory location"):
        x[1:].copy_(x[:-1])
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        torch.zeros(1, device="npu").expand(3).copy_(x[:3])


def test_copies_without_waiting_see_the_right_values():
    pinned = torch.arange(1 << 16, dtype=torch.float32).pin_memory()
    x = torch.zeros(1 << 16, device="npu")
    for i in range(8):
        x.copy_(pinned, non_blocking=True)
        x += i
        back = x.to("cpu", non_blocking=True)
        torch.npu.synchronize()
        assert torch.equal(back, pinned + i)


def test_a_busy_device_does_not_make_the_host_wait():
    x = torch.ones(1 << 22, device="npu")
    torch.npu.diagnostics.reset()
    for i in range(4):
        x.mul_(1.0)
        x[:4].copy_(torch.full((4,), float(i)))
    assert "copy to device" not in torch.npu.diagnostics.host_wait_counts()
    assert x[:5].tolist() == [3, 3, 3, 3, 1]


def test_item():
    assert torch.tensor(2.5, device="npu").item() == 2.5
    assert torch.tensor([True], device="npu").item() is True
    assert torch.tensor([1 + 2j], device="npu").item() == 1 + 2j
    with pytest.raises(RuntimeError, match="a Tensor with 2 elements cannot be converted to Scalar"):
        torch.ones(2, device="npu").item()


def test_views_share_memory():
    x = torch.arange(12.0, device="npu").reshape(3, 4)
    x.t()[0] = 7
    x.view(-1)[-1] = 9
    x.unfold(1, 2, 2)[0, 0, 1] = 5
    assert x.tolist() == [[7, 5, 2, 3], [7, 5, 6, 7], [7, 9, 10, 9]]
    assert x.view(torch.int32).dtype == torch.int32
    y = torch.empty(0, device="npu")
    y.set_(x)
    assert y.data_ptr() == x.data_ptr()
    assert y.set_().numel() == 0
