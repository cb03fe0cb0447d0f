"""What all tests share: the places of the tree, of its build and of the package under test."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def root() -> Path:
    """The repository."""
    return ROOT


@pytest.fixture(scope="session")
def build_dir() -> Path:
    """The CMake build that the package under test came from: NPU_BUILD_DIR, or where `make` builds."""
    for place in (os.environ.get("NPU_BUILD_DIR"), ROOT / "build" / "dev", ROOT / "build"):
        if place and (Path(place) / "build.ninja").exists():
            return Path(place)
    pytest.skip("no build folder: run `make build`, or set NPU_BUILD_DIR")


@pytest.fixture(scope="session")
def package_dir() -> Path:
    """The installed torch_npu."""
    import torch_npu

    return Path(torch_npu.__file__).parent
