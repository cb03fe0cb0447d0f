"""Who may include whom (CONTRIBUTING.md, "Rooms"). What needs a header of a room above is in the wrong room."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

# room -> rooms of cann/ whose headers it may include, besides its own.
ROOMS = {
    "base": set(),
    "kernels": {"base"},
    "ops": {"base", "kernels"},
    "trace": {"base"},
    "runtime": {"base", "trace"},
    "graph": {"base", "kernels", "ops", "trace", "runtime"},
    "capi": {"base", "kernels", "ops", "trace", "runtime", "graph"},
}
CONTRACT = ("acl/", "aclnn/", "aclnnop/", "ge/", "hccl/")
TORCH = ("ATen/", "c10/", "torch/", "torch_npu/", "pybind11/", "Python.h", "caffe2/")
SOURCES = (".h", ".hpp", ".cpp", ".inc")


def includes(folder: Path):
    """(file, number of the line, what it includes) for every #include below a folder."""
    for file in sorted(folder.rglob("*")):
        if file.suffix in SOURCES:
            for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
                if found := re.match(r'\s*#\s*include\s*["<]([^">]+)[">]', line):
                    yield file, number, found[1]


def listed(offences: list[tuple[Path, int, str]], root: Path) -> str:
    return "\n".join(f"{file.relative_to(root)}:{number} includes {header}" for file, number, header in offences)


def test_every_folder_of_cann_is_a_room_with_a_rule(root):
    assert {folder.name for folder in (root / "cann").iterdir() if folder.is_dir()} <= set(ROOMS)


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_includes_only_the_rooms_below_it(root, room):
    def forbidden(header: str) -> bool:
        return header.startswith("cann/") and header.split("/")[1] not in ROOMS[room] | {room}

    offences = [found for found in includes(root / "cann" / room) if forbidden(found[2])]
    assert not offences, listed(offences, root)


def test_cann_knows_neither_torch_nor_python(root):
    offences = [found for found in includes(root / "cann") if found[2].startswith(TORCH)]
    assert not offences, listed(offences, root)


def test_only_capi_speaks_the_c_contract(root):
    inner = [folder for folder in ROOMS if folder != "capi"]
    offences = [
        found for room in inner for found in includes(root / "cann" / room) if found[2].startswith(CONTRACT)
    ]
    assert not offences, listed(offences, root)


def test_the_adapter_sees_the_contract_and_nothing_else_of_cann(root):
    offences = [found for found in includes(root / "torch_npu" / "csrc") if found[2].startswith("cann/")]
    assert not offences, listed(offences, root)


def test_the_contract_is_c_without_dependencies(root):
    standard = re.compile(r"std(int|def|bool|io|lib)\.h")
    offences = [
        found
        for found in includes(root / "include")
        if not found[2].startswith(CONTRACT) and not standard.fullmatch(found[2]) and "/" in found[2]
    ]
    assert not offences, listed(offences, root)
