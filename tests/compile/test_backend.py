"""torch.compile(backend="npu") gives what eager mode on the CPU gives."""

import subprocess
import sys

import pytest
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


@pytest.fixture(autouse=True)
def fresh_dynamo():
    torch._dynamo.reset()


def mlp() -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.LayerNorm(16), nn.Linear(16, 4))


def test_forward_and_backward():
    reference, model = mlp(), mlp().to("npu")
    compiled = torch.compile(model, backend="npu", fullgraph=True)
    x = torch.randn(5, 8)
    expected, got = reference(x), compiled(x.to("npu"))
    torch.testing.assert_close(got.cpu(), expected)
    expected.square().sum().backward()
    got.square().sum().backward()
    for a, b in zip(model.parameters(), reference.parameters(), strict=True):
        torch.testing.assert_close(a.grad.cpu(), b.grad)


def test_a_training_step_with_an_optimizer():
    reference, model = mlp(), mlp().to("npu")
    compiled = torch.compile(model, backend="npu")
    optimizers = [torch.optim.AdamW(m.parameters(), lr=1e-2) for m in (reference, model)]
    for step in range(3):
        x = torch.randn(6, 8, generator=torch.Generator().manual_seed(step))
        losses = reference(x).square().mean(), compiled(x.npu()).square().mean()
        for optimizer, loss in zip(optimizers, losses, strict=True):
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    for a, b in zip(model.parameters(), reference.parameters(), strict=True):
        torch.testing.assert_close(a.detach().cpu(), b.detach(), rtol=1e-4, atol=1e-5)


def test_dynamic_shapes_compile_once():
    counter = torch._dynamo.testing.CompileCounterWithBackend("npu")
    f = torch.compile(lambda x: (x * 2).reshape(-1).cumsum(0) + x.shape[0], backend=counter, dynamic=True)
    for rows in (3, 5, 9):
        x = torch.randn(rows, 4)
        torch.testing.assert_close(f(x.npu()).cpu(), (x * 2).reshape(-1).cumsum(0) + rows)
    assert counter.frame_count == 1


def test_an_input_that_is_changed_in_place():
    def step(cache, value, position):
        cache[:, position] = value
        cache.mul_(2)
        return cache.sum()

    expected, cache = torch.zeros(2, 4), torch.zeros(2, 4, device="npu")
    value, position = torch.ones(2, 1), torch.tensor([1])
    want = step(expected, value, position)
    got = torch.compile(step, backend="npu", fullgraph=True)(cache, value.npu(), position.npu())
    torch.testing.assert_close(got.cpu(), want)
    torch.testing.assert_close(cache.cpu(), expected)


def test_batch_norm_updates_its_statistics():
    reference, model = nn.BatchNorm1d(3), nn.BatchNorm1d(3).npu()
    x = torch.randn(7, 3)
    reference(x)
    torch.compile(model, backend="npu")(x.npu())
    for name in ("running_mean", "running_var", "num_batches_tracked"):
        torch.testing.assert_close(getattr(model, name).cpu(), getattr(reference, name))


def test_outputs_that_are_views_of_an_input():
    x = torch.arange(6.0, device="npu")
    view = torch.compile(lambda t: t.view(2, 3).t(), backend="npu")(x)
    view.fill_(1)
    assert x.tolist() == [1] * 6


def test_a_checkpointed_dropout_is_recomputed_with_the_same_mask():
    weight = torch.ones(32, 32, device="npu", requires_grad=True)

    def block(x):
        return torch.nn.functional.dropout(x @ weight, 0.5)

    compiled = torch.compile(lambda x: checkpoint(block, x, use_reentrant=False), backend="npu")
    x = torch.eye(32, device="npu", requires_grad=True)
    y = compiled(x)
    y.sum().backward()
    # d(sum y)/dx[i, k] = sum_j mask[i, j] * w[k, j]: with w = 1 it is the row sum of the mask that y shows.
    torch.testing.assert_close(x.grad[:, 0].cpu(), y.sum(1).cpu())


def test_random_numbers_go_on_as_in_eager_mode():
    def draw(x):
        return torch.rand_like(x) + torch.nn.functional.dropout(x, 0.5)

    x = torch.ones(100, device="npu")
    runs = []
    for f in (draw, torch.compile(draw, backend="npu")):
        torch.npu.manual_seed(5)
        runs.append((f(x).cpu(), torch.rand(3, device="npu").cpu()))
    torch.testing.assert_close(runs[0], runs[1])


def test_autocast():
    model = mlp().npu()
    x = torch.randn(5, 8, device="npu")
    with torch.autocast("npu", dtype=torch.bfloat16):
        want = model(x)
        got = torch.compile(model, backend="npu")(x)
    assert got.dtype == want.dtype
    torch.testing.assert_close(got, want)


def test_unknown_options_are_refused_by_name():
    with pytest.raises(Exception, match="frobnicate"):
        torch.compile(lambda x: x + 1, backend="npu", options={"frobnicate": 1})(torch.ones(1, device="npu"))


def test_importing_torch_npu_does_not_load_dynamo():
    code = "import sys, torch, torch_npu; before = 'torch._dynamo' in sys.modules; print(before)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "False"
