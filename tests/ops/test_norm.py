"""Softmax and the norms: what PyTorch promises at the edges, and gradients for every way a tensor can lie in memory."""

import pytest
import torch
import torch.nn.functional as F

import torch_npu  # noqa: F401

INF, NAN = float("inf"), float("nan")


def equals_cpu(function, *tensors, rtol=1e-4, atol=1e-5):
    """The results and the gradients of every tensor are the CPU's."""
    outcomes = []
    for device in ("cpu", "npu"):
        leaves = [t.detach().to(device).requires_grad_(t.is_floating_point()) for t in tensors]
        result = function(*leaves)
        weights = torch.linspace(-1, 1, result.numel()).to(result).view(result.shape)
        (result * weights).sum().backward()
        outcomes.append([result.detach().cpu()] + [t.grad.cpu() for t in leaves if t.grad is not None])
    for want, got in zip(*outcomes, strict=True):
        torch.testing.assert_close(got, want, rtol=rtol, atol=atol, equal_nan=True)


@pytest.mark.parametrize("dim", [0, 1, -1])
@pytest.mark.parametrize("shape", [(5, 3, 7), (2, 3, 1500), (4, 130, 2)])
def test_softmax_runs_over_any_dimension(shape, dim):
    x = torch.randn(shape, generator=torch.Generator().manual_seed(0))
    equals_cpu(lambda t: torch.softmax(t, dim), x)
    equals_cpu(lambda t: torch.log_softmax(t.transpose(0, 2), dim), x)


@pytest.mark.parametrize("row", [[-INF, -INF], [-INF, 0.0], [INF, 0.0], [NAN, 0.0]])
def test_softmax_keeps_pytorchs_answers_to_infinity_and_nan(row):
    for function in (torch.softmax, torch.log_softmax):
        want = function(torch.tensor(row), 0)
        torch.testing.assert_close(function(torch.tensor(row, device="npu"), 0).cpu(), want, equal_nan=True)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16], ids=str)
def test_softmax_rows_of_every_length(dtype):
    for n in (1, 3, 4, 16, 17, 31, 64, 100, 128, 129, 200):
        x = 20 * torch.randn(37, n, generator=torch.Generator().manual_seed(n)).to(dtype)
        x[0], x[1, 0], x[2, -1], x[3, 0], x[4] = -INF, -INF, NAN, INF, -300
        for function in (torch.softmax, torch.log_softmax):
            tolerance = 8e-3 if dtype == torch.bfloat16 else 1e-5
            got, want = function(x.npu(), -1).cpu().double(), function(x.double(), -1)
            torch.testing.assert_close(got, want, rtol=tolerance, atol=1e-5, equal_nan=True, msg=f"{function} of {n}")


def test_half_softmax_may_give_float32():
    x = torch.randn(3, 40).half()
    result = torch.softmax(x.npu(), -1, dtype=torch.float32)
    assert result.dtype == torch.float32
    torch.testing.assert_close(result.cpu(), torch.softmax(x.float(), -1))


def test_norms_equal_the_cpu_with_gradients():
    g = torch.Generator().manual_seed(0)
    x, w, b = torch.randn(4, 6, 5, generator=g), torch.randn(6, 5, generator=g), torch.randn(6, 5, generator=g)
    equals_cpu(lambda t, w, b: F.layer_norm(t, (6, 5), w, b), x, w, b)
    equals_cpu(lambda t, w: F.rms_norm(t, (6, 5), w, 1e-5), x, w)
    equals_cpu(lambda t, w, b: F.group_norm(t, 3, w[:, 0], b[:, 0]), x, w, b)
    equals_cpu(lambda t: F.instance_norm(t), x)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float64])
def test_the_gradient_of_a_norm_over_one_element_is_zero(dtype):
    g = torch.Generator().manual_seed(0)
    x, w, b, dy = (torch.randn(300, generator=g).to("npu", dtype) for _ in range(4))
    for k in range(300):
        leaf = x[k : k + 1].clone().requires_grad_()
        F.layer_norm(leaf, (1,), w[k : k + 1], b[k : k + 1]).backward(dy[k : k + 1])
        assert leaf.grad.item() == 0
    leaf = x.view(1, 300, 1).clone().requires_grad_()
    torch.group_norm(leaf, 300, w, b).backward(dy.view(1, 300, 1))
    assert leaf.grad.abs().max().item() == 0


@pytest.mark.parametrize("shape", [(6, 4), (3, 4, 5, 2), (2, 4, 3, 2, 2)])
@pytest.mark.parametrize("training", [True, False])
def test_batch_norm_updates_running_statistics(shape, training):
    x = torch.randn(shape, generator=torch.Generator().manual_seed(0))
    statistics = []
    for device in ("cpu", "npu"):
        mean, var = torch.zeros(4, device=device), torch.ones(4, device=device)
        result = F.batch_norm(x.to(device), mean, var, training=training, momentum=0.3)
        statistics.append([t.cpu() for t in (result, mean, var)])
    for want, got in zip(*statistics, strict=True):
        torch.testing.assert_close(got, want, rtol=1e-4, atol=1e-5)


def test_batch_norm_keeps_channels_last():
    x = torch.randn(2, 4, 5, 3).to(memory_format=torch.channels_last)
    equals_cpu(lambda t: F.batch_norm(t, None, None, training=True), x)
    assert F.batch_norm(x.npu(), None, None, training=True).is_contiguous(memory_format=torch.channels_last)


def test_layer_norm_of_half_takes_float32_parameters():
    x, w, b = torch.randn(8, 32).half(), torch.randn(32), torch.randn(32)
    want = torch.native_layer_norm(x, [32], w, b, 1e-5)
    got = torch.native_layer_norm(x.npu(), [32], w.npu(), b.npu(), 1e-5)
    for a, e in zip(got, want, strict=True):
        assert a.dtype == e.dtype
        torch.testing.assert_close(a.cpu(), e, rtol=2e-3, atol=2e-3)


def test_layer_norm_names_what_does_not_fit():
    with pytest.raises(RuntimeError, match="expected input with shape"):
        F.layer_norm(torch.ones(2, 3, device="npu"), (4,))
