"""Settings of the genuine adapter. An embedded device has one storage format and prebuilt kernels, so most change nothing;
they are accepted, and checked, so that scripts run."""

from __future__ import annotations

import torch

CHOICES = {
    "ACL_PRECISION_MODE": ("allow_fp32_to_fp16", "must_keep_origin_dtype"),
    "ACL_OP_SELECT_IMPL_MODE": ("high_performance", "high_precision"),
    "ACL_OP_COMPILER_CACHE_MODE": ("disable", "enable", "force"),
    "ACL_OP_DEBUG_LEVEL": ("0", "1", "2", "3", "4"),
}


class _Switches:
    """A few booleans that are kept and have no effect."""

    def __init__(self, **defaults: bool):
        self.__dict__.update(defaults)

    def __setattr__(self, name: str, value: bool) -> None:
        if name not in self.__dict__:
            raise AttributeError(f"torch.npu.config has no setting {name}; it has {', '.join(self.__dict__)}")
        if not isinstance(value, bool):
            raise TypeError(f"torch.npu: {name} must be True or False, but got {value!r}")
        self.__dict__[name] = value


matmul = _Switches(allow_hf32=False)
conv = _Switches(allow_hf32=True)
allow_internal_format = False


def set_compile_mode(jit_compile: bool = False) -> None:
    """Chooses between kernels compiled when needed (True) and prebuilt ones (False). Here all are prebuilt."""
    if not isinstance(jit_compile, bool):
        raise TypeError(f"torch.npu.set_compile_mode: jit_compile must be True or False, but got {jit_compile!r}")


def is_jit_compile_false() -> bool:
    """True: all kernels are prebuilt."""
    return True


def set_option(option: dict[str, object]) -> None:
    """Checks options of the genuine adapter. TypeError for no dict, ValueError for a value that does not exist."""
    if not isinstance(option, dict):
        raise TypeError("npu option must be a dict.")
    for key, value in option.items():
        if key in CHOICES and str(value) not in CHOICES[key]:
            raise ValueError(f"value of {key} should be in {list(CHOICES[key])} but got {value}")


def is_bf16_supported(including_emulation: bool = False) -> bool:
    """True: every NPU that torch_npu serves computes bfloat16."""
    return torch.npu.is_available()
