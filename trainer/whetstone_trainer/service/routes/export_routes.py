"""Exports: a model as one commit in a hub repository. The hubs' tokens pass through and are stored nowhere."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Body, Request
from fastapi.responses import JSONResponse
from pydantic import ValidationError

from ...checkpoints import find_checkpoint
from ...exports.request import SECRET, ExportRequest
from ...trainer_error import TrainerFailure
from ..capabilities import refuse_form
from ..hub_access import HubAccess, take_access
from ..problems import Problem, not_found
from ..works import Standing
from .context import capabilities_of, exports_of, invalid, settings_of, wait_of

router = APIRouter()


@router.put("/exports/{export_id}")
async def put_export(request: Request, export_id: str, body: Annotated[dict[str, Any], Body()]) -> JSONResponse:
    """Exports once; a repeated request returns the export's current state, and restarts one that lost its process."""
    secret = body.pop("secret", None)
    if not isinstance(secret, str) or not SECRET.match(secret):
        raise TrainerFailure.of("invalid_spec", "secret: send the hub's token", param="secret")
    access = take_access(body, "download_secret")
    try:
        wanted = ExportRequest.model_validate({**body, "export_id": export_id})
    except ValidationError as error:
        raise invalid(error) from None
    works = exports_of(request)
    document = wanted.model_dump(mode="json")
    is_new = await asyncio.to_thread(
        works.put, export_id, document, lambda: _check(request, wanted), secret, _environment(wanted, access)
    )
    standing = await works.settled(export_id, wait_of(request, 0))
    return JSONResponse({"export": document_of(standing)}, 202 if is_new else 200)


def _environment(wanted: ExportRequest, access: HubAccess | None) -> dict[str, str]:
    """Returns the variables with which an export may download what it is made from."""
    if access is not None:
        return access.environment
    # The service's own token may read models that no project may publish.
    return {} if wanted.source.hub_model is None else {"HF_TOKEN": ""}


def _check(request: Request, wanted: ExportRequest) -> None:
    if wanted.source.checkpoint_id is not None:
        manifest = find_checkpoint(settings_of(request).home, wanted.source.checkpoint_id)
        if manifest is None:
            raise not_found("The checkpoint")
        has_adapter = manifest.kind == "adapter"
    else:
        has_adapter = False
    if wanted.format == "lora-adapter" and not has_adapter:
        raise Problem(
            422,
            "full weights have no adapter to export",
            code="format_not_possible",
            hint="Export them as merged-16bit or gguf.",
        )
    lacking = refuse_form(capabilities_of(request).get(), wanted.format, wanted.quantization)
    if lacking:
        raise TrainerFailure.of("capability_missing", lacking[0], param="format", hint=lacking[1])


@router.get("/exports/{export_id}")
async def get_export(request: Request, export_id: str) -> dict[str, Any]:
    return {"export": document_of(await exports_of(request).settled(export_id, wait_of(request, 0)))}


@router.post("/exports/{export_id}/cancel")
async def cancel_export(request: Request, export_id: str) -> dict[str, Any]:
    """Stops an export; one whose commit was made has succeeded, and one that has ended is not changed."""
    works = exports_of(request)
    await asyncio.to_thread(works.cancel, export_id)
    return {"export": document_of(await works.settled(export_id, wait_of(request, 5)))}


def document_of(standing: Standing) -> dict[str, Any]:
    """Returns an export as sent over the wire."""
    result = standing.result or {}
    if standing.is_running:
        status = str(standing.state.get("status") or "queued")
    else:
        status = str(result.get("status") or ("cancelled" if standing.is_cancelled else "failed"))
    return {
        "export_id": standing.request["export_id"],
        "status": status,
        "progress": result.get("progress") or standing.state.get("progress") or {"bytes_done": 0, "bytes_total": None},
        "commit_oid": result.get("commit_oid"),
        "url": result.get("url"),
        "files": result.get("files", []),
        "error": standing.error.model_dump(mode="json") if standing.error else result.get("error"),
    }
