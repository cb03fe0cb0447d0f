"""python -m torch_npu.diagnostics script.py args...: runs a script unchanged, then prints its traps.

Ends with the script's own exit code; with 1 where that is 0 and the report has a trap of a kind that --fail-on names.
"""

from __future__ import annotations

import argparse
import io
import os
import runpy
import sys
import traceback
import types
from collections.abc import Callable

from torch_npu.diagnostics.events import Kind
from torch_npu.diagnostics.report import watch


def kinds(text: str) -> list[Kind]:
    known = ", ".join(map(str, Kind))
    try:
        return [Kind(name.strip()) for name in text.split(",") if name.strip()]
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{error}. Kinds: {known}") from None


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m torch_npu.diagnostics", description="Runs a script and tells its traps.")
    parser.add_argument("--html", metavar="FILE", help="write the report as a page as well")
    parser.add_argument("--json", metavar="FILE", help="write the report as JSON as well")
    parser.add_argument("--fail-on", metavar="KINDS", type=kinds, default=[], help="exit with 1 on a trap of these: fallback,...")
    parser.add_argument("-m", dest="module", action="store_true", help="the script is a module's name")
    parser.add_argument("script")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="the script's own")
    return parser.parse_args(arguments)


def run_file(path: str) -> None:
    """As `python path` does: the file is __main__, and stays so for what runs at exit."""
    with io.open_code(path) as file:
        code = compile(file.read(), os.path.abspath(path), "exec")
    main = types.ModuleType("__main__")
    main.__file__, main.__builtins__ = os.path.abspath(path), __builtins__
    sys.modules["__main__"] = main
    exec(code, main.__dict__)


def exit_code_of(run: Callable[[], None]) -> int:
    """Runs it as the interpreter would: 0, the code of SystemExit, or 1 after printing the traceback."""
    try:
        run()
    except SystemExit as stop:
        if stop.code is None or isinstance(stop.code, int):
            return stop.code or 0
        print(stop.code, file=sys.stderr)
        return 1
    except BaseException as error:
        # Without the frames of this file and of runpy: the user's program begins below them.
        trace = error.__traceback__
        while trace is not None and trace.tb_frame.f_code.co_filename in (__file__, runpy.__file__, "<frozen runpy>"):
            trace = trace.tb_next
        traceback.print_exception(error.with_traceback(trace))
        return 130 if isinstance(error, KeyboardInterrupt) else 1
    return 0


def main() -> int:
    options = parse(sys.argv[1:])
    sys.argv = [options.script, *options.arguments]
    if options.module:
        sys.path[0] = os.getcwd()
    else:
        sys.path[0] = os.path.dirname(os.path.abspath(options.script))
    with watch() as report:
        if options.module:
            code = exit_code_of(lambda: runpy.run_module(options.script, run_name="__main__", alter_sys=True))
        else:
            code = exit_code_of(lambda: run_file(options.script))
    sys.stdout.flush()
    print(f"\n{report}", flush=True)
    if options.html:
        report.to_html(options.html)
    if options.json:
        report.to_json(options.json)
    failing = report.failing(options.fail_on)
    if failing and code == 0:
        found = ", ".join(sorted({str(trap.kind) for trap in failing}))
        print(f"failed because of --fail-on: {found}", file=sys.stderr)
        return 1
    return code


if __name__ == "__main__":
    sys.exit(main())
