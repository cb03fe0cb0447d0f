"""NPU_EMBEDDED_FIDELITY=ascend: what an Ascend leaves to the CPU is left to it here, with the copies and waits of an Ascend."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
import torch

from torch_npu import _C

# A step of a training loop. fmax is no operator of CANN, the rest is.
PROGRAM = """
import json, torch, torch_npu
host = torch.randn(8, 16)
y = torch.randn(8, 16).to("npu")
w = torch.randn(16, 4, device="npu", requires_grad=True)
want = (torch.fmax(host, y.cpu()) @ w.detach().cpu()).logsumexp(1).mean()
torch_npu.diagnostics.reset()
x = host.to("npu")
loss = (torch.fmax(x, y) @ w).logsumexp(1).mean()
loss.backward()
counted = [torch_npu.diagnostics.fallback_counts(), torch_npu.diagnostics.host_wait_counts()]
torch.testing.assert_close(loss.cpu(), want)
print(json.dumps(counted))
"""


def counts(fidelity: str) -> list[dict[str, int]]:
    environment = {**os.environ, "NPU_EMBEDDED_FIDELITY": fidelity}
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    assert ("The operator 'aten::fmax' is not currently supported" in done.stderr) == (fidelity == "ascend")
    assert "Overriding" not in done.stderr
    return json.loads(done.stdout)


def test_an_operator_that_an_ascend_leaves_to_the_cpu():
    assert counts("embedded") == [{}, {}]
    # An Ascend waits for its stream before each blocking copy: of x, and for fmax of two inputs to the host and its result back.
    assert counts("ascend") == [{"aten::fmax": 1}, {"copy to device": 1, "fallback": 3}]


def test_a_misspelt_value_is_refused():
    environment = {**os.environ, "NPU_EMBEDDED_FIDELITY": "asend"}
    code = "import torch, torch_npu; torch.ones(1, device='npu')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    assert "NPU_EMBEDDED_FIDELITY='asend': needs embedded or ascend" in done.stderr


def test_what_an_ascend_does_can_be_asked():
    assert _C.ascend("aten::fmax") == ("cpu", "")
    assert _C.ascend("aten::bmm") == ("native", "fp16 fp32")
    assert _C.ascend("mine::op") is None
    assert {"aclnnAdd", "aclnnAdds", "aclnnSoftplus"} <= set(_C.cann_operators())
    assert torch.ops.aten.fmax(torch.ones(1, device="npu"), torch.zeros(1, device="npu")).item() == 1


def under_fidelity(code: str, fidelity: str = "ascend") -> subprocess.CompletedProcess:
    environment = {**os.environ, "NPU_EMBEDDED_FIDELITY": fidelity}
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)


@pytest.mark.parametrize(
    ("call", "name"),
    [
        ("torch.mm(d, d)", "aten::mm"),
        ("d @ d", "aten::mm"),
        ("torch.nn.functional.linear(d, d)", "aten::linear"),
        ("torch.addmm(d, d, d)", "aten::addmm"),
        ("torch.bmm(d[None], d[None])", "aten::bmm"),
        ("torch.mm(d.to(torch.complex64), d.to(torch.complex64))", "aten::mm"),
        ("torch.sort(d)", "aten::sort.stable"),
    ],
)
def test_a_dtype_that_cann_refuses(call, name):
    program = f"import torch, torch_npu\nd = torch.ones(2, 2, dtype=torch.float64).to('npu')\n{call}\n"
    assert under_fidelity(program, "embedded").returncode == 0
    done = under_fidelity(program)
    assert done.returncode == 1
    assert f"RuntimeError: {name} does not take " in done.stderr
    assert "NPU_EMBEDDED_FIDELITY=ascend fails where an Ascend does" in done.stderr


def test_a_dtype_that_cann_takes():
    program = """
import torch, torch_npu
for dtype in (torch.float32, torch.float16, torch.bfloat16):
    x = torch.ones(2, 2, dtype=dtype, device="npu")
    (x @ x, torch.addmm(x, x, x), torch.sort(x))
torch.sort(torch.ones(3, dtype=torch.int64, device="npu"))
(torch.ones(3, dtype=torch.float64).to("npu") + 1).sum()
"""
    done = under_fidelity(program)
    assert done.returncode == 0, done.stderr


def test_a_cast_to_float64_is_one_to_float32():
    program = """
import torch, torch_npu
x = torch.ones(2, device="npu", requires_grad=True)
print([t.dtype for t in (x.double(), x.to(torch.float64), x.to("npu", torch.float64), x.half().double())])
print(x.to("cpu", torch.float64).dtype, torch.ones(2, dtype=torch.float64).to("npu").dtype, x.to(torch.int32).dtype)
(x.double() * 2).sum().backward()
print(x.grad.tolist())
"""
    done = under_fidelity(program)
    assert done.stdout.splitlines() == [
        str([torch.float32] * 4),
        "torch.float64 torch.float64 torch.int32",
        "[2.0, 2.0]",
    ], done.stderr
    assert done.stderr.count("an Ascend casts to float32") == 1
    assert f"{torch.float64}" in under_fidelity(program, "embedded").stdout.splitlines()[0]
