"""Pushes new job events, signed, to a web address. The event log is authoritative: reading it finds lost pushes."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import hmac
import json
import os
import re
import time
from collections.abc import AsyncIterator, Mapping
from pathlib import Path

import httpx

from ..events import Event
from .delivery import Delivery, NotDelivered
from .job_record import JobRecord

SIGNATURE_HEADER = "Whetstone-Signature"
TIMEOUT_SECONDS = 20.0
_SECRET_NAME = re.compile(r"^env:(TRAINER_WEBHOOK_SECRET[A-Z0-9_]*)$")


def signature(secret: str, body: bytes, timestamp: int) -> str:
    """Returns `t=<Unix seconds>,v1=<hex HMAC-SHA256 of "<t>.<body>">`."""
    digest = hmac.new(secret.encode(), f"{timestamp}.".encode() + body, hashlib.sha256).hexdigest()
    return f"t={timestamp},v1={digest}"


def secret_of(secret_ref: str | None, token: str, environment: Mapping[str, str] = os.environ) -> str | None:
    """Returns the secret that a reference names; None if it names nothing here.

    `env:TRAINER_WEBHOOK_SECRET…` names a variable of the trainer. Without a reference it is TRAINER_WEBHOOK_SECRET,
    else the trainer's token, which both sides know. Other variables cannot be named: a signature would reveal them.
    """
    if secret_ref is None:
        return environment.get("TRAINER_WEBHOOK_SECRET") or token
    match = _SECRET_NAME.match(secret_ref)
    return environment.get(match.group(1)) if match else None


class Webhooks:
    """Sends the events of each job to its own address, else to the trainer's."""

    def __init__(self, home: Path, token: str, environment: Mapping[str, str] = os.environ) -> None:
        self._url = environment.get("TRAINER_WEBHOOK_URL") or None
        self._token = token
        self._environment = environment
        self._delivery = Delivery(home, "webhook", self._send, lambda record: self._target(record) is not None)
        self._client = httpx.AsyncClient(timeout=TIMEOUT_SECONDS)

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Delivers while the block runs."""
        task = asyncio.create_task(self._delivery.run())
        try:
            yield
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            await self._client.aclose()

    def _target(self, record: JobRecord) -> str | None:
        return record.webhook_url or self._url

    async def _send(self, record: JobRecord, events: list[Event]) -> int:
        secret = secret_of(record.webhook_secret_ref, self._token, self._environment)
        if secret is None:
            raise NotDelivered("the secret of its webhook is not set on this trainer")
        document = {"job_id": record.job_id, "events": [event.model_dump(mode="json") for event in events]}
        body = json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode()
        headers = {
            "content-type": "application/json",
            SIGNATURE_HEADER: signature(secret, body, int(time.time())),
        }
        try:
            response = await self._client.post(self._target(record) or "", content=body, headers=headers)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise NotDelivered(type(error).__name__) from error
        if not response.is_success:
            raise NotDelivered(f"status {response.status_code}", gone=response.status_code in (404, 410))
        return events[-1].seq
