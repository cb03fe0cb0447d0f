"""Every row of the operator table that takes plain tensors, on 1M elements: npu:0 against the CPU, in one process.

    python benchmarks/rows.py                    the table, slowest first; ends with 1 if a row is slower than 3x
    python benchmarks/rows.py --only erf,topk --dtype bfloat16

Arguments are made from the overload's schema: tensors of 1000 x 1000 normal numbers, positive ones or indices where those
are refused, dim -1, defaults. A row that can be called in none of these ways is listed at the end; benchmarks/ops.py has the
shapes of convolutions, attention and whole layers. A ratio is the median over rounds of cpu time / npu time.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import torch

import torch_npu  # noqa: F401
from codegen import table

ROOT = Path(__file__).resolve().parent.parent
SIDE = 1000
LIMIT = 3.0
# Views and empty tensors do no work; PyTorch's CPU reads what is not there where these inner operators get odd arguments.
LEFT_OUT = ("empty", "as_strided", "view", "alias", "unfold", "resize", "set_", "_reshape", "native_batch_norm", "_native_batch",
            "_cummax_helper", "_cummin_helper")
FILLS: dict[str, Callable[[], torch.Tensor]] = {
    "normal": lambda: torch.randn(SIDE, SIDE),
    "probabilities": lambda: torch.rand(SIDE, SIDE) * 0.98 + 0.01,
    "indices": lambda: torch.randint(0, SIDE, (SIDE, SIDE)),
    "bools": lambda: torch.rand(SIDE, SIDE) < 0.5,
}


def functional_overloads() -> Iterator[torch._ops.OpOverload]:
    """What users call of each row: the functional overload, or the in-place one where there is no other."""
    seen = set()
    for row in table.load(ROOT / "cann" / "ops"):
        for entry in row.entries:
            name, _, overload = entry.overload.partition(".")
            packet = getattr(torch.ops.aten, name)
            schemas = {o: getattr(packet, o) for o in packet.overloads()}
            want = overload.removesuffix("_out").removesuffix("out") or "default"
            op = schemas.get(want) or schemas.get(overload or "default")
            has_twin = name.endswith("_") and not name.startswith("_") and hasattr(torch.ops.aten, name[:-1])
            if op is None or has_twin or str(op) in seen or name.startswith(("_foreach", "_fused_a", "_fused_s", *LEFT_OUT)):
                continue
            if not any(a.is_out for a in op._schema.arguments):
                seen.add(str(op))
                yield op


def arguments(op: torch._ops.OpOverload, fill: str, dtype: torch.dtype) -> list[object]:
    """A value for each argument without a default; raises LookupError for one that has no obvious value."""
    values: list[object] = []
    for argument in op._schema.arguments:
        kind = str(argument.type)
        if argument.has_default_value() or kind.startswith("Optional"):
            if argument.kwarg_only:
                continue
            values.append(argument.default_value if argument.has_default_value() else None)
        elif kind == "Tensor":
            first = not any(isinstance(v, torch.Tensor) for v in values)
            is_index = argument.name in ("index", "indices", "target") and fill == "indices"
            made = FILLS[fill if first or is_index or fill != "indices" else "normal"]() if not is_index else FILLS["indices"]()
            if fill == "indices" and first and op._schema.name not in ("aten::bincount", "aten::bitwise_not"):
                made = FILLS["normal"]()
            made = made.to(dtype) if made.is_floating_point() else made
            values.append(values[0] if op._schema.name == "aten::equal" and values else made)  # different ones end at once
        elif kind == "List[Tensor]":
            values.append([FILLS["normal"]().to(dtype) for _ in range(2)])
        elif kind in ("number", "float"):
            values.append(0.5)
        elif kind == "int":
            values.append(-1 if argument.name == "dim" else 1)
        elif kind == "List[int]":
            values.append([-1] if argument.name in ("dim", "dims") else [1, 1])
        elif kind == "bool":
            values.append(False)
        else:
            raise LookupError(kind)
    return values


def on(device: str, values: list[object]) -> list[object]:
    def move(v: object) -> object:
        return v.to(device) if isinstance(v, torch.Tensor) else [move(x) for x in v] if isinstance(v, list) else v

    return [move(v) for v in values]


def prepared(op: torch._ops.OpOverload, dtype: torch.dtype) -> tuple[list[object], list[object]] | None:
    for fill in FILLS:
        try:
            values = arguments(op, fill, dtype)
            moved = on("npu", values)
            op(*values)
            op(*moved)
            torch.npu.synchronize()
            return values, moved
        except (LookupError, RuntimeError, IndexError, ValueError, TypeError):
            continue
    return None


def seconds(op: torch._ops.OpOverload, values: list[object], calls: int) -> float:
    start = time.perf_counter()
    for _ in range(calls):
        op(*values)
    torch.npu.synchronize()
    return (time.perf_counter() - start) / calls


def measure(op: torch._ops.OpOverload, cpu: list[object], npu: list[object], rounds: int) -> tuple[float, float, float]:
    """Microseconds on each side, and the ratio."""
    calls = max(1, min(50, int(0.02 / max(seconds(op, cpu, 1), 1e-6))))
    pairs = [(seconds(op, cpu, calls), seconds(op, npu, calls)) for _ in range(rounds)]
    ratio = statistics.median(c / n for c, n in pairs)
    return statistics.median(c for c, _ in pairs) * 1e6, statistics.median(n for _, n in pairs) * 1e6, ratio


def main() -> int:
    parser = argparse.ArgumentParser(description="Every row of the operator table on 1M elements.")
    parser.add_argument("--only", default="", help="parts of overload names, comma-separated")
    parser.add_argument("--dtype", default="float32")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    torch.manual_seed(0)
    torch.set_grad_enabled(False)

    rows, not_called = [], []
    for op in functional_overloads():
        name = str(op).removeprefix("aten.").removesuffix(".default")
        if not any(part in name for part in options.only.split(",")):
            continue
        operands = prepared(op, getattr(torch, options.dtype))
        if operands is None:
            not_called.append(name)
            continue
        rows.append((*measure(op, *operands, options.rounds), name))
        print(f"\r{len(rows)} rows", end="", file=sys.stderr, flush=True)
    print(f"\r{'operator':44} {'cpu us':>10} {'npu us':>10} {'cpu/npu':>8}")
    for cpu_us, npu_us, ratio, name in sorted(rows, key=lambda row: row[2]):
        print(f"{name:44} {cpu_us:10.1f} {npu_us:10.1f} {ratio:8.2f}")
    slow = [name for *_, ratio, name in rows if ratio < 1 / LIMIT]
    if rows:
        print(f"\n{len(rows)} rows; geometric mean {statistics.geometric_mean(row[2] for row in rows):.2f}; "
              f"slower than {LIMIT:g}x: {', '.join(slow) or 'none'}")  # fmt: skip
    print(f"not called here: {', '.join(not_called)}")
    return bool(slow)


if __name__ == "__main__":
    raise SystemExit(main())
