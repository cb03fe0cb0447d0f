"""An Ascend NPU as a PyTorch device.

`import torch_npu` (or `import torch` alone) makes `torch.device("npu")` and `torch.npu` work. Importing touches no device
and opens no CANN: that happens at the first use. See `python -m torch_npu` for what would be used.
"""


def _autoload() -> None:
    """What `import torch` calls (entry point group `torch.backends`). Importing this package has done all there is to do."""


# Stands above `import torch`: importing torch_npu first makes torch look for _autoload in this half-imported module.
import torch  # noqa: E402

from torch_npu import versions  # noqa: E402

# Before the libraries, which do not load with another torch. `python -m torch_npu` goes on without them and says why.
if versions.check_installation(torch.__version__):
    from torch_npu._setup import load_library, register_backend, transfer_if_wanted

    _C = load_library()

    from torch_npu import diagnostics, npu, profiler
    from torch_npu.formats import Format, get_npu_format
    from torch_npu.npu_ops import *  # noqa: F403

    register_backend(npu)
    npu.diagnostics = diagnostics
    transfer_if_wanted()

from torch_npu.version import __version__  # noqa: E402
