"""What `import torch_npu` does to torch, through torch's public hooks only. Needs nothing of a device."""

from __future__ import annotations

import functools
import importlib
import os
from pathlib import Path
from types import ModuleType

import torch

from torch_npu import versions

PACKAGE = Path(__file__).parent
# These never lie on an NPU, so their storages get no `.npu()`.
QUANTIZED = [torch.quint8, torch.quint4x2, torch.quint2x4, torch.qint32, torch.qint8]


def load_library() -> ModuleType:
    """torch_npu._C, or ImportError that says what is broken and what to do."""
    try:
        return importlib.import_module("torch_npu._C")
    except ImportError as error:
        raise ImportError(library_problem(error)) from error


def library_problem(error: ImportError) -> str:
    library = PACKAGE / "lib" / "libtorch_npu.so"
    remedy = "Reinstall it: pip install --force-reinstall torch_npu; in a source tree, run `make build`"
    if not library.exists() or not list(PACKAGE.glob("_C.*.so")):
        missing = library if not library.exists() else PACKAGE / "_C.*.so"
        return f"torch_npu: {missing} is missing, so this installation is incomplete. {remedy}. ({error})"
    return (
        f"torch_npu: its libraries do not load: {error}. They were built for torch {versions.BUILT_FOR_TORCH}; installed is "
        f"{torch.__version__}. {remedy}"
    )


def register_backend(npu: ModuleType) -> None:
    """Makes `npu` a device type of torch: its name, its module, Tensor.npu(), Module.npu(), Tensor.is_npu."""
    accelerator = torch._C._get_accelerator().type
    if accelerator not in ("cpu", "npu", "privateuseone"):
        raise RuntimeError(
            f"Two accelerators cannot be used at the same time in PyTorch: npu and {accelerator}. Set "
            "TORCH_DEVICE_BACKEND_AUTOLOAD=0 to leave torch_npu out, or install a torch without the other one."
        )
    torch.utils.rename_privateuse1_backend("npu")
    torch._register_device_module("npu", npu)
    torch.utils.generate_methods_for_privateuse1_backend(
        for_tensor=True, for_module=True, for_packed_sequence=True, for_storage=True, unsupported_dtype=QUANTIZED
    )
    torch.utils.checkpoint.DefaultDeviceType.set_device_type("npu")
    torch.version.cann = cann_version()


def cann_version() -> str:
    """The version of the CANN that would be used; "not known" if it does not say. A warning if it does not fit this torch.

    ImportError if there is none or it cannot work here, except for `python -m torch_npu`, which is about to tell why.
    """
    from torch_npu import _C

    cann, problem = _C.find_cann()
    if problem and versions.is_page():
        return "not known"
    if problem:
        raise ImportError(f"torch_npu: {problem}")
    if not versions.is_page():
        versions.check_libraries(cann["lib_dir"], versions.cann_version_of(cann["root"]))
    told = functools.partial(versions.operators_told, cann["lib_dir"], _C.cann_operators)
    return versions.check_cann(cann["root"], torch.__version__, told) or "not known"


def transfer_if_wanted() -> None:
    """TORCH_TRANSFER_TO_NPU=1 imports torch_npu.contrib.transfer_to_npu; other values than 0 and 1 are a ValueError."""
    wanted = os.environ.get("TORCH_TRANSFER_TO_NPU", "0")
    if wanted not in ("0", "1"):
        raise ValueError(f"TORCH_TRANSFER_TO_NPU should be 0 or 1, but is {wanted!r}")
    if wanted == "1":
        importlib.import_module("torch_npu.contrib.transfer_to_npu")
