"""Chooses where an attempt begins: the newest checkpoint that is intact and was computed with the same arithmetic."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..checkpoints import CheckpointManifest, discard, invalid_folders, list_checkpoints, remove_temporary
from ..files import read_json
from ..spec import JobSpec, canonical_json
from ..trainer_error import TrainerFailure
from .machine import library_versions
from .reporter import Reporter
from .resolve_spec import Machine
from .saving import RESUME


@dataclass(frozen=True)
class ResumePoint:
    manifest: CheckpointManifest
    folder: Path
    tokens_seen: int


def compatibility(spec: JobSpec, machine: Machine) -> dict[str, Any]:
    """Returns what must be the same for resumed weights to equal those of an uninterrupted run."""
    document = spec.document()
    # Halving the batch after running out of memory keeps the effective batch and therefore the order of the rows.
    for name in ("per_device_train_batch_size", "gradient_accumulation_steps"):
        document["training"].pop(name)
    # These decide when to stop and what to keep, not what a step computes.
    for name in ("limits", "output", "metadata", "checkpointing"):
        document.pop(name)
    return {
        "spec_sha256": hashlib.sha256(canonical_json(document)).hexdigest(),
        "versions": library_versions(),
        "device": machine.kind,
        "device_count": machine.device_count,
    }


def find_resume_point(
    job_dir: Path, spec: JobSpec, machine: Machine, reporter: Reporter, restarts_left: int
) -> ResumePoint | None:
    """Returns where to resume; None to begin at step 0. Reports and deletes checkpoints that are not intact.

    Raises TrainerFailure checkpoint_corrupt when every checkpoint is broken and no restarts are left, and
    resume_incompatible when the newest intact one was made with another spec, other libraries or other devices.
    """
    remove_temporary(job_dir)
    broken = invalid_folders(job_dir)
    for folder, reason in broken:
        reporter.emit(
            "checkpoint.invalid",
            {"checkpoint_id": folder.name, "reason": reason},
            level="error",
            message=f"Checkpoint {folder.name} cannot be resumed from: {reason}",
        )
        discard(folder)
    intact = [manifest for manifest in list_checkpoints(job_dir) if manifest.resumable]
    if not intact:
        if broken and restarts_left <= 0:
            raise TrainerFailure.of(
                "checkpoint_corrupt",
                "every checkpoint of this job is broken and no restarts are left",
                hint="Check the disk, then start the job again as a new one.",
            )
        return None
    newest = intact[-1]
    folder = job_dir / "checkpoints" / newest.checkpoint_id
    saved = read_json(folder / "state" / RESUME)
    wanted = compatibility(spec, machine)
    different = [name for name, value in wanted.items() if saved["compatibility"].get(name) != value]
    if different:
        raise TrainerFailure.of(
            "resume_incompatible",
            f"checkpoint {newest.checkpoint_id} was made with another {' and another '.join(different)}",
            hint="Continue as a new job from this checkpoint.",
        )
    return ResumePoint(newest, folder, int(saved["tokens_seen"]))
