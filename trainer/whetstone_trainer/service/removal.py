"""Removes jobs and checkpoints with everything that was made from them.

What is removed is renamed into `<home>/trash` first, so that an interrupted removal leaves nothing that looks complete;
the next service empties the trash.
"""

from __future__ import annotations

import os
import shutil
import time
import uuid
from collections.abc import Collection
from pathlib import Path

from ..artifacts.builds import drop_builds_of
from ..background import KINDS, REQUEST, checkpoint_of, checkpoints_in_use, is_running, read_or_none
from ..checkpoints import discard, list_checkpoints
from ..manifest import manifest_path
from ..trainer_error import TrainerFailure
from .builds import Builds
from .deployments import Deployments
from .job_record import ENDED, job_dir, list_records
from .supervisor import Supervisor

# A job that was announced by looking for its manifest arrives within this time.
MANIFEST_SECONDS = 600.0


def refuse_used(supervisor: Supervisor, deployments: Deployments, checkpoint_ids: Collection[str], job_id: str) -> None:
    """Raises in_use if another unfinished job, a deployment, a certificate or an export needs one of the checkpoints."""
    home = supervisor.home
    for other in list_records(home):
        if other.job_id != job_id and other.status not in ENDED:
            spec = read_or_none(job_dir(home, other.job_id) / "spec.json") or {}
            if (spec.get("base_model") or {}).get("checkpoint_id") in checkpoint_ids:
                raise TrainerFailure.of("in_use", f"job {other.job_id} continues from it")
    for checkpoint_id in sorted(checkpoint_ids):
        if user := deployments.user_of(checkpoint_id):
            raise TrainerFailure.of("in_use", f"deployment {user} serves it")
    if checkpoints_in_use(home).intersection(checkpoint_ids):
        raise TrainerFailure.of("in_use", "a running certificate or export reads it")


def remove_checkpoint(home: Path, builds: Builds, deployments: Deployments, folder: Path) -> None:
    """Removes a checkpoint and what was built from it. The caller has made sure that nothing uses it."""
    remove_made_from(home, builds, deployments, {folder.name})
    discard(folder)


def remove_job(supervisor: Supervisor, builds: Builds, deployments: Deployments, job_id: str) -> None:
    """Removes an ended job with its checkpoints and manifests. Raises in_use, and not_found for an unknown job."""
    home = supervisor.home
    with supervisor.locked():
        record = supervisor.get(job_id)
        if record.status not in ENDED:
            raise TrainerFailure.of("in_use", f"the job is {record.status}")
        folder = job_dir(home, job_id)
        checkpoint_ids = {manifest.checkpoint_id for manifest in list_checkpoints(folder)}
        refuse_used(supervisor, deployments, checkpoint_ids, job_id)
        remove_made_from(home, builds, deployments, checkpoint_ids)
        spec = read_or_none(folder / "spec.json")
        _trash(home, folder)
        _remove_manifests(home, _manifests_of(spec))
    empty_trash(home)


def remove_made_from(home: Path, builds: Builds, deployments: Deployments, checkpoint_ids: Collection[str]) -> None:
    """Removes the ended deployments, artifacts, certificates, exports and shared builds of checkpoints."""
    deployments.remove_of(checkpoint_ids)
    for path in home.glob(f"artifacts/*/{REQUEST}"):
        if checkpoint_of(read_or_none(path)) in checkpoint_ids:
            builds.drop_artifact(path.parent.name)
    for kind in KINDS:
        for path in home.glob(f"{kind}/*/{REQUEST}"):
            if checkpoint_of(read_or_none(path)) in checkpoint_ids and not is_running(path.parent):
                shutil.rmtree(path.parent, ignore_errors=True)
    drop_builds_of(home, checkpoint_ids)


def empty_trash(home: Path) -> None:
    """Deletes what was removed."""
    shutil.rmtree(home / "trash", ignore_errors=True)


def _trash(home: Path, folder: Path) -> None:
    trash = home / "trash"
    trash.mkdir(exist_ok=True)
    os.rename(folder, trash / f"{folder.name}-{uuid.uuid4().hex}")


def _manifests_of(spec: object) -> set[str]:
    """Returns the hashes of the manifests that a job's spec names."""
    manifest = spec.get("manifest") if isinstance(spec, dict) else None
    if not isinstance(manifest, dict):
        return set()
    validation = manifest.get("validation")
    found = (manifest.get("sha256"), validation.get("sha256") if isinstance(validation, dict) else None)
    return {sha256 for sha256 in found if isinstance(sha256, str)}


def _remove_manifests(home: Path, hashes: set[str]) -> None:
    """Removes manifests that no other job trains on, unless one was just looked for."""
    for other in list_records(home):
        hashes -= _manifests_of(read_or_none(job_dir(home, other.job_id) / "spec.json"))
    for sha256 in hashes:
        path = manifest_path(home, sha256)
        if path.exists() and time.time() - path.stat().st_mtime > MANIFEST_SECONDS:
            path.unlink(missing_ok=True)
