"""What a user of transformers writes around its Trainer: data of uneven length, a collator, a loss, metrics, callbacks,
evaluation, checkpoints and a prediction at the end, on a small random BERT. compute_loss has two traps of its own: an .item(),
and a label smoothing with weights, which PyTorch computes with a masked_select."""

from __future__ import annotations

import argparse
import json
import math
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.utils.data import Dataset
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    EarlyStoppingCallback,
    EvalPrediction,
    Trainer,
    TrainerCallback,
    TrainerControl,
    TrainerState,
    TrainingArguments,
    set_seed,
)

PAD, CLS, SEP, FIRST_WORD, VOCABULARY = 0, 1, 2, 3, 120
LABELS = ["rising", "falling", "mixed"]


@dataclass
class Example:
    """A sentence of word numbers and its label."""

    words: list[int]
    label: int


def label_of(words: list[int]) -> int:
    steps = np.sign(np.diff(words)).sum()
    return 0 if steps > 2 else 1 if steps < -2 else 2


def make_examples(count: int, seed: int) -> list[Example]:
    random = np.random.default_rng(seed)
    examples = []
    for _ in range(count):
        length = int(random.integers(5, 24))
        words = random.integers(FIRST_WORD, VOCABULARY, size=length)
        if random.random() < 0.6:
            words = np.sort(words)[:: int(random.choice([-1, 1]))]
        examples.append(Example(words.tolist(), label_of(words.tolist())))
    return examples


class Sentences(Dataset):
    def __init__(self, examples: list[Example]) -> None:
        self.examples = examples

    def __len__(self) -> int:
        return len(self.examples)

    def __getitem__(self, index: int) -> dict[str, object]:
        example = self.examples[index]
        return {"input_ids": [CLS, *example.words, SEP], "labels": example.label}

    def class_weights(self) -> torch.Tensor:
        counts = np.bincount([example.label for example in self.examples], minlength=len(LABELS))
        return torch.tensor(len(self.examples) / (len(LABELS) * np.maximum(counts, 1)), dtype=torch.float32)


@dataclass
class PadToLongest:
    """Pads a batch to its longest sentence, rounded up so that few shapes occur."""

    multiple: int = 8

    def __call__(self, features: list[dict]) -> dict[str, torch.Tensor]:
        longest = max(len(feature["input_ids"]) for feature in features)
        width = math.ceil(longest / self.multiple) * self.multiple
        ids = torch.full((len(features), width), PAD)
        mask = torch.zeros((len(features), width), dtype=torch.long)
        for row, feature in enumerate(features):
            tokens = torch.tensor(feature["input_ids"])
            ids[row, : len(tokens)] = tokens
            mask[row, : len(tokens)] = 1
        labels = torch.tensor([feature["labels"] for feature in features])
        return {"input_ids": ids, "attention_mask": mask, "labels": labels}


class WeightedTrainer(Trainer):
    """Cross entropy with the classes' weights, and a running mean of it for the progress file."""

    def __init__(self, *args, class_weights: torch.Tensor, smoothing: float = 0.05, **kwargs) -> None:
        super().__init__(*args, **kwargs)
        self.class_weights = class_weights.to(self.args.device)
        self.smoothing = smoothing
        self.running_loss = 0.0

    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        labels = inputs.pop("labels")
        outputs = model(**inputs)
        loss = nn.functional.cross_entropy(outputs.logits, labels, weight=self.class_weights, label_smoothing=self.smoothing)
        self.running_loss = 0.95 * self.running_loss + 0.05 * loss.item()
        return (loss, {"logits": outputs.logits}) if return_outputs else loss

    def create_optimizer(self, model=None):
        """AdamW without weight decay on biases and norms."""
        if self.optimizer is None:
            decayed = [p for name, p in self.model.named_parameters() if p.ndim > 1]
            others = [p for name, p in self.model.named_parameters() if p.ndim <= 1]
            groups = [{"params": decayed, "weight_decay": self.args.weight_decay}, {"params": others, "weight_decay": 0.0}]
            self.optimizer = torch.optim.AdamW(groups, lr=self.args.learning_rate)
        return self.optimizer


@dataclass
class ProgressFile(TrainerCallback):
    """Writes what the Trainer logs to a file, one JSON object a line."""

    path: Path
    losses: list[float] = field(default_factory=list)

    def on_log(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, logs=None, **kwargs) -> None:
        with self.path.open("a") as file:
            file.write(json.dumps({"step": state.global_step, **(logs or {})}) + "\n")
        if logs and "loss" in logs:
            self.losses.append(logs["loss"])

    def on_epoch_end(self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **kwargs) -> None:
        if self.losses:
            print(f"epoch {state.epoch:.0f}: loss {np.mean(self.losses[-5:]):.3f}")


def most_likely(logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """Keeps the classes instead of all logits: less to gather."""
    return logits.argmax(dim=-1)


def metrics(prediction: EvalPrediction) -> dict[str, float]:
    guessed, wanted = np.asarray(prediction.predictions), np.asarray(prediction.label_ids)
    scores = {"accuracy": float((guessed == wanted).mean())}
    per_class = []
    for label, name in enumerate(LABELS):
        hits = float(((guessed == label) & (wanted == label)).sum())
        total = float((guessed == label).sum() + (wanted == label).sum())
        per_class.append(2 * hits / total if total else 0.0)
        scores[f"f1_{name}"] = per_class[-1]
    return {**scores, "f1": float(np.mean(per_class))}


def make_model() -> BertForSequenceClassification:
    config = BertConfig(
        vocab_size=VOCABULARY,
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=64,
        num_labels=len(LABELS),
        pad_token_id=PAD,
    )
    return BertForSequenceClassification(config)


def make_arguments(folder: Path, epochs: int) -> TrainingArguments:
    return TrainingArguments(
        output_dir=str(folder / "checkpoints"),
        num_train_epochs=epochs,
        per_device_train_batch_size=8,
        per_device_eval_batch_size=16,
        gradient_accumulation_steps=2,
        learning_rate=5e-4,
        weight_decay=0.01,
        max_grad_norm=1.0,
        lr_scheduler_type="cosine",
        warmup_steps=4,
        logging_steps=5,
        eval_strategy="epoch",
        save_strategy="epoch",
        save_total_limit=1,
        load_best_model_at_end=True,
        metric_for_best_model="f1",
        greater_is_better=True,
        report_to=[],
        disable_tqdm=True,
        seed=3,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--examples", type=int, default=192)
    options = parser.parse_args()
    set_seed(3)
    train, valid = Sentences(make_examples(options.examples, 0)), Sentences(make_examples(48, 1))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        progress = ProgressFile(folder / "progress.jsonl")
        trainer = WeightedTrainer(
            model=make_model(),
            args=make_arguments(folder, options.epochs),
            train_dataset=train,
            eval_dataset=valid,
            data_collator=PadToLongest(),
            compute_metrics=metrics,
            preprocess_logits_for_metrics=most_likely,
            callbacks=[progress, EarlyStoppingCallback(early_stopping_patience=3)],
            class_weights=train.class_weights(),
        )
        trainer.train()
        print({name: round(value, 3) for name, value in trainer.evaluate().items() if "f1" in name})
        trainer.save_model(str(folder / "final"))
        test = trainer.predict(Sentences(make_examples(32, 2)))
        print("predicted", np.bincount(np.asarray(test.predictions), minlength=len(LABELS)).tolist())
        again = BertForSequenceClassification.from_pretrained(folder / "final").to(trainer.args.device).eval()
        with torch.no_grad():
            batch = PadToLongest()([valid[i] for i in range(8)])
            logits = again(**{key: value.to(trainer.args.device) for key, value in batch.items() if key != "labels"}).logits
        print("reloaded", logits.argmax(-1).tolist(), "after", len(progress.path.read_text().splitlines()), "logs")


if __name__ == "__main__":
    main()
