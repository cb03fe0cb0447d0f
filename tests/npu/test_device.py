"""torch.npu's devices: names, indices, the current one, and what is said about one that does not exist."""

from __future__ import annotations

import copy
import io
import os
import pickle
import subprocess
import sys

import pytest
import torch

import torch_npu  # noqa: F401


def run(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    done = {**os.environ, **environment}
    return subprocess.run([sys.executable, "-c", f"import torch, torch_npu\n{code}"], capture_output=True, text=True, env=done)


def test_names():
    assert torch.npu.is_available() and torch.npu.device_count() >= 1
    assert torch.npu.get_device_name().startswith("Ascend")
    assert torch.npu.get_device_properties(0).total_memory == torch.npu.mem_get_info()[1]
    assert torch.accelerator.current_accelerator() == torch.device("npu")
    assert str(torch.ones(1, device="npu").device) == "npu:0"


def test_tensor_and_module_methods():
    t = torch.ones(2).npu()
    assert t.is_npu and not t.cpu().is_npu
    module = torch.nn.Linear(2, 2).npu()
    assert all(p.is_npu for p in module.parameters())
    assert "device='npu:0'" in repr(t)


def test_devices_are_chosen_per_scope_and_thread():
    code = """
import threading
with torch.npu.device(1):
    assert torch.npu.current_device() == 1 and torch.ones(1, device="npu").device.index == 1
    other = threading.Thread(target=lambda: print(torch.npu.current_device()))
    other.start()
    other.join()
torch.npu.set_device("npu:1")
print(torch.ones(1, device="npu").device, torch.npu.device_count(), torch.ones(2, device="npu:0").to("npu:1").sum().item())
"""
    assert run(code, NPU_EMBEDDED_DEVICES="2").stdout.split() == ["0", "npu:1", "2", "2.0"]


def test_default_device_and_scope():
    with torch.device("npu"):
        assert torch.zeros(1).is_npu
    torch.set_default_device("npu")
    try:
        assert torch.zeros(1).is_npu
    finally:
        torch.set_default_device(None)


def test_saving_loading_copying(tmp_path):
    t = torch.arange(6.0, device="npu").reshape(2, 3).t()
    file = tmp_path / "t.pt"
    torch.save({"t": t}, file)
    assert torch.load(file)["t"].is_npu
    assert torch.load(file, map_location="cpu")["t"].device.type == "cpu"
    torch.save(t.cpu(), file)
    assert torch.load(file, map_location="npu").is_npu
    for twin in (copy.deepcopy(t), pickle.load(io.BytesIO(pickle.dumps(t)))):
        assert twin.is_npu and torch.equal(twin.cpu(), t.cpu()) and twin.data_ptr() != t.data_ptr()


def test_pinned_memory():
    batches = torch.utils.data.DataLoader(torch.arange(8.0), batch_size=4, pin_memory=True)
    for batch in batches:
        assert batch.is_pinned()
        assert torch.equal(batch.to("npu", non_blocking=True).cpu(), batch)
    assert not torch.ones(1).is_pinned()


@pytest.mark.parametrize("use", [lambda d: torch.ones(1, device=d), torch.npu.set_device, torch.npu.synchronize])
def test_an_index_out_of_range(use):
    count = torch.npu.device_count()
    with pytest.raises(RuntimeError, match=f"Invalid device id: npu:{count}, but there (is 1 NPU|are)"):
        use(f"npu:{count}")
    assert torch.ones(1, device="npu").item() == 1


def test_another_device_type_is_refused():
    with pytest.raises(ValueError, match="Expected an NPU device, but got cpu"):
        torch.npu.set_device("cpu")


@pytest.mark.parametrize("use", [lambda a, b: a + b, lambda a, b: a @ b.t(), lambda a, b: torch.special.zeta(a, b)])
def test_mixed_devices(use):
    with pytest.raises(RuntimeError, match=r"Expected all tensors to be on the same device.*npu:0.*cpu|cpu.*npu:0"):
        use(torch.ones(2, 2, device="npu"), torch.ones(2, 2))


def test_a_child_forked_after_the_start():
    code = """
import os, sys
x = torch.ones(3, device="npu")
if os.fork() == 0:
    assert torch.npu._is_in_bad_fork()
    try:
        torch.ones(3, device="npu") + 1
    except RuntimeError as error:
        print(error, flush=True)
    del x                       # frees memory of a device that is not there
    os._exit(0)
os.wait()
print((x + 1).sum().item())
"""
    done = run(code)
    assert "Cannot re-initialize NPU in forked subprocess" in done.stdout and "'spawn'" in done.stdout
    assert done.stdout.split()[-1] == "6.0", done.stderr


def test_a_child_forked_before_the_start():
    code = """
import os
torch.npu.device_count()
if os.fork() == 0:
    print(torch.ones(3, device="npu").sum().item(), flush=True)
    os._exit(0)
os.wait()
"""
    assert run(code).stdout.strip() == "3.0"


def test_hidden_devices():
    done = run("print(torch.npu.is_available()); torch.ones(1, device='npu')", ASCEND_RT_VISIBLE_DEVICES="")
    assert done.stdout.strip() == "False" or "ASCEND_RT_VISIBLE_DEVICES" in done.stderr
