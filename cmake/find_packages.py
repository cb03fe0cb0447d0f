"""Prints NAME=path lines, separated by `;`, for cmake/packages.cmake: the libraries and headers that pip installed."""

import importlib.metadata
import importlib.util
import os
import sys


def file_of(distribution: str, ending: str) -> str:
    """The absolute path of the file of an installed distribution that ends so."""
    try:
        files = importlib.metadata.files(distribution) or []
    except importlib.metadata.PackageNotFoundError:
        sys.exit(
            f"the Python package {distribution} is not installed in {sys.executable}'s environment: pip install {distribution}"
        )
    for file in files:
        if str(file).endswith(ending):
            return os.path.realpath(os.path.dirname(str(file.locate()))) + "/" + os.path.basename(str(file))
    sys.exit(f"the Python package {distribution} has no file {ending}: another version than pyproject.toml names?")


torch = importlib.util.find_spec("torch")
if torch is None or torch.origin is None:
    sys.exit("torch is not installed: pip install torch==2.13.0")
paths = {
    "ONEDNN_LIBRARY": file_of("onednn-cpu-gomp", "/libdnnl.so.3"),
    "ONEDNN_INCLUDE": os.path.dirname(file_of("onednn-devel-cpu-gomp", "include/dnnl.hpp")),
    "TBB_LIBRARY": file_of("tbb", "/libtbb.so.12"),
    "TBB_INCLUDE": os.path.dirname(os.path.dirname(file_of("tbb-devel", "include/oneapi/tbb.h"))),
    "TORCH_DIR": os.path.dirname(torch.origin),
}
print(";".join(f"{name}={path}" for name, path in paths.items()))
