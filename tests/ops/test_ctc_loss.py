"""Connectionist temporal classification: loss and gradient as the CPU's, for every kind of target."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F

import torch_npu

CASES = {
    "padded": {"targets": [[1, 2, 2, 3], [4, 1, 0, 0], [3, 3, 3, 0]], "lengths": [4, 2, 3], "steps": [9, 7, 9]},
    "one after the other": {"targets": [1, 2, 2, 3, 4, 1, 3], "lengths": [4, 2, 1], "steps": [9, 7, 9]},
    "an empty target": {"targets": [[1, 2], [0, 0], [2, 1]], "lengths": [2, 0, 1], "steps": [9, 9, 5]},
    "a target that does not fit": {"targets": [[1, 1, 1], [2, 3, 0], [4, 4, 0]], "lengths": [3, 2, 2], "steps": [4, 9, 1]},
}


def loss_and_gradient(device: str, case: dict, dtype: torch.dtype, **options) -> tuple[torch.Tensor, torch.Tensor]:
    x = torch.randn(9, 3, 5, dtype=dtype, generator=torch.Generator().manual_seed(1)).to(device).requires_grad_()
    targets, steps, lengths = (torch.tensor(case[k]).to(device) for k in ("targets", "steps", "lengths"))
    loss = F.ctc_loss(x.log_softmax(-1), targets, steps, lengths, **options)
    loss.sum().backward()
    return loss.detach().cpu(), x.grad.cpu()


@pytest.mark.parametrize("zero_infinity", [False, True])
@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("case", CASES)
def test_equals_the_cpu(case, dtype, reduction, zero_infinity):
    options = {"reduction": reduction, "zero_infinity": zero_infinity}
    torch_npu.diagnostics.reset()
    got = loss_and_gradient("npu", CASES[case], dtype, **options)
    assert torch_npu.diagnostics.fallback_counts() == {}
    for mine, theirs in zip(got, loss_and_gradient("cpu", CASES[case], dtype, **options), strict=True):
        torch.testing.assert_close(mine, theirs, rtol=1e-4, atol=1e-5, equal_nan=True)


def test_another_blank():
    options = {"blank": 4, "reduction": "none"}
    case = {"targets": [[1, 2, 0], [0, 1, 3], [2, 2, 0]], "lengths": [2, 3, 2], "steps": [9, 8, 7]}
    got, want = (loss_and_gradient(device, case, torch.float32, **options) for device in ("npu", "cpu"))
    torch.testing.assert_close(got, want, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    "wrong", [{"targets": torch.ones(3, 2), "blank": 9}, {"targets": torch.ones(3, 2), "lengths": [2, 2]},
              {"targets": torch.ones(2), "lengths": [2, 2, 2]}, {"targets": torch.ones(3, 2), "steps": [99, 9, 9]}],
    ids=["blank", "count of lengths", "too few targets", "steps"],
)  # fmt: skip
def test_bad_input_is_refused_as_by_the_cpu(wrong):
    errors = []
    for device in ("cpu", "npu"):
        x = torch.zeros(9, 3, 5, device=device)
        with pytest.raises(RuntimeError) as caught:
            F.ctc_loss(x, wrong["targets"].long().to(device), torch.tensor(wrong.get("steps", [9, 9, 9])),
                       torch.tensor(wrong.get("lengths", [2, 2, 2])), blank=wrong.get("blank", 0))  # fmt: skip
        errors.append(str(caught.value))
    assert errors[0] == errors[1]


def test_a_target_that_is_no_class_is_named_and_the_device_goes_on():
    x = torch.zeros(4, 1, 3, device="npu").log_softmax(-1)
    loss = F.ctc_loss(x, torch.tensor([[7]], device="npu"), torch.tensor([4]), torch.tensor([1]), reduction="none")
    with pytest.raises(RuntimeError, match="ctc_loss: target 7"):
        loss.cpu()
    assert torch.ones(2, device="npu").sum().item() == 2
