"""Checkpoints and artifacts, with their files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Body, Request, Response
from fastapi.responses import FileResponse, JSONResponse
from pydantic import BaseModel, ConfigDict, Field

from ...checkpoints import CheckpointManifest, find_checkpoint
from ...profile import read_profile, write_profile
from ...trainer_error import TrainerFailure
from ..job_record import ACTIVE, is_id, job_dir, read_record
from ..problems import Problem, not_found
from ..removal import refuse_used, remove_checkpoint
from ..snapshots import checkpoint_document
from .context import builds_of, deployments_of, disk_of, settings_of, supervisor_of

router = APIRouter()


class TokenizerPreBody(BaseModel):
    model_config = ConfigDict(extra="forbid")

    tokenizer_pre: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")]


def _checkpoint(home: Path, checkpoint_id: str) -> tuple[CheckpointManifest, Path]:
    manifest = find_checkpoint(home, checkpoint_id) if is_id(checkpoint_id) else None
    if manifest is None:
        raise not_found("The checkpoint")
    return manifest, job_dir(home, manifest.job_id) / "checkpoints" / manifest.checkpoint_id


def _file(folder: Path, known: dict[str, str], path: str) -> Response:
    """Sends a file that a manifest lists, and no other: no caller-supplied path reaches the disk."""
    if path not in known:
        raise not_found("The file")
    return FileResponse(folder / path, headers={"etag": f'"{known[path]}"'}, media_type="application/octet-stream")


@router.get("/checkpoints/{checkpoint_id}")
def get_checkpoint(request: Request, checkpoint_id: str) -> dict[str, Any]:
    home = settings_of(request).home
    manifest, _ = _checkpoint(home, checkpoint_id)
    return {"checkpoint": checkpoint_document(home, manifest, read_record(home, manifest.job_id))}


@router.get("/checkpoints/{checkpoint_id}/files/{path:path}", response_model=None)
def get_checkpoint_file(request: Request, checkpoint_id: str, path: str) -> Response:
    manifest, folder = _checkpoint(settings_of(request).home, checkpoint_id)
    return _file(folder, {file.path: file.sha256 for file in manifest.files}, path)


@router.put("/checkpoints/{checkpoint_id}/tokenizer-pre")
def put_tokenizer_pre(request: Request, checkpoint_id: str, body: TokenizerPreBody) -> dict[str, Any]:
    """Stores llama.cpp's name for the checkpoint's tokenizer, used by later builds where llama.cpp does not know it."""
    home = settings_of(request).home
    with supervisor_of(request).locked():
        manifest, _ = _checkpoint(home, checkpoint_id)
        profile = read_profile(home, manifest)
        if profile is None:
            raise Problem(409, "the checkpoint has no inference profile", code="checkpoint_corrupt")
        write_profile(home, manifest, profile.model_copy(update={"tokenizer_pre": body.tokenizer_pre}))
        return {"checkpoint": checkpoint_document(home, manifest, read_record(home, manifest.job_id))}


@router.delete("/checkpoints/{checkpoint_id}")
def delete_checkpoint(request: Request, checkpoint_id: str) -> dict[str, bool]:
    """Deletes a checkpoint that nothing uses, with what was built from it. Raises in_use otherwise."""
    supervisor = supervisor_of(request)
    with supervisor.locked():
        manifest, folder = _checkpoint(supervisor.home, checkpoint_id)
        record = read_record(supervisor.home, manifest.job_id)
        if record is not None and record.status in ACTIVE:
            raise TrainerFailure.of("in_use", "its job is running and may resume from it")
        deployments = deployments_of(request)
        refuse_used(supervisor, deployments, {checkpoint_id}, manifest.job_id)
        remove_checkpoint(supervisor.home, builds_of(request), deployments, folder)
    disk_of(request).forget()
    return {"ok": True}


@router.put("/artifacts/{artifact_id}", status_code=202)
def put_artifact(request: Request, artifact_id: str, body: Annotated[dict[str, Any], Body()]) -> JSONResponse:
    """Builds an artifact once; GET returns its state."""
    home = settings_of(request).home
    manifest, _ = _checkpoint(home, str(body.get("checkpoint_id")))
    from ...artifacts.request import ArtifactRequest

    wanted = {**body, "artifact_id": artifact_id, "job_id": manifest.job_id}
    try:
        checked = ArtifactRequest.model_validate(wanted)
    except ValueError as error:
        raise Problem(422, str(error).splitlines()[-1], code="invalid_spec") from None
    document = builds_of(request).put_artifact(artifact_id, checked.model_dump(mode="json"))
    return JSONResponse({"artifact": document}, 200 if document["status"] == "ready" else 202)


@router.get("/artifacts/{artifact_id}")
def get_artifact(request: Request, artifact_id: str) -> dict[str, Any]:
    return {"artifact": builds_of(request).artifact(artifact_id)}


@router.get("/artifacts/{artifact_id}/files/{path:path}", response_model=None)
def get_artifact_file(request: Request, artifact_id: str, path: str) -> Response:
    document = builds_of(request).artifact(artifact_id)
    known = {str(file["path"]): str(file["sha256"]) for file in document.get("files") or []}
    return _file(settings_of(request).home / "artifacts" / artifact_id, known, path)
