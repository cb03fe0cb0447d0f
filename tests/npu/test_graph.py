"""Captured graphs: replays compute anew on the same memory, which nobody else gets; what cannot be replayed is refused."""

import json

import pytest
import torch
import torch.nn.functional as F


def captured(function):
    """The graph of a call, and what the call returned."""
    function()  # primitives and caches are made outside
    graph = torch.npu.NPUGraph()
    with torch.npu.graph(graph):
        result = function()
    return graph, result


def test_a_replay_computes_from_what_the_inputs_hold_then():
    x, w = torch.zeros(4, 8).npu(), torch.randn(16, 8).npu()
    graph, y = captured(lambda: F.silu(F.linear(x, w)).softmax(-1))
    for _ in range(3):
        value = torch.randn(4, 8)
        x.copy_(value)
        graph.replay()
        torch.testing.assert_close(y.cpu(), F.silu(F.linear(value, w.cpu())).softmax(-1))


def test_nothing_runs_during_the_capture():
    x = torch.ones(8).npu()
    graph, _ = captured(lambda: x.add_(1))
    assert x.tolist() == [2.0] * 8, "the call before the capture alone"
    graph.replay()
    graph.replay()
    assert x.tolist() == [4.0] * 8


def test_the_memory_of_a_graph_is_its_own_while_it_lives():
    x = torch.ones(1 << 16).npu()
    graph, y = captured(lambda: (x * 2 + 1) * 3)  # with intermediates that are freed during the capture
    torch.npu.empty_cache()
    others = [torch.full((1 << 16,), -1.0).npu() for _ in range(20)]
    graph.replay()
    assert (y == 9).all() and all((o == -1).all() for o in others)


def test_memory_comes_back_when_the_graph_is_gone():
    torch.npu.empty_cache()
    before = torch.npu.memory_reserved()
    graph, result = captured(lambda: torch.zeros(1 << 22, device="npu") + 1)
    del result
    torch.npu.empty_cache()
    assert torch.npu.memory_reserved() > before, "replays still use it"
    graph.reset()
    torch.npu.empty_cache()
    assert torch.npu.memory_reserved() == before


def test_graphs_may_share_a_pool():
    pool = torch.npu.graph_pool_handle()
    x = torch.ones(8).npu()
    first, second = torch.npu.NPUGraph(), torch.npu.NPUGraph()
    with torch.npu.graph(first, pool=pool):
        y = x + 1
    with torch.npu.graph(second, pool=first.pool()):
        z = y * 2
    assert first.pool() == second.pool() == pool
    first.replay()
    second.replay()
    assert z.tolist() == [4.0] * 8


def test_a_training_step_is_captured():
    torch.manual_seed(0)
    model = torch.nn.Linear(4, 1).npu()
    x, target = torch.randn(16, 4).npu(), torch.randn(16, 1).npu()

    def step():
        for p in model.parameters():
            p.grad = None
        loss = F.mse_loss(model(x), target)
        loss.backward()
        with torch.no_grad():
            for p in model.parameters():
                p.sub_(p.grad, alpha=0.1)
        return loss

    graph, loss = captured(step)
    losses = []
    for _ in range(5):
        graph.replay()
        losses.append(loss.item())
    assert losses == sorted(losses, reverse=True) and losses[0] > losses[-1]


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x.sum().item(),
        lambda x: x.cpu(),
        lambda x: x + torch.ones(8).npu(),
        lambda x: torch.special.airy_ai(x),  # falls back to the CPU
        lambda x: torch.rand_like(x),
    ],
    ids=["item", "cpu", "host memory", "fallback", "random"],
)
def test_what_cannot_be_replayed_is_refused(function):
    x = torch.ones(8).npu()
    graph = torch.npu.NPUGraph()
    with pytest.raises(RuntimeError, match="captured"), torch.npu.graph(graph):
        function(x)
    assert not torch.npu.is_current_stream_capturing()
    assert (x + 1).tolist() == [2.0] * 8, "the device works on"
    with pytest.raises(RuntimeError, match="nothing was captured"):
        graph.replay()


def test_says_whether_the_stream_is_being_captured(tmp_path):
    x = torch.ones(8).npu()
    graph = torch.npu.NPUGraph()
    assert not torch.npu.is_current_stream_capturing()
    with torch.npu.graph(graph):
        assert torch.npu.is_current_stream_capturing()
        x.add_(1)
    assert not torch.npu.is_current_stream_capturing()
    graph.debug_dump(tmp_path / "graph.json")
    assert [task["name"] for task in json.loads((tmp_path / "graph.json").read_text())] == ["add"]


def test_misuse_is_told():
    graph = torch.npu.NPUGraph()
    with pytest.raises(RuntimeError, match="default stream"):
        graph.capture_begin()
    with pytest.raises(RuntimeError, match="nothing is being captured"):
        graph.capture_end()
    with pytest.raises(ValueError, match="capture_error_mode"):
        graph.capture_begin(capture_error_mode="loose")


def test_graphed_modules_train_as_the_plain_ones():
    torch.manual_seed(0)
    plain = [torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.GELU()) for _ in range(2)]
    graphed = [torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.GELU()).npu() for _ in range(2)]
    for a, b in zip(plain, graphed, strict=True):
        b.load_state_dict(a.state_dict())
    sample = torch.randn(4, 8).npu()
    later = torch.randn(4, 8).npu().requires_grad_()
    torch.npu.make_graphed_callables(tuple(graphed), ((sample,), (later,)))
    optimizers = [torch.optim.SGD([p for m in ms for p in m.parameters()], lr=0.1) for ms in (plain, graphed)]
    for _ in range(3):
        x = torch.randn(4, 8)
        losses = []
        for modules, inputs, optimizer in zip((plain, graphed), (x, x.npu()), optimizers, strict=True):
            optimizer.zero_grad()
            loss = modules[1](modules[0](inputs)).square().sum()
            loss.backward()
            optimizer.step()
            losses.append(loss.detach().cpu())
        torch.testing.assert_close(losses[1], losses[0])
    for a, b in zip(plain, graphed, strict=True):
        for p, q in zip(a.parameters(), b.parameters(), strict=True):
            torch.testing.assert_close(q.cpu(), p)
    graphed[0].eval()  # was captured in training mode
    torch.testing.assert_close(graphed[0](x.npu()).cpu(), plain[0](x))


def test_a_graphed_function_keeps_the_form_of_its_results():
    x = torch.randn(4).npu().requires_grad_()
    f = torch.npu.make_graphed_callables(lambda t: {"double": t * 2, "square": t * t, "sign": t > 0}, (x,))
    y = torch.tensor([1.0, 2.0, 3.0, 4.0]).npu().requires_grad_()
    result = f(y)
    with pytest.raises(ValueError, match=r"captured for shapes \[\[4\]\], but got \[\[1\]\]"):
        f(y[:1])
    assert result["double"].tolist() == [2.0, 4.0, 6.0, 8.0]
    assert result["sign"].all() and not result["sign"].requires_grad
    result["square"].sum().backward()
    assert y.grad.tolist() == [2.0, 4.0, 6.0, 8.0]


def test_graphed_callables_take_tensors_only():
    with pytest.raises(TypeError, match="must be tensors"):
        torch.npu.make_graphed_callables(lambda a, b: a * b, (torch.ones(2).npu(), 3))
