"""Commits, verifies, finds and prunes checkpoints.

A folder under `checkpoints/` is complete or does not exist: it is written as `tmp-*`, hashed, given its MANIFEST.json,
flushed to disk and only then renamed. `model/` can be served as it is; `state/` is what resuming additionally needs.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from .background import checkpoints_in_use
from .events import StaleAttempt, current_attempt, utc_now
from .files import fsync_path, read_json, sha256_file, write_json

MANIFEST = "MANIFEST.json"
PROFILE = "PROFILE.json"
TEMPORARY = "tmp-"
# Pickles are excluded from what is served, because reading one can run code.
PICKLED = (".bin", ".pt", ".pth", ".pkl", ".pickle", ".ckpt")


class CheckpointFile(BaseModel):
    model_config = ConfigDict(extra="forbid")

    path: str
    size: int
    sha256: str


class CheckpointManifest(BaseModel):
    """A checkpoint as sent over the wire, without what can still change: is_best, is_final, inference_profile."""

    model_config = ConfigDict(extra="forbid")

    checkpoint_id: str
    job_id: str
    attempt: int
    step_number: int
    epoch: float
    created_at: str
    kind: Literal["adapter", "full"]
    method: str
    adapter: str
    metrics: dict[str, float | None]
    files: list[CheckpointFile]
    content_sha256: str
    base_model: dict[str, Any]
    parent_checkpoint_id: str | None
    lineage: list[dict[str, Any]] = Field(default_factory=list)
    resumable: bool
    bytes: int

    def problem(self, folder: Path) -> str | None:
        """Returns how the files under `folder` differ from what was committed; None if they do not."""
        for file in self.files:
            path = folder / file.path
            if not path.is_file():
                return f"{file.path} is missing"
            if path.stat().st_size != file.size:
                return f"{file.path} has {path.stat().st_size} bytes instead of {file.size}"
            if sha256_file(path) != file.sha256:
                return f"{file.path} differs from what was committed"
        return None


def checkpoints_dir(home: Path, job_id: str) -> Path:
    return home / "jobs" / job_id / "checkpoints"


def checkpoint_dir(home: Path, manifest: CheckpointManifest) -> Path:
    return checkpoints_dir(home, manifest.job_id) / manifest.checkpoint_id


def read_checkpoint(folder: Path) -> CheckpointManifest | None:
    """Returns the manifest of a committed checkpoint; None if it is missing or unreadable."""
    try:
        return CheckpointManifest.model_validate(read_json(folder / MANIFEST))
    except (OSError, ValueError):
        return None


def find_checkpoint(home: Path, checkpoint_id: str) -> CheckpointManifest | None:
    """Returns a committed checkpoint of any job of this home."""
    for folder in sorted(home.glob("jobs/*/checkpoints/*")):
        if folder.name == checkpoint_id:
            return read_checkpoint(folder)
    return None


def list_checkpoints(job_dir: Path) -> list[CheckpointManifest]:
    """Returns the committed checkpoints of a job, oldest step first, without verifying their files."""
    folders = (job_dir / "checkpoints").glob("ckpt_*")
    found = [manifest for folder in folders if (manifest := read_checkpoint(folder))]
    return sorted(found, key=lambda manifest: (manifest.step_number, manifest.created_at))


def invalid_folders(job_dir: Path) -> list[tuple[Path, str]]:
    """Returns the checkpoint folders of a job that cannot be resumed from, with the reason."""
    problems = []
    for folder in sorted((job_dir / "checkpoints").glob("ckpt_*")):
        manifest = read_checkpoint(folder)
        problem = f"{MANIFEST} is missing or unreadable" if manifest is None else manifest.problem(folder)
        if problem:
            problems.append((folder, problem))
    return problems


def commit(work: Path, job_dir: Path, facts: dict[str, Any], attempt: int) -> CheckpointManifest:
    """Moves `work` (`model/` and `state/`) into the job's checkpoints and returns its manifest.

    Idempotent by content: the same step with the same weights has the same id. Raises StaleAttempt when a newer
    attempt has begun, OSError when the disk is full.
    """
    files = _described(work)
    model = [file for file in files if file.path.startswith("model/")]
    content = hashlib.sha256("".join(f"{f.path}\0{f.sha256}\n" for f in model).encode()).hexdigest()
    identity = f"{job_dir.name}\0{facts['step_number']}\0{content}"
    manifest = CheckpointManifest(
        checkpoint_id="ckpt_" + hashlib.sha256(identity.encode()).hexdigest()[:24],
        job_id=job_dir.name,
        attempt=attempt,
        created_at=utc_now(),
        files=files,
        content_sha256=content,
        bytes=sum(file.size for file in files),
        **facts,
    )
    target = job_dir / "checkpoints" / manifest.checkpoint_id
    if (existing := read_checkpoint(target)) and existing.problem(target) is None:
        shutil.rmtree(work)
        return existing
    write_json(work / MANIFEST, manifest.model_dump(mode="json"))
    _flush(work)
    if (current := current_attempt(job_dir)) > attempt:
        raise StaleAttempt(attempt, current)
    if target.exists():
        shutil.rmtree(target)
    os.rename(work, target)
    fsync_path(target.parent)
    return manifest


def temporary_folder(job_dir: Path, name: str) -> Path:
    """Returns a new folder beside the checkpoints, on the same file system."""
    folder = job_dir / "checkpoints" / f"{TEMPORARY}{name}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def remove_temporary(job_dir: Path) -> None:
    """Deletes the remains of interrupted saves."""
    for folder in (job_dir / "checkpoints").glob(f"{TEMPORARY}*"):
        shutil.rmtree(folder, ignore_errors=True)


def referenced_ids(home: Path) -> set[str]:
    """Returns the checkpoints that something on this machine needs: artifacts, deployments, exports, other jobs."""
    found: set[str] = set()
    for pattern in ("artifacts/*/request.json", "exports/*/*.json"):
        for file in home.glob(pattern):
            found |= _ids_in(_json_or_none(file))
    for file in home.glob("deployments/*/deployment.json"):
        found |= _deployed_ids(_json_or_none(file))
    for file in home.glob("jobs/*/spec.json"):
        # A finished job keeps its parent too: its own adapter cannot be loaded without it.
        spec = _json_or_none(file)
        found |= _ids_in(spec.get("base_model") if isinstance(spec, dict) else None)
    return found | checkpoints_in_use(home)


def prune(home: Path, job_dir: Path, *, keep_last: int, keep: Iterable[str]) -> list[tuple[CheckpointManifest, int]]:
    """Deletes all but the last `keep_last`, those in `keep` and those referenced; returns each with the bytes freed."""
    checkpoints = list_checkpoints(job_dir)
    protected = {c.checkpoint_id for c in checkpoints[-keep_last:]} | set(keep) | referenced_ids(home)
    pruned = []
    for manifest in checkpoints:
        if manifest.checkpoint_id not in protected:
            discard(job_dir / "checkpoints" / manifest.checkpoint_id)
            pruned.append((manifest, manifest.bytes))
    return pruned


def discard(folder: Path) -> None:
    """Deletes a checkpoint so that a crash half-way cannot leave a folder that looks committed."""
    doomed = folder.with_name(f"{TEMPORARY}discarded-{folder.name}")
    shutil.rmtree(doomed, ignore_errors=True)
    os.rename(folder, doomed)
    shutil.rmtree(doomed, ignore_errors=True)


def _described(work: Path) -> list[CheckpointFile]:
    files = []
    for path in sorted(path for path in work.rglob("*") if path.is_file()):
        relative = path.relative_to(work).as_posix()
        if relative.startswith("model/") and path.suffix in PICKLED:
            raise ValueError(f"{relative} is a pickle and must not be in a servable folder")
        # The adapter file is written with mode 0600, so a server under another user could not read it.
        path.chmod(0o644)
        files.append(CheckpointFile(path=relative, size=path.stat().st_size, sha256=sha256_file(path)))
    return files


def _flush(folder: Path) -> None:
    for path in folder.rglob("*"):
        fsync_path(path)
    fsync_path(folder)


def _json_or_none(file: Path) -> Any:
    try:
        return read_json(file)
    except (OSError, ValueError):
        return None


def _ids_in(value: Any) -> set[str]:
    found = value.get("checkpoint_id") if isinstance(value, dict) else None
    return {found} if isinstance(found, str) else set()


def _deployed_ids(record: Any) -> set[str]:
    """Returns the checkpoints a deployment is loaded from. One that has answered keeps them, for a rollback."""
    if not isinstance(record, dict):
        return set()
    if record.get("status") in ("stopped", "failed", "timeout") and not record.get("verified_at"):
        return set()
    return _ids_in(record) | {one for one in record.get("checkpoints") or [] if isinstance(one, str)}
