"""An Ascend NPU as a PyTorch device.

`import torch_npu` (or `import torch` alone) makes `torch.device("npu")` and `torch.npu` work. Importing touches no device
and opens no CANN: that happens at the first use. See `python -m torch_npu` for what would be used.
"""


def _autoload() -> None:
    """What `import torch` calls (entry point group `torch.backends`). Importing this package has done all there is to do."""


# Stands above `import torch`: importing torch_npu first makes torch look for _autoload in this half-imported module.
import torch  # noqa: E402

from torch_npu import versions  # noqa: E402

versions.check_installation(torch.__version__)  # before the libraries, which do not load with another torch

from torch_npu._setup import load_library, register_backend  # noqa: E402

_C = load_library()

from torch_npu import diagnostics, npu  # noqa: E402
from torch_npu.npu_ops import *  # noqa: E402, F403
from torch_npu.version import __version__  # noqa: E402

register_backend(npu)
npu.diagnostics = diagnostics
