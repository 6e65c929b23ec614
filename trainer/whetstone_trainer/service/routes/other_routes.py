"""Health, capabilities, manifests, dry runs and sample answers."""

from __future__ import annotations

import shutil
from typing import Annotated, Any

from fastapi import APIRouter, Body, Request, Response
from fastapi.responses import JSONResponse

from ... import __version__
from ...certificates.request import forget_answers
from ...trainer_error import TrainerFailure
from ..hub_access import take_access
from ..job_record import is_id
from ..manifests import path_of, receive
from ..problems import Problem, not_found
from ..processes import boot_id
from .context import WAIT_SECONDS_MAX, builds_of, capabilities_of, disk_of, settings_of, wait_of
from .job_routes import checked_spec

router = APIRouter()

_DISK_BYTES_MIN = 1024**3


@router.get("/health")
def health() -> dict[str, str]:
    return {"status": "ok", "trainer_version": __version__}


@router.get("/ready", response_model=None)
def ready(request: Request) -> Response:
    """Returns whether jobs can be accepted: 200, or 503 with the reason."""
    free = shutil.disk_usage(settings_of(request).home).free
    if free < _DISK_BYTES_MIN:
        problem = Problem(503, f"only {free:,} bytes of disk space are free, too little to train", code="disk_full")
        return JSONResponse({"error": problem.document}, 503)
    return JSONResponse({"status": "ready", "boot_id": boot_id()})


@router.get("/capabilities")
def capabilities(request: Request) -> dict[str, Any]:
    return {**capabilities_of(request).get(), "disk": disk_of(request).get()}


@router.head("/manifests/{sha256}")
def has_manifest(request: Request, sha256: str) -> Response:
    path = path_of(settings_of(request).home, sha256)
    if not path.exists():
        return Response(status_code=404)
    # Whoever looks for it is about to send a job, so that it must outlast the removal of another one.
    path.touch()
    return Response(status_code=200, headers={"content-length": str(path.stat().st_size)})


@router.put("/manifests/{sha256}", status_code=201)
async def put_manifest(request: Request, sha256: str) -> dict[str, Any]:
    settings = settings_of(request)
    size = await receive(settings.home, sha256, request.stream(), settings.manifest_bytes_max)
    return {"sha256": sha256, "bytes": size}


@router.delete("/manifests/{sha256}")
def delete_manifest(request: Request, sha256: str) -> dict[str, bool]:
    """Deletes a manifest's content because text in it must be erased, and the certificate answers that contain it."""
    home = settings_of(request).home
    path_of(home, sha256).unlink(missing_ok=True)
    forget_answers(home, sha256)
    return {"ok": True}


@router.post("/validate", response_model=None)
def validate(request: Request, body: Annotated[dict[str, Any], Body()]) -> Response:
    """Returns a ValidationReport, or 202 with its future location if it takes longer than the caller waits."""
    access = take_access(body)
    checked_spec(request, body, can_run=False)
    identity, answer = builds_of(request).run(
        "whetstone_trainer.validation",
        body,
        "val",
        wait_of(request, WAIT_SECONDS_MAX),
        access.environment if access else None,
    )
    return _report(identity, answer)


@router.get("/validations/{identity}", response_model=None)
def get_validation(request: Request, identity: str) -> Response:
    return _report(identity, builds_of(request).answer(identity, wait_of(request, 0)))


def _report(identity: str, answer: Any) -> Response:
    if answer is None:
        where = f"/v1/validations/{identity}"
        return JSONResponse({"status": "running", "location": where}, 202, headers={"location": where})
    return JSONResponse({"report": answer})


@router.post("/base-models/check", response_model=None)
def check_base_model(request: Request, body: Annotated[dict[str, Any], Body()]) -> Response:
    """Returns what is known about a folder's model, or why it cannot be trained; 202 if that takes longer."""
    base = body.get("base_model")
    if not isinstance(base, dict) or base.get("source") != "local":
        raise TrainerFailure.of(
            "invalid_spec", "base_model.source: only folders are checked", param="base_model.source"
        )
    _, answer = builds_of(request).run(
        "whetstone_trainer.base_check", {"base_model": base}, "base", wait_of(request, WAIT_SECONDS_MAX)
    )
    if answer is None:
        return JSONResponse({"status": "running"}, 202)
    return JSONResponse(answer)


@router.post("/samples", response_model=None)
def samples(request: Request, body: Annotated[dict[str, Any], Body()]) -> Response:
    """Returns answers at temperature 0, or 202 with their future location."""
    access = take_access(body)
    identity, answer = builds_of(request).run(
        "whetstone_trainer.samples",
        body,
        "smp",
        wait_of(request, WAIT_SECONDS_MAX),
        access.environment if access else None,
    )
    return _samples(identity, answer)


@router.get("/samples/{identity}", response_model=None)
def get_samples(request: Request, identity: str) -> Response:
    if not identity.startswith("smp_"):
        raise not_found("The request")
    return _samples(identity, builds_of(request).answer(identity, wait_of(request, 0)))


@router.delete("/samples/{identity}")
def delete_samples(request: Request, identity: str) -> dict[str, bool]:
    """Deletes prompts and answers, once the caller has the answers or no longer wants them; repeating it is harmless."""
    if not identity.startswith("smp_") or not is_id(identity):
        raise not_found("The request")
    builds_of(request).forget(identity)
    return {"ok": True}


def _samples(identity: str, answer: Any) -> Response:
    if answer is None:
        where = f"/v1/samples/{identity}"
        return JSONResponse({"status": "running", "location": where}, 202, headers={"location": where})
    return JSONResponse(answer)
