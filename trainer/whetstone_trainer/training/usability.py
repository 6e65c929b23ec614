"""Decides whether the remaining rows can be trained on. Validation reports it; the worker enforces it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..trainer_error import TrainerError, TrainerFailure

if TYPE_CHECKING:
    from .preparation import Fitted, Prepared

# Losses that are not a sum over tokens or pairs: dft multiplies by a probability, DPO's sft averages over a batch.
UNWEIGHED_LOSSES = {("sft", "dft"), ("dpo", "sft")}


def usability_errors(prepared: Prepared, train: Fitted) -> list[TrainerError]:
    """Returns every reason not to train on these rows with this template."""
    found: list[TrainerError] = []
    limits, method = prepared.spec.limits, prepared.spec.method
    total = len(prepared.train.source) - len(prepared.train.erased)
    dropped = len(prepared.train.dropped) + len(train.dropped)
    if total == 0:
        found.append(TrainerError.of("dataset_empty", "the manifest has no Examples", param="manifest"))
    elif not train.rows:
        found.append(
            TrainerError.of(
                "dataset_incompatible",
                f"none of the {total} Examples can be trained on: {_reasons(prepared, train)}",
                param="manifest",
            )
        )
    elif dropped / total > limits.max_dropped_fraction:
        found.append(
            TrainerError.of(
                "too_many_rows_dropped",
                f"{dropped} of {total} Examples cannot be trained on, more than {limits.max_dropped_fraction:.0%}: "
                f"{_reasons(prepared, train)}",
                param="limits.max_dropped_fraction",
                hint="Repair or remove the listed Examples, or allow a larger share to be dropped.",
            )
        )
    too_long = [row for row in train.dropped if row.code == "example_too_long"]
    if prepared.spec.training.overflow == "error" and too_long:
        found.append(
            TrainerError.of(
                "dataset_incompatible",
                f"{len(too_long)} Examples are longer than max_length {prepared.resolved.training.max_length}",
                param="training.max_length",
                hint="Raise max_length, or set overflow to drop or truncate.",
            )
        )
    if method == "kto" and train.rows and {row.label for row in train.rows} != {True, False}:
        found.append(
            TrainerError.of(
                "kto_labels_missing",
                "KTO needs at least one good and one bad answer",
                param="manifest",
                hint="Add Examples of the missing kind, or use sft with the good answers.",
            )
        )
    training = prepared.resolved.training
    if any(row.has_fraction for row in train.rows) and (why := _cannot_weigh(prepared)):
        found.append(
            TrainerError.of(
                "unsupported_combination",
                f"{sum(row.has_fraction for row in train.rows)} Examples have a weight between 0 and 1, and {why}",
                param="training.packing" if training.packing else "training.loss_type",
                hint="Give these answers the weight 0 or 1, or change the setting.",
            )
        )
    if prepared.renderer.stop_token_id() is None:
        found.append(
            TrainerError.of(
                "stop_token_not_trained",
                "the chat template ends answers without a token that stops generation, "
                "so the model would never learn to stop",
                param="base_model.id",
                hint="Use a template that ends the assistant's turn with an end token, as ChatML does.",
            )
        )
    return found


def require_usable(prepared: Prepared, train: Fitted) -> None:
    """Raises the first of usability_errors."""
    for error in usability_errors(prepared, train):
        raise TrainerFailure(error)


def _cannot_weigh(prepared: Prepared) -> str | None:
    """Returns why answers cannot count in part, None if they can."""
    training, method = prepared.resolved.training, prepared.spec.method
    if method == "sft" and training.packing:
        return "packing joins Examples without their weights"
    if (method, training.loss_type) in UNWEIGHED_LOSSES:
        return f"the loss {training.loss_type} of {method} has no weights"
    return None


def _reasons(prepared: Prepared, train: Fitted) -> str:
    counts: dict[str, int] = {}
    for row in [*prepared.train.dropped, *train.dropped]:
        counts[row.code] = counts.get(row.code, 0) + 1
    return ", ".join(f"{count} {code}" for code, count in sorted(counts.items(), key=lambda pair: -pair[1]))
