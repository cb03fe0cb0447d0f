"""The operator table: what a good row becomes, and that a bad one is refused with its file and line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
SOFTPLUS = """
- op: softplus
  aclnn: aclnnSoftplus(Tensor self, Scalar beta, Scalar threshold, Tensor out)
  aten: [softplus.out]
"""


def generate(folder: Path, table: str, name: str = "pointwise") -> subprocess.CompletedProcess[str]:
    """Runs the generator on one table, as the build does."""
    tables = folder / "cann" / "ops"
    tables.mkdir(parents=True, exist_ok=True)
    (tables / f"{name}.yaml").write_text(table.lstrip("\n"))
    command = [sys.executable, "-m", "codegen", "--tables", str(tables), "--output", str(folder / "out")]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True)


def test_a_row_becomes_a_c_pair_and_three_registrations(tmp_path):
    done = generate(tmp_path, SOFTPLUS)
    assert done.returncode == 0, done.stderr
    header = (tmp_path / "out/include/aclnn/family_pointwise.h").read_text()
    assert (
        "aclnnStatus aclnnSoftplusGetWorkspaceSize(const aclTensor* self, const aclScalar* beta, const aclScalar* threshold, "
        "const aclTensor* out, uint64_t* workspace_size, aclOpExecutor** executor);"
    ) in header
    assert "aclnnStatus aclnnSoftplus(void* workspace, uint64_t workspace_size, aclOpExecutor* executor, " in header
    assert "return softplus(self, beta, threshold, out);" in (tmp_path / "out/capi/pointwise.cpp").read_text()
    registrations = (tmp_path / "out/csrc/register_pointwise_0.cpp").read_text()
    assert 'm.impl("softplus", ' in registrations
    assert 'm.impl("softplus.out", ' in registrations
    assert "at::meta::structured_softplus" in registrations


def test_lists_take_one_launch_or_are_composed(tmp_path):
    table = """
- op: foreach_add_scalar
  aclnn: aclnnForeachAddScalarV2(TensorList self, Scalar scalar, TensorList out)
  aten: [_foreach_add.Scalar, _foreach_add_.Scalar]
"""
    done = generate(tmp_path, table, "foreach")
    assert done.returncode == 0, done.stderr
    code = (tmp_path / "out/csrc/register_foreach_0.cpp").read_text()
    assert "lists::alike({self}) && lists::keeps_type(self, scalar)" in code
    assert "return at::compositeexplicitautograd::_foreach_add_(self, scalar);" in code
    assert "launch(aclnn::ForeachAddScalarV2, self, scalar, self);" in code
    assert "std::vector<at::Tensor> out = lists::empty_like(self);" in code


def test_the_c_header_is_c(tmp_path):
    generate(tmp_path, SOFTPLUS)
    source = tmp_path / "use.c"
    source.write_text(
        '#include "aclnn/aclnn_operators.h"\n'
        "aclnnStatus (*run)(void*, uint64_t, aclOpExecutor*, aclrtStream) = aclnnSoftplus;\n"
    )
    command = ["gcc", "-std=c11", "-Wall", "-Werror", "-fsyntax-only", f"-I{ROOT}/include", f"-I{tmp_path}/out/include", source]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("function", "header"),
    [
        ("aclnnAdd", "aclnnop/aclnn_add.h"),
        ("aclnnInplaceAdd", "aclnnop/aclnn_add.h"),
        ("aclnnLayerNorm", "aclnnop/aclnn_layer_norm.h"),
        ("aclnnGeTensor", "aclnnop/aclnn_ge_tensor.h"),
    ],
)
def test_headers_have_cann_names(function, header):
    from codegen.contract import header_name

    assert header_name(function) == header


def test_files_that_would_not_change_keep_their_time(tmp_path):
    generate(tmp_path, SOFTPLUS)
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "out").rglob("*.*")}
    generate(tmp_path, SOFTPLUS)
    assert before == {path: path.stat().st_mtime_ns for path in (tmp_path / "out").rglob("*.*")}


def test_an_empty_table_is_no_error(tmp_path):
    assert generate(tmp_path, "").returncode == 0


BAD = {
    "an unknown key": ("- op: exp\n  aclmn: aclnnExp(Tensor self, Tensor out)\n", 1, "unknown keys ['aclmn']"),
    "an unknown type": ("- op: exp\n  aclnn: aclnnExp(Tenser self)\n", 1, "parameter 'Tenser self'"),
    "no parameter name": ("- op: exp\n  aclnn: aclnnExp(Tensor)\n", 1, "parameter 'Tensor'"),
    "not a signature": ("- op: exp\n  aclnn: exp\n", 1, "is not of the form aclnnName(Type name, ...)"),
    "not a row": ("- exp\n", "?", "a row is a mapping that begins with `op:`"),
    "a word that Ascend does not have": ("- op: exp\n  ascend: gpu\n", 1, "ascend: 'gpu'"),
    "a function defined twice": (SOFTPLUS + SOFTPLUS.replace("softplus", "other"), 5, "aclnnSoftplus is already defined at"),
    "an overload served twice": (
        SOFTPLUS + "- op: twice\n  aclnn: aclnnTwice(Tensor self, Tensor out)\n  aten: [softplus.out]\n",
        4,
        "softplus.out is already served at",
    ),
    "a function that no row defines": (
        "- op: add\n  aclnn: aclnnAdd(Tensor self, Tensor other, Scalar alpha, Tensor out)\n"
        "  aten:\n  - add.out: {scalar: aclnnAdds}\n",
        1,
        "aclnnAdds is defined in no row",
    ),
    "an overload that ATen has not": (
        "- op: exp\n  aclnn: aclnnExp(Tensor self, Tensor out)\n  aten: [exp.oot]\n",
        1,
        "aten has no overload exp.oot",
    ),
    "a parameter that the overload has not": (
        "- op: exp\n  aclnn: aclnnExp(Tensor self, double base, Tensor out)\n  aten: [exp.out]\n",
        1,
        "aclnnExp takes ['base'], which are no arguments of the overload",
    ),
    "a call of the wrong length": (
        "- op: exp\n  aclnn: aclnnExp(Tensor self, Tensor out)\n  aten:\n  - exp.out: {call: [self]}\n",
        1,
        "call: has 1 expressions, aclnnExp takes 2",
    ),
    "an operator without a shape": (
        "- op: embedding\n  aclnn: aclnnEmbedding(Tensor weight, Tensor indices, Tensor out)\n  aten: [embedding]\n",
        1,
        "it needs `out:`",
    ),
    "an unknown key of an entry": (
        "- op: exp\n  aclnn: aclnnExp(Tensor self, Tensor out)\n  aten:\n  - exp.out: {shap: x}\n",
        1,
        "unknown keys ['shap']",
    ),
}


@pytest.mark.parametrize("fault", BAD)
def test_a_bad_row_is_refused_with_its_line(tmp_path, fault):
    table, line, text = BAD[fault]
    done = generate(tmp_path, table)
    assert done.returncode == 1
    assert done.stderr.startswith(f"cann/ops/pointwise.yaml:{line}: "), done.stderr
    assert text in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "out").exists()


def test_broken_yaml_is_told_with_its_place(tmp_path):
    done = generate(tmp_path, "- op: [exp\n")
    assert done.returncode == 1
    assert "pointwise.yaml" in done.stderr and "line" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_real_tables_are_good(tmp_path):
    command = [sys.executable, "-m", "codegen", "--output", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
