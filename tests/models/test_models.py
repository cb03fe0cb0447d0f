"""Whole models: forward, loss, gradients and optimizer steps as the CPU's, and no operator leaves the device."""

from __future__ import annotations

import copy
from typing import Any

import pytest
import torch
from torch.utils._pytree import tree_leaves, tree_map

import torch_npu
from tests.models import zoo

pytest.importorskip("transformers")

STEPS = 5
# eps: Adam divides a gradient by its own size, so that one which is 0 but for rounding (the bias before a normalisation, or of
# an attention's keys) would become a full step of random sign.
OPTIMIZERS = {
    "AdamW": lambda parameters: torch.optim.AdamW(parameters, lr=1e-3, eps=1e-3),
    "SGD": lambda parameters: torch.optim.SGD(parameters, lr=1e-2, momentum=0.9),
}


def close(got: torch.Tensor, want: torch.Tensor, what: str) -> None:
    """Within 1e-4 of the largest element: single elements of a model's results may be zero but for rounding."""
    assert got.shape == want.shape and got.dtype == want.dtype, what
    scale = want.abs().max().item() if want.numel() and want.is_floating_point() else 0.0
    torch.testing.assert_close(got.cpu(), want, rtol=1e-4, atol=1e-4 * scale + 5e-6, equal_nan=True, msg=lambda m: f"{what}: {m}")


def moved(value: Any, device: str) -> Any:
    return tree_map(lambda x: x.to(device) if isinstance(x, torch.Tensor) else x, value)


def built(build: zoo.Build) -> tuple[torch.nn.Module, zoo.Inputs]:
    torch.manual_seed(0)
    model, inputs = build()
    return model.train(), inputs


def forward(model: torch.nn.Module, inputs: zoo.Inputs) -> tuple[torch.Tensor, list[torch.Tensor]]:
    output = model(**inputs)
    return output["loss"], [leaf for leaf in tree_leaves(list(output.values())) if isinstance(leaf, torch.Tensor)]


def check_one_pass(build: zoo.Build) -> None:
    model, inputs = built(build)
    twin, twin_inputs = copy.deepcopy(model).to("npu"), moved(inputs, "npu")
    loss, outputs = forward(model, inputs)
    loss.backward()
    torch_npu.diagnostics.reset()
    twin_loss, twin_outputs = forward(twin, twin_inputs)
    twin_loss.backward()
    torch.npu.synchronize()
    assert torch_npu.diagnostics.fallback_counts() == {}
    for i, (got, want) in enumerate(zip(twin_outputs, outputs, strict=True)):
        close(got.detach(), want.detach(), f"output {i}")
    for (name, got), want in zip(twin.named_parameters(), model.parameters(), strict=True):
        assert (got.grad is None) == (want.grad is None), name
        if want.grad is not None:
            close(got.grad, want.grad, f"gradient of {name}")
    for (name, got), want in zip(twin.named_buffers(), model.buffers(), strict=True):
        close(got, want, name)


def check_steps(build: zoo.Build, optimizer: str) -> None:
    model, inputs = built(build)
    twin, twin_inputs = copy.deepcopy(model).to("npu"), moved(inputs, "npu")
    torch_npu.diagnostics.reset()
    losses = []
    for net, batch in ((model, inputs), (twin, twin_inputs)):
        steps = OPTIMIZERS[optimizer](net.parameters())
        losses.append([])
        for _ in range(STEPS):
            steps.zero_grad()
            loss, _ = forward(net, batch)
            loss.backward()
            steps.step()
            losses[-1].append(loss.detach())
    assert torch_npu.diagnostics.fallback_counts() == {}
    close(torch.stack(losses[1]), torch.stack(losses[0]), "losses")
    for (name, got), want in zip(twin.named_parameters(), model.parameters(), strict=True):
        close(got.detach(), want.detach(), name)


def name_of(build: zoo.Build) -> str:
    return build.__name__


@pytest.mark.parametrize("build", zoo.REQUIRED, ids=name_of)
def test_forward_loss_and_gradients(build) -> None:
    check_one_pass(build)


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize("build", zoo.REQUIRED, ids=name_of)
def test_optimizer_steps_stay_equal(build, optimizer) -> None:
    check_steps(build, optimizer)


@pytest.mark.slow
@pytest.mark.parametrize("build", zoo.OTHERS, ids=name_of)
def test_other_models(build) -> None:
    check_one_pass(build)
    for optimizer in OPTIMIZERS:
        check_steps(build, optimizer)
