"""Counts what the rows contain: tokens, labels, duplicates, leaks."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np

from ..manifest import Row, content_hash, is_erased
from ..training.examples import TokenRow
from ..training.preparation import Fitted, Prepared
from ..validation_report import DropCode, DroppedRow, HistogramBin, RowCounts, TokenCounts

BINS = 20
COUNTED: dict[DropCode, str] = {
    "example_too_long": "too_long",
    "empty_answer": "empty_answer",
    "identical_pair": "identical_pair",
}


def row_counts(prepared: Prepared, train: Fitted, validation: Fitted) -> RowCounts:
    dropped = all_dropped(prepared, train, validation)
    kinds = Counter(COUNTED.get(row.code, "bad") for row in dropped if row.split == "train")
    labels = Counter(str(row.label).lower() for row in prepared.train.rows if row.label is not None)
    return RowCounts(
        total=len(prepared.train.source),
        usable=len(train.rows),
        validation_total=len(prepared.validation.source),
        validation_usable=len(validation.rows),
        too_long=kinds["too_long"],
        empty_answer=kinds["empty_answer"],
        identical_pair=kinds["identical_pair"],
        bad=kinds["bad"],
        duplicate=len(duplicates(prepared.train.source)),
        erased=len(prepared.train.erased) + len(prepared.validation.erased),
        leaked=len(leaked(prepared.train.source, prepared.validation.source)),
        label_counts={"true": labels["true"], "false": labels["false"]} if prepared.spec.method == "kto" else None,
    )


def all_dropped(prepared: Prepared, train: Fitted, validation: Fitted) -> list[DroppedRow]:
    """Returns every row that will not be trained on or evaluated, training rows first."""
    held_out = [row.model_copy(update={"split": "validation"}) for row in validation.dropped]
    return [*prepared.train.dropped, *train.dropped, *prepared.validation.dropped, *held_out]


def duplicates(rows: list[Row]) -> list[str]:
    """Returns the Examples that repeat the content of an earlier one."""
    groups: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        if not is_erased(row):
            groups[content_hash(row)].append(str(row["example_id"]))
    return [name for names in groups.values() for name in names[1:]]


def leaked(train: list[Row], validation: list[Row]) -> list[str]:
    """Returns the validation Examples whose content is also trained on."""
    taught = {content_hash(row) for row in train if not is_erased(row)}
    return [str(row["example_id"]) for row in validation if not is_erased(row) and content_hash(row) in taught]


def token_counts(rows: list[TokenRow]) -> TokenCounts:
    """Returns the lengths of rows in tokens; percentiles are lengths of real rows."""
    if not rows:
        return TokenCounts()
    lengths = np.array([row.length for row in rows])
    counts, edges = np.histogram(lengths, bins=min(BINS, int(lengths.max() - lengths.min()) + 1))
    p50, p95, p99 = (int(np.percentile(lengths, share, method="higher")) for share in (50, 95, 99))
    return TokenCounts(
        total=sum(row.tokens for row in rows),
        trained=sum(row.trained_tokens for row in rows),
        p50=p50,
        p95=p95,
        p99=p99,
        max=int(lengths.max()),
        histogram=[
            HistogramBin(start=int(np.ceil(edges[i])), end=int(np.floor(edges[i + 1])) + 1, rows=int(counts[i]))
            for i in range(len(counts))
        ],
    )
