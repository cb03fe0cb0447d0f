"""Importing torch_npu: in any order, without touching a device; and what a user reads when the installation is not right."""

from __future__ import annotations

import importlib.metadata
import os
import subprocess
import sys
from pathlib import Path

import pytest


def python(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, env={**os.environ, **environment})


@pytest.fixture
def fake_toolkit(tmp_path, package_dir):
    """Makes a CANN folder of any version out of the embedded one's libraries."""

    def make(version: str) -> Path:
        toolkit = tmp_path / "ascend-toolkit"
        toolkit.mkdir()
        (toolkit / "lib64").symlink_to(package_dir / "cann" / "lib64")
        (toolkit / "version.info").write_text(f"version={version}\n")
        for part in ("runtime", "compiler", "opp"):
            (toolkit / part).mkdir()
        return toolkit

    return make


installed = pytest.mark.skipif(
    not any("torch_npu" in entry.value for entry in importlib.metadata.entry_points(group="torch.backends")),
    reason="torch_npu is on PYTHONPATH only: without an installation there are no entry points",
)
USE = "print(torch.ones(2, device='npu').sum().item())"


@installed
def test_importing_torch_is_enough():
    done = python("-c", f"import torch; {USE}")
    assert (done.stdout, done.returncode) == ("2.0\n", 0), done.stderr


@pytest.mark.parametrize("order", ["import torch, torch_npu", "import torch_npu, torch"])
def test_any_order_of_imports(order):
    done = python("-c", f"{order}; {USE}")
    assert (done.stdout, done.returncode) == ("2.0\n", 0), done.stderr


@installed
def test_loading_by_itself_can_be_switched_off():
    done = python("-c", "import torch; print(hasattr(torch, 'npu'))", TORCH_DEVICE_BACKEND_AUTOLOAD="0")
    assert done.stdout == "False\n"


def test_importing_touches_no_device():
    code = "import torch_npu, threading, os; print(torch_npu.npu.is_initialized(), len(os.listdir('/proc/self/task')))"
    alone = python("-c", "import torch, os; print(len(os.listdir('/proc/self/task')))", TORCH_DEVICE_BACKEND_AUTOLOAD="0")
    assert python("-c", code).stdout.split() == ["False", alone.stdout.strip()]


def test_the_page_about_this_installation():
    done = python("-m", "torch_npu", "--check", NPU_EMBEDDED_DEVICES="2", NPU_EMBEDDED_THREADS="2")
    assert done.returncode == 0, done.stdout + done.stderr
    for line in ("torch      2.13.0", "torch_npu  2.13.0+embedded in ", "(embedded: computes on this machine's CPU)", "npu:1"):
        assert line in done.stdout
    assert "Threads    2" in done.stdout


def test_a_misspelt_option_is_told_with_the_one_that_was_meant():
    done = python("-m", "torch_npu", "--check", NPU_EMBEDDED_DEVICE="2")
    assert done.returncode == 1
    assert "NPU_EMBEDDED_DEVICE is not an option; did you mean NPU_EMBEDDED_DEVICES?" in done.stdout


def test_a_malformed_option_is_told_with_what_is_needed():
    done = python("-m", "torch_npu", "--check", NPU_EMBEDDED_DEVICES="many")
    assert done.returncode == 1
    assert "NPU_EMBEDDED_DEVICES='many': needs a whole number from 1 to 64" in done.stdout


def test_a_folder_without_cann():
    done = python("-c", f"import torch, torch_npu; {USE}", TORCH_NPU_CANN="/nowhere")
    assert done.returncode != 0
    assert "TORCH_NPU_CANN=/nowhere holds no CANN: there is no lib64/libascendcl.so in it." in done.stderr
    assert "or TORCH_NPU_CANN=embedded" in done.stderr


def test_a_library_that_is_none(tmp_path):
    (tmp_path / "lib64").mkdir()
    (tmp_path / "lib64" / "libascendcl.so").write_text("not a library")
    done = python("-c", f"import torch, torch_npu; {USE}", TORCH_NPU_CANN=str(tmp_path))
    assert done.returncode != 0
    assert f"{tmp_path}/lib64/libascendcl.so cannot be opened" in done.stderr


def test_a_toolkit_under_ascend_home_path_is_used(fake_toolkit):
    toolkit = fake_toolkit("9.1.0")
    done = python("-m", "torch_npu", "--check", ASCEND_HOME_PATH=str(toolkit))
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"in {toolkit}, chosen by ASCEND_HOME_PATH" in done.stdout


def test_an_old_toolkit_is_warned_about_with_both_versions(fake_toolkit):
    done = python("-m", "torch_npu", "--check", ASCEND_HOME_PATH=str(fake_toolkit("8.0.RC2")))
    assert "torch_npu: CANN 8.0.RC2 is not made for torch 2.13.0" in done.stderr
    assert done.returncode == 1
    assert "Problem: CANN 8.0.RC2 is not made for torch 2.13.0" in done.stdout


def test_another_torch_is_refused_before_anything_is_loaded():
    code = "import torch; torch.__version__ = '2.12.1'; import torch_npu"
    done = python("-c", code, TORCH_DEVICE_BACKEND_AUTOLOAD="0")
    assert done.returncode != 0
    assert "ImportError: torch_npu: torch_npu was built for torch 2.13.0, but torch 2.12.1 is installed" in done.stderr


def test_the_genuine_package_in_the_same_environment_is_refused(tmp_path):
    metadata = tmp_path / "torch_npu-2.13.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: torch-npu\nVersion: 2.13.0\n")
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    done = python("-c", "import torch_npu", PYTHONPATH=path, TORCH_DEVICE_BACKEND_AUTOLOAD="0")
    assert done.returncode != 0
    assert "the genuine torch_npu is mixed with this one" in done.stderr
    assert "pip uninstall -y torch_npu" in done.stderr
