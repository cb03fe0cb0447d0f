"""Every row of the operator table against PyTorch's CPU, on PyTorch's own samples, without any fallback.

A row's overloads are looked up in torch's operator database by name; rows that the database does not reach have a test of
their own beside this file (test_every_row_is_reached says which).
"""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest
import torch
from torch.testing._internal.common_methods_invocations import op_db
from torch.utils._pytree import tree_leaves, tree_map

import torch_npu
from codegen import table

ROOT = Path(__file__).resolve().parents[2]
ROWS = table.load(ROOT / "cann" / "ops")
SAMPLES = 3
TOLERANCE = {torch.float32: (1e-4, 1e-5), torch.bfloat16: (1.6e-2, 1.6e-2), torch.complex64: (1e-4, 1e-5)}
# Uninitialised memory or random numbers: only shapes and dtypes can be compared.
RANDOM = (
    "empty",
    "rand",
    "bernoulli",
    "multinomial",
    "normal",
    "uniform",
    "exponential",
    "cauchy",
    "geometric",
    "dropout",
    "rrelu",
)


def base_name(overload: str) -> str:
    """`add_.Tensor`, `add.out` -> `add`."""
    name = overload.split(".")[0]
    return name[:-1] if name.endswith("_") and not name.endswith("__") else name


NATIVE = {base_name(entry.overload) for row in ROWS for entry in row.entries}
REACHED = [info for info in op_db if base_name(info.aten_name) in NATIVE]


def moved(value, device):
    return tree_map(lambda t: t.detach().to(device) if isinstance(t, torch.Tensor) else t, value)


def on_cpu(value):
    return [t.cpu() for t in tree_leaves(value) if isinstance(t, torch.Tensor)]


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.int64, torch.complex64], ids=lambda d: str(d)[6:])
@pytest.mark.parametrize("info", REACHED, ids=lambda i: i.full_name)
def test_row_equals_cpu(info, dtype):
    """Values, shapes and dtypes are the CPU's, and float32 never leaves the device."""
    if dtype not in info.dtypes:
        pytest.skip("PyTorch's CPU does not have this dtype either")
    samples = []
    for sample in info.sample_inputs("cpu", dtype):
        arguments = (sample.input, sample.args, sample.kwargs)
        try:
            samples.append((moved(arguments, "npu"), on_cpu(info.op(sample.input, *sample.args, **sample.kwargs))))
        except RuntimeError:  # the CPU refuses this sample
            continue
        if len(samples) == SAMPLES:
            break
    torch_npu.diagnostics.reset()
    for (inp, args, kwargs), want in samples:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            got = on_cpu(info.op(inp, *args, **kwargs))
        assert [(t.shape, t.dtype) for t in got] == [(t.shape, t.dtype) for t in want]
        if any(word in info.name for word in RANDOM):
            continue
        rtol, atol = TOLERANCE.get(dtype, (None, None))
        for g, w in zip(got, want, strict=True):
            matches = rtol is not None and w.dtype == dtype
            torch.testing.assert_close(g, w, equal_nan=True, **({"rtol": rtol, "atol": atol} if matches else {}))


def test_every_aclnn_function_is_in_the_library():
    """The table promises it, libopapi has it: both phases of every row."""
    import ctypes

    library = ctypes.CDLL(str(Path(torch_npu.__file__).parent / "cann" / "lib64" / "libopapi.so"))
    for row in ROWS:
        if row.aclnn:
            assert hasattr(library, row.aclnn), row.where
            assert hasattr(library, f"{row.aclnn}GetWorkspaceSize"), row.where
