"""What a shared library is and defines, read from its file: nothing is loaded, so a foreign or broken one does no harm."""

from __future__ import annotations

import platform
import struct
from pathlib import Path

# e_machine -> what people call the processor, as platform.machine() does.
MACHINES = {0x03: "i686", 0x28: "arm", 0x3E: "x86_64", 0xB7: "aarch64", 0xF3: "riscv64", 0x102: "loongarch64"}
DYNAMIC, DYNSYM, NEEDED = 6, 11, 1


def problem(path: str | Path) -> str | None:
    """Why this file is no library that can be loaded here, such as "it is built for aarch64, and this machine is an x86_64"."""
    try:
        with open(path, "rb") as file:
            head = file.read(64)
    except OSError as error:
        return f"it cannot be read: {error.strerror}"
    if head[:4] != b"\x7fELF" or len(head) < 64:
        return "it is no shared library"
    if head[4] != 2 or head[5] != 1:
        return "it is not built for a 64-bit little-endian machine"
    (machine,) = struct.unpack_from("<H", head, 18)
    built_for = MACHINES.get(machine, f"the processor with ELF number {machine}")
    if built_for != platform.machine():
        return f"it is built for {built_for}, and this machine is an {platform.machine()}"
    return None


def defined(path: str | Path) -> set[str]:
    """The names of the functions and variables that the library itself offers. pre: problem(path) is None"""
    data, sections = _sections(path)
    names = set()
    for _, kind, _, _, start, length, link, *_ in sections:
        if kind != DYNSYM:
            continue
        for name, _, _, section, _, _ in struct.iter_unpack("<IBBHQQ", data[start : start + length]):
            if section != 0:  # 0: used here, defined elsewhere
                names.add(_text(data, sections[link][4] + name))
    return names


def needed(path: str | Path) -> list[str]:
    """The libraries that this one opens with itself, by name. pre: problem(path) is None"""
    data, sections = _sections(path)
    names = []
    for _, kind, _, _, start, length, link, *_ in sections:
        if kind == DYNAMIC:
            entries = struct.iter_unpack("<qQ", data[start : start + length])
            names += [_text(data, sections[link][4] + value) for tag, value in entries if tag == NEEDED]
    return names


def lacking(names: set[str], libraries: list[Path]) -> set[str]:
    """Which of the names neither these libraries offer nor those that they need out of their own folders."""
    waiting, seen = list(libraries), set()
    while waiting and names:
        library = waiting.pop(0)
        if library in seen or problem(library):
            continue
        seen.add(library)
        names = names - defined(library)
        waiting += [library.parent / other for other in needed(library)]
    return names


def _sections(path: str | Path) -> tuple[bytes, list[tuple[int, ...]]]:
    data = Path(path).read_bytes()
    (offset,) = struct.unpack_from("<Q", data, 40)
    size, count = struct.unpack_from("<HH", data, 58)
    return data, [struct.unpack_from("<IIQQQQIIQQ", data, offset + i * size) for i in range(count)]


def _text(data: bytes, offset: int) -> str:
    return data[offset : data.index(b"\0", offset)].decode()
