"""Reads the rows, resolves the spec and encodes what will be trained."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ..files import read_json, write_json
from ..manifest import Row, Splits, is_erased, read_splits
from ..spec import JobSpec
from ..trainer_error import TrainerFailure
from ..validation_report import DroppedRow
from .base_model import ResolvedBase
from .chat_rendering import ChatRenderer
from .examples import Reader, RowRefused, TokenRow
from .loading import eos_token_ids, load_tokenizer, model_limit
from .memory import ModelSize, model_size
from .resolve_spec import DataFacts, Machine, resolve_spec


@dataclass
class SplitRows:
    """Rows of one split: those that can be encoded, at full length, and those that cannot, with the reason."""

    source: list[Row]
    rows: list[TokenRow] = field(default_factory=list)
    dropped: list[DroppedRow] = field(default_factory=list)
    erased: list[str] = field(default_factory=list)


@dataclass
class Prepared:
    """Everything known before weights are loaded. `train` and `validation` still have their full length."""

    spec: JobSpec
    resolved: JobSpec
    base: ResolvedBase
    renderer: ChatRenderer
    size: ModelSize
    limit: int
    train: SplitRows
    validation: SplitRows


@dataclass(frozen=True)
class Fitted:
    """Rows cut to max_length, those dropped as too long, and how many tokens were cut off."""

    rows: list[TokenRow]
    dropped: list[DroppedRow]
    cut_rows: list[str]
    tokens_lost: int


def prepare(home: Path, spec: JobSpec, base: ResolvedBase, machine: Machine, resolved: JobSpec | None) -> Prepared:
    """Encodes every row and fills in the spec. With `resolved`, an earlier attempt's spec, nothing is decided again.

    Raises TrainerFailure: template_missing, dataset_empty and whatever reading a manifest raises.
    """
    tokenizer = load_tokenizer(home, base)
    if not tokenizer.chat_template:
        raise TrainerFailure.of(
            "template_missing",
            f"{base.ref.id} has no chat template",
            param="base_model.id",
            hint="Choose the model's instruct version, or add a chat template, such as ChatML, to its folder.",
        )
    renderer = ChatRenderer(tokenizer, eos_token_ids(base.tokenizer_folder(home), tokenizer))
    splits = read_splits(home, spec)
    if not splits.train:
        raise TrainerFailure.of("dataset_empty", "the manifest has no Examples", param="manifest")
    reader = Reader(renderer, spec.method, spec.training.train_on)
    train, validation = _encode(reader, splits, "train"), _encode(reader, splits, "validation")
    size = model_size(base.config, base.ref.trust_remote_code, str(base.folder))
    limit = model_limit(base.config)
    facts = data_facts(train.rows, len(validation.rows))
    return Prepared(
        spec,
        resolved or resolve_spec(with_parents_adapter(home, spec, base), limit, size, facts, machine),
        base,
        renderer,
        size,
        limit,
        train,
        validation,
    )


def with_parents_adapter(home: Path, spec: JobSpec, base: ResolvedBase) -> JobSpec:
    """Returns the spec with the LoRA settings of the adapter it continues, which decide the shapes of its weights."""
    parent = base.parent
    if parent is None or parent.kind != "adapter" or spec.adapter == "full":
        return spec
    config = read_json(base.tokenizer_folder(home) / "adapter_config.json")
    names = ("r", "lora_alpha", "lora_dropout", "target_modules", "use_rslora", "use_dora")
    return spec.model_copy(update={"lora": spec.lora.model_copy(update={name: config[name] for name in names})})


def data_facts(rows: list[TokenRow], validation_rows: int) -> DataFacts:
    lengths = [row.length for row in rows] or [0]
    labels = Counter(row.label for row in rows)
    return DataFacts(
        rows=len(rows),
        validation_rows=validation_rows,
        p99=int(np.percentile(lengths, 99, method="higher")),
        longest=max(lengths),
        desirable=labels[True],
        undesirable=labels[False],
    )


def fit(split: SplitRows, spec: JobSpec) -> Fitted:
    """Applies max_length to rows of full length, according to `overflow`."""
    limit = int(spec.training.max_length)
    rows, dropped, cut, lost = [], [], [], 0
    for row in split.rows:
        if row.length <= limit:
            rows.append(row)
        elif spec.training.overflow == "truncate" and row.learns_within(limit):
            shorter = row.cut(limit)
            rows.append(shorter)
            cut.append(row.example_id)
            lost += row.tokens - shorter.tokens
        else:
            message = f"{row.length} tokens do not fit into max_length {limit}"
            dropped.append(
                DroppedRow(example_id=row.example_id, code="example_too_long", message=message, tokens=row.length)
            )
    return Fitted(rows, dropped, cut, lost)


def packed_rows(rows: list[TokenRow], max_length: int) -> int:
    """Returns the approximate number of sequences that packing makes of the rows; the trainer knows the exact one."""
    return max(1, -(-sum(row.tokens for row in rows) // max_length))


def write_resolved(job_dir: Path, spec: JobSpec) -> None:
    write_json(job_dir / "resolved.json", spec.document())


def _encode(reader: Reader, splits: Splits, name: str) -> SplitRows:
    found = SplitRows(splits.train if name == "train" else splits.validation)
    for row in found.source:
        if is_erased(row):
            found.erased.append(str(row["example_id"]))
            continue
        try:
            found.rows.append(reader.read(row))
        except RowRefused as refused:
            found.dropped.append(
                DroppedRow(
                    example_id=str(row["example_id"]),
                    code=refused.code,
                    message=str(refused),
                    tokens=refused.tokens,
                    split="train" if name == "train" else "validation",
                )
            )
    return found
