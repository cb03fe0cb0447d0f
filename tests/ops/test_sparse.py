"""Sparse tensors on the device: members that live there; operators over them are the CPU's, counted, and give what it gives."""

from __future__ import annotations

import copy
import io

import pytest
import torch

import torch_npu

DENSE = torch.tensor([[0.0, 1, 0, 0], [2, 0, 3, 0]])
LAYOUTS = [torch.sparse_coo, torch.sparse_csr, torch.sparse_csc, torch.sparse_bsr, torch.sparse_bsc]
OPERATORS = {
    "neg": lambda s: -s,
    "mul": lambda s: s * 2,
    "clone": torch.clone,
    "sin_": lambda s: s.clone().sin_(),
    "float64": lambda s: s.to(torch.float64),
    "to_coo": lambda s: s.to_sparse(),
    "transposed": lambda s: s.transpose(0, 1),
}


def sparse(layout: torch.layout) -> torch.Tensor:
    block = {"blocksize": (2, 2)} if layout in (torch.sparse_bsr, torch.sparse_bsc) else {}
    return DENSE.to_sparse(layout=layout, **block)


def members(t: torch.Tensor) -> list[torch.Tensor]:
    if t.layout == torch.sparse_coo:
        return [t._indices(), t._values()]
    if t.layout in (torch.sparse_csr, torch.sparse_bsr):
        return [t.crow_indices(), t.col_indices(), t.values()]
    return [t.ccol_indices(), t.row_indices(), t.values()]


def same(got: torch.Tensor, want: torch.Tensor) -> None:
    assert got.is_npu and got.layout == want.layout and got.shape == want.shape and got.dtype == want.dtype
    for g, w in zip(members(got), members(want), strict=True):
        assert g.is_npu
        torch.testing.assert_close(g.cpu(), w)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_there_and_back(layout):
    s = sparse(layout)
    same(s.npu(), s)
    same(DENSE.npu().to_sparse(layout=layout, **({"blocksize": (2, 2)} if "sparse_bs" in str(layout) else {})), s)
    torch.testing.assert_close(s.npu().cpu(), s)
    torch.testing.assert_close(s.npu().to_dense().cpu(), DENSE)
    assert "npu:0" in repr(s.npu())
    same(copy.deepcopy(s.npu()), s)


@pytest.mark.parametrize("name", OPERATORS)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_operators_give_what_the_cpu_gives(layout, name):
    s = sparse(layout)
    same(OPERATORS[name](s.npu()), OPERATORS[name](s))


def test_a_fallback_over_sparse_tensors_is_counted():
    torch_npu.diagnostics.reset()
    product = torch.sparse.mm(sparse(torch.sparse_csr).npu(), torch.ones(4, 2).npu())
    torch.testing.assert_close(product.cpu(), DENSE @ torch.ones(4, 2))
    assert list(torch_npu.diagnostics.fallback_counts().values()) == [1]


def test_building_and_looking_inside_are_the_device_s_own():
    torch_npu.diagnostics.reset()
    indices, values = torch.tensor([[0, 1, 1], [1, 0, 2]]).npu(), torch.tensor([1.0, 2, 3]).npu()
    s = torch.sparse_coo_tensor(indices, values, (2, 4), is_coalesced=True)
    assert s.is_coalesced() and s._nnz() == 3 and s.sparse_dim() == 2 and s.dense_dim() == 0
    same(s, sparse(torch.sparse_coo).coalesce())
    assert s.values().data_ptr() == values.data_ptr()
    same(torch.zeros(2, 4, layout=torch.sparse_coo, device="npu"), torch.zeros(2, 4, layout=torch.sparse_coo))
    assert not {"aten::indices", "aten::values", "aten::clone"} & set(torch_npu.diagnostics.fallback_counts())
    with pytest.raises(RuntimeError, match="uncoalesced"):
        torch.sparse_coo_tensor(indices, values, (2, 4)).indices()


def test_in_place_writes_reach_the_tensor():
    s, other = sparse(torch.sparse_coo), torch.eye(2, 4).to_sparse()
    target = s.npu()
    assert target.add_(other.npu()) is target
    same(target.coalesce(), (s + other).coalesce())
    same(torch.zeros(2, 4, layout=torch.sparse_coo, device="npu").copy_(s), s)
    with pytest.raises(RuntimeError, match="same layout"):
        target.copy_(DENSE)


def test_gradients():
    x, y = DENSE.clone().requires_grad_(), DENSE.npu().requires_grad_()
    for leaf, device in ((x, "cpu"), (y, "npu")):
        torch.sparse.mm(leaf.to_sparse(), torch.arange(8.0, device=device).view(4, 2)).sum().backward()
    torch.testing.assert_close(y.grad.cpu(), x.grad)


@pytest.mark.parametrize("optimizer", [lambda p: torch.optim.SGD(p, lr=0.1), torch.optim.SparseAdam])
def test_an_embedding_with_sparse_gradients_trains(optimizer):
    torch.manual_seed(0)
    twin = torch.nn.Embedding(5, 3, sparse=True)
    layer = copy.deepcopy(twin).npu()
    for module, device in ((twin, "cpu"), (layer, "npu")):
        step = optimizer(module.parameters())
        module(torch.tensor([1, 1, 4], device=device)).square().sum().backward()
        assert module.weight.grad.is_sparse
        step.step()
    torch.testing.assert_close(layer.weight.detach().cpu(), twin.weight.detach())


def test_saved_and_loaded():
    file = io.BytesIO()
    torch.save(sparse(torch.sparse_coo).npu(), file)
    file.seek(0)
    same(torch.load(file), sparse(torch.sparse_coo))
