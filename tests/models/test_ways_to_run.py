"""What users do with a model beside a plain step: generation, mixed precision, checkpointing, function transforms."""

from __future__ import annotations

import copy

import pytest
import torch
from torch.utils.checkpoint import checkpoint

import torch_npu
from tests.models import zoo
from tests.models.test_models import built, close, forward, moved

pytest.importorskip("transformers")


@pytest.fixture(autouse=True)
def nothing_falls_back():
    torch_npu.diagnostics.reset()
    yield
    torch.npu.synchronize()
    assert torch_npu.diagnostics.fallback_counts() == {}


def pair(build: zoo.Build):
    """The model and its twin on the device, with the inputs of each."""
    model, inputs = built(build)
    return (model, inputs), (copy.deepcopy(model).to("npu"), moved(inputs, "npu"))


WAYS = {
    "greedy": {"do_sample": False},
    "greedy without a cache": {"do_sample": False, "use_cache": False},
    "beams": {"num_beams": 3, "do_sample": False},
    "penalties": {"do_sample": False, "repetition_penalty": 1.3, "no_repeat_ngram_size": 2, "min_new_tokens": 3},
    "static cache": {"do_sample": False, "cache_implementation": "static"},
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("build", [zoo.llama, zoo.gpt2, zoo.t5, zoo.whisper], ids=lambda b: b.__name__)
def test_generation_gives_the_same_tokens(build, way) -> None:
    if way == "static cache" and build is zoo.t5:
        pytest.skip("transformers has no static cache for encoder-decoders of this kind")
    (model, inputs), (twin, twin_inputs) = pair(build)
    wanted = model.eval().generate(**{k: v for k, v in inputs.items() if k != "labels"}, max_new_tokens=8, **WAYS[way])
    got = twin.eval().generate(**{k: v for k, v in twin_inputs.items() if k != "labels"}, max_new_tokens=8, **WAYS[way])
    assert torch.equal(got.cpu(), wanted)


def test_sampling_repeats_with_its_seed() -> None:
    (_, _), (twin, inputs) = pair(zoo.llama)
    inputs.pop("labels")
    texts = []
    for seed in (1, 1, 2):
        torch.manual_seed(seed)
        texts.append(twin.eval().generate(**inputs, max_new_tokens=8, do_sample=True, top_k=20, top_p=0.9, temperature=1.5))
    assert torch.equal(texts[0], texts[1]) and not torch.equal(texts[0], texts[2])


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=str)
@pytest.mark.parametrize("build", [zoo.bert, zoo.llama, zoo.resnet, zoo.unet, zoo.lstm], ids=lambda b: b.__name__)
def test_autocast_trains_as_float32_does(build, dtype) -> None:
    (model, inputs), (twin, twin_inputs) = pair(build)
    scaler = torch.amp.GradScaler("npu", enabled=dtype is torch.float16, init_scale=256.0)
    losses: dict[str, list[float]] = {"float32": [], "autocast": []}
    plain, mixed = (torch.optim.AdamW(m.parameters(), lr=1e-3, eps=1e-3) for m in (model, twin))
    for _ in range(3):
        plain.zero_grad()
        loss, _ = forward(model, inputs)
        loss.backward()
        plain.step()
        losses["float32"].append(loss.item())
        mixed.zero_grad()
        with torch.autocast("npu", dtype=dtype):
            loss, _ = forward(twin, twin_inputs)
        scaler.scale(loss).backward()
        scaler.unscale_(mixed)
        torch.nn.utils.clip_grad_norm_(twin.parameters(), 10.0)
        scaler.step(mixed)
        scaler.update()
        losses["autocast"].append(loss.item())
    assert losses["autocast"] == pytest.approx(losses["float32"], rel=2e-2)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=str)
@pytest.mark.parametrize("build", [zoo.bert, zoo.llama, zoo.vit, zoo.unet], ids=lambda b: b.__name__)
def test_whole_models_of_half_types(build, dtype) -> None:
    """As near to float32 as the CPU's own half model, within a factor."""
    model, inputs = built(build)
    twin = copy.deepcopy(model).to("npu", dtype).eval()
    half = {k: v.to(dtype) if isinstance(v, torch.Tensor) and v.is_floating_point() else v for k, v in inputs.items()}
    (_, wanted), (_, got) = forward(model.eval(), inputs), forward(twin, moved(half, "npu"))
    scale = 2e-2 if dtype is torch.bfloat16 else 4e-3
    for g, w in zip(got, wanted, strict=True):
        assert (g.detach().float().cpu() - w.detach()).norm() <= scale * w.detach().norm() + 1e-3


def test_gradient_checkpointing() -> None:
    (model, inputs), (twin, twin_inputs) = pair(zoo.llama)
    twin.gradient_checkpointing_enable()
    forward(model, inputs)[0].backward()
    forward(twin, twin_inputs)[0].backward()
    for (name, got), want in zip(twin.named_parameters(), model.parameters(), strict=True):
        close(got.grad, want.grad, name)


def test_checkpoint_draws_the_same_dropout_again() -> None:
    layer = torch.nn.Sequential(torch.nn.Linear(16, 16), torch.nn.Dropout(0.5), torch.nn.Linear(16, 4)).to("npu")
    x = torch.randn(8, 16, device="npu", requires_grad=True)
    gradients = []
    for run in (layer, lambda t: checkpoint(layer, t, use_reentrant=False), lambda t: checkpoint(layer, t, use_reentrant=True)):
        torch.manual_seed(5)
        x.grad = None
        run(x).sum().backward()
        gradients.append(x.grad)
    assert torch.equal(gradients[0], gradients[1]) and torch.equal(gradients[0], gradients[2])


def network(parameters: dict[str, torch.Tensor], x: torch.Tensor) -> torch.Tensor:
    hidden = torch.nn.functional.layer_norm(torch.tanh(x @ parameters["w"] + parameters["b"]), (6,))
    return torch.logsumexp(torch.nn.functional.gelu(hidden) @ parameters["w"].T, -1)


TRANSFORMS = {
    "vmap": lambda f, p, x: torch.func.vmap(lambda row: f(p, row))(x),
    "gradients of each sample": lambda f, p, x: torch.func.vmap(torch.func.grad(f), in_dims=(None, 0))(p, x)["w"],
    "jvp": lambda f, p, x: torch.func.jvp(lambda t: f(p, t), (x,), (x.cos(),))[1],
    "vjp": lambda f, p, x: torch.func.vjp(lambda t: f(p, t), x)[1](torch.ones_like(x[:, 0]))[0],
    "jacobian forwards": lambda f, p, x: torch.func.jacfwd(lambda t: f(p, t))(x),
    "jacobian backwards": lambda f, p, x: torch.func.jacrev(lambda t: f(p, t))(x),
    "hessian": lambda f, p, x: torch.func.hessian(lambda t: f(p, t).sum())(x[:2]),
}


@pytest.mark.parametrize("transform", TRANSFORMS)
def test_function_transforms(transform) -> None:
    generator = torch.Generator().manual_seed(0)
    parameters = {"w": torch.randn(4, 6, generator=generator), "b": torch.randn(6, generator=generator)}
    x = torch.randn(5, 4, generator=generator)
    want = TRANSFORMS[transform](network, parameters, x)
    close(TRANSFORMS[transform](network, moved(parameters, "npu"), x.to("npu")), want, transform)


def test_an_ensemble_by_vmap() -> None:
    torch.manual_seed(0)
    models = [torch.nn.Sequential(torch.nn.Conv2d(1, 4, 3), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(16, 3))
              for _ in range(3)]  # fmt: skip
    x = torch.randn(2, 1, 4, 4)

    def outputs(device: str) -> torch.Tensor:
        nets = [copy.deepcopy(m).to(device) for m in models]
        parameters, buffers = torch.func.stack_module_state(nets)
        call = lambda p, b, t: torch.func.functional_call(nets[0], (p, b), (t,))  # noqa: E731
        return torch.func.vmap(call, in_dims=(0, 0, None))(parameters, buffers, x.to(device)).detach()

    close(outputs("npu"), outputs("cpu"), "ensemble")


def test_a_state_dictionary_goes_both_ways(tmp_path) -> None:
    (model, inputs), (twin, twin_inputs) = pair(zoo.bert)
    torch.save({"model": twin.state_dict()}, tmp_path / "model.pt")
    model.load_state_dict(torch.load(tmp_path / "model.pt", map_location="cpu")["model"])
    twin.load_state_dict(torch.load(tmp_path / "model.pt", map_location="npu")["model"])
    close(forward(twin.eval(), twin_inputs)[0].detach(), forward(model.eval(), inputs)[0].detach(), "loss")
