"""LSTM and GRU: PyTorch's own loops over time, on the device's cells. Values and gradients are the CPU's."""

import copy

import pytest
import torch
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

import torch_npu


def compare(module, run, *inputs, rtol=1e-4, atol=1e-5):
    """run(module, *inputs) gives tensors; they and all gradients agree, and nothing ran on the CPU."""
    sides = []
    for device in ("cpu", "npu"):
        torch_npu.diagnostics.reset()
        m = copy.deepcopy(module).to(device)
        xs = [x.detach().to(device).requires_grad_() for x in inputs]
        outs = run(m, *xs)
        sum((out.float() * (k + 1)).sum() for k, out in enumerate(outs)).backward()
        sides.append([*outs, *(x.grad for x in xs), *(p.grad for p in m.parameters())])
    assert torch_npu.diagnostics.fallback_counts() == {}
    for want, got in zip(*sides, strict=True):
        assert got.device.type == "npu"
        torch.testing.assert_close(got.cpu(), want, rtol=rtol, atol=atol)


def flat(result):
    out, state = result
    return [out, *(state if isinstance(state, tuple) else (state,))]


@pytest.mark.parametrize("kind", [torch.nn.LSTM, torch.nn.GRU, torch.nn.RNN])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"bias": False},
        {"num_layers": 2, "bidirectional": True},
        {"batch_first": True},
    ],
)
def test_layers(kind, options):
    torch.manual_seed(0)
    compare(kind(5, 7, **options), lambda m, x: flat(m(x)), torch.randn(4, 3, 5))


def test_lstm_with_projection():
    torch.manual_seed(0)
    compare(torch.nn.LSTM(5, 7, proj_size=3), lambda m, x: flat(m(x)), torch.randn(4, 3, 5))


@pytest.mark.parametrize("kind", [torch.nn.LSTM, torch.nn.GRU])
def test_sequences_of_different_lengths(kind):
    torch.manual_seed(0)

    def run(m, x):
        out, state = m(pack_padded_sequence(x, [4, 2, 1]))
        return flat((pad_packed_sequence(out)[0], state))

    compare(kind(5, 7), run, torch.randn(4, 3, 5))


@pytest.mark.parametrize("bias", [True, False])
def test_cells_with_strided_state(bias):
    torch.manual_seed(0)
    x, h = torch.randn(3, 5), torch.randn(7, 3)
    compare(torch.nn.GRUCell(5, 7, bias=bias), lambda m, x, h: [m(x, h.t())], x, h)
    compare(torch.nn.LSTMCell(5, 7, bias=bias), lambda m, x, h, c: list(m(x, (h.t(), c.t()))), x, h, torch.randn(7, 3))


@pytest.mark.parametrize("dtype, tolerance", [(torch.float64, 1e-12), (torch.bfloat16, 6e-2), (torch.float16, 1e-2)])
@pytest.mark.parametrize("kind", [torch.nn.LSTM, torch.nn.GRU])
def test_types(kind, dtype, tolerance):
    torch.manual_seed(0)
    compare(
        kind(5, 7).to(dtype), lambda m, x: flat(m(x)), torch.randn(3, 2, 5, dtype=dtype), rtol=tolerance, atol=tolerance
    )


def test_second_derivative():
    torch.manual_seed(0)
    gates = torch.randn(2, 8, dtype=torch.float64)
    state = torch.randn(2, 2, dtype=torch.float64)
    seconds = []
    for device in ("cpu", "npu"):
        cell = torch.nn.LSTMCell(8, 2).double()
        torch.nn.init.constant_(cell.weight_ih, 0.1), torch.nn.init.constant_(cell.weight_hh, -0.2)
        torch.nn.init.zeros_(cell.bias_ih), torch.nn.init.zeros_(cell.bias_hh)
        cell.to(device)
        x = gates.to(device).requires_grad_()
        hy, _ = cell(x, (state.to(device), state.to(device)))
        (first,) = torch.autograd.grad(hy.sum(), x, create_graph=True)
        seconds.append(torch.autograd.grad(first.pow(2).sum(), x)[0].cpu())
    torch.testing.assert_close(seconds[1], seconds[0])


def test_a_wrong_shape_is_refused_in_words():
    cell = torch.nn.LSTMCell(5, 7).npu()
    with pytest.raises(RuntimeError, match="inconsistent input_size"):
        cell(torch.randn(3, 4).npu())
    assert cell(torch.randn(3, 5).npu())[0].shape == (3, 7)
