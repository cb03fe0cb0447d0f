"""Makes a script written for CUDA run on the NPU: `from torch_npu.contrib import transfer_to_npu`, above the rest.

Wherever a device may be named, "cuda" means "npu"; torch.cuda offers what torch.npu does; .cuda() and .is_cuda are .npu()
and .is_npu. It holds until the process ends. What is replaced stands in cuda_names.py.

What it cannot do: names that were imported earlier (`from torch import zeros`) stay as they are; a tensor on the device says
"npu:0", which differs from torch.device("cuda:0"); torch.nn.DataParallel, whose scatter torch has for CUDA alone, does not run.
"""

from __future__ import annotations

import functools
import inspect
import sys
import types
import warnings
from collections.abc import Callable
from typing import Any

import torch
import torch.distributed
import torch.jit._builtins
import torch.utils._device
import torch.utils.data

from torch_npu.contrib import cuda_names
from torch_npu.npu.device import DEVICE_TYPES
from torch_npu.npu.tensor_types import TensorType


def to_npu(value: Any) -> Any:
    """What names CUDA ("cuda", "cuda:1", a torch.device, "torch.cuda.FloatTensor") as the NPU's; all else as it is."""
    if isinstance(value, torch.device) and value.type == "cuda":
        return torch.device("npu" if value.index is None else f"npu:{value.index}")
    if not isinstance(value, str):
        return value
    if value == "cuda" or value.startswith("cuda:"):
        return "npu" + value[len("cuda") :]
    kind = getattr(torch.cuda, value.removeprefix("torch.cuda."), None) if value.startswith("torch.cuda.") else None
    return kind.__name__ if isinstance(kind, TensorType) else value


def translated(function: Callable) -> Callable:
    """`function` with to_npu over its arguments and its defaults."""
    defaults = getattr(function, "__defaults__", None)
    if defaults:
        function.__defaults__ = tuple(to_npu(value) for value in defaults)

    @functools.wraps(function)
    def call(*args, **kwargs):
        return function(*(to_npu(value) for value in args), **{name: to_npu(value) for name, value in kwargs.items()})

    return call


class StandIn(type):
    """The type of a class that takes the place of one written in C: it makes, and knows as its own, objects of that one."""

    def __call__(cls, *args, **kwargs):
        return translated(cls.real)(*args, **kwargs)

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, cls.real)

    def __subclasscheck__(cls, subclass: type) -> bool:
        return issubclass(subclass, cls.real)


def find(path: str) -> Any:
    """The module, class or function at a dotted path."""
    if path in sys.modules:  # first, for some functions have the name of their module
        return sys.modules[path]
    holder, _, name = path.rpartition(".")
    return getattr(find(holder), name)


def replace_functions() -> None:
    # It caches the factories that it recognises; let it do so while they are the ones that torch's C++ calls them by.
    torch.utils._device._device_constructors()
    for path, names in cuda_names.TAKES_DEVICE.items():
        holder = find(path)
        for name in names.split():
            function = getattr(holder, name)
            replacement = translated(function)
            setattr(holder, name, replacement)
            builtin = torch.jit._builtins._find_builtin(function)
            if builtin:
                torch.jit._builtins._register_builtin(replacement, builtin)  # so that torch.jit.script still knows it


def replace_autocast() -> None:
    """The functions that mean CUDA without naming it."""
    enabled = torch.is_autocast_enabled
    torch.is_autocast_enabled = lambda device_type="npu": enabled(device_type)
    torch.get_autocast_gpu_dtype = functools.partial(torch.get_autocast_dtype, "npu")
    torch.set_autocast_gpu_dtype = functools.partial(torch.set_autocast_dtype, "npu")


def replace_classes() -> None:
    for path, names in cuda_names.CLASSES_TAKING_DEVICE.items():
        for name in names.split():
            real = getattr(find(path), name)
            content = {"real": real, "__new__": real.__new__, "__module__": path, "__doc__": real.__doc__}
            setattr(find(path), name, StandIn(name, (), content))


def replace_default_type() -> None:
    """torch.set_default_tensor_type("torch.cuda.FloatTensor"), which torch has for the CPU and CUDA alone."""
    original = torch.set_default_tensor_type

    def set_default_tensor_type(t: type | str) -> None:
        kind = getattr(torch.cuda, t.rpartition(".")[2], t) if isinstance(t, str) and t.startswith("torch.cuda.") else t
        if not isinstance(kind, TensorType):
            torch.set_default_device(None)
            return original(t)
        torch.set_default_dtype(kind.dtype)
        return torch.set_default_device("npu")

    torch.set_default_tensor_type = set_default_tensor_type


def replace_methods() -> None:
    for path in cuda_names.METHOD_HOLDERS.split():
        holder = find(path)
        for old, new in cuda_names.METHODS.items():
            method = getattr(holder, new, None)
            if method is not None:  # a Module has no is_npu
                setattr(holder, old, translated(method) if inspect.isfunction(method) else method)


def replace_modules() -> None:
    for path, own_path in cuda_names.MODULES.items():
        module, own = find(path), find(own_path)
        private = cuda_names.PRIVATE.split() if own is torch.npu else []
        for name in [name for name in dir(own) if not name.startswith("_")] + private:
            if hasattr(module, name) and not isinstance(getattr(own, name), types.ModuleType):
                setattr(module, name, getattr(own, name))
    for path, own_path in cuda_names.RENAMED.items():
        holder, _, name = path.rpartition(".")
        setattr(find(holder), name, find(own_path))
    for name in torch.cuda.__all__:
        if not hasattr(torch.npu, name) and inspect.isfunction(getattr(torch.cuda, name)):
            setattr(torch.cuda, name, missing(f"torch.cuda.{name}"))
    DEVICE_TYPES.add("cuda")


def missing(path: str) -> Callable:
    """A function that says that the NPU has nothing like torch.cuda's."""

    def call(*args, **kwargs):
        raise NotImplementedError(f"{path}: torch.npu has nothing like it (torch_npu.contrib.transfer_to_npu)")

    return call


def replace_serialization() -> None:
    """torch.load(map_location="cuda"), and what was saved on CUDA."""

    def restore(storage: torch.UntypedStorage, location: str) -> torch.UntypedStorage | None:
        if not location.startswith("cuda"):
            return None
        return torch.serialization.default_restore_location(storage, to_npu(location))

    # 15: asked after the CPU's (10) and before CUDA's (20).
    torch.serialization.register_package(15, lambda storage: None, restore)


def replace_distributed() -> None:
    """The backend "nccl" becomes "hccl", where there is one."""
    if not torch.distributed.is_available():
        return

    def with_backend(function: Callable) -> Callable:
        @functools.wraps(function)
        def call(*args, **kwargs):
            bound = inspect.signature(function).bind_partial(*args, **kwargs)
            bound.arguments = {name: to_npu(value) for name, value in bound.arguments.items()}
            if bound.arguments.get("backend") is not None:
                bound.arguments["backend"] = to_hccl(bound.arguments["backend"])
            return function(*bound.args, **bound.kwargs)

        return call

    for name in ("init_process_group", "new_group"):
        setattr(torch.distributed, name, with_backend(getattr(torch.distributed, name)))


def to_hccl(backend: str) -> str:
    """The NPU's name of a backend or of a list of them ("cpu:gloo,cuda:nccl"). RuntimeError if it is not there."""
    wanted = backend.lower().replace("nccl", "hccl").replace("cuda:", "npu:")
    if "hccl" in wanted and "hccl" not in torch.distributed.Backend.backend_list:
        raise RuntimeError(
            f'torch.distributed: the backend "{backend}" means "{wanted}" on an NPU, but no backend "hccl" is registered. '
            'Use "gloo" with tensors on the CPU, or run one process.'
        )
    return wanted


def replace_profiler() -> None:
    torch.profiler.ProfilerActivity.CUDA = torch.profiler.ProfilerActivity.PrivateUse1
    original = torch.autograd.profiler.profile.__init__

    @functools.wraps(original)
    def init(self, enabled=True, *, use_cuda=False, use_device=None, **kwargs):
        if use_cuda or to_npu(use_device) == "npu":
            use_device, kwargs["use_kineto"] = "npu", True  # without kineto it knows no device but CUDA
        original(self, enabled, use_device=use_device, **kwargs)

    torch.autograd.profiler.profile.__init__ = init


replace_functions()
replace_autocast()
replace_classes()
replace_default_type()
replace_methods()
replace_modules()
replace_serialization()
replace_distributed()
replace_profiler()
warnings.warn(
    'transfer_to_npu: from here on "cuda" means "npu" wherever a device is named, torch.cuda offers what torch.npu does, '
    '.cuda() and .is_cuda are .npu() and .is_npu, float64 tensor types are float32 ones, and the backend "nccl" is "hccl". '
    "torch_npu/contrib/cuda_names.py lists the names.",
    stacklevel=2,
)
