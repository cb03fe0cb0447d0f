"""torch_npu.contrib.transfer_to_npu: CUDA scripts on the NPU. Each test runs in a process of its own, since nothing is undone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
import torch.utils._device

from torch_npu.contrib import cuda_names

SCRIPT = (Path(__file__).parent / "cuda_script.py").read_text()
IMPORT = "from torch_npu.contrib import transfer_to_npu"


def run(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=300, env={**os.environ, **environment}
    )


def numbers(code: str, **environment: str) -> dict:
    done = run(code, **environment)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_a_cuda_script_gives_what_the_npu_script_gives() -> None:
    on_npu = numbers(SCRIPT.replace("cuda", "npu"))
    assert on_npu["device"] == "npu:0" and on_npu["allocated"]
    assert numbers(f"{IMPORT}\n{SCRIPT}") == on_npu
    assert numbers(SCRIPT, TORCH_TRANSFER_TO_NPU="1") == on_npu


CHECKS = """
torch.zeros(2, device="cuda").device == npu
torch.rand(2, device=torch.device("cuda", 0)).device == npu
torch.zeros(2).to("cuda:0").device == torch.zeros(2).cuda(0).device == torch.zeros(2).cuda("cuda:0").device == npu
torch.zeros(2).to(device="cuda", dtype=torch.float16).device == npu
torch.zeros(2).new_ones(3, device="cuda").device == npu
torch.fft.fftfreq(4, device="cuda").device == torch.signal.windows.hann(4, device="cuda").device == npu
torch.sparse_coo_tensor([[0]], [1.0], (2,), device="cuda").device == npu
not torch.zeros(2).is_cuda and torch.zeros(2).cuda().is_cuda
torch.nn.Linear(2, 2).cuda().weight.device == torch.nn.Linear(2, 2, device="cuda").weight.device == npu
torch.nn.Linear(2, 2).to("cuda").weight.device == torch.nn.Linear(2, 2, device="meta").to_empty(device="cuda").weight.device
torch.nn.utils.rnn.pack_sequence([torch.ones(3)]).cuda().is_cuda
torch.cuda.is_available() and torch.cuda.device_count() == torch.npu.device_count()
torch.cuda.current_device() == 0 and torch.cuda.get_device_name("cuda:0") == torch.npu.get_device_name()
torch.cuda.Stream is torch.npu.Stream and torch.cuda.CUDAGraph is torch.npu.NPUGraph
isinstance(torch.cuda.Stream(device="cuda:0"), torch.cuda.Stream) and torch.Event("cuda").device == torch.device("npu")
isinstance(torch.npu.default_generators[0], torch.Generator) and torch.Generator("cuda").device.type == "npu"
torch.cuda.get_rng_state("cuda").equal(torch.npu.get_rng_state())
torch.amp.GradScaler()._device == torch.amp.GradScaler("cuda")._device == torch.cuda.amp.GradScaler()._device == "npu"
within(torch.autocast("cuda"), lambda: torch.is_autocast_enabled() and torch.get_autocast_gpu_dtype() == torch.float16)
within(torch.cuda.amp.autocast(dtype=torch.bfloat16), lambda: ones @ ones).dtype == torch.bfloat16
within(torch.device("cuda"), lambda: torch.zeros(2)).device == npu
within(torch.random.fork_rng(), lambda: torch.rand(2, device="cuda")).equal(torch.rand(2, device="cuda"))
within(torch.cuda.device("cuda:0"), torch.cuda.current_device) == 0
all(loaded(place).device == npu for place in ("cuda", torch.device("cuda:0"), {"cpu": "cuda:0"}, lambda s, _: s.cuda()))
torch.cuda.FloatTensor([1, 2]).device == npu and torch.cuda.LongTensor(2, 3).shape == (2, 3)
isinstance(ones, torch.cuda.FloatTensor) and not isinstance(ones.cpu(), torch.cuda.FloatTensor)
ones.cpu().type(torch.cuda.HalfTensor).type() == ones.type("torch.cuda.HalfTensor").type() == "torch.npu.HalfTensor"
torch.cuda.DoubleTensor([1]).dtype == torch.float32
"aclnnMm" in [event.key for event in profiled()]
torch.jit.script(scripted)(ones).device == npu
torch.compile(scripted, backend="npu")(ones).device == torch.compile(compiled, backend="npu")(ones.cpu()).device == npu
torch.cuda.nvtx.range_push("step") == torch.cuda.nvtx.range_pop() == 0
raises(NotImplementedError, "torch.cuda.get_arch_list: torch.npu has nothing like it", torch.cuda.get_arch_list)
raises(RuntimeError, 'the backend "nccl" means "hccl"', lambda: torch.distributed.init_process_group("nccl"))
raises(RuntimeError, 'means "cpu:gloo,npu:hccl"', lambda: torch.distributed.init_process_group("cpu:gloo,cuda:nccl"))
raises(RuntimeError, "Invalid device id: npu:7", lambda: torch.zeros(2, device="cuda:7"))
torch.set_default_tensor_type("torch.cuda.FloatTensor") or torch.zeros(2).device == npu
torch.set_default_device("cpu") or torch.set_default_device("cuda") or torch.zeros(2).device == npu
""".strip().splitlines()

HELPERS = """
import io, json, sys
from torch_npu.contrib import transfer_to_npu
import torch

npu = torch.device("npu:0")
ones = torch.ones(2, 2, device="cuda")

def within(context, function):
    with context:
        return function()

def raises(kind, text, function):
    try:
        function()
    except kind as error:
        return text in str(error) or str(error)

def loaded(place):
    file = io.BytesIO()
    torch.save(torch.ones(2), file)
    file.seek(0)
    return torch.load(file, map_location=place)

def profiled():
    activities = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]
    with torch.profiler.profile(activities=activities) as profile:
        (ones @ ones).cpu()
    return profile.key_averages()

def scripted(x):
    return x + torch.zeros(2, device=x.device)

def compiled(x):
    return x.to("cuda") + torch.zeros(2, device="cuda")

def answer(check):
    try:
        return eval(check)
    except Exception as error:
        return repr(error)

print(json.dumps([str(answer(check)) for check in json.loads(sys.argv[1])]))
"""


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    file = tmp_path_factory.mktemp("transfer") / "checks.py"  # torch.jit.script wants to read the source
    file.write_text(HELPERS)
    done = subprocess.run([sys.executable, str(file), json.dumps(CHECKS)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return dict(zip(CHECKS, json.loads(done.stdout.splitlines()[-1]), strict=True))


@pytest.mark.parametrize("check", CHECKS)
def test_cuda_means_npu(check: str, answers: dict[str, str]) -> None:
    assert answers[check] == "True"


def test_one_warning_says_what_is_replaced() -> None:
    done = run(f"{IMPORT}\nimport torch_npu.contrib.transfer_to_npu")
    assert done.stderr.count("Warning:") == 1 and '"cuda" means "npu"' in done.stderr


def test_nothing_is_replaced_without_it() -> None:
    code = (
        "import sys, torch, torch_npu\n"
        "assert 'torch_npu.contrib' not in sys.modules and not torch.cuda.is_available()\n"
        "assert torch.zeros is torch._C._VariableFunctions.zeros and torch.Generator is torch._C.Generator\n"
    )
    done = run(code, TORCH_TRANSFER_TO_NPU="0")
    assert (done.returncode, done.stderr) == (0, "")


def test_the_variable_is_0_or_1() -> None:
    assert "TORCH_TRANSFER_TO_NPU should be 0 or 1, but is 'yes'" in run("import torch_npu", TORCH_TRANSFER_TO_NPU="yes").stderr


def test_every_factory_of_torch_is_listed() -> None:
    listed = set(cuda_names.TAKES_DEVICE["torch"].split())
    own = {f.__name__ for f in torch.utils._device._device_constructors() if getattr(torch, f.__name__, None) is f}
    assert own - listed == set()
