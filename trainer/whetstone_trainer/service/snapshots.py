"""Jobs, checkpoints and metrics as sent over the wire."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..checkpoints import CheckpointManifest, list_checkpoints
from ..events import EventLog
from ..files import read_json
from .job_record import JobRecord, job_dir

_PAGE = 2000


def job_document(home: Path, record: JobRecord) -> dict[str, Any]:
    """Returns a job's state with the number of its newest event."""
    folder = job_dir(home, record.job_id)
    public = record.model_dump(
        mode="json", exclude={"pid", "pid_started", "boot_id", "oom_kills", "requests", "queued_at"}
    )
    resumable = record.status in ("paused", "failed", "cancelled")
    return {
        **public,
        "last_seq": EventLog(folder).last_seq,
        "resolved_spec": _json_or_none(folder / "resolved.json"),
        "can_resume": resumable,
        "resume_blocked_reason": None if resumable else f"the job is {record.status}",
    }


def checkpoint_document(home: Path, manifest: CheckpointManifest, record: JobRecord | None) -> dict[str, Any]:
    """Returns a committed checkpoint with the facts about it that can still change."""
    folder = job_dir(home, manifest.job_id) / "checkpoints" / manifest.checkpoint_id
    identity = manifest.checkpoint_id
    return {
        **manifest.model_dump(mode="json"),
        "is_best": record is not None and record.best_checkpoint_id == identity,
        "is_final": record is not None and record.final_checkpoint_id == identity,
        "inference_profile": _json_or_none(folder / "PROFILE.json"),
    }


def checkpoints_of(home: Path, record: JobRecord) -> list[dict[str, Any]]:
    return [checkpoint_document(home, one, record) for one in list_checkpoints(job_dir(home, record.job_id))]


def metrics_of(home: Path, job_id: str, after_step: int, keys: list[str] | None) -> dict[str, list[Any]]:
    """Returns metrics events after `after_step` by column. A later attempt's value replaces an earlier one's."""
    rows: dict[int, dict[str, Any]] = {}
    log, after = EventLog(job_dir(home, job_id)), 0
    while events := log.read(after, _PAGE):
        after = events[-1].seq
        for event in events:
            step = event.data.get("step")
            if event.type in ("metrics", "eval") and isinstance(step, int) and step > after_step:
                rows.setdefault(step, {}).update({k: v for k, v in event.data.items() if isinstance(v, (int, float))})
    names = keys or sorted({name for row in rows.values() for name in row if name != "step"})
    steps = sorted(rows)
    return {"step": steps, **{name: [rows[step].get(name) for step in steps] for name in names if name != "step"}}


def _json_or_none(path: Path) -> Any:
    try:
        return read_json(path)
    except (OSError, ValueError):
        return None
