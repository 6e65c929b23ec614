"""Sends new events of every job to a receiver, in order, at least once, without ever delaying a job."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

from ..events import Event, EventLog
from ..files import write_atomic
from .job_record import JobRecord, job_dir, list_records

logger = logging.getLogger("whetstone_trainer")

BATCH_EVENTS = 500
LOOK_SECONDS = 0.5
BACK_OFF_FIRST_SECONDS = 1.0
BACK_OFF_MAX_SECONDS = 60.0

Send = Callable[[JobRecord, list[Event]], Awaitable[int]]


class NotDelivered(Exception):
    """The receiver did not accept a batch. `gone`: it does not know the job, so retrying is useless."""

    def __init__(self, reason: str, *, gone: bool = False) -> None:
        super().__init__(reason)
        self.gone = gone


def back_off_seconds(failures: int) -> float:
    """Returns a random wait that grows with consecutive failures, so that many senders do not retry simultaneously."""
    ceiling = min(BACK_OFF_MAX_SECONDS, BACK_OFF_FIRST_SECONDS * 2.0 ** min(failures - 1, 10))
    return random.uniform(ceiling / 2, ceiling)


@dataclass
class _Cursor:
    log: EventLog
    sent: int
    failures: int = 0
    not_before: float = 0.0
    gone: bool = False
    sending: asyncio.Task[None] | None = field(default=None)


class Delivery:
    """`send` takes one batch and returns the seq up to which the receiver now has everything.

    A receiver's progress is stored in the job's folder as `delivered-<name>`; if it is lost, events are sent again.
    """

    def __init__(self, home: Path, name: str, send: Send) -> None:
        self._home = home
        self._name = name
        self._send = send
        self._cursors: dict[str, _Cursor] = {}

    def acknowledged(self, job_id: str) -> int:
        """Returns the seq up to which the receiver has everything."""
        return self._cursor(job_id).sent

    async def run(self) -> None:
        """Delivers until cancelled."""
        try:
            while True:
                await self._look()
                await asyncio.sleep(LOOK_SECONDS)
        finally:
            tasks = [cursor.sending for cursor in self._cursors.values() if cursor.sending]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _look(self) -> None:
        try:
            records = await asyncio.to_thread(list_records, self._home)
        except (OSError, ValueError):
            logger.exception("the jobs could not be read for the delivery of events")
            return
        now = time.monotonic()
        for record in records:
            cursor = self._cursor(record.job_id)
            idle = cursor.sending is None or cursor.sending.done()
            if idle and not cursor.gone and now >= cursor.not_before and cursor.log.last_seq > cursor.sent:
                # One job's receiver must not delay another job's.
                cursor.sending = asyncio.create_task(self._deliver(record, cursor))

    async def _deliver(self, record: JobRecord, cursor: _Cursor) -> None:
        try:
            while events := await asyncio.to_thread(cursor.log.read, cursor.sent, BATCH_EVENTS):
                reached = await self._send(record, events)
                cursor.failures = 0
                if reached == cursor.sent:
                    raise NotDelivered("the receiver acknowledged nothing")
                await asyncio.to_thread(self._store, record.job_id, cursor, reached)
        except NotDelivered as problem:
            cursor.failures += 1
            cursor.gone = problem.gone
            cursor.not_before = time.monotonic() + back_off_seconds(cursor.failures)
            logger.warning("events of %s were not delivered to the %s: %s", record.job_id, self._name, problem)
        except Exception:
            cursor.failures += 1
            cursor.not_before = time.monotonic() + back_off_seconds(cursor.failures)
            logger.exception("the delivery of events of %s failed", record.job_id)

    def _cursor(self, job_id: str) -> _Cursor:
        if job_id not in self._cursors:
            sent = 0
            with contextlib.suppress(OSError, ValueError):
                sent = int(self._path(job_id).read_text())
            self._cursors[job_id] = _Cursor(EventLog(job_dir(self._home, job_id)), sent)
        return self._cursors[job_id]

    def _store(self, job_id: str, cursor: _Cursor, reached: int) -> None:
        # A receiver that lost data acknowledges a smaller seq, and is sent everything after it.
        cursor.sent = max(0, min(reached, cursor.log.last_seq))
        write_atomic(self._path(job_id), str(cursor.sent).encode())

    def _path(self, job_id: str) -> Path:
        return job_dir(self._home, job_id) / f"delivered-{self._name}"
