"""Runs a web app's commands against the service in this process, with each effect only once."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import hashlib
import json
import re
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Annotated, Any, Literal

import httpx
from fastapi import FastAPI
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ..files import read_json, write_json
from .problems import Problem
from .streaming_transport import StreamingTransport

CHUNK_BYTES = 8 * 1024**2
RESULT_SECONDS = 3600.0
TIMEOUT_SECONDS = 110.0
COMMANDS_AT_ONCE = 16
_READS = frozenset({"GET", "HEAD"})
# A model's answer is generated again rather than stored, because it contains users' text.
_ANSWER = re.compile(r"^/v1/deployments/[^/]+/v1/")
_RANGE = re.compile(r"^bytes=(\d+)-(\d*)$")
# Set by us, or meaningless within this process.
_OWN_HEADERS = frozenset({"authorization", "accept", "host", "content-length", "transfer-encoding", "connection"})

Result = dict[str, Any]


class Payload(BaseModel):
    """A request of the contract. `body` is JSON."""

    model_config = ConfigDict(extra="ignore")

    method: Literal["GET", "HEAD", "PUT", "POST", "DELETE"]
    path: Annotated[str, Field(pattern=r"^/v1/[^?#\s]*$", max_length=2000)]
    query: dict[str, str | int | float | bool] = Field(default_factory=dict)
    headers: dict[str, str] = Field(default_factory=dict)
    body: Any = None
    # Whether the answer of a model is sent in parts.
    streams: bool = False


class Command(BaseModel):
    model_config = ConfigDict(extra="ignore")

    command_id: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$")]
    kind: str = "request"
    payload: dict[str, Any]


def ranged(path: str, header: str | None) -> str | None:
    """Returns the Range of a read: at most one chunk of a file, because a result is sent as a whole."""
    if "/files/" not in path:
        return header
    match = _RANGE.match(header or "bytes=0-")
    if match is None:
        return f"bytes=0-{CHUNK_BYTES - 1}"
    first = int(match.group(1))
    last = first + CHUNK_BYTES - 1
    return f"bytes={first}-{min(last, int(match.group(2))) if match.group(2) else last}"


def manifests_in(body: Any) -> list[str]:
    """Returns the hashes of the manifests that a job spec needs."""
    manifest = body.get("manifest") if isinstance(body, dict) else None
    if not isinstance(manifest, dict):
        return []
    validation = manifest.get("validation")
    found = [manifest.get("sha256"), validation.get("sha256") if isinstance(validation, dict) else None]
    return [sha256 for sha256 in found if isinstance(sha256, str)]


def problem_result(problem: Problem) -> Result:
    return {
        "status": problem.status,
        "headers": {"content-type": "application/json"},
        "body": {"error": problem.document},
    }


class Commands:
    """Runs commands. Results of those that change something stay on disk for an hour, so that repeats are not rerun."""

    def __init__(self, app: FastAPI, folder: Path, token: str) -> None:
        self._folder = folder
        self._token = token
        self.client = httpx.AsyncClient(transport=StreamingTransport(app), base_url="http://trainer", timeout=None)
        self._running: dict[str, asyncio.Task[Result]] = {}
        self._places = asyncio.Semaphore(COMMANDS_AT_ONCE)

    def authorized(self, headers: dict[str, str] | None = None) -> dict[str, str]:
        return {**(headers or {}), "authorization": f"Bearer {self._token}", "accept": "application/json"}

    async def run(self, command: Command) -> Result:
        """Returns a command's result, the earlier one if it has already run; concurrent calls share one run."""
        if stored := await asyncio.to_thread(self._stored, command.command_id):
            return stored
        if command.command_id not in self._running:
            task = asyncio.create_task(self._run(command))
            self._running[command.command_id] = task
            task.add_done_callback(lambda _: self._running.pop(command.command_id, None))
        return await asyncio.shield(self._running[command.command_id])

    async def _run(self, command: Command) -> Result:
        try:
            payload = Payload.model_validate(command.payload)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(part) for part in first["loc"])
            return problem_result(Problem(400, f"the command is not a valid request: {where}: {first['msg']}"))
        async with self._places:
            try:
                result = await asyncio.wait_for(self._request(payload), TIMEOUT_SECONDS)
            except TimeoutError:
                return problem_result(Problem(504, "the trainer did not finish the request in time", code="timeout"))
        # A read is simply repeated, and a failure of the trainer may have passed by the next time.
        repeated = payload.method in _READS or _ANSWER.match(payload.path)
        if not repeated and result["status"] < 500:
            await asyncio.to_thread(write_json, self._path(command.command_id), result)
        return result

    def answer_wanted(self, command: Command) -> Payload | None:
        """Returns the call of a model whose answer is sent in parts; None for any other command."""
        with contextlib.suppress(ValidationError):
            payload = Payload.model_validate(command.payload)
            if payload.streams and payload.method == "POST" and _ANSWER.match(payload.path):
                return payload
        return None

    @contextlib.asynccontextmanager
    async def opened(self, payload: Payload) -> AsyncIterator[httpx.Response]:
        """Opens the response to a request; leaving the block ends what the service does for it."""
        response = await self.client.send(self._built(payload), stream=True)
        try:
            yield response
        finally:
            await response.aclose()

    async def _request(self, payload: Payload) -> Result:
        try:
            response = await self.client.send(self._built(payload))
        except (httpx.InvalidURL, UnicodeError, ValueError):
            return problem_result(Problem(400, "the path or a header of the command is not valid"))
        return whole_result(response)

    def _built(self, payload: Payload) -> httpx.Request:
        headers = {name.lower(): value for name, value in payload.headers.items()}
        headers = {name: value for name, value in headers.items() if name not in _OWN_HEADERS}
        if payload.method == "GET" and (span := ranged(payload.path, headers.get("range"))):
            headers["range"] = span
        content = None
        if payload.body is not None and payload.method not in _READS:
            content, headers["content-type"] = json.dumps(payload.body).encode(), "application/json"
        return self.client.build_request(
            payload.method,
            payload.path,
            params=payload.query,
            headers=self.authorized(headers),
            content=content,
        )

    def _stored(self, command_id: str) -> Result | None:
        path = self._path(command_id)
        try:
            if time.time() - path.stat().st_mtime > RESULT_SECONDS:
                return None
            stored = read_json(path)
        except (OSError, ValueError):
            return None
        return stored if isinstance(stored, dict) else None

    def forget_old(self) -> None:
        """Deletes results that are older than an hour."""
        for path in self._folder.glob("*.json"):
            if time.time() - path.stat().st_mtime > RESULT_SECONDS:
                path.unlink(missing_ok=True)

    def _path(self, command_id: str) -> Path:
        # Named by hash, because some file systems are case-insensitive.
        self._folder.mkdir(parents=True, exist_ok=True)
        return self._folder / f"{hashlib.sha256(command_id.encode()).hexdigest()}.json"


def whole_result(response: httpx.Response) -> Result:
    """Returns the result of a command whose response has been read."""
    if len(response.content) > CHUNK_BYTES:
        return problem_result(Problem(413, f"a result may have at most {CHUNK_BYTES} bytes; request a range"))
    return {"status": response.status_code, "headers": dict(response.headers), "body": _body(response)}


def _body(response: httpx.Response) -> Any:
    """Returns JSON as it is and anything else as base64."""
    if not response.content:
        return None
    if response.headers.get("content-type", "").startswith("application/json"):
        return response.json()
    return base64.b64encode(response.content).decode()
