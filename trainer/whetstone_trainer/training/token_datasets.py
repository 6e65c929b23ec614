"""Arranges token rows in the columns that each of TRL's trainers reads."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from ..spec import JobSpec, Method
from .examples import Part, TokenRow

IGNORED = -100
# Columns: the weight of each token, and of a pair or a judged answer as a whole.
WEIGHTS, WEIGHT = "weights", "weight"
Columns = dict[str, Any]


def token_dataset(spec: JobSpec, rows: list[TokenRow], batch: int) -> Any:
    """Returns a datasets.Dataset of rows that were already cut to max_length and are read in batches of `batch`.

    It has a column of weights only if a row counts in part: whole rows are left to TRL's own loss.
    """
    from datasets import Dataset

    if spec.method == "kto":
        rows = _shuffled(rows, spec.training.seed)
    documents = [_COLUMNS[spec.method](row) for row in rows]
    if any(row.has_fraction for row in rows):
        for document, row in zip(documents, rows, strict=True):
            document |= {WEIGHTS: row.weights["messages"].tolist()} if spec.method == "sft" else {WEIGHT: row.weight}
    if spec.method == "kto" and spec.training.loss_type != "apo_zero_unpaired":
        _add_mismatched_answers(documents, batch)
    return Dataset.from_list(documents)


def _sft(row: TokenRow) -> Columns:
    return {"input_ids": row.parts["messages"].tolist(), "labels": _labels(row, "messages")}


def _dpo(row: TokenRow) -> Columns:
    return {
        "prompt_ids": row.parts["chosen"][: row.prompt_tokens].tolist(),
        "chosen_ids": row.parts["chosen"][row.prompt_tokens :].tolist(),
        "rejected_ids": row.parts["rejected"][row.prompt_tokens :].tolist(),
    }


def _orpo(row: TokenRow) -> Columns:
    prompt = row.parts["chosen"][: row.prompt_tokens].tolist()
    # TRL's ORPO passes these three strings through; it trains on the token columns.
    columns: Columns = {"prompt": "", "chosen": "", "rejected": ""}
    columns |= {"prompt_input_ids": prompt, "prompt_attention_mask": [1] * len(prompt)}
    names: tuple[Part, ...] = ("chosen", "rejected")
    for name in names:
        ids = row.parts[name].tolist()
        columns[f"{name}_input_ids"] = ids
        columns[f"{name}_attention_mask"] = [1] * len(ids)
        columns[f"{name}_labels"] = _labels(row, name)
    return columns


def _kto(row: TokenRow) -> Columns:
    ids = row.parts["completion"]
    return {
        "prompt_ids": ids[: row.prompt_tokens].tolist(),
        "completion_ids": ids[row.prompt_tokens :].tolist(),
        "label": bool(row.label),
    }


_COLUMNS: dict[Method, Callable[[TokenRow], Columns]] = {"sft": _sft, "dpo": _dpo, "orpo": _orpo, "kto": _kto}


def _labels(row: TokenRow, part: Part) -> list[int]:
    return [
        token if trained else IGNORED
        for token, trained in zip(row.parts[part].tolist(), row.trained[part].tolist(), strict=True)
    ]


def _shuffled(rows: list[TokenRow], seed: int) -> list[TokenRow]:
    """Shuffles rows for KTO, which reads them in order because each batch contains its own mismatched pairs."""
    rows = list(rows)
    random.Random(seed).shuffle(rows)
    return rows


def _add_mismatched_answers(documents: list[Columns], batch: int) -> None:
    """Pairs each prompt of a batch with its neighbour's answer, from which KTO estimates the KL term."""
    for start in range(0, len(documents), batch):
        group = documents[start : start + batch]
        # A row alone in the last batch has its neighbour in the batch before.
        others = group if len(group) > 1 else [documents[start - 1]]
        for index, document in enumerate(group):
            document["KL_completion_ids"] = others[index - 1]["completion_ids"]
