"""Turns facts into errors that would make the job fail, and warnings about what may be unintended."""

from __future__ import annotations

from collections.abc import Sequence

from ..trainer_error import TrainerError
from ..training.base_model import refuse_pickles
from ..training.preparation import Fitted, Prepared
from ..training.usability import usability_errors
from ..validation_report import (
    MemoryEstimate,
    RowCounts,
    TemplateFacts,
    ValidationWarning,
    WarningCode,
)
from .row_facts import all_dropped, duplicates, leaked

LISTED = 20
# Beyond this ratio the rarer label hardly counts, whatever its weight.
BALANCED_LABELS = 4.0


def errors(prepared: Prepared, train: Fitted, memory: MemoryEstimate, disk: tuple[int, int]) -> list[TrainerError]:
    """Returns why the job could not start or finish, most fundamental first."""
    found = usability_errors(prepared, train)
    if memory.fits == "no":
        found.append(
            TrainerError.of(
                "estimated_oom",
                f"training needs about {memory.estimate_bytes:,} bytes, but only {memory.available_bytes:,} are free",
                hint="Use qlora, lower max_length, or choose a smaller model.",
            )
        )
    needed, free = disk
    if needed > free:
        found.append(
            TrainerError.of(
                "disk_full",
                f"the checkpoints need about {needed:,} bytes, but only {free:,} are free",
                hint="Free space or keep fewer checkpoints.",
            )
        )
    if prepared.base.ref.source == "local":
        refuse_pickles(prepared.base.ref.id, prepared.base.folder)
    return found


def warnings(
    prepared: Prepared,
    train: Fitted,
    validation: Fitted,
    counts: RowCounts,
    template: TemplateFacts,
    memory: MemoryEstimate,
    disk: tuple[int, int],
) -> list[ValidationWarning]:
    """Returns what the user should see before starting."""
    found: list[ValidationWarning] = []

    def warn(code: WarningCode, message: str, examples: Sequence[str] = (), count: int | None = None) -> None:
        listed = list(examples)
        found.append(
            ValidationWarning(
                code=code,
                message=message,
                count=count if count is not None else len(listed) or None,
                example_ids=listed[:LISTED],
            )
        )

    if dropped := all_dropped(prepared, train, validation):
        warn("rows_dropped", f"{len(dropped)} Examples will not be used", [row.example_id for row in dropped])
    if train.cut_rows:
        message = f"{len(train.cut_rows)} Examples are cut to max_length, so their end and stop token are not learned"
        warn("rows_truncated", message, train.cut_rows)
    if repeated := duplicates(prepared.train.source):
        warn("duplicate_examples", f"{len(repeated)} Examples repeat another one", repeated)
    if leaks := leaked(prepared.train.source, prepared.validation.source):
        message = f"{len(leaks)} validation Examples are also trained on, so the validation loss looks too good"
        warn("validation_leakage", message, leaks)
    if ending := [row.example_id for row in train.rows if row.ends_with_user]:
        warn("ends_with_user", f"{len(ending)} Examples end with a user message, which teaches nothing", ending)
    if erased := [*prepared.train.erased, *prepared.validation.erased]:
        warn("example_erased", f"{len(erased)} Examples were erased after the manifest was frozen", erased)
    labels = counts.label_counts or {}
    if labels and min(labels.values()) and max(labels.values()) / min(labels.values()) > BALANCED_LABELS:
        warn("kto_labels_unbalanced", f"{labels['true']} good and {labels['false']} bad answers")
    if not prepared.validation.source:
        warn("no_validation_set", "Without validation Examples there is no validation loss and no best checkpoint")
    if not template.prefix_preserving:
        message = "The chat template renders earlier turns differently in longer conversations"
        warn("template_not_prefix_preserving", message)
    if prepared.spec.method == "sft" and not prepared.renderer.trains_as_served():
        message = (
            "When the model is served, its template begins answers with text that answers of Examples do not have, "
            "such as the beginning of its reasoning"
        )
        warn("template_not_as_served", message)
    if not prepared.renderer.has_generation_tags and prepared.spec.method == "sft":
        warn(
            "template_without_generation_tags",
            "The chat template does not mark the assistant's turns; they are found by rendering what precedes them",
        )
    if int(prepared.resolved.training.max_length) > prepared.limit:
        message = f"max_length is longer than the {prepared.limit} tokens that the model was built for"
        warn("sequence_longer_than_model", message)
    if memory.fits == "tight":
        warn("tight_memory", "The memory estimate uses more than 80% of what is free")
    if disk[1] and disk[0] / disk[1] > 0.8:
        warn("tight_disk", "The checkpoints use more than 80% of the free disk")
    return found
