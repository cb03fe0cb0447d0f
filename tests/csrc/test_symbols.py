"""libtorch_npu.so links PyTorch but computes nothing with its CPU kernels: device work goes through aclnn.

On an embedded device a CPU kernel on device memory would happen to work; on an Ascend it is a crash.
"""

from __future__ import annotations

import re
import subprocess

# What the adapter may use of at::native and at::cpu: bookkeeping on sizes and strides, no element of device memory.
PERMITTED = re.compile(
    r"""at::native::(
        cpu_fallback | call_fallback_fn | resize_output | resize_output_check | result_type
      | resize_ | resize_bytes_\w+ | resize_impl_\w+ | maybe_resize_storage_\w+ | setStrided | set_\w*
      | checkInBoundsForStorage
      | storage_size_for | as_strided_\w* | \w*view\w* | _reshape_alias | unfold | expand\w*
      | alias | empty_\w* | check_size_nonnegative | is_pinned | infer_size\w*
      | DispatchStub\w* | RegisterPRIVATEUSE1Dispatch | \w+_stub
    )\b""",
    re.VERBOSE,
)


def undefined_symbols(library) -> list[str]:
    command = ["nm", "-DC", "--undefined-only", library]
    listing = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return [line.split(maxsplit=1)[1] for line in listing.splitlines()]


def test_no_cpu_kernel_is_linked(package_dir):
    names = undefined_symbols(package_dir / "lib" / "libtorch_npu.so")
    kernels = [name for name in names if re.match(r"(\w+ )*at::(native|cpu)::", name) and not PERMITTED.search(name)]
    assert not kernels, "\n".join(kernels)


def test_cann_is_not_linked(package_dir):
    library = package_dir / "lib" / "libtorch_npu.so"
    needed = subprocess.run(["readelf", "-d", library], capture_output=True, text=True, check=True).stdout
    assert not re.search(r"NEEDED.*lib(ascendcl|opapi|ge_runner|hccl)", needed)
    assert not [name for name in undefined_symbols(library) if name.startswith("acl")]
