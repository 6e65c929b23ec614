"""Deployments: start, follow, stop, and calls to their servers."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from typing import Annotated, Any, cast

import httpx
from fastapi import APIRouter, Body, Query, Request, Response
from fastapi.responses import JSONResponse, StreamingResponse
from pydantic import ValidationError

from ...profile import AdapterFacts, adapter_facts
from ...serving.backends import choose_backend
from ...serving.request import DeploymentRequest
from ...trainer_error import TrainerFailure
from ..deployment_record import FINAL, SETTLED
from ..deployments import Address, needed_checkpoints
from ..hub_access import take_access
from ..job_record import job_dir
from ..problems import Problem
from .context import capabilities_of, deployments_of, settings_of, supervisor_of, wait_of

router = APIRouter()

_POLL_SECONDS = 0.1
_LISTEN_SECONDS = 0.25
# Nginx's status for a client that disconnected; nobody receives it.
_CLIENT_GONE = 499


def _checked(body: dict[str, Any]) -> DeploymentRequest:
    try:
        return DeploymentRequest.model_validate(body)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise TrainerFailure.of("invalid_spec", f"{where}: {first['msg']}".strip(": "), param=where or None) from None


@router.put("/deployments/{deployment_id}", status_code=202)
def put_deployment(request: Request, deployment_id: str, body: Annotated[dict[str, Any], Body()]) -> JSONResponse:
    """Starts a deployment once: repeating the same id and body returns its current state (200)."""
    deployments = deployments_of(request)
    access = take_access(body)
    wanted = _checked(body)
    if known := deployments.find(deployment_id, wanted):
        deployments.replace_access(known, access)
        return JSONResponse({"deployment": deployments.document(known)}, 200)
    home = settings_of(request).home
    adapter = _adapter_of(request, wanted)
    backend = choose_backend(wanted, capabilities_of(request).get(), adapter)
    # Under the same lock as deletions: a checkpoint is either found here and protected, or deleted and not found.
    with supervisor_of(request).locked():
        record, is_new = deployments.create(deployment_id, wanted, backend, needed_checkpoints(home, wanted), access)
    return JSONResponse({"deployment": deployments.document(record)}, 202 if is_new else 200)


def _adapter_of(request: Request, wanted: DeploymentRequest) -> AdapterFacts | None:
    home = settings_of(request).home
    checkpoints = needed_checkpoints(home, wanted)
    if not checkpoints or checkpoints[0].kind != "adapter":
        return None
    newest = checkpoints[0]
    return adapter_facts(job_dir(home, newest.job_id) / "checkpoints" / newest.checkpoint_id / "model")


@router.get("/deployments")
def list_deployments(request: Request) -> dict[str, Any]:
    deployments = deployments_of(request)
    return {"deployments": [deployments.document(record) for record in deployments.list()]}


@router.get("/deployments/{deployment_id}")
async def get_deployment(
    request: Request, deployment_id: str, settled: Annotated[bool, Query()] = False
) -> dict[str, Any]:
    """Returns a deployment; with `settled` and `Prefer: wait`, once it runs or has ended, lacks a token, or the wait is over."""
    deployments = deployments_of(request)
    loop = asyncio.get_running_loop()
    until = loop.time() + (wait_of(request, 0) if settled else 0)
    while (record := deployments.get(deployment_id)).status not in SETTLED and loop.time() < until:
        # It stays unsettled until the caller sends the token.
        if deployments.lacks_hub_token(deployment_id):
            break
        await asyncio.sleep(_POLL_SECONDS)
    return {"deployment": await asyncio.to_thread(deployments.document, record)}


@router.delete("/deployments/{deployment_id}")
async def delete_deployment(
    request: Request, deployment_id: str, remove: Annotated[bool, Query()] = False
) -> JSONResponse:
    """Stops a deployment: 202 until its process is gone, then 200. With `remove`, its files go once it has ended."""
    deployments = deployments_of(request)
    loop = asyncio.get_running_loop()
    record = await asyncio.to_thread(deployments.end, deployment_id)
    until = loop.time() + wait_of(request, 0)
    while record.status not in FINAL and loop.time() < until:
        await asyncio.sleep(_POLL_SECONDS)
        record = deployments.get(deployment_id)
    document = await asyncio.to_thread(deployments.document, record)
    if remove and record.status in FINAL:
        await asyncio.to_thread(deployments.remove, deployment_id)
    return JSONResponse({"deployment": document}, 200 if record.status in FINAL else 202)


@router.get("/deployments/{deployment_id}/v1/models", response_model=None)
async def list_served_models(request: Request, deployment_id: str) -> Response:
    return await _forward(request, deployment_id, "GET", "/v1/models", None)


@router.post("/deployments/{deployment_id}/v1/chat/completions", response_model=None)
async def complete_chat(request: Request, deployment_id: str) -> Response:
    """Forwards a call to the deployment's server, streaming if requested. A client's disconnect ends the call."""
    try:
        body = json.loads(await request.body())
    except ValueError:
        body = None
    if not isinstance(body, dict):
        raise Problem(400, "the body is not a JSON object")
    return await _forward(request, deployment_id, "POST", "/v1/chat/completions", body)


async def _forward(
    request: Request, deployment_id: str, method: str, path: str, body: dict[str, Any] | None
) -> Response:
    calls = contextlib.ExitStack()
    address = calls.enter_context(deployments_of(request).call(deployment_id))
    handed_on = False
    try:
        reply = await _reply_or_gone(request, _request(request, address, method, path, body))
        if reply is None:
            return Response(status_code=_CLIENT_GONE)
        if reply.status_code != 200 or "text/event-stream" not in reply.headers.get("content-type", ""):
            try:
                content = await reply.aread()
            finally:
                await reply.aclose()
            return _whole(reply, content)
        handed_on = True
        return StreamingResponse(_pass_on(reply, calls), media_type="text/event-stream", headers=_STREAM_HEADERS)
    except httpx.HTTPError as error:
        raise _no_reply(error) from error
    finally:
        if not handed_on:
            calls.close()


_STREAM_HEADERS = {"cache-control": "no-store", "x-accel-buffering": "no"}


def _request(
    request: Request, address: Address, method: str, path: str, body: dict[str, Any] | None
) -> tuple[httpx.AsyncClient, httpx.Request]:
    client = cast(httpx.AsyncClient, request.app.state.servers)
    document = None if body is None else {"model": address.served_model_name, **body}
    headers = {"authorization": f"Bearer {address.token}"}
    return client, client.build_request(method, f"{address.url}{path}", json=document, headers=headers)


async def _reply_or_gone(request: Request, sent: tuple[httpx.AsyncClient, httpx.Request]) -> httpx.Response | None:
    """Returns the beginning of the reply; None if the client disconnected before it."""
    client, outgoing = sent
    task = asyncio.create_task(client.send(outgoing, stream=outgoing.method == "POST"))
    try:
        while not task.done():
            await asyncio.wait({task}, timeout=_LISTEN_SECONDS)
            if not task.done() and await request.is_disconnected():
                return None
        return task.result()
    finally:
        if not task.done():
            # Closes the connection, which tells the server that nobody is waiting any more.
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


async def _pass_on(reply: httpx.Response, calls: contextlib.ExitStack) -> AsyncIterator[bytes]:
    try:
        async for chunk in reply.aiter_raw():
            yield chunk
    except httpx.HTTPError as error:
        document = json.dumps({"error": _no_reply(error).document})
        yield f"data: {document}\n\n".encode()
    finally:
        calls.close()
        await asyncio.shield(reply.aclose())


def _whole(reply: httpx.Response, content: bytes) -> Response:
    if reply.status_code == 200:
        return Response(content, media_type=reply.headers.get("content-type", "application/json"))
    try:
        error = json.loads(content)["error"]
        message, code, param = str(error["message"]), error.get("code"), error.get("param")
    except (ValueError, KeyError, TypeError, AttributeError):
        message, code, param = f"the server replied with status {reply.status_code}", None, None
    problem = Problem(reply.status_code, message, code=code if isinstance(code, str) else None)
    headers = {"retry-after": reply.headers["retry-after"]} if "retry-after" in reply.headers else None
    return JSONResponse({"error": {**problem.document, "param": param}}, reply.status_code, headers=headers)


def _no_reply(error: httpx.HTTPError) -> Problem:
    return Problem(
        502,
        f"the connection to the deployment's server failed ({type(error).__name__})",
        code="deploy_unhealthy",
        hint="It is being restarted; repeat the call.",
    )
