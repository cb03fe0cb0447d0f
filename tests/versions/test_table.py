"""What a user reads when versions do not fit. Each message names both versions and the command that mends it."""

import warnings

import pytest

from torch_npu import versions


def test_the_torch_it_was_built_for_is_fine():
    assert versions.torch_problem("2.13.0") is None
    assert versions.torch_problem("2.13.0+cpu") is None


def test_another_torch_is_refused_with_both_versions_and_the_remedy():
    with pytest.raises(ImportError) as error:
        versions.check_installation("2.12.1+cpu")
    assert str(error.value) == (
        "torch_npu: torch_npu was built for torch 2.13.0, but torch 2.12.1+cpu is installed, and the C++ interface of torch "
        "differs between releases. Install the torch it needs: pip install torch==2.13.0"
    )


def test_the_pinned_torch_is_the_one_of_pyproject(root):
    assert f'"torch=={versions.BUILT_FOR_TORCH}"' in (root / "pyproject.toml").read_text()


def test_the_embedded_cann_fits(root):
    embedded = (root / "cmake" / "cann_version.txt").read_text().strip()
    assert versions.cann_problem(embedded, versions.BUILT_FOR_TORCH) is None


@pytest.mark.parametrize(("cann", "torch"), [("8.0.RC2", "2.1.0"), ("8.5.0", "2.3.1"), ("8.3.RC1", "2.8.0"), ("9.1.0", "2.12.0")])
def test_rows_of_the_table(cann, torch):
    assert versions.cann_problem(cann, torch) is None


def test_an_old_cann_is_warned_about():
    problem = versions.cann_problem("8.0.RC2", "2.13.0")
    assert problem == (
        "CANN 8.0.RC2 is not made for torch 2.13.0: it fits torch 2.1, 2.4, and this torch needs CANN 9.1. Operators that "
        "this CANN lacks will run on the CPU. Install CANN 9.1, or use the embedded one: TORCH_NPU_CANN=embedded"
    )


def test_a_cann_newer_than_the_table_is_trusted():
    assert versions.cann_problem("10.2.0", "2.13.0") is None


@pytest.mark.parametrize("place", ["version.info", "x86_64-linux/ascend_toolkit_install.info", "runtime/version.info"])
def test_a_toolkit_says_its_version(tmp_path, place):
    (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / place).write_text("package_name=Ascend-cann-toolkit\nversion=8.0.RC2\ninnerversion=V100R001\n")
    assert versions.cann_version_of(tmp_path) == "8.0.RC2"
    with pytest.warns(UserWarning, match=r"CANN 8\.0\.RC2 is not made for torch 2\.13\.0"):
        assert versions.check_cann(tmp_path, "2.13.0") == "8.0.RC2"


def test_a_toolkit_without_a_version_is_not_complained_about(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert versions.check_cann(tmp_path, "2.13.0") is None


def test_one_installation_is_fine():
    assert versions.installation_problem([]) is None
    assert versions.installation_problem([("2.13.0+embedded", "/env")]) is None


def test_the_genuine_package_beside_this_one_is_refused():
    problem = versions.installation_problem([("2.13.0+embedded", "/env"), ("2.13.0", "/home/ann/.local")])
    assert problem == (
        "the genuine torch_npu is mixed with this one: torch_npu 2.13.0+embedded in /env; torch_npu 2.13.0 in "
        "/home/ann/.local. Run `pip uninstall -y torch_npu` until nothing is found, then install the one you want."
    )


def test_two_copies_of_this_one_are_refused():
    problem = versions.installation_problem([("2.13.0+embedded", "/a"), ("2.13.0+embedded", "/b")])
    assert problem.startswith("torch_npu is installed more than once: ")
