"""What the diagnostics' tests share: running a script under the command, and a clean slate before each test."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from torch_npu import diagnostics


@pytest.fixture(autouse=True)
def clean_slate():
    """No counts, and afterwards the policies as they were."""
    diagnostics.reset()
    before = diagnostics.policies()
    yield
    for kind, policy in before.items():
        diagnostics.set_policy(kind, policy)
    diagnostics.set_float64("native")


@pytest.fixture
def watched(tmp_path, root):
    """watched(script, *options, arguments=(), **environment) -> (process, the report as JSON)."""

    def run(script: Path, *options: str, arguments: tuple[str, ...] = (), **environment: str):
        report = tmp_path / "report.json"
        command = [sys.executable, "-m", "torch_npu.diagnostics", "--json", str(report), *options, str(script), *arguments]
        env = {**os.environ, "PYTHONPATH": f"{root}{os.pathsep}{os.environ.get('PYTHONPATH', '')}", **environment}
        process = subprocess.run(command, capture_output=True, text=True, env=env, timeout=300, check=False)
        return process, json.loads(report.read_text()) if report.exists() else None

    return run


def python(code: str, root: Path, **environment: str) -> subprocess.CompletedProcess:
    """A fresh interpreter that runs the code."""
    env = {**os.environ, "PYTHONPATH": f"{root}{os.pathsep}{os.environ.get('PYTHONPATH', '')}", **environment}
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env, timeout=120, check=False)


@pytest.fixture
def fresh(root):
    """fresh(code, **environment): a fresh interpreter that runs the code."""
    return lambda code, **environment: python(code, root, **environment)
