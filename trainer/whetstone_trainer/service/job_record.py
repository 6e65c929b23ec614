"""What the service knows about a job besides its event log: one file per job, replaced as a whole."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from ..files import read_json, write_json

JobStatus = Literal[
    "queued", "validating", "running", "pausing", "paused", "cancelling", "succeeded", "failed", "cancelled"
]
ENDED: frozenset[str] = frozenset({"succeeded", "failed", "cancelled"})
ACTIVE: frozenset[str] = frozenset({"validating", "running", "pausing", "cancelling"})
ID = re.compile(r"^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$")


class StopOrder(BaseModel):
    """What the worker was asked to do, and how many seconds that may take."""

    model_config = ConfigDict(extra="forbid")

    request_id: str
    action: Literal["cancel", "pause"]
    mode: Literal["save", "discard"]
    seconds: float


class JobRecord(BaseModel):
    """`pid` and `pid_started` (seconds since boot) identify the worker: a later process may get the same pid."""

    # Records of earlier versions have fields that no longer mean anything.
    model_config = ConfigDict(extra="ignore")

    job_id: str
    spec_hash: str
    status: JobStatus = "queued"
    created_at: str
    queued_at: float
    started_at: str | None = None
    finished_at: str | None = None
    attempt: int = 0
    restarts: int = 0
    pid: int | None = None
    pid_started: float | None = None
    boot_id: str | None = None
    oom_kills: int = 0
    stop: StopOrder | None = None
    requests: list[str] = Field(default_factory=list)
    stop_reason: str | None = None
    outcome: str | None = None
    error: dict[str, Any] | None = None
    final_checkpoint_id: str | None = None
    best_checkpoint_id: str | None = None


def is_id(text: str) -> bool:
    """Returns whether the text is safe as a folder's name."""
    return ID.match(text) is not None


def job_dir(home: Path, job_id: str) -> Path:
    return home / "jobs" / job_id


def read_record(home: Path, job_id: str) -> JobRecord | None:
    """Returns a job's record; None if the job is not here."""
    if not is_id(job_id):
        return None
    try:
        return JobRecord.model_validate(read_json(job_dir(home, job_id) / "job.json"))
    except FileNotFoundError:
        return None


def write_record(home: Path, record: JobRecord) -> None:
    write_json(job_dir(home, record.job_id) / "job.json", record.model_dump(mode="json"))


def list_records(home: Path) -> list[JobRecord]:
    """Returns all jobs, oldest first."""
    found = [read_record(home, path.parent.name) for path in sorted((home / "jobs").glob("*/job.json"))]
    return sorted((record for record in found if record), key=lambda record: (record.queued_at, record.job_id))
