"""Certificates and exports: starts a process for each and reports its state, even after a restart of the service."""

from __future__ import annotations

import asyncio
import signal
import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..background import CANCEL, LOG, PROCESS, REQUEST, RESULT, STATE, is_running, read_or_none, take_lock
from ..events import utc_now
from ..files import write_json
from ..redaction import redact
from ..trainer_error import TrainerError, TrainerFailure
from . import processes
from .job_record import is_id
from .problems import Problem, not_found

# A process that is asked to stop first finishes what must not be cut off, such as a commit awaiting its response.
STOP_SECONDS = 30.0
_POLL_SECONDS = 0.1
_LOCK_SECONDS = 2.0


@dataclass(frozen=True)
class Standing:
    """A piece of work as stored on disk. `result` is None until it has ended."""

    request: dict[str, Any]
    state: dict[str, Any]
    result: dict[str, Any] | None
    is_running: bool
    is_cancelled: bool
    error: TrainerError | None

    @property
    def has_ended(self) -> bool:
        return not self.is_running


class Works:
    """All pieces of work of one kind. `module` is the program that does one of them."""

    def __init__(self, home: Path, kind: str, module: str) -> None:
        self._home = home
        self._kind = kind
        self._module = module
        self._lock = threading.RLock()
        self._children: list[Any] = []

    def put(
        self,
        identity: str,
        request: dict[str, Any],
        check: Callable[[], None],
        secret: str | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> bool:
        """Accepts work once and returns whether it is new; `check` raises for a request that must not be accepted.

        Its process gets `secret` on its standard input, and the variables of `environment`. A repeated request restarts work that lost its process or failed for a reason that may have passed. Raises
        idempotency_mismatch if the id belongs to other work.
        """
        if not is_id(identity):
            raise Problem(400, "an id may contain only letters, digits, - and _")
        folder = self._folder(identity)
        if not (folder / REQUEST).exists():
            # Outside the lock, because it may inspect the whole machine.
            check()
        with self._lock:
            known = read_or_none(folder / REQUEST)
            if known is not None and known != request:
                raise TrainerFailure.of("idempotency_mismatch", f"{identity} already exists with a different request")
            if known is None:
                folder.mkdir(parents=True, exist_ok=True)
                write_json(folder / REQUEST, request)
            if known is None or _may_start_again(folder):
                self._start(folder, secret, environment or {})
        return known is None

    def _start(self, folder: Path, secret: str | None, environment: Mapping[str, str]) -> None:
        # A concurrent `is_running` holds the lock for a moment.
        lock = take_lock(folder, within_seconds=_LOCK_SECONDS)
        if lock is None:
            return
        with lock:
            for name in (RESULT, STATE, PROCESS):
                (folder / name).unlink(missing_ok=True)
            command = [sys.executable, "-m", self._module, "--home", str(self._home), "--id", folder.name]
            child = processes.start(
                command,
                folder / LOG,
                {**processes.clean_environment(), **environment},
                stdin=None if secret is None else secret.encode(),
                pass_fds=(lock.fileno(),),
            )
            write_json(
                folder / PROCESS,
                {"pid": child.pid, "pid_started": processes.started_at(child.pid), "started_at": utc_now()},
            )
        # Ended children stay zombies until they are polled.
        self._children = [one for one in [*self._children, child] if one.poll() is None]

    def standing(self, identity: str) -> Standing:
        """Returns the state of a piece of work; without a process and without a result it has failed."""
        folder = self._folder(identity)
        # Between storing the request and starting its process, the process would seem to have vanished.
        with self._lock:
            request = read_or_none(folder / REQUEST) if is_id(identity) else None
            if request is None:
                raise not_found(f"The {self._kind.removesuffix('s')}")
            running = is_running(folder)
            # Read after checking for the process, so that work that ended in between has its result.
            result = None if running else read_or_none(folder / RESULT)
        cancelled = not running and result is None and (folder / CANCEL).exists()
        error = None
        if not running and result is None and not cancelled:
            tail = [redact(line) for line in processes.log_tail(folder / LOG)]
            error = TrainerError.of("worker_vanished", "its process ended without a result", log_tail=tail)
        return Standing(request, read_or_none(folder / STATE) or {}, result, running, cancelled, error)

    async def settled(self, identity: str, wait_seconds: float) -> Standing:
        """Returns the state once the work has ended, or after `wait_seconds`."""
        loop = asyncio.get_running_loop()
        until = loop.time() + wait_seconds
        while True:
            standing = await asyncio.to_thread(self.standing, identity)
            if standing.has_ended or loop.time() >= until:
                return standing
            await asyncio.sleep(_POLL_SECONDS)

    def cancel(self, identity: str) -> None:
        """Asks the work's process to stop and kills it if it does not. Changes nothing about ended work."""
        with self._lock:
            standing = self.standing(identity)
            if standing.has_ended and standing.error is None:
                return
            folder = self._folder(identity)
            write_json(folder / CANCEL, {"requested_at": utc_now()})
            process = read_or_none(folder / PROCESS) or {}
        pid, started = process.get("pid"), process.get("pid_started")
        if not isinstance(pid, int) or not isinstance(started, float) or not processes.is_same(pid, started):
            return
        processes.signal_worker(pid, signal.SIGTERM)

        def end() -> None:
            if processes.is_same(pid, started):
                processes.kill_group(pid)

        timer = threading.Timer(STOP_SECONDS, end)
        timer.daemon = True
        timer.start()

    def _folder(self, identity: str) -> Path:
        return self._home / self._kind / identity


def _may_start_again(folder: Path) -> bool:
    """Returns whether repeating the request may now succeed: its process vanished, or the cause may have passed."""
    if is_running(folder) or (folder / CANCEL).exists():
        return False
    result = read_or_none(folder / RESULT)
    if not isinstance(result, dict):
        return True
    error = result.get("error")
    # The hub's token is not part of the request, and may have changed.
    return (
        result.get("status") == "failed"
        and isinstance(error, dict)
        and (error.get("retryable") is True or error.get("code") == "hub_auth_failed")
    )
