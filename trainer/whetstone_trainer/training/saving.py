"""Splits what transformers saves into what can be served and what resuming needs, and commits it."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from ..checkpoints import CheckpointManifest, commit, temporary_folder
from ..files import read_json, write_json
from ..spec import JobSpec
from .base_model import ResolvedBase

STATE_FILES = ("optimizer.", "scheduler.", "scaler.", "rng_state", "trainer_state.json", "resume.json")
# Includes the reference adapter of DPO and KTO, which a server would mistake for the model.
DISCARDED = ("ref", "training_args.bin", "README.md")
RESUME = "resume.json"


def base_reference(base: ResolvedBase, spec: JobSpec) -> dict[str, Any]:
    """Returns the base_model of a checkpoint: what must be loaded below an adapter, or where full weights started."""
    parent = base.parent
    if parent is None:
        return {**base.ref.model_dump(mode="json"), "revision": base.revision}
    if parent.kind == "full" and spec.adapter != "full":
        return base.ref.model_dump(mode="json")
    return parent.base_model


def lineage(base: ResolvedBase, spec: JobSpec) -> list[dict[str, Any]]:
    """Returns the edges to what a checkpoint was made from."""
    parent = base.parent
    if parent is None:
        return [{"type": "trained_from", "id": base.ref.id, "revision": base.revision}]
    edge = "merged_from" if parent.kind == "adapter" and spec.adapter == "full" else "continued_from"
    return [{"type": edge, "checkpoint_id": parent.checkpoint_id}]


def public_name(base: ResolvedBase) -> str:
    """Returns the base's publishable name: a hub id, or a folder's name without its path."""
    return Path(base.ref.id).name if base.ref.id.startswith("/") else base.ref.id


def arrange(saved: Path, job_dir: Path, name: str, base: ResolvedBase) -> Path:
    """Moves the contents that transformers wrote into a new folder with `model/` and `state/`, and returns it."""
    work = temporary_folder(job_dir, name)
    for folder in ("model", "state"):
        (work / folder).mkdir()
    for path in sorted(saved.iterdir()):
        if path.name in DISCARDED:
            continue
        part = "state" if path.name.startswith(STATE_FILES) else "model"
        shutil.move(path, work / part / path.name)
    shutil.rmtree(saved)
    _scrub(work / "model", base)
    return work


def commit_saved(
    saved: Path,
    job_dir: Path,
    attempt: int,
    base: ResolvedBase,
    spec: JobSpec,
    *,
    step: int,
    epoch: float,
    metrics: dict[str, float | None],
    resume: dict[str, Any],
) -> CheckpointManifest:
    """Commits the folder `saved` as a checkpoint. Raises StaleAttempt; OSError when the disk is full."""
    work = arrange(saved, job_dir, f"commit-{attempt}-{step}", base)
    write_json(work / "state" / RESUME, resume)
    facts = {
        "step_number": step,
        "epoch": epoch,
        "kind": "full" if spec.adapter == "full" else "adapter",
        "method": spec.method,
        "adapter": spec.adapter,
        "metrics": metrics,
        "base_model": base_reference(base, spec),
        "parent_checkpoint_id": base.parent.checkpoint_id if base.parent else None,
        "lineage": lineage(base, spec),
        "resumable": True,
    }
    return commit(work, job_dir, facts, attempt)


def resumable_folder(checkpoint: Path, job_dir: Path) -> Path:
    """Returns a folder of links in the layout that transformers resumes from."""
    folder = temporary_folder(job_dir, "resume")
    for part in ("model", "state"):
        for path in (checkpoint / part).iterdir():
            (folder / path.name).symlink_to(path)
    return folder


def _scrub(model: Path, base: ResolvedBase) -> None:
    """Removes the base's path from files that may be published, and sorts what Python leaves unordered."""
    name = public_name(base)
    for path in model.rglob("*.json"):
        text = path.read_text()
        for folder in {str(base.folder), str(base.folder.resolve())}:
            text = text.replace(folder, name)
        path.write_text(text)
    config = model / "adapter_config.json"
    if config.exists():
        document = read_json(config)
        document["base_model_name_or_path"] = name
        if isinstance(document.get("target_modules"), list):
            # A set in PEFT: its order differs between processes, and with it the checkpoint's hash.
            document["target_modules"] = sorted(document["target_modules"])
        write_json(config, document)
