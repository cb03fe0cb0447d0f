"""What transfer_to_npu replaces, as tables. Names only: what is done with them stands in transfer_to_npu.py."""

from __future__ import annotations

# Functions and methods of which an argument may name a device: holder and names.
TAKES_DEVICE = {
    "torch": """
        arange as_tensor asarray bartlett_window blackman_window empty empty_like empty_permuted empty_quantized
        empty_strided eye full full_like hamming_window hann_window kaiser_window linspace logspace normal ones ones_like
        rand rand_like randint randint_like randn randn_like randperm range scalar_tensor sparse_bsc_tensor
        sparse_bsr_tensor sparse_compressed_tensor sparse_coo_tensor sparse_csc_tensor sparse_csr_tensor tensor
        tril_indices triu_indices zeros zeros_like
        get_autocast_dtype is_autocast_enabled set_autocast_dtype set_autocast_enabled
    """,
    "torch.amp": "custom_bwd custom_fwd is_autocast_available",
    "torch.fft": "fftfreq rfftfreq",
    "torch.nested": "as_nested_tensor nested_tensor",
    "torch.random": "fork_rng",
    "torch.Tensor": "is_pinned new_empty new_empty_strided new_full new_ones new_tensor new_zeros pin_memory to type",
    "torch.UntypedStorage": "to",
    # Classes, by their constructors. DeviceContext is torch.set_default_device and `with torch.device(...)`.
    "torch.amp.GradScaler": "__init__",
    "torch.amp.autocast": "__init__",
    "torch.utils._device.DeviceContext": "__init__",
    "torch.utils.data.DataLoader": "__init__",
}

# Classes written in C, whose constructors cannot be replaced: a stand-in takes their place.
CLASSES_TAKING_DEVICE = {"torch": "Event Generator Stream"}

# Methods of the left name that become those of the right one.
METHODS = {"cuda": "npu", "is_cuda": "is_npu"}
METHOD_HOLDERS = """
    torch.Tensor torch.TypedStorage torch.UntypedStorage torch.nn.Module torch.nn.utils.rnn.PackedSequence
"""

# What the right module offers takes its name's place in the left one.
MODULES = {
    "torch.cuda": "torch.npu",
    "torch.cuda.amp": "torch.npu.amp",
    "torch.cuda.graphs": "torch.npu.graphs",
    "torch.cuda.memory": "torch.npu.memory",
    "torch.cuda.random": "torch.npu.random",
    "torch.cuda.streams": "torch.npu.streams",
}
PRIVATE = "_is_in_bad_fork _lazy_call _lazy_init"  # of torch.npu: what torch itself calls
RENAMED = {
    "torch.cuda.CUDAGraph": "torch.npu.NPUGraph",
    "torch.cuda.DoubleTensor": "torch.npu.FloatTensor",  # an Ascend computes no float64
    "torch.cuda.graphs.CUDAGraph": "torch.npu.NPUGraph",
    "torch.cuda.nvtx.mark": "torch.npu.mstx.mark",
    "torch.cuda.nvtx.range": "torch.npu.mstx.mstx_range",
    "torch.cuda.nvtx.range_end": "torch.npu.mstx.range_end",
    "torch.cuda.nvtx.range_pop": "torch.npu.mstx.range_pop",
    "torch.cuda.nvtx.range_push": "torch.npu.mstx.range_push",
    "torch.cuda.nvtx.range_start": "torch.npu.mstx.range_start",
}
