"""The CPU fallback: right, said once, counted; what it writes comes back; it can be forbidden."""

from __future__ import annotations

import os
import subprocess
import sys

import torch

import torch_npu

OP = "aten::special_airy_ai.out"


def run(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    done = {**os.environ, **environment}
    return subprocess.run([sys.executable, "-c", f"import torch, torch_npu\n{code}"], capture_output=True, text=True, env=done)


def test_it_is_right_and_counted():
    torch_npu.diagnostics.reset()
    x = torch.tensor([0.5, 1.5])
    got = torch.special.airy_ai(x.npu())
    assert got.is_npu
    torch.testing.assert_close(got.cpu(), torch.special.airy_ai(x))
    assert torch.npu.diagnostics.fallback_counts() == {OP: 1}
    assert torch_npu.diagnostics.read(torch_npu.diagnostics.Counter.fallback)[OP].bytes == 16
    torch_npu.diagnostics.reset()
    assert torch_npu.diagnostics.fallback_counts() == {}


def test_it_warns_once():
    said = run("x = torch.ones(2, device='npu'); [torch.special.airy_ai(x) for _ in range(3)]").stderr
    assert said.count(f"CAUTION: The operator '{OP}' is not currently supported on the NPU backend and will fall back") == 1


def test_it_can_be_forbidden():
    said = run("torch.special.airy_ai(torch.ones(2, device='npu'))", TORCH_NPU_FALLBACK_CPU_DISABLE="1").stderr
    assert f"RuntimeError: The operator '{OP}' would execute its main computation on CPU" in said
    said = run("torch.special.airy_ai(torch.ones(2, device='npu'))", TORCH_NPU_FALLBACK_CPU_DISABLE="yes").stderr
    assert 'TORCH_NPU_FALLBACK_CPU_DISABLE should be 0 or 1, but got "yes"' in said


def test_out_and_in_place():
    x = torch.tensor([0.5, 1.5], device="npu")
    out = torch.empty(0, device="npu")
    assert torch.special.airy_ai(x, out=out) is out
    torch.testing.assert_close(out.cpu(), torch.special.airy_ai(x.cpu()))
    y = torch.tensor([5.0, 7.0], device="npu")
    z = y.cpu().igamma_(x.cpu())
    assert y.igamma_(x) is y
    torch.testing.assert_close(y.cpu(), z)


def test_what_the_schema_hides_is_written_back():
    norm = torch.nn.BatchNorm1d(3).npu().train()
    twin = torch.nn.BatchNorm1d(3).train()
    x = torch.randn(8, 3) + 4
    norm(x.npu())
    twin(x)
    torch.testing.assert_close(norm.running_mean.cpu(), twin.running_mean)
    torch.testing.assert_close(norm.running_var.cpu(), twin.running_var)
