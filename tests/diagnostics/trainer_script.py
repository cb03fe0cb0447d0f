"""A small random BERT trained by transformers' Trainer, with one trap of its own: an .item() in its forward."""

from __future__ import annotations

import tempfile

import torch
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments


class Parity(torch.utils.data.Dataset):
    """Is the first token even?"""

    def __init__(self, count: int, length: int = 16) -> None:
        self.tokens = torch.randint(0, 100, (count, length), generator=torch.Generator().manual_seed(0))

    def __len__(self) -> int:
        return len(self.tokens)

    def __getitem__(self, index: int) -> dict[str, torch.Tensor]:
        tokens = self.tokens[index]
        return {"input_ids": tokens, "attention_mask": torch.ones_like(tokens), "labels": tokens[0] % 2}


class Classifier(BertForSequenceClassification):
    def __init__(self, config: BertConfig) -> None:
        super().__init__(config)
        self.history: list[float] = []

    def forward(self, input_ids=None, attention_mask=None, labels=None):
        outputs = super().forward(input_ids=input_ids, attention_mask=attention_mask, labels=labels)
        self.history.append(outputs.loss.item())
        return outputs


def main() -> None:
    config = BertConfig(
        vocab_size=100,
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=32,
    )
    with tempfile.TemporaryDirectory() as folder:
        arguments = TrainingArguments(
            output_dir=folder,
            per_device_train_batch_size=8,
            max_steps=20,
            logging_steps=5,
            save_strategy="no",
            report_to=[],
            disable_tqdm=True,
        )
        trainer = Trainer(Classifier(config), arguments, train_dataset=Parity(64), eval_dataset=Parity(32))
        trainer.train()
        print(trainer.evaluate())


if __name__ == "__main__":
    main()
