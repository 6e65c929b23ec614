"""Jobs: submit, read, follow, stop, resume."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Body, Header, Query, Request, Response
from fastapi.responses import FileResponse, JSONResponse, StreamingResponse
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ...events import Event, EventLog
from ...manifest import manifest_path
from ...spec import JobSpec, ValidationFile
from ...trainer_error import TrainerFailure
from ..capabilities import refuse_unavailable
from ..hub_access import take_access
from ..job_record import ENDED, job_dir, list_records
from ..problems import not_found
from ..removal import remove_job
from ..snapshots import checkpoints_of, job_document, metrics_of
from .context import (
    WAIT_SECONDS_MAX,
    builds_of,
    capabilities_of,
    deployments_of,
    disk_of,
    settings_of,
    supervisor_of,
)

router = APIRouter()

EVENTS_MAX = 1000
_POLL_SECONDS = 0.25
_HEARTBEAT_SECONDS = 15.0
RequestId = Annotated[str, Field(min_length=1, max_length=200)]


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid")


class CancelBody(_Body):
    request_id: RequestId
    mode: Literal["save", "discard"] = "save"
    deadline_seconds: float | None = Field(default=None, gt=0, le=3600)


class PauseBody(_Body):
    request_id: RequestId
    deadline_seconds: float | None = Field(default=None, gt=0, le=3600)


class ResumeBody(_Body):
    request_id: RequestId
    from_: str = Field(default="latest", alias="from")


class CheckpointBody(_Body):
    request_id: RequestId


def checked_spec(request: Request, document: dict[str, Any], *, can_run: bool) -> JobSpec:
    """Returns the spec; raises an error if the spec, this machine or a manifest does not allow the job."""
    try:
        spec = JobSpec.model_validate(document)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise TrainerFailure.of("invalid_spec", f"{where}: {first['msg']}".strip(": "), param=where or None) from None
    if can_run:
        lacking = refuse_unavailable(capabilities_of(request).get(), spec.document())
        if lacking:
            raise TrainerFailure.of("capability_missing", lacking[0], hint=lacking[1])
    home = settings_of(request).home
    needed = [spec.manifest.sha256]
    if isinstance(spec.manifest.validation, ValidationFile):
        needed.append(spec.manifest.validation.sha256)
    for sha256 in needed:
        if not manifest_path(home, sha256).exists():
            raise TrainerFailure.of("manifest_not_found", f"manifest {sha256} is not on this trainer", param="manifest")
    return spec


@router.put("/jobs/{job_id}", status_code=202)
def put_job(request: Request, job_id: str, body: Annotated[dict[str, Any], Body()]) -> JSONResponse:
    """Accepts a job once: repeating the same id and spec returns the job's current state (200)."""
    supervisor = supervisor_of(request)
    access = take_access(body)
    known = any(record.job_id == job_id for record in list_records(supervisor.home))
    if not known:
        checked_spec(request, body, can_run=True)
    record, is_new = supervisor.submit(job_id, body, access)
    return JSONResponse({"job": job_document(supervisor.home, record)}, 202 if is_new else 200)


@router.get("/jobs")
def list_jobs(request: Request, status: str | None = None) -> dict[str, Any]:
    home = settings_of(request).home
    records = [record for record in list_records(home) if status is None or record.status == status]
    return {"jobs": [job_document(home, record) for record in records]}


@router.get("/jobs/{job_id}")
def get_job(request: Request, job_id: str) -> dict[str, Any]:
    supervisor = supervisor_of(request)
    return {"job": job_document(supervisor.home, supervisor.get(job_id))}


@router.delete("/jobs/{job_id}")
def delete_job(request: Request, job_id: str) -> dict[str, bool]:
    """Deletes an ended job with its checkpoints and everything built from them. Raises in_use otherwise."""
    remove_job(supervisor_of(request), builds_of(request), deployments_of(request), job_id)
    disk_of(request).forget()
    return {"ok": True}


@router.get("/jobs/{job_id}/events", response_model=None)
async def list_events(
    request: Request,
    job_id: str,
    after: Annotated[int, Query(ge=0)] = 0,
    limit: Annotated[int, Query(ge=1, le=EVENTS_MAX)] = 500,
    wait: Annotated[float, Query(ge=0, le=WAIT_SECONDS_MAX)] = 0,
    accept: Annotated[str, Header()] = "",
    last_event_id: Annotated[str, Header()] = "",
) -> Response:
    """Returns events in order, waiting for the first; as server-sent events to clients that accept them."""
    supervisor = supervisor_of(request)
    supervisor.get(job_id)
    log = EventLog(job_dir(supervisor.home, job_id))
    if "text/event-stream" in accept:
        first = int(last_event_id) if last_event_id.isdigit() else after
        return StreamingResponse(_stream(request, job_id, log, first), media_type="text/event-stream")
    loop = asyncio.get_running_loop()
    until = loop.time() + wait
    while True:
        events = await asyncio.to_thread(log.read, after, limit)
        if events or loop.time() >= until or supervisor.get(job_id).status in ENDED:
            break
        await asyncio.sleep(_POLL_SECONDS)
    last = events[-1].seq if events else after
    return JSONResponse({"events": [event.model_dump(mode="json") for event in events], "last_seq": last})


async def _stream(request: Request, job_id: str, log: EventLog, after: int) -> AsyncIterator[str]:
    loop = asyncio.get_running_loop()
    heard = loop.time()
    while not await request.is_disconnected():
        ended = supervisor_of(request).get(job_id).status in ENDED
        events: list[Event] = await asyncio.to_thread(log.read, after, EVENTS_MAX)
        for event in events:
            yield f"id: {event.seq}\nevent: {event.type}\ndata: {event.model_dump_json()}\n\n"
            after, heard = event.seq, loop.time()
        if ended and not events:
            return
        if loop.time() - heard > _HEARTBEAT_SECONDS:
            yield f"event: heartbeat\ndata: {json.dumps({'last_seq': after})}\n\n"
            heard = loop.time()
        await asyncio.sleep(_POLL_SECONDS)


@router.get("/jobs/{job_id}/metrics")
def get_metrics(
    request: Request, job_id: str, after_step: int = -1, keys: Annotated[str | None, Query(max_length=2000)] = None
) -> dict[str, Any]:
    supervisor = supervisor_of(request)
    supervisor.get(job_id)
    return {"metrics": metrics_of(supervisor.home, job_id, after_step, keys.split(",") if keys else None)}


@router.get("/jobs/{job_id}/logs", response_model=None)
def get_logs(
    request: Request, job_id: str, offset: Annotated[int, Query(ge=0)] = 0, attempt: int | None = None
) -> Response:
    """Returns the bytes of an attempt's log from `offset` on; by default of the newest attempt."""
    supervisor = supervisor_of(request)
    record = supervisor.get(job_id)
    path = job_dir(supervisor.home, job_id) / "logs" / f"attempt-{attempt or record.attempt}.log"
    if not path.exists():
        return Response(b"", media_type="text/plain", headers={"x-offset": str(offset), "x-size": "0"})
    size = path.stat().st_size
    with path.open("rb") as file:
        file.seek(min(offset, size))
        content = file.read(1024 * 1024)
    return Response(content, media_type="text/plain", headers={"x-offset": str(offset), "x-size": str(size)})


@router.get("/jobs/{job_id}/report", response_model=None)
def get_report(request: Request, job_id: str) -> Response:
    """Returns the ValidationReport that the worker wrote, once it exists."""
    supervisor = supervisor_of(request)
    supervisor.get(job_id)
    path = job_dir(supervisor.home, job_id) / "validation.json"
    if not path.exists():
        raise not_found("The report")
    return FileResponse(path, media_type="application/json")


@router.post("/jobs/{job_id}/cancel")
def cancel_job(request: Request, job_id: str, body: CancelBody) -> dict[str, Any]:
    supervisor = supervisor_of(request)
    record = supervisor.end(
        job_id, "cancel", request_id=body.request_id, mode=body.mode, deadline_seconds=body.deadline_seconds
    )
    return {"job": job_document(supervisor.home, record)}


@router.post("/jobs/{job_id}/pause")
def pause_job(request: Request, job_id: str, body: PauseBody) -> dict[str, Any]:
    supervisor = supervisor_of(request)
    record = supervisor.end(
        job_id, "pause", request_id=body.request_id, mode="save", deadline_seconds=body.deadline_seconds
    )
    return {"job": job_document(supervisor.home, record)}


@router.post("/jobs/{job_id}/resume")
def resume_job(request: Request, job_id: str, body: ResumeBody) -> dict[str, Any]:
    supervisor = supervisor_of(request)
    record = supervisor.resume(job_id, request_id=body.request_id, from_=body.from_)
    return {"job": job_document(supervisor.home, record)}


@router.post("/jobs/{job_id}/checkpoint", status_code=202)
def save_checkpoint(request: Request, job_id: str, body: CheckpointBody) -> dict[str, Any]:
    supervisor = supervisor_of(request)
    record = supervisor.save_now(job_id, request_id=body.request_id)
    return {"job": job_document(supervisor.home, record)}


@router.get("/jobs/{job_id}/checkpoints")
def list_job_checkpoints(request: Request, job_id: str) -> dict[str, Any]:
    supervisor = supervisor_of(request)
    return {"checkpoints": checkpoints_of(supervisor.home, supervisor.get(job_id))}


__all__ = ["checked_spec", "router"]
