"""python -m codegen --output DIR, --docs FILE: writes all that follows from the table. Untouched files keep their time."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from codegen import contract, table


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=Path, default=Path("cann/ops"))
    parser.add_argument("--output", type=Path, help="folder for the C and C++ sources")
    parser.add_argument("--docs", type=Path, help="file for the support table")
    arguments = parser.parse_args()
    try:
        from codegen import ascend, registration

        rows = table.load(arguments.tables)
        if arguments.docs:
            from codegen import docs

            write(arguments.docs, docs.page(rows))
        if not arguments.output:
            return 0
        functions = {row.aclnn: row for row in rows if row.aclnn}
        families = sorted({row.family for row in rows if row.aclnn})
        files = {
            "include/aclnn/aclnn_operators.h": contract.header(families),
            "csrc/aclnn_functions.h": registration.handles(families),
            "csrc/ascend_table.cpp": ascend.unit(rows),
        }
        files |= {f"include/{name}": text for name, text in contract.forwarding_headers(rows).items()}
        for family in sorted({row.family for row in rows}):
            of_family = [row for row in rows if row.family == family]
            if family in families:
                files[f"include/aclnn/family_{family}.h"] = contract.family_header(family, of_family)
                files[f"csrc/functions_{family}.h"] = registration.family_handles(family, of_family)
                files[f"capi/{family}.cpp"] = contract.unit(family, of_family)
            for name, text in registration.Writer(family, of_family, functions).units().items():
                files[f"csrc/{name}"] = text
    except table.BadRow as error:
        print(error, file=sys.stderr)
        return 1
    for name, text in files.items():
        write(arguments.output / name, text)
    for folder in ("capi", "csrc", "include/aclnn", "include/aclnnop"):
        for path in (arguments.output / folder).glob("*"):
            if f"{folder}/{path.name}" not in files:
                path.unlink()  # a family that is gone
    return 0


if __name__ == "__main__":
    sys.exit(main())
