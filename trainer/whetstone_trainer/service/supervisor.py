"""Runs jobs: one process per attempt, watched until its outcome is known, restarted from its checkpoints if it dies."""

from __future__ import annotations

import contextlib
import json
import logging
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

from ..events import EventLog, utc_now
from ..files import read_json, write_atomic, write_json
from ..spec import JobSpec, spec_hash
from ..trainer_error import TrainerError, TrainerFailure
from . import processes
from .hub_access import HubAccess, forget_access, store_access, stored_access
from .job_record import ACTIVE, ENDED, JobRecord, JobStatus, StopOrder, is_id, job_dir, list_records, read_record
from .job_record import write_record as store
from .problems import Problem, not_found
from .settings import Settings

logger = logging.getLogger("whetstone_trainer")

_SUCCEEDED = {"completed", "early_stopped", "max_steps", "max_runtime"}
_REQUESTS_REMEMBERED = 50


class Supervisor:
    """Makes all changes to jobs, one at a time."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.home = settings.home
        self._lock = threading.RLock()
        self._children: dict[str, subprocess.Popen[bytes]] = {}
        self._seen: dict[str, tuple[int, float]] = {}
        self._read: dict[str, int] = {}
        # By the monotonic clock, so that setting the machine's clock does not shorten a worker's time.
        self._stop_by: dict[str, float] = {}
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        self.changed = threading.Condition()

    # Life cycle.

    def start(self) -> None:
        """Resumes the jobs that an earlier service left, then watches."""
        for name in ("jobs", "manifests", "artifacts", "models"):
            (self.home / name).mkdir(parents=True, exist_ok=True)
        self._thread = threading.Thread(target=self._watch, name="supervisor", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stops watching. Workers keep training, and the next service resumes watching them."""
        self._stopping.set()
        if self._thread:
            self._thread.join(timeout=10)

    def _watch(self) -> None:
        while not self._stopping.wait(self.settings.tick_seconds):
            try:
                self.tick()
            except Exception:
                logger.exception("a turn of the supervisor failed")

    def tick(self) -> None:
        """Checks every unfinished job once."""
        with self._lock:
            records = [record for record in list_records(self.home) if record.status not in ENDED]
            for record in records:
                if record.status in ACTIVE:
                    self._look(record)
            active = sum(1 for record in records if record.status in ACTIVE)
            for record in records:
                if record.status == "queued" and active < self.settings.max_running_jobs:
                    self._begin(record)
                    active += 1

    # Requests.

    def submit(
        self,
        job_id: str,
        document: Mapping[str, Any],
        access: HubAccess | None = None,
    ) -> tuple[JobRecord, bool]:
        """Accepts a job once; returns it and whether it is new. Raises idempotency_mismatch for a different spec.

        `access` is the token with which it may download its base model, until it ends.
        """
        if not is_id(job_id):
            raise Problem(400, "the id of a job may contain only letters, digits, - and _")
        digest = spec_hash(document)
        with self._lock:
            if existing := read_record(self.home, job_id):
                if existing.spec_hash != digest:
                    raise TrainerFailure.of(
                        "idempotency_mismatch", f"job {job_id} already exists with a different spec"
                    )
                if access is not None and existing.status not in ENDED:
                    store_access(job_dir(self.home, job_id), access)
                return existing, False
            JobSpec.model_validate(document)
            folder = job_dir(self.home, job_id)
            folder.mkdir(parents=True, exist_ok=True)
            write_json(folder / "spec.json", dict(document))
            if access is not None:
                store_access(folder, access)
            record = JobRecord(
                job_id=job_id,
                spec_hash=digest,
                created_at=utc_now(),
                queued_at=time.time(),
            )
            # Before the record: a job without its acceptance event was not accepted.
            if EventLog(folder).last_seq == 0:
                self._event(record, "job.accepted", {"status": "queued", "spec_hash": digest})
            store(self.home, record)
            return record, True

    def get(self, job_id: str) -> JobRecord:
        record = read_record(self.home, job_id)
        if record is None:
            raise not_found("The job")
        return record

    def end(
        self,
        job_id: str,
        action: Literal["cancel", "pause"],
        *,
        request_id: str,
        mode: Literal["save", "discard"],
        deadline_seconds: float | None,
    ) -> JobRecord:
        """Asks a job to cancel or pause. A repeated request id or an ended job changes nothing."""
        with self._lock:
            record = self.get(job_id)
            if request_id in record.requests or record.status in ENDED:
                return record
            if action == "pause" and record.status not in ("validating", "running", "pausing"):
                raise Problem(409, f"a job that is {record.status} cannot be paused")
            self._remember(record, request_id)
            if record.status in ("queued", "paused"):
                self._finish(record, "cancelled", outcome="cancelled", stop_reason="user")
                return record
            wait = self.settings.stop_deadline_seconds if deadline_seconds is None else deadline_seconds
            record.stop = StopOrder(request_id=request_id, action=action, mode=mode, seconds=wait)
            self._stop_by[job_id] = time.monotonic() + wait
            write_json(
                job_dir(self.home, job_id) / "control.json", {"request_id": request_id, "action": action, "mode": mode}
            )
            self._move(record, "cancelling" if action == "cancel" else "pausing")
            if record.pid is not None:
                processes.signal_worker(record.pid, signal.SIGTERM)
            return record

    def resume(self, job_id: str, *, request_id: str, from_: str) -> JobRecord:
        """Requeues a paused, failed or cancelled job from its newest intact checkpoint."""
        with self._lock:
            record = self.get(job_id)
            if request_id in record.requests or record.status == "queued" or record.status in ACTIVE:
                return record
            if record.status == "succeeded":
                raise Problem(409, "the job has succeeded; continue from its checkpoint as a new job")
            self._choose_checkpoint(record, from_)
            self._remember(record, request_id)
            record.restarts = 0
            record.stop = record.stop_reason = record.outcome = record.error = record.finished_at = None
            record.queued_at = time.time()
            self._move(record, "queued")
            return record

    def save_now(self, job_id: str, *, request_id: str) -> JobRecord:
        """Asks a running job for a checkpoint after its current step."""
        with self._lock:
            record = self.get(job_id)
            if record.status != "running" or record.pid is None:
                raise Problem(409, f"a job that is {record.status} cannot save a checkpoint")
            if request_id not in record.requests:
                self._remember(record, request_id)
                store(self.home, record)
                processes.signal_worker(record.pid, signal.SIGUSR1)
            return record

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Prevents changes to jobs while the caller does something that depends on them."""
        with self._lock:
            yield

    # Attempts.

    def _begin(self, record: JobRecord) -> None:
        folder = job_dir(self.home, record.job_id)
        attempt = record.attempt + 1
        # The fence first: from here on, anything that an older worker still does is refused.
        write_atomic(folder / "attempt", str(attempt).encode())
        (folder / "control.json").unlink(missing_ok=True)
        record.attempt, record.boot_id, record.oom_kills = attempt, processes.boot_id(), processes.oom_kills()
        record.pid = record.pid_started = None
        record.started_at = record.started_at or utc_now()
        self._move(record, "validating")
        command = [
            *self.settings.worker,
            "--home",
            str(self.home),
            "--job-id",
            record.job_id,
            "--attempt",
            str(attempt),
        ]
        try:
            child = processes.start(command, self._log(record), self._environment(folder))
        except OSError as error:
            self._failed(
                record, TrainerError.of("worker_crashed", f"the worker could not be started: {error.strerror}")
            )
            return
        record.pid, record.pid_started = child.pid, processes.started_at(child.pid)
        self._children[record.job_id] = child
        self._seen.pop(record.job_id, None)
        store(self.home, record)

    def _environment(self, folder: Path) -> dict[str, str]:
        environment = processes.clean_environment()
        environment.setdefault("HF_HOME", str(self.home / "models"))
        access = stored_access(folder)
        return {**environment, **access.environment} if access else environment

    def _look(self, record: JobRecord) -> None:
        code = self._exit_code(record)
        self._follow(record)
        if code is None:
            self._hurry(record)
            return
        self._children.pop(record.job_id, None)
        self._conclude(record, None if code == "unknown" else int(code))

    def _exit_code(self, record: JobRecord) -> int | Literal["unknown"] | None:
        """Returns None while the worker runs; "unknown" for an ended one that an earlier service had started."""
        child = self._children.get(record.job_id)
        if child is not None:
            return child.poll()
        alive = (
            record.pid is not None
            and record.pid_started is not None
            and record.boot_id == processes.boot_id()
            and processes.is_same(record.pid, record.pid_started)
        )
        return None if alive else "unknown"

    def _follow(self, record: JobRecord) -> None:
        """Reads what the worker reported: that it is alive, and that it is training."""
        log = EventLog(job_dir(self.home, record.job_id))
        after = self._read.get(record.job_id, 0)
        events = log.read(after, 1000)
        if events:
            self._read[record.job_id] = events[-1].seq
            self._seen[record.job_id] = (events[-1].seq, time.monotonic())
            with self.changed:
                self.changed.notify_all()
        loading = any(
            event.attempt == record.attempt
            and event.type == "phase.started"
            and event.data.get("phase") == "loading_model"
            for event in events
        )
        if loading and record.status == "validating":
            self._move(record, "running")

    def _hurry(self, record: JobRecord) -> None:
        """Kills a worker that was told to stop and did not, or that has reported nothing for too long."""
        if record.pid is None:
            return
        if record.stop is not None:
            # A service that takes over a job gives its worker the full time again.
            stop_by = self._stop_by.setdefault(record.job_id, time.monotonic() + record.stop.seconds)
            if time.monotonic() > stop_by:
                processes.kill_group(record.pid)
            return
        _, at = self._seen.setdefault(record.job_id, (0, time.monotonic()))
        limit = self._spec(record).limits.stall_timeout_seconds
        if time.monotonic() - at < limit:
            return
        self._event(
            record,
            "warning",
            {"code": "stalled", "seconds": round(limit)},
            level="warn",
            message=f"Nothing was reported for {limit:.0f} s: restarting the worker",
        )
        processes.signal_worker(record.pid, signal.SIGUSR2)
        time.sleep(self.settings.stall_dump_seconds)
        processes.kill_group(record.pid)
        self._seen.pop(record.job_id, None)

    def _conclude(self, record: JobRecord, code: int | None) -> None:
        if record.pid is not None and record.boot_id == processes.boot_id():
            # What the worker started must not outlive it.
            processes.kill_group(record.pid)
        result = self._result(record)
        if result is None:
            self._vanished(record, code)
            return
        outcome = str(result["outcome"])
        record.final_checkpoint_id = result.get("final_checkpoint_id")
        record.best_checkpoint_id = result.get("best_checkpoint_id")
        reason = result.get("stop_reason")
        if outcome in _SUCCEEDED:
            self._finish(record, "succeeded", outcome=outcome, stop_reason=reason or outcome)
        elif outcome == "cancelled":
            self._finish(record, "cancelled", outcome=outcome, stop_reason="user")
        elif outcome == "paused" and record.stop is not None and record.stop.action == "cancel":
            self._finish(record, "cancelled", outcome="cancelled", stop_reason="user")
        elif outcome == "paused" and record.stop is None:
            # The operating system asked it to stop, not a user: it resumes where it was.
            self._restart(record, "terminated", None)
        elif outcome == "paused":
            record.stop = None
            self._move(record, "paused")
        else:
            error = result.get("error") or TrainerError.of("worker_crashed", "the worker gave no reason").model_dump()
            self._failed(record, TrainerError.model_validate(error))

    def _vanished(self, record: JobRecord, code: int | None) -> None:
        """Handles a worker that ended without claiming an outcome."""
        tail = processes.log_tail(self._log(record))
        if record.stop is not None:
            if record.stop.action == "cancel":
                self._finish(record, "cancelled", outcome="cancelled", stop_reason="user")
            else:
                record.stop = None
                self._move(record, "paused")
            return
        if code == 0:
            self._failed(record, TrainerError.of("worker_vanished", "the worker ended without a result", log_tail=tail))
            return
        killed = code == -signal.SIGKILL or code is None
        if killed and record.boot_id == processes.boot_id() and processes.oom_kills() > record.oom_kills:
            error = TrainerError.of(
                "out_of_memory_host",
                "the machine ran out of memory and killed the worker",
                hint="Use a smaller model, a shorter max_length or qlora, or give the machine more memory.",
                log_tail=tail,
            )
        else:
            how = "when the machine or an earlier trainer process stopped" if code is None else f"with code {code}"
            error = TrainerError.of("worker_crashed", f"the worker ended {how}", log_tail=tail)
        self._restart(record, error.code, error)

    def _restart(self, record: JobRecord, reason: str, error: TrainerError | None) -> None:
        limit = self._spec(record).limits.max_restarts
        if record.restarts >= limit:
            tail = error.log_tail if error else []
            message = (
                f"the worker died {record.restarts + 1} times, the last time: {error.message if error else reason}"
            )
            self._failed(record, TrainerError.of("attempt_limit", message, log_tail=tail))
            return
        record.restarts += 1
        record.queued_at = 0  # ahead of jobs that have not begun
        self._event(
            record,
            "restart",
            {"reason": reason, "restarts": record.restarts, "max_restarts": limit},
            level="warn",
            message=f"Restarting from the newest checkpoint: {error.message if error else reason}",
        )
        self._move(record, "queued")

    def _failed(self, record: JobRecord, error: TrainerError) -> None:
        record.error = error.model_dump(mode="json")
        self._finish(record, "failed", outcome="failed", stop_reason=None)

    # Records.

    def _finish(self, record: JobRecord, status: JobStatus, *, outcome: str, stop_reason: str | None) -> None:
        record.status, record.outcome, record.stop_reason = status, outcome, stop_reason
        record.finished_at, record.stop = utc_now(), None
        record.pid = record.pid_started = None
        data = {
            "status": status,
            "outcome": outcome,
            "stop_reason": stop_reason,
            "error": record.error,
            "final_checkpoint_id": record.final_checkpoint_id,
            "best_checkpoint_id": record.best_checkpoint_id,
        }
        forget_access(job_dir(self.home, record.job_id))
        self._event(record, "job.finished", data, level="error" if status == "failed" else "info")
        store(self.home, record)

    def _move(self, record: JobRecord, status: JobStatus) -> None:
        record.status = status
        if status in ("queued", "paused"):
            record.pid = record.pid_started = None
        self._event(record, "job.status", {"status": status, "attempt": record.attempt})
        store(self.home, record)

    def _event(
        self, record: JobRecord, type_: Any, data: dict[str, Any], level: Any = "info", message: str = ""
    ) -> None:
        folder = job_dir(self.home, record.job_id)
        EventLog(folder).append(type_, data, attempt=record.attempt, level=level, message=message)
        with self.changed:
            self.changed.notify_all()

    def _remember(self, record: JobRecord, request_id: str) -> None:
        record.requests = [*record.requests, request_id][-_REQUESTS_REMEMBERED:]

    def _choose_checkpoint(self, record: JobRecord, from_: str) -> None:
        """Deletes checkpoints later than the chosen one, because a resume begins at the newest."""
        if from_ == "latest":
            return
        from ..checkpoints import discard, list_checkpoints

        folder = job_dir(self.home, record.job_id)
        known = {manifest.checkpoint_id: manifest for manifest in list_checkpoints(folder)}
        if from_ not in known:
            raise not_found("The checkpoint")
        for manifest in known.values():
            if manifest.step_number > known[from_].step_number:
                discard(folder / "checkpoints" / manifest.checkpoint_id)
                self._event(record, "checkpoint.pruned", {"checkpoint_id": manifest.checkpoint_id, "reason": "resume"})

    def _result(self, record: JobRecord) -> dict[str, Any] | None:
        try:
            result = read_json(job_dir(self.home, record.job_id) / "result.json")
        except (OSError, json.JSONDecodeError):
            return None
        return result if isinstance(result, dict) and result.get("attempt") == record.attempt else None

    def _spec(self, record: JobRecord) -> JobSpec:
        return JobSpec.model_validate(read_json(job_dir(self.home, record.job_id) / "spec.json"))

    def _log(self, record: JobRecord) -> Path:
        return job_dir(self.home, record.job_id) / "logs" / f"attempt-{record.attempt}.log"
