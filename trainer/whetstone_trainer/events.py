"""The append-only event log of a job: seq from 1 without gaps, durable before it is reported."""

from __future__ import annotations

import contextlib
import fcntl
import json
import math
import os
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from .redaction import redact

EventLevel = Literal["info", "warn", "error"]
EventType = Literal[
    "job.accepted",
    "job.status",
    "phase.started",
    "phase.progress",
    "phase.finished",
    "dataset.report",
    "metrics",
    "eval",
    "sample",
    "resource",
    "checkpoint.saved",
    "checkpoint.pruned",
    "checkpoint.invalid",
    "warning",
    "restart",
    "artifact.ready",
    "artifact.failed",
    "job.finished",
]


class StaleAttempt(Exception):
    """An older attempt tried to write after a newer one began."""

    def __init__(self, attempt: int, current: int) -> None:
        super().__init__(f"attempt {attempt} is over: attempt {current} of this job has begun")
        self.attempt = attempt
        self.current = current


class Event(BaseModel):
    model_config = ConfigDict(extra="forbid")

    seq: int
    job_id: str
    attempt: int
    ts: str
    level: EventLevel
    type: EventType
    message: str
    data: dict[str, Any]


def utc_now() -> str:
    """Returns the wall clock as ISO 8601 UTC with milliseconds."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def finite(value: Any) -> Any:
    """Returns `value` with every NaN and infinity replaced by None, because JSON has neither."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(item) for item in value]
    return value


def current_attempt(job_dir: Path) -> int:
    """Returns the attempt that may write; 0 before the first one."""
    try:
        return int((job_dir / "attempt").read_text().strip() or 0)
    except FileNotFoundError:
        return 0


class EventLog:
    """Reads and appends `events.jsonl` of one job; safe between processes."""

    def __init__(self, job_dir: Path) -> None:
        self.job_dir = job_dir
        self.path = job_dir / "events.jsonl"
        # Offset at which each complete line begins; the list's length is the last seq.
        self._offsets: list[int] = []
        self._end = 0

    @property
    def last_seq(self) -> int:
        """Returns the seq of the last complete event, 0 in an empty log."""
        self._index()
        return len(self._offsets)

    def append(
        self,
        type: EventType,
        data: Mapping[str, Any],
        *,
        attempt: int,
        level: EventLevel = "info",
        message: str = "",
    ) -> Event:
        """Writes one event and returns it once it is on disk.

        Raises StaleAttempt when a newer attempt of the job has begun.
        """
        with self._locked() as file:
            current = current_attempt(self.job_dir)
            if attempt < current:
                raise StaleAttempt(attempt, current)
            self._index()
            if os.fstat(file).st_size > self._end:
                # Anything after the last newline was cut off by a power loss and was never reported.
                os.ftruncate(file, self._end)
            document = {
                "seq": len(self._offsets) + 1,
                "job_id": self.job_dir.name,
                "attempt": attempt,
                "ts": utc_now(),
                "level": level,
                "type": type,
                "message": message,
                "data": finite(data),
            }
            line = redact(json.dumps(document, ensure_ascii=False, allow_nan=False))
            _write_all(file, line.encode() + b"\n")
            os.fsync(file)
            self._index()
            return Event.model_validate_json(line)

    def read(self, after: int, limit: int) -> list[Event]:
        """Returns up to `limit` events with seq > `after`, in order."""
        self._index()
        if after >= len(self._offsets) or limit <= 0:
            return []
        first = max(after, 0)
        stop = min(first + limit, len(self._offsets))
        end = self._offsets[stop] if stop < len(self._offsets) else self._end
        with self.path.open("rb") as file:
            file.seek(self._offsets[first])
            lines = file.read(end - self._offsets[first]).splitlines()
        return [Event.model_validate_json(line) for line in lines]

    def _index(self) -> None:
        """Indexes the lines completed since the last call."""
        try:
            with self.path.open("rb") as file:
                file.seek(self._end)
                for line in file:
                    if not line.endswith(b"\n"):
                        break
                    self._offsets.append(self._end)
                    self._end += len(line)
        except FileNotFoundError:
            self._offsets, self._end = [], 0

    @contextlib.contextmanager
    def _locked(self) -> Iterator[int]:
        self.job_dir.mkdir(parents=True, exist_ok=True)
        file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield file
        finally:
            os.close(file)


def _write_all(file: int, data: bytes) -> None:
    while data:
        data = data[os.write(file, data) :]
