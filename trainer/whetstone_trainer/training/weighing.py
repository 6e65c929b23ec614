"""Losses in which some tokens or pairs count in part, and averages of an evaluation over what was measured."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from ..spec import Method
from .token_datasets import IGNORED, WEIGHT, WEIGHTS

# What an evaluation counts, in the name of its metric.
UNITS: dict[Method, str] = {"sft": "trained_tokens", "dpo": "pairs", "orpo": "trained_tokens", "kto": "answers"}


class WeighingCollator:
    """Adds the weights of a batch's rows to what TRL's collator makes of them."""

    def __init__(self, collator: Any) -> None:
        self.collator = collator

    def __call__(self, examples: list[dict[str, Any]], *args: Any, **kwargs: Any) -> Any:
        import torch

        batch = self.collator(examples, *args, **kwargs)
        if WEIGHTS in examples[0]:
            padded = torch.zeros(batch["input_ids"].shape, dtype=torch.float32)
            for row, example in enumerate(examples):
                padded[row, : len(example[WEIGHTS])] = torch.tensor(example[WEIGHTS])
            batch[WEIGHTS] = padded
        if WEIGHT in examples[0]:
            batch[WEIGHT] = torch.tensor([example[WEIGHT] for example in examples], dtype=torch.float32)
        return batch


@dataclass
class Measured:
    """Sums over the batches of one evaluation. Each part of the loss is a sum with the weight that it is a mean over."""

    parts: list[list[float]] = field(default_factory=list)
    batch_items: list[float] = field(default_factory=list)

    def add(self, *parts: tuple[float, float]) -> None:
        """Adds a batch: each part's sum, and the weight of the tokens or rows that it sums up."""
        if not self.parts:
            self.parts = [[0.0, 0.0] for _ in parts]
        for total, (value, items) in zip(self.parts, parts, strict=True):
            total[0] += value
            total[1] += items
        self.batch_items.append(parts[0][1])

    def loss(self) -> float:
        return sum(value / items for value, items in self.parts if items)

    def items(self) -> float:
        return self.parts[0][1]

    def mean(self, values: list[float]) -> float:
        """Returns the mean of one value a batch, by what each batch measured."""
        total = sum(self.batch_items)
        return sum(value * items for value, items in zip(values, self.batch_items, strict=True)) / total


def weighed(model: Any, weights: Any) -> Callable[..., Any]:
    """Returns the model with its tokens' log probabilities multiplied by their weights, from which TRL sums up its loss."""

    def call(*args: Any, **kwargs: Any) -> Any:
        outputs = model(*args, **kwargs)
        outputs["log_probs"] = outputs["log_probs"] * weights[:, 1:].to(outputs["log_probs"])
        return outputs

    return call


def tokens_measured(inputs: Any) -> tuple[float, float]:
    """Returns how many tokens of a batch are trained, and the sum of their weights."""
    trained = inputs["labels"][:, 1:] != IGNORED
    count = float(trained.sum())
    return count, float(inputs[WEIGHTS][:, 1:][trained].sum()) if WEIGHTS in inputs else count


def rows_measured(inputs: Any, rows: int) -> tuple[float, float]:
    """Returns how many rows a batch has, and the sum of their weights."""
    return float(rows), float(inputs[WEIGHT].sum()) if WEIGHT in inputs else float(rows)


@contextmanager
def joined_metrics(metrics: dict[str, list[float]], sizes: list[int]) -> Iterator[None]:
    """Makes one entry of those that several parts of a batch add to TRL's metrics, by the parts' sizes."""
    before = {name: len(values) for name, values in metrics.items()}
    yield
    for name, values in metrics.items():
        start = before.get(name, 0)
        added = values[start:]
        if len(added) == len(sizes):
            values[start:] = [sum(v * n for v, n in zip(added, sizes, strict=True)) / sum(sizes)]
