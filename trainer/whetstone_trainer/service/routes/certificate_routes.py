"""Parity certificates: created once, readable during and after their creation."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Body, Request
from fastapi.responses import JSONResponse
from pydantic import ValidationError

from ...certificates.request import CertificateRequest
from ...checkpoints import find_checkpoint
from ...trainer_error import TrainerFailure
from ..capabilities import refuse_form
from ..hub_access import take_access
from ..problems import not_found
from ..works import Standing
from .context import capabilities_of, certificates_of, invalid, settings_of, wait_of

router = APIRouter()


@router.put("/certificates/{certificate_id}")
async def put_certificate(
    request: Request, certificate_id: str, body: Annotated[dict[str, Any], Body()]
) -> JSONResponse:
    """Compares once; a repeated request returns the certificate's state, and restarts one that lost its process."""
    access = take_access(body)
    try:
        wanted = CertificateRequest.model_validate({**body, "certificate_id": certificate_id})
    except ValidationError as error:
        raise invalid(error) from None

    def check() -> None:
        if find_checkpoint(settings_of(request).home, wanted.checkpoint_id) is None:
            raise not_found("The checkpoint")
        for form in wanted.forms:
            lacking = refuse_form(capabilities_of(request).get(), form.kind, form.quantization)
            if lacking:
                raise TrainerFailure.of("capability_missing", lacking[0], param="forms", hint=lacking[1])

    works = certificates_of(request)
    environment = access.environment if access else None
    is_new = await asyncio.to_thread(
        works.put, certificate_id, wanted.model_dump(mode="json"), check, environment=environment
    )
    standing = await works.settled(certificate_id, wait_of(request, 0))
    return JSONResponse({"certificate": document_of(standing)}, 202 if is_new else 200)


@router.get("/certificates/{certificate_id}")
async def get_certificate(request: Request, certificate_id: str) -> dict[str, Any]:
    standing = await certificates_of(request).settled(certificate_id, wait_of(request, 0))
    return {"certificate": document_of(standing)}


def document_of(standing: Standing) -> dict[str, Any]:
    """Returns a certificate as sent over the wire; while in progress, with what has been compared so far."""
    result = standing.result or {}
    error = standing.error.model_dump(mode="json") if standing.error else result.get("error")
    # A process that is waiting for its turn has reported nothing yet.
    now = str(standing.state.get("status") or "queued") if standing.is_running else "failed"
    return {
        "certificate_id": standing.request["certificate_id"],
        "checkpoint_id": standing.request["checkpoint_id"],
        "deployment_id": standing.request["deployment_id"],
        "status": result.get("status", now),
        "verdict": result.get("verdict"),
        "profile_sha256": result.get("profile_sha256"),
        "subjects": result.get("subjects", standing.state.get("subjects", [])),
        "answers": result.get("answers", []),
        "error": error,
    }
