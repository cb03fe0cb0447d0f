"""A program may end right after a backward pass, again and again, without a word on stderr."""

from __future__ import annotations

import subprocess
import sys

SCRIPT = """
import torch, torch_npu
layers = torch.nn.Sequential(*[torch.nn.Linear(64, 64) for _ in range(8)]).npu()
for _ in range(3):
    layers(torch.ones(16, 64, device="npu")).sum().backward()
print("ok")
"""


def test_exit_right_after_backward():
    for _ in range(6):
        done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=120)
        assert (done.returncode, done.stdout, done.stderr) == (0, "ok\n", ""), done.stderr[-500:]
