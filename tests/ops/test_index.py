"""Indexing on the device: what PyTorch's CPU gives; a bad index is an error, never a read outside."""

from __future__ import annotations

import pytest
import torch

import torch_npu  # noqa: F401


def same(got: torch.Tensor, want: torch.Tensor) -> None:
    assert got.device.type == "npu"
    torch.testing.assert_close(got.cpu(), want, rtol=0, atol=0, equal_nan=True)


DTYPES = [torch.bool, torch.int16, torch.float16, torch.float32, torch.int64, torch.complex128]


def sample(*shape: int, dtype: torch.dtype) -> torch.Tensor:
    generator = torch.Generator().manual_seed(sum(shape))
    return torch.randint(0, 2 if dtype is torch.bool else 9, shape, generator=generator).to(dtype)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_reads_of_every_element_size(dtype: torch.dtype) -> None:
    x = sample(4, 5, 6, dtype=dtype)
    i, long = torch.tensor([3, 0, 3]), torch.randint(0, 5, (4, 7, 6))
    d = x.to("npu")
    same(d.index_select(0, i.to("npu")), x.index_select(0, i))
    same(d.transpose(0, 2).index_select(2, i.to("npu")), x.transpose(0, 2).index_select(2, i))
    same(d.gather(1, long.to("npu")), x.gather(1, long))
    same(d.take(torch.tensor([[0, -1], [7, 3]], device="npu")), x.take(torch.tensor([[0, -1], [7, 3]])))
    same(torch.cat((d, d[:, 1:3]), 1), torch.cat((x, x[:, 1:3]), 1))
    same(d.flip(0, 2).roll((1, -2), (1, 2)).repeat(2, 1, 1, 3), x.flip(0, 2).roll((1, -2), (1, 2)).repeat(2, 1, 1, 3))


ROWS, COLUMNS = torch.tensor([[0], [-1]]), torch.tensor([1, 1, 3])
MASK = torch.tensor([[True, False, True, False, True]] * 4)
PLACES = {
    "one index": (ROWS,),
    "broadcast indices": (ROWS, COLUMNS),
    "separated indices": (COLUMNS, slice(None), COLUMNS),
    "index after a slice": (slice(None), COLUMNS),
    "ellipsis": (..., COLUMNS),
    "new dimension": (None, COLUMNS),
    "a mask of one dimension": (torch.tensor([True, False, False, True]),),
    "a mask of two": (MASK,),
    "mask and index": (torch.tensor([True, True, False, True]), COLUMNS),
    "empty": (torch.tensor([], dtype=torch.int64),),
    "int32": (COLUMNS.int(), 2),
}


def moved(place: tuple, device: str) -> tuple:
    return tuple(p.to(device) if isinstance(p, torch.Tensor) else p for p in place)


@pytest.mark.parametrize("name", PLACES)
@pytest.mark.parametrize("where", ["npu", "cpu"])
def test_advanced_indexing(name: str, where: str) -> None:
    x = torch.arange(4 * 5 * 6.0).view(4, 5, 6)
    place = PLACES[name]
    same(x.to("npu")[moved(place, where)], x[place])
    strided = x.permute(2, 0, 1).contiguous().permute(1, 2, 0)
    same(strided.to("npu")[moved(place, where)], x[place])


@pytest.mark.parametrize("name", [n for n in PLACES if n != "new dimension"])
@pytest.mark.parametrize("accumulate", [False, True])
def test_advanced_assignment(name: str, accumulate: bool) -> None:
    x, place = torch.arange(4 * 5 * 6.0).view(4, 5, 6), PLACES[name]
    if all(isinstance(p, torch.Tensor) for p in place):
        values = torch.full(x[place].shape, 2.0)  # equal values: the order of duplicates does not show
        got = x.to("npu").index_put_(moved(place, "npu"), values.to("npu"), accumulate=accumulate)
        same(got, x.index_put(place, values, accumulate=accumulate))
    got = x.to("npu")
    got[moved(place, "npu")] = 7.0
    x[place] = 7.0
    same(got, x)


SUMMED = [torch.bool, torch.uint8, torch.int64, torch.float16, torch.bfloat16, torch.float64, torch.complex64]


@pytest.mark.parametrize("dtype", SUMMED, ids=str)
def test_every_duplicate_counts(dtype: torch.dtype) -> None:
    index, ones = torch.arange(3000) % 7, torch.ones(3000)
    want = torch.bincount(index).to(dtype)  # half types: rounded once, not at each step
    zeros, index, ones = torch.zeros(7, dtype=dtype, device="npu"), index.to("npu"), ones.to(dtype).to("npu")
    same(zeros.index_put((index,), ones, accumulate=True), want)
    same(zeros.scatter_add(0, index, ones), want)
    same(zeros.index_add(0, index, ones), want)


@pytest.mark.parametrize("reduce", ["sum", "prod", "mean", "amax", "amin"])
@pytest.mark.parametrize("include_self", [False, True])
def test_scatter_reduce(reduce: str, include_self: bool) -> None:
    x, src, index = torch.rand(5, 7), torch.rand(6, 7), torch.randint(0, 5, (6, 7))
    got = x.to("npu").scatter_reduce(0, index.to("npu"), src.to("npu"), reduce, include_self=include_self)
    torch.testing.assert_close(got.cpu(), x.scatter_reduce(0, index, src, reduce, include_self=include_self))


BAD = {
    "index_select": (lambda x, i: x.index_select(0, i), [0, 5]),
    "gather": (lambda x, i: x.gather(0, i), [0, -1]),
    "index": (lambda x, i: x[i], [-6]),
    "index_put_": (lambda x, i: x.index_put_((i,), x.new_ones(())), [5]),
    "scatter_add": (lambda x, i: x.scatter_add(0, i, torch.ones_like(i, dtype=x.dtype)), [9]),
    "embedding": (lambda x, i: torch.nn.functional.embedding(i, x.view(5, 1)), [5]),
    "take": (lambda x, i: x.take(i), [5]),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_index_is_an_error_at_the_next_wait_and_poisons_nothing(name: str) -> None:
    call, index = BAD[name]
    x = torch.arange(5.0)
    with pytest.raises((IndexError, RuntimeError)) as on_cpu:
        call(x.clone(), torch.tensor(index))
    with pytest.raises(on_cpu.type, match=f"{name}.*index {index[-1]} is out of"):
        call(x.to("npu"), torch.tensor(index, device="npu")).cpu()
    same(x.to("npu") + 1, x + 1)


def test_what_is_wrong_without_looking_at_the_data_is_refused_at_once() -> None:
    x = torch.zeros(3, 4, device="npu")
    i = torch.zeros(2, dtype=torch.int64, device="npu")
    with pytest.raises(IndexError, match="too many indices"):
        x[i, i, i]
    with pytest.raises(IndexError, match="shape of the mask"):
        x[torch.ones(4, dtype=torch.bool, device="npu")]
    with pytest.raises(RuntimeError, match="cannot be broadcast to indexing result"):
        x[i] = torch.zeros(3, 4, device="npu")
    with pytest.raises(IndexError, match="Index is supposed to be a vector"):
        x.index_select(0, i.view(1, 2))


def test_a_scalar_through_a_mask_does_not_wait() -> None:
    x = torch.arange(6.0, device="npu")
    x[x > 3] = -1.0
    same(x, torch.tensor([0.0, 1, 2, 3, -1, -1]))


def test_masked_scatter_takes_the_source_in_order() -> None:
    x, mask, source = torch.zeros(2, 5), torch.tensor([[0, 1, 1, 0, 0], [1, 0, 0, 0, 1]]).bool(), torch.arange(1.0, 5)
    same(x.to("npu").masked_scatter(mask.to("npu"), source.to("npu")), x.masked_scatter(mask, source))
    same(x.t().contiguous().t().to("npu").masked_scatter(mask.to("npu"), source.to("npu")), x.masked_scatter(mask, source))
    with pytest.raises(RuntimeError, match="mask selects 4 elements, there are 3"):
        x.to("npu").masked_scatter(mask.to("npu"), source[:3].to("npu")).cpu()


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
def test_embedding_bag_and_its_gradient(mode: str) -> None:
    weight, index, offsets = torch.rand(9, 5), torch.tensor([1, 2, 4, 5, 4, 3, 2, 8]), torch.tensor([0, 3, 3, 6])
    grads = []
    for device in ("cpu", "npu"):
        w = weight.clone().to(device).requires_grad_()
        out = torch.nn.functional.embedding_bag(index.to(device), w, offsets.to(device), mode=mode, padding_idx=2)
        out.square().sum().backward()
        grads.append((out.detach().cpu(), w.grad.cpu()))
    torch.testing.assert_close(grads[1], grads[0])


def test_sequences() -> None:
    for make in (lambda d: torch.arange(3, 20, 4, device=d), lambda d: torch.arange(0.5, -3, -0.25, device=d),
                 lambda d: torch.arange(5, dtype=torch.bfloat16, device=d), lambda d: torch.eye(3, 5, device=d),
                 lambda d: torch.linspace(-2, 7, 4, dtype=torch.int32, device=d), lambda d: torch.tril_indices(4, 3, 1, device=d),
                 lambda d: torch.triu_indices(3, 4, -1, device=d), lambda d: torch.arange(0, device=d),
                 lambda d: torch.arange(2**53 + 1, 2**53 + 5, 2, device=d)):
        same(make("npu"), make("cpu"))
    torch.testing.assert_close(torch.linspace(0, 1, 7, device="npu").cpu(), torch.linspace(0, 1, 7))
    torch.testing.assert_close(torch.logspace(0, 3, 5, device="npu").cpu(), torch.logspace(0, 3, 5))
    repeated = torch.tensor([2, 0, 3], device="npu").repeat_interleave(torch.tensor([1, 2, 2], device="npu"))
    same(repeated, torch.tensor([2, 0, 0, 3, 3]))
