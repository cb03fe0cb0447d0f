"""Module.to("npu") keeps its Parameters, as it does for "cuda": only where the values lie changes."""

import torch


def test_parameters_stay_the_same_objects():
    module = torch.nn.Linear(3, 2)
    weight = module.weight
    module.to("npu")
    assert module.weight is weight and weight.device.type == "npu"
    module.cpu()
    assert module.weight is weight and weight.device.type == "cpu"


def test_tied_weights_stay_tied():
    embedding, decoder = torch.nn.Embedding(5, 3), torch.nn.Linear(3, 5, bias=False)
    decoder.weight = embedding.weight
    model = torch.nn.Sequential(embedding, decoder).npu()
    assert model[0].weight is model[1].weight
    assert len(list(model.parameters())) == 1


def test_an_optimizer_made_before_still_trains():
    torch.manual_seed(0)
    module = torch.nn.Linear(3, 1)
    optimizer = torch.optim.SGD(module.parameters(), lr=0.1)
    module.to("npu")
    before = module.weight.detach().clone()
    module(torch.ones(2, 3, device="npu")).sum().backward()
    optimizer.step()
    assert not torch.equal(module.weight, before)


def test_gradients_move_too():
    module = torch.nn.Linear(3, 1)
    module(torch.ones(2, 3)).sum().backward()
    want = module.weight.grad.clone()
    module.to("npu")
    assert module.weight.grad.device.type == "npu"
    assert torch.equal(module.weight.grad.cpu(), want)


def test_backward_works_after_each_move():
    module = torch.nn.Linear(3, 1)
    for device in ("cpu", "npu", "cpu", "npu"):
        module.to(device).zero_grad()
        module(torch.ones(2, 3, device=device)).sum().backward()
        assert torch.equal(module.weight.grad.cpu(), torch.full((1, 3), 2.0))


def test_lazy_modules_take_their_shape_on_the_device():
    model = torch.nn.Sequential(torch.nn.LazyConv2d(4, 3), torch.nn.LazyBatchNorm2d()).to("npu")
    assert model(torch.randn(2, 3, 8, 8, device="npu")).shape == (2, 4, 6, 6)
    assert model[0].weight.device.type == "npu"


def test_data_of_another_layout_is_refused():
    parameter = torch.nn.Parameter(torch.ones(2))
    try:
        parameter.data = torch.ones(2, device="meta")
    except RuntimeError as error:
        assert "incompatible tensor type" in str(error)
    else:
        raise AssertionError("a meta tensor was taken for data")
    parameter.data = torch.zeros(2, device="npu")
    assert parameter.device.type == "npu"
