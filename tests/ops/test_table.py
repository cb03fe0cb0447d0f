"""Every row of the operator table against PyTorch's CPU, on PyTorch's own samples.

A row's overloads are looked up in torch's operator database by name; rows that the database does not reach have tests of
their own beside this file.
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
# Which of several equal elements an index names is PyTorch's own choice, and its CPU's unstable algorithms make it by size and
# dtype; tests/ops/test_sort.py checks that the indices lead to the values.
UNSTABLE = ("sort", "argsort", "kthvalue", "topk", "mode", "median", "nanmedian")
# Here PyTorch's CPU rounds a half type at every step of a sum; we round once, and are held to the float32 result.
ROUNDS_EACH_STEP = ("grid_sampler_2d", "grid_sampler_3d")


def base_name(overload: str) -> str:
    """`add_.Tensor`, `add.out` -> `add`."""
    name = overload.split(".")[0]
    return name[:-1] if name.endswith("_") and not name.endswith("__") else name


NATIVE = {base_name(entry.overload) for row in ROWS for entry in row.entries}
REACHED = [info for info in op_db if base_name(info.aten_name) in NATIVE]

DTYPES = (torch.float32, torch.bfloat16, torch.int64, torch.complex64)
CASES = [(info, dtype) for info in REACHED for dtype in DTYPES if dtype in info.dtypes]  # as PyTorch's CPU has them


def moved(value, device):
    return tree_map(lambda t: t.detach().to(device) if isinstance(t, torch.Tensor) else t, value)


def widened(value):
    return tree_map(lambda t: t.float() if isinstance(t, torch.Tensor) and t.is_floating_point() else t, value)


def on_cpu(value):
    return [t.cpu() for t in tree_leaves(value) if isinstance(t, torch.Tensor)]


@pytest.mark.parametrize(("info", "dtype"), CASES, ids=lambda v: v.full_name if hasattr(v, "full_name") else str(v)[6:])
def test_row_equals_cpu(info, dtype):
    """Values, shapes and dtypes are the CPU's."""
    samples = []
    for sample in info.sample_inputs("cpu", dtype):
        arguments = (sample.input, sample.args, sample.kwargs)
        try:
            if info.name in ROUNDS_EACH_STEP:
                inp, args, kwargs = widened(arguments)
                want = [t.to(dtype) for t in on_cpu(info.op(inp, *args, **kwargs))]
            else:
                want = on_cpu(info.op(sample.input, *sample.args, **sample.kwargs))
            samples.append((moved(arguments, "npu"), want))
        except RuntimeError:  # the CPU refuses this sample
            continue
        if len(samples) == SAMPLES:
            break
    for (inp, args, kwargs), want in samples:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            got = on_cpu(info.op(inp, *args, **kwargs))
        assert [(t.shape, t.dtype) for t in got] == [(t.shape, t.dtype) for t in want]
        if any(word in info.name for word in RANDOM):
            continue
        rtol, atol = TOLERANCE.get(dtype, (None, None))
        for i, (g, w) in enumerate(zip(got, want, strict=True)):
            if info.name == "argsort" or (info.name in UNSTABLE and i == 1):
                continue
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
