"""Prints requirements of pyproject.toml, one a line, for pip: `python tools/requirements.py build|run|demo|test|lint`.

`make` builds without isolation, so it has to install itself what an isolated build would get from the same table.
"""

import re
import sys
from pathlib import Path

try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10: pip brings its own copy of the same parser
    from pip._vendor import tomli as tomllib

PYPROJECT = Path(__file__).resolve().parent.parent / "pyproject.toml"


def requirements(kind: str) -> list[str]:
    table = tomllib.loads(PYPROJECT.read_text())
    extras = table["project"]["optional-dependencies"]
    if kind == "build":
        # An isolated build gets these from scikit-build-core, if the system's are missing or too old.
        return [*table["build-system"]["requires"], "cmake>=3.24", "ninja>=1.11"]
    if kind == "run":
        return table["project"]["dependencies"]
    out = []
    for requirement in extras[kind]:
        nested = re.fullmatch(r"torch_npu\[(\w+)\]", requirement)
        out += requirements(nested[1]) if nested else [requirement]
    return out


if __name__ == "__main__":
    # pip reads a requirement with spaces as several when the shell splits it, so print without any.
    print("\n".join(re.sub(r"\s", "", requirement) for requirement in requirements(sys.argv[1])))
