"""Each operator on npu:0 against the same call on the CPU, in the same process, taking turns.

    python benchmarks/ops.py                     the table
    python benchmarks/ops.py --only softmax      rows whose name contains it
    python benchmarks/ops.py --json out.json     for comparing two builds

A time is the median over rounds of (calls in a row, then one synchronize) / calls; `cpu/npu` above 1 means that the NPU device
is faster. `noise` is the CPU measured against itself: differences below it mean nothing.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import torch
import torch.nn.functional as F

Tensors = tuple[torch.Tensor, ...]


@dataclass(frozen=True)
class Case:
    name: str
    make: Callable[[], Tensors]  # operands on the CPU
    run: Callable[..., object]
    backward: bool = False  # forward and backward together


def normal(*sizes: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    return torch.randn(sizes).to(dtype)


def pointwise() -> list[Case]:
    unary = {
        "exp": torch.exp, "tanh": torch.tanh, "sqrt": lambda x: torch.sqrt(x), "gelu": F.gelu, "silu": F.silu, "relu": F.relu,
        "to(float16)": lambda x: x.to(torch.float16), "x + 1": lambda x: x + 1, "x > 0": lambda x: x > 0, "clone": torch.clone,
    }  # fmt: skip
    binary = {"add": torch.add, "mul": torch.mul, "div": torch.div, "maximum": torch.maximum, "add_": lambda a, b: a.add_(b)}
    sizes = {"16": (16,), "100K": (100_000,), "4M": (2048, 2048)}
    cases = []
    for label, size in sizes.items():
        cases += [Case(f"{n} {label}", lambda s=size: (normal(*s),), f) for n, f in unary.items()]
        cases += [Case(f"{n} {label}", lambda s=size: (normal(*s), normal(*s)), f) for n, f in binary.items()]
    return [
        *cases,
        Case("add broadcast row 4M", lambda: (normal(2048, 2048), normal(2048)), torch.add),
        Case("add transposed 4M", lambda: (normal(2048, 2048), normal(2048, 2048).t()), torch.add),
        Case("where 4M", lambda: (normal(2048, 2048) > 0, normal(2048, 2048), normal(2048, 2048)), torch.where),
        Case("add bfloat16 4M", lambda: (normal(2048, 2048, dtype=torch.bfloat16),) * 2, torch.add),
    ]


def reduce() -> list[Case]:
    wide, heads = (lambda: (normal(4096, 1024),)), (lambda: (normal(8, 12, 128, 128),))
    return [
        Case("sum all 4M", wide, torch.sum),
        Case("sum rows", wide, lambda x: x.sum(1)),
        Case("sum columns", wide, lambda x: x.sum(0)),
        Case("mean rows", wide, lambda x: x.mean(1)),
        Case("amax rows", wide, lambda x: x.amax(1)),
        Case("argmax rows", wide, lambda x: x.argmax(1)),
        Case("var rows", wide, lambda x: x.var(1)),
        Case("cumsum rows", wide, lambda x: x.cumsum(1)),
        Case("softmax attention", heads, lambda x: x.softmax(-1)),
        Case("log_softmax 30K classes", lambda: (normal(64, 30522),), lambda x: x.log_softmax(-1)),
        Case("layer_norm", lambda: (normal(4096, 384), normal(384), normal(384)), lambda x, w, b: F.layer_norm(x, (384,), w, b)),
        Case("rms_norm", lambda: (normal(4096, 384), normal(384)), lambda x, w: F.rms_norm(x, (384,), w)),
        Case("cross_entropy", lambda: (normal(64, 30522), torch.randint(30522, (64,))), F.cross_entropy),
    ]


def matmul() -> list[Case]:
    cases = [
        Case(f"mm {n}", lambda n=n: (normal(n, n), normal(n, n)), torch.mm) for n in (16, 64, 256, 1024)
    ]
    return [
        *cases,
        Case("mm transposed 512", lambda: (normal(512, 512), normal(512, 512).t()), torch.mm),
        Case("mm bfloat16 1024", lambda: (normal(1024, 1024, dtype=torch.bfloat16),) * 2, torch.mm),
        Case("bmm 96x128x64", lambda: (normal(96, 128, 64), normal(96, 64, 128)), torch.bmm),
        Case("linear 1024x384x1536", lambda: (normal(1024, 384), normal(1536, 384), normal(1536)), F.linear),
        Case("linear one row", lambda: (normal(1, 2048), normal(2048, 2048), normal(2048)), F.linear),
        Case("sdpa b8 h12 s128 d32", lambda: (normal(8, 12, 128, 32),) * 3, F.scaled_dot_product_attention),
        Case("sdpa causal s1024 d64", lambda: (normal(1, 8, 1024, 64),) * 3,
             lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True)),
        Case("conv2d 3x3", lambda: (normal(8, 64, 56, 56), normal(64, 64, 3, 3)), lambda x, w: F.conv2d(x, w, padding=1)),
        Case("conv2d depthwise", lambda: (normal(8, 64, 56, 56), normal(64, 1, 3, 3)),
             lambda x, w: F.conv2d(x, w, padding=1, groups=64)),
        Case("max_pool2d", lambda: (normal(8, 64, 56, 56),), lambda x: F.max_pool2d(x, 2)),
    ]  # fmt: skip


def index() -> list[Case]:
    return [
        Case("embedding", lambda: (torch.randint(30522, (32, 128)), normal(30522, 384)), F.embedding),
        Case("index_select rows", lambda: (normal(100_000, 64), torch.randint(100_000, (10_000,))), lambda x, i: x[i]),
        Case("gather", lambda: (normal(1024, 1024), torch.randint(1024, (1024, 512))), lambda x, i: x.gather(1, i)),
        Case("scatter_add", lambda: (normal(1024, 1024), torch.randint(1024, (1024, 512)), normal(1024, 512)),
             lambda x, i, s: x.scatter_add(1, i, s)),
        Case("cat", lambda: (normal(1024, 512), normal(1024, 512)), lambda a, b: torch.cat((a, b), 1)),
        Case("masked boolean", lambda: (normal(1_000_000),), lambda x: x[x > 0]),
        Case("contiguous of transposed 4M", lambda: (normal(2048, 2048),), lambda x: x.t().contiguous()),
        Case("topk 50 of 30K", lambda: (normal(64, 30522),), lambda x: x.topk(50)),
        Case("sort 1M", lambda: (normal(1_000_000),), torch.sort),
        Case("view and slice", lambda: (normal(64, 64),), lambda x: x.view(-1)[8:16]),
        Case("item", lambda: (normal(1),), lambda x: x.item()),
    ]  # fmt: skip


def training() -> list[Case]:
    def with_grad(*tensors: torch.Tensor) -> Tensors:
        return tuple(t.requires_grad_() for t in tensors)

    return [
        Case("linear fw+bw", lambda: with_grad(normal(1024, 384), normal(1536, 384), normal(1536)), F.linear, True),
        Case("gelu fw+bw 4M", lambda: with_grad(normal(2048, 2048)), F.gelu, True),
        Case("layer_norm fw+bw", lambda: with_grad(normal(4096, 384), normal(384), normal(384)),
             lambda x, w, b: F.layer_norm(x, (384,), w, b), True),
        Case("softmax fw+bw", lambda: with_grad(normal(8, 12, 128, 128)), lambda x: x.softmax(-1), True),
        Case("sdpa fw+bw", lambda: with_grad(*(normal(8, 12, 128, 32) for _ in range(3))), F.scaled_dot_product_attention, True),
        Case("conv2d fw+bw", lambda: with_grad(normal(8, 64, 28, 28), normal(64, 64, 3, 3)),
             lambda x, w: F.conv2d(x, w, padding=1), True),
    ]  # fmt: skip


def on_device(operands: Tensors, device: str) -> Tensors:
    return tuple(t.detach().to(device).requires_grad_(t.requires_grad) for t in operands)


def call(case: Case, operands: Tensors) -> None:
    result = case.run(*operands)
    if case.backward:
        result.sum().backward()


def timed(case: Case, operands: Tensors, calls: int) -> float:
    """Seconds for one call, `calls` in a row."""
    start = time.perf_counter()
    for _ in range(calls):
        call(case, operands)
    torch.npu.synchronize()
    return (time.perf_counter() - start) / calls


def measure(case: Case, rounds: int, round_s: float) -> tuple[float, float, float]:
    """Microseconds on the CPU and on npu:0, and the CPU's second series over its first."""
    cpu = case.make()
    npu = on_device(cpu, "npu:0")
    for operands in (cpu, npu):
        timed(case, operands, 3)
    calls = max(1, min(10_000, int(round_s / max(timed(case, cpu, 1), 1e-7))))
    series: dict[str, list[float]] = {"cpu": [], "npu": [], "again": []}
    for _ in range(rounds):
        for name, operands in (("cpu", cpu), ("npu", npu), ("again", cpu)):
            series[name].append(timed(case, operands, calls))
    medians = {name: statistics.median(times) for name, times in series.items()}
    return medians["cpu"] * 1e6, medians["npu"] * 1e6, medians["again"] / medians["cpu"]


def main() -> None:
    arguments = argparse.ArgumentParser(description="Operators on npu:0 against the CPU.")
    arguments.add_argument("--only", default="", help="rows whose name contains this")
    arguments.add_argument("--rounds", type=int, default=7)
    arguments.add_argument("--round-ms", type=float, default=20, help="time for one round of one row on the CPU")
    arguments.add_argument("--json", type=Path)
    options = arguments.parse_args()

    torch.manual_seed(0)
    print(f"{'operator':28} {'cpu us':>10} {'npu us':>10} {'cpu/npu':>8} {'noise':>6}")
    rows, ratios = [], []
    for family in (pointwise, reduce, matmul, index, training):
        for case in family():
            if options.only not in case.name:
                continue
            torch.npu.diagnostics.reset()
            cpu_us, npu_us, noise = measure(case, options.rounds, options.round_ms / 1e3)
            fallbacks = sorted(torch.npu.diagnostics.fallback_counts())
            ratios.append(cpu_us / npu_us)
            rows.append({"name": case.name, "cpu_us": cpu_us, "npu_us": npu_us, "noise": noise, "fallbacks": fallbacks})
            fell_back = f"  fell back: {', '.join(fallbacks)}" if fallbacks else ""
            print(f"{case.name:28} {cpu_us:10.1f} {npu_us:10.1f} {ratios[-1]:8.2f} {noise:6.2f}{fell_back}", flush=True)
    if ratios:
        print(f"\n{len(ratios)} rows; geometric mean of cpu/npu: {statistics.geometric_mean(ratios):.2f}")
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
