"""Agent mode: the trainer calls the web app, fetches its commands and pushes its events.

README.md has the protocol.
"""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import json
import logging
import time
import uuid
from pathlib import Path
from typing import Any

import httpx
from fastapi import FastAPI
from pydantic import ValidationError

from ..events import Event, EventLog
from ..files import write_atomic
from ..spec import canonical_json
from .agent_answers import Answer, NobodyWaits, broken_off
from .agent_commands import Command, Commands, Payload, Result, manifests_in, problem_result, whole_result
from .delivery import Delivery, NotDelivered, back_off_seconds
from .job_record import ENDED, JobRecord, job_dir, list_records
from .problems import Problem

logger = logging.getLogger("whetstone_trainer")

LEASE_SECONDS = 50
REPORT_SECONDS = 300.0
RESULT_TRIES = 8
# How long a command that is handed out again while its result is being delivered may take to arrive.
CROSSED_SECONDS = 60.0
_TIMEOUT = httpx.Timeout(30.0, read=LEASE_SECONDS + 15.0)
# These change all the time, so a change in them does not count as a change of the capabilities.
_VOLATILE = frozenset({"disk_free", "memory_free", "memory_available", "load"})


def ensure_trainer_id(home: Path) -> str:
    """Returns the id of this home, created at its first start."""
    path = home / "trainer_id"
    try:
        return path.read_text().strip()
    except FileNotFoundError:
        identity = f"trn_{uuid.uuid4().hex}"
        write_atomic(path, identity.encode())
        return identity


def stable_hash(capabilities: Any) -> str:
    """Returns the sha256 of the machine's capabilities, without the values that change by themselves."""

    def stable(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: stable(item) for name, item in value.items() if name not in _VOLATILE}
        return [stable(item) for item in value] if isinstance(value, list) else value

    return hashlib.sha256(canonical_json(stable(capabilities))).hexdigest()


class KeyRefused(Exception):
    """The web app does not accept WHETSTONE_TRAINER_KEY."""


class Agent:
    """Serves one web app. `app` is the service, whose life cycle the caller runs."""

    def __init__(self, app: FastAPI, home: Path, token: str, web: str, key: str) -> None:
        self._home = home
        self._id = ensure_trainer_id(home)
        # Each web app has its own events and command ids.
        self._name = f"agent-{hashlib.sha256(web.encode()).hexdigest()[:12]}"
        self._commands = Commands(app, home / "agent" / self._name, token)
        self._web = httpx.AsyncClient(
            base_url=f"{web.rstrip('/')}/api/trainer/v1/",
            headers={"authorization": f"Bearer {key}", "user-agent": "whetstone-trainer"},
            timeout=_TIMEOUT,
        )
        self._delivery = Delivery(home, self._name, self._push)
        self._reported_hash = ""
        self._reported_at = float("-inf")
        self._tasks: set[asyncio.Task[None]] = set()
        # Ids of commands in progress: they are not run again if handed out again while they run or are delivered.
        self._taken: set[str] = set()
        self._pulls: dict[str, asyncio.Lock] = {}

    async def run(self) -> None:
        """Calls until cancelled; backs off while the web app does not reply."""
        delivery = asyncio.create_task(self._delivery.run())
        failures = 0
        try:
            while True:
                try:
                    commands = await self._lease()
                    if failures:
                        logger.info("the web app is replying again")
                    failures = 0
                    for command in commands:
                        self._begin(command)
                except (httpx.HTTPError, ValueError, KeyRefused) as error:
                    failures += 1
                    # The web app may have been set up again, so report everything again.
                    self._reported_hash = ""
                    seconds = back_off_seconds(failures)
                    logger.warning("the web app did not reply (%s); calling again in %.0f s", _reason(error), seconds)
                    await asyncio.sleep(seconds)
        finally:
            for task in (delivery, *self._tasks):
                task.cancel()
            await asyncio.gather(delivery, *self._tasks, return_exceptions=True)
            await self._web.aclose()
            await self._commands.client.aclose()

    async def _lease(self) -> list[dict[str, Any]]:
        """Returns the commands pending for this trainer, waiting up to 50 s for one."""
        reply = await self._commands.client.get("/v1/capabilities", headers=self._commands.authorized())
        reply.raise_for_status()
        capabilities = reply.json()
        digest = stable_hash(capabilities)
        body: dict[str, Any] = {
            "trainer_id": self._id,
            "capabilities_hash": digest,
            "jobs": await self._jobs(),
            "wait_seconds": LEASE_SECONDS,
        }
        if digest != self._reported_hash or time.monotonic() - self._reported_at > REPORT_SECONDS:
            body["capabilities"] = capabilities
        response = await self._web.post("lease", json=body)
        if response.status_code in (401, 403):
            raise KeyRefused("it does not accept WHETSTONE_TRAINER_KEY")
        response.raise_for_status()
        document = response.json()
        commands: Any = document.get("commands", []) if isinstance(document, dict) else None
        if not isinstance(commands, list):
            raise httpx.DecodingError("its reply to a lease does not follow the protocol")
        if "capabilities" in body:
            self._reported_hash, self._reported_at = digest, time.monotonic()
        if document.get("send_capabilities") is True:
            self._reported_hash = ""
        return commands

    async def _jobs(self) -> list[dict[str, Any]]:
        """Returns the unfinished jobs, and the finished ones whose events have not all arrived."""
        jobs: list[dict[str, Any]] = []
        for record, last in await asyncio.to_thread(self._records):
            acknowledged = self._delivery.acknowledged(record.job_id)
            if record.status not in ENDED or acknowledged < last:
                known = {"job_id": record.job_id, "status": record.status, "attempt": record.attempt}
                jobs.append({**known, "last_seq": last, "acknowledged_seq": acknowledged})
        return jobs

    def _records(self) -> list[tuple[JobRecord, int]]:
        return [(one, EventLog(job_dir(self._home, one.job_id)).last_seq) for one in list_records(self._home)]

    def _begin(self, document: Any) -> None:
        try:
            command = Command.model_validate(document)
        except ValidationError:
            logger.warning("a command without a usable command_id was ignored")
            return
        if command.command_id in self._taken:
            return
        self._taken.add(command.command_id)
        task = asyncio.create_task(self._follow(command))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _follow(self, command: Command) -> None:
        try:
            if await self._serve(command):
                await asyncio.sleep(CROSSED_SECONDS)
        finally:
            self._taken.discard(command.command_id)

    async def _serve(self, command: Command) -> bool:
        """Runs a command and returns whether the web app has its result."""
        try:
            result = await self._result_of(command)
        except NobodyWaits:
            return True
        except Exception:
            logger.exception("the command %s failed", command.command_id)
            result = problem_result(Problem(500, "The trainer failed; see its log"))
        await asyncio.to_thread(self._commands.forget_old)
        for tries in range(1, RESULT_TRIES + 1):
            try:
                response = await self._web.post(f"commands/{command.command_id}", json=result)
                if response.is_success or response.status_code in (404, 409, 410):
                    return True
                reason = f"status {response.status_code}"
            except httpx.HTTPError as error:
                reason = _reason(error)
            logger.warning("the result of %s was not delivered: %s", command.command_id, reason)
            await asyncio.sleep(back_off_seconds(tries))
        return False

    async def _result_of(self, command: Command) -> Result:
        if payload := self._commands.answer_wanted(command):
            return await self._answer(command.command_id, payload)
        return await self._pull_for(command) or await self._commands.run(command)

    async def _answer(self, command_id: str, payload: Payload) -> Result:
        """Sends a model's answer as it arrives; raises `NobodyWaits` once the web app no longer wants it."""

        async def send(seq: int, text: str) -> int:
            response = await self._web.post(f"commands/{command_id}/parts", json={"seq": seq, "text": text})
            return response.status_code

        answer = Answer(send)
        try:
            async with answer.kept_alive(), self._commands.opened(payload) as response:
                if response.is_success and "text/event-stream" in response.headers.get("content-type", ""):
                    await answer.send(response.aiter_raw())
                    return {"status": response.status_code, "headers": {}, "body": None}
                await response.aread()
                return whole_result(response)
        except (httpx.HTTPError, ValueError) as error:
            logger.warning("the answer to %s broke off: %s", command_id, _reason(error))
            return problem_result(broken_off())

    async def _pull_for(self, command: Command) -> Result | None:
        """Fetches the manifests that a command needs; returns the problem if one cannot be fetched, None otherwise."""
        if command.payload.get("method") not in ("PUT", "POST"):
            return None
        for sha256 in manifests_in(command.payload.get("body")):
            async with self._pulls.setdefault(sha256, asyncio.Lock()):
                result = await self._pull(sha256)
            if result is not None:
                return result
        return None

    async def _pull(self, sha256: str) -> Result | None:
        path, headers = f"/v1/manifests/{sha256}", self._commands.authorized()
        if (await self._commands.client.head(path, headers=headers)).status_code != 404:
            # It is here, or the hash is invalid, which the request itself will report.
            return None
        try:
            async with self._web.stream("GET", f"manifests/{sha256}") as response:
                if response.status_code == 404:
                    # The request itself will report that it is missing.
                    return None
                response.raise_for_status()
                stored = await self._commands.client.put(path, headers=headers, content=response.aiter_bytes())
        except httpx.HTTPError as error:
            problem = Problem(502, f"the manifest could not be fetched: {_reason(error)}", code="network_unavailable")
            return problem_result(problem)
        if stored.is_success:
            return None
        return {"status": stored.status_code, "headers": dict(stored.headers), "body": stored.json()}

    async def _push(self, record: JobRecord, events: list[Event]) -> int:
        document = {
            "trainer_id": self._id,
            "job_id": record.job_id,
            "after": events[0].seq - 1,
            "events": [event.model_dump(mode="json") for event in events],
        }
        body = gzip.compress(json.dumps(document, ensure_ascii=False).encode(), 6)
        headers = {"content-type": "application/json", "content-encoding": "gzip"}
        try:
            response = await self._web.post(f"jobs/{record.job_id}/events", content=body, headers=headers)
            if not response.is_success:
                gone = response.status_code in (404, 410)
                raise NotDelivered(f"status {response.status_code}", gone=gone)
            reached = response.json().get("acknowledged_seq")
        except (httpx.HTTPError, ValueError, AttributeError) as error:
            raise NotDelivered(_reason(error)) from error
        return reached if isinstance(reached, int) else events[-1].seq


def _reason(error: Exception) -> str:
    """Returns what to log about an error, without its URL and headers, which may reveal a secret."""
    if isinstance(error, httpx.HTTPStatusError):
        return f"status {error.response.status_code}"
    return type(error).__name__ if isinstance(error, httpx.HTTPError) else str(error)


async def run_agent(app: FastAPI, home: Path, token: str, web: str, key: str) -> None:
    """Runs the service and its agent until cancelled, without a listening port."""
    async with app.router.lifespan_context(app):
        await Agent(app, home, token, web, key).run()
