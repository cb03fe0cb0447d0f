"""watch(): lines, operators and rounds, in forward and backward, nested, and next to what is no trap at all."""

from __future__ import annotations

import inspect
import threading

import pytest
import torch
from torch import nn

from torch_npu import diagnostics
from torch_npu.diagnostics import Kind

pytestmark = pytest.mark.filterwarnings("ignore:CAUTION")


def line() -> int:
    return inspect.currentframe().f_back.f_lineno


def found(report, kind) -> list[tuple[int, int]]:
    """(line, calls) of the kind's traps."""
    return [(trap.line.number, trap.calls) for trap in report.traps if trap.kind == kind]


def test_a_wait_in_every_round_is_a_trap():
    x = torch.ones(4, device="npu")
    with diagnostics.watch() as report:
        for _ in range(5):
            x = x * 2
            x.sum().item()
    assert found(report, Kind.sync) == [(line() - 1, 5)]
    (trap,) = report.traps
    assert (trap.what, trap.op_name, trap.rounds, trap.line.function) == (("item",), "aten::item", 5, inspect.stack()[0].function)


def test_what_cannot_be_avoided_is_no_trap():
    with diagnostics.watch() as report:
        model = nn.Sequential(*(nn.Linear(8, 8) for _ in range(5))).to("npu")
        batches = [torch.randn(2, 8).to("npu") for _ in range(6)]
        y = [model(batch) for batch in batches]
        print(torch.stack(y).cpu().sum(), y[0].sum().item())
    assert report.traps == []
    assert report.totals()["copy"] >= 16


def test_rare_waits_are_no_trap():
    x = torch.ones(4, device="npu")
    with diagnostics.watch() as report:
        for epoch in range(4):
            for step in range(60):
                x = x + 1
                if step % 20 == 0:
                    x.sum().item()
            x.max().item()
            if epoch > 4:
                x.min().item()
    assert report.traps == [], str(report)


def test_a_condition_that_hardly_thins_out_is_one():
    x = torch.ones(4, device="npu")
    with diagnostics.watch() as report:
        for step in range(20):
            x = x + 1
            if step % 2 == 0:
                x.sum().item()
    assert found(report, Kind.sync) == [(line() - 1, 10)]


def test_in_a_function_that_a_loop_calls():
    x = torch.ones(4, device="npu")

    def step():
        return (x + x).sum().item()

    with diagnostics.watch() as report:
        for _ in range(3):
            step()
    assert found(report, Kind.sync) == [(line() - 5, 3)]


def test_copies_of_one_round_count_together():
    x = torch.ones(4, device="npu")
    with diagnostics.watch() as report:
        for _ in range(4):
            many = [torch.ones(4).to("npu") for _ in range(3)]
            x = x + many[0]
    (trap,) = report.traps
    assert (trap.kind, trap.calls, trap.rounds, trap.bytes) == (Kind.copy, 12, 4, 12 * 16)


def test_pinned_and_asynchronous_copies_are_no_trap():
    x, host = torch.ones(4, device="npu"), torch.ones(4).pin_memory()
    with diagnostics.watch() as report:
        for _ in range(4):
            x = x + host.to("npu", non_blocking=True)
    assert report.traps == []
    assert [count.what for count in report.counts] == ["to device, asynchronous"]


def test_non_blocking_from_ordinary_memory_is_one():
    x = torch.ones(4, device="npu")
    with diagnostics.watch() as report:
        for _ in range(4):
            x = x + torch.ones(4).to("npu", non_blocking=True)
    assert report.traps[0].what == ("to device, non_blocking from memory that is not pinned",)


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        (lambda x: x.nonzero(), "nonzero"),
        (lambda x: x[x > 0], "nonzero"),
        (lambda x: x.masked_select(x > 0), "masked_select"),
        (lambda x: x.unique(), "unique"),
        (lambda x: torch.equal(x, x + 1), "equal"),
        (lambda x: x.cpu(), "copy to host"),
        (lambda x: x.tolist(), "copy to host"),
        (lambda x: bool(x.sum()), "item"),
        (lambda x: torch.npu.synchronize(), "synchronize"),
        (lambda x: torch.npu.current_stream().synchronize(), "synchronize"),
    ],
)
def test_why_the_host_waited(call, reason):
    x = torch.arange(4.0, device="npu")
    with diagnostics.watch() as report:
        call(x)
    assert {count.what for count in report.counts if count.kind == Kind.sync} == {reason}


class Airy(torch.autograd.Function):
    """Runs an operator that falls back, in its backward only."""

    @staticmethod
    def forward(context, x):
        return x * 2

    @staticmethod
    def backward(context, grad):
        return torch.special.airy_ai(grad)


def test_in_a_backward_pass_it_is_the_line_of_the_forward_call():
    x = torch.rand(4, device="npu", dtype=torch.float64, requires_grad=True)
    with diagnostics.watch() as report:
        y = torch.tanh(x)
        z = y.sum()
        z.backward()
    lines = {count.what: count.lines[0].number for count in report.counts if count.kind == Kind.float64}
    assert lines["aten::tanh_backward"] == lines["aten::tanh"] == line() - 4


def test_in_a_backward_pass_of_unknown_lines_it_is_the_line_of_backward():
    x = torch.rand(4, device="npu", dtype=torch.float64, requires_grad=True)
    y = torch.tanh(x).sum()  # before the watch: nobody looked
    with diagnostics.watch() as report:
        y.backward()
    lines = {count.what: count.lines[0].number for count in report.counts if count.kind == Kind.float64}
    assert lines["aten::tanh_backward"] == line() - 2


def test_a_backward_written_in_python_has_lines_of_its_own():
    x = torch.rand(4, device="npu", requires_grad=True)
    with diagnostics.watch() as report:
        Airy.apply(x).sum().backward()
    (trap,) = [trap for trap in report.traps if trap.kind == Kind.fallback]
    assert trap.line.function == "backward"


def test_a_hook_has_lines_of_its_own():
    seen = []
    x = torch.rand(4, device="npu", requires_grad=True)
    with diagnostics.watch() as report:
        y = x * 2
        y.register_hook(lambda grad: seen.append(grad.sum().item()))
        y.sum().backward()
    (count,) = [count for count in report.counts if count.kind == Kind.sync]
    assert count.lines[0].function == "<lambda>"


def test_attention_by_canns_conditions():
    q = torch.randn(1, 2, 8, 6, device="npu")
    with diagnostics.watch() as report:
        nn.functional.scaled_dot_product_attention(q, q, q)
        nn.functional.scaled_dot_product_attention(q[..., :4], q[..., :4], q[..., :4])
    reasons = {count.kind: count.reason for count in report.counts if count.kind in (Kind.fused, Kind.unfused)}
    assert reasons == {Kind.unfused: "head size 6: in float32 it must be a multiple of 4", Kind.fused: ""}


def test_a_transposed_operand_of_matmul_is_taken_as_it_is():
    a = torch.randn(4, 4, device="npu")
    with diagnostics.watch() as report:
        a.t() @ a
        torch.matmul(a, a.t())
        nn.functional.linear(a, a)
    assert report.counts == []


def test_watches_nest_and_end():
    x = torch.ones(2, device="npu")
    with diagnostics.watch() as outer:
        x.cpu()
        with diagnostics.watch() as inner:
            x.cpu()
        x.cpu()
    x.cpu()
    assert (outer.totals(), inner.totals()) == ({"sync": 3, "copy": 3}, {"sync": 1, "copy": 1})
    assert len(outer.timeline) == 6 and all(moment.start_ns >= 0 for moment in outer.timeline)


def test_threads_have_lines_too():
    x = torch.ones(2, device="npu")
    threads = [threading.Thread(target=lambda: [x.cpu() for _ in range(50)]) for _ in range(4)]
    with diagnostics.watch() as report:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sum(count.calls for count in report.counts if count.kind == Kind.sync) == 200
    assert {count.lines[0].number for count in report.counts} == {line() - 7}


def test_memory_that_ran_short(fresh):
    process = fresh(
        "import torch, torch_npu\n"
        "with torch_npu.diagnostics.watch() as report:\n"
        "    for n in (300, 310): x = torch.empty(n << 20, dtype=torch.uint8, device='npu'); del x\n"
        "print([(t.kind.value, t.line.number) for t in report.traps])",
        NPU_EMBEDDED_MEMORY="512M",
    )
    assert process.stdout == "[('retry', 3)]\n", process.stderr


def test_a_graph_that_is_compiled_again():
    torch._dynamo.reset()
    compiled = torch.compile(lambda x: x * 2 + 1, backend="npu", dynamic=False)
    with diagnostics.watch() as report:
        for size in (2, 3, 3):
            compiled(torch.ones(size, device="npu"))
    (trap,) = [trap for trap in report.traps if trap.kind == Kind.recompile]
    assert (trap.line.number, trap.calls) == (line() - 2, 1)
    assert trap.reason == "compilation 2 of the same function: tensor 'x' size mismatch at index 0. expected 2, actual 3"


@torch._dynamo.config.patch(recompile_limit=3)
def test_the_last_compilation_that_dynamo_allows():
    torch._dynamo.reset()
    compiled = torch.compile(lambda x: x * 3 - 1, backend="npu", dynamic=False)
    with diagnostics.watch() as report:
        for size in range(2, 9):
            compiled(torch.ones(size, device="npu"))
    (trap,) = [trap for trap in report.traps if trap.kind == Kind.recompile]
    assert trap.calls == 2
    assert "recompile_limit is reached, so that the next one would run uncompiled" in trap.reason


def test_a_graph_that_is_cut_in_two():
    torch._dynamo.reset()

    def function(x):
        y = x * 2
        print("between")  # Dynamo cannot compile this
        return y + 1

    compiled = torch.compile(function, backend="npu")
    with diagnostics.watch() as report:
        for _ in range(3):
            compiled(torch.ones(2, device="npu"))
    (trap,) = [trap for trap in report.traps if trap.kind == Kind.recompile]
    assert (trap.what, trap.line.number, trap.calls) == (("graph break",), line() - 2, 1)
    assert trap.reason.endswith(f"at {__file__}:{function.__code__.co_firstlineno + 2}")
    told = str(report)
    assert "a compiled graph is cut: graph break, once" in told and "remedy: Move what the reason names" in told


def test_eager_operators_in_a_compiled_graph_are_told_at_the_function():
    torch._dynamo.reset()
    compiled = torch.compile(lambda x: torch.special.airy_ai(x) + 1, backend="npu")
    with diagnostics.watch() as report:
        for _ in range(3):
            compiled(torch.ones(2, device="npu"))
    assert found(report, Kind.fallback) == [(line() - 4, 3)]
