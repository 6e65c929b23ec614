"""Work other than jobs, each in its own process: artifacts, dry runs, sample answers."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..files import read_json, write_json
from ..redaction import redact
from ..trainer_error import TrainerError, TrainerFailure
from . import processes
from .job_record import is_id
from .problems import Problem, not_found

KEPT_SECONDS = 3600.0


class Builds:
    """Starts builds and tracks those it started; the results of finished ones are on disk."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._lock = threading.Lock()
        self._running: dict[str, subprocess.Popen[bytes]] = {}

    # Artifacts.

    def put_artifact(
        self, artifact_id: str, request: dict[str, Any], environment: Mapping[str, str] | None = None
    ) -> dict[str, Any]:
        """Starts a build once. Raises idempotency_mismatch if the id belongs to another build."""
        if not is_id(artifact_id):
            raise Problem(400, "the id of an artifact may contain only letters, digits, - and _")
        folder = self._home / "artifacts" / artifact_id
        with self._lock:
            wanted = {**request, "artifact_id": artifact_id}
            if (folder / "request.json").exists():
                if read_json(folder / "request.json") != wanted:
                    raise TrainerFailure.of(
                        "idempotency_mismatch", f"artifact {artifact_id} already exists with a different request"
                    )
            else:
                folder.mkdir(parents=True, exist_ok=True)
                write_json(folder / "request.json", wanted)
            if not (folder / "result.json").exists() and not self._is_running(artifact_id):
                command = [sys.executable, "-m", "whetstone_trainer.artifacts", "--home", str(self._home)]
                self._running[artifact_id] = processes.start(
                    [*command, "--artifact-id", artifact_id],
                    folder / "log.txt",
                    {**processes.clean_environment(), **(environment or {})},
                )
        return self.artifact(artifact_id)

    def artifact(self, artifact_id: str) -> dict[str, Any]:
        """Returns a build's state: building, ready or failed."""
        folder = self._home / "artifacts" / artifact_id
        if not is_id(artifact_id) or not (folder / "request.json").exists():
            raise not_found("The artifact")
        request = read_json(folder / "request.json")
        running = self._is_running(artifact_id)
        if (folder / "result.json").exists():
            return {**request, **read_json(folder / "result.json")}
        if running:
            return {**request, "status": "building", "error": None, "warnings": [], "files": []}
        tail = processes.log_tail(folder / "log.txt")
        error = TrainerError.of("conversion_failed", "the build ended without a result", log_tail=tail)
        return {**request, "status": "failed", "error": error.model_dump(mode="json"), "warnings": [], "files": []}

    def drop_artifact(self, artifact_id: str) -> None:
        """Ends a running build and deletes its folder; what it built stays in the shared builds for a while."""
        with self._lock:
            if self._is_running(artifact_id):
                child = self._running.pop(artifact_id)
                processes.kill_group(child.pid)
                child.wait()
            shutil.rmtree(self._home / "artifacts" / artifact_id, ignore_errors=True)

    def _is_running(self, key: str) -> bool:
        child = self._running.get(key)
        if child is not None and child.poll() is not None:
            del self._running[key]
            return False
        return child is not None

    # Requests whose answer is a file.

    def run(
        self,
        module: str,
        document: dict[str, Any],
        name: str,
        wait_seconds: float,
        environment: Mapping[str, str] | None = None,
    ) -> tuple[str, Any]:
        """Runs a module on a request; returns its id and its answer, or None if it takes longer than `wait_seconds`."""
        identity = f"{name}_{uuid.uuid4().hex}"
        folder = self._home / "requests" / identity
        self.forget_old()
        folder.mkdir(parents=True)
        write_json(folder / "request.json", document)
        flag = "--spec" if name == "val" else "--request"
        command = [sys.executable, "-m", module, "--home", str(self._home), flag, str(folder / "request.json")]
        child = processes.start(
            [*command, "--out", str(folder / "out.json")],
            folder / "log.txt",
            {**processes.clean_environment(), **(environment or {})},
        )
        with self._lock:
            self._running[identity] = child
        return identity, self.answer(identity, wait_seconds)

    def answer(self, identity: str, wait_seconds: float) -> Any:
        """Returns a request's answer; None while there is none. Raises the error that the process reported instead."""
        folder = self._home / "requests" / identity
        if not is_id(identity) or not folder.is_dir():
            raise not_found("The request")
        deadline = time.monotonic() + wait_seconds
        while True:
            running = self._is_running(identity)
            try:
                return json.loads((folder / "out.json").read_text())
            except FileNotFoundError:
                pass
            if not running:
                tail = [redact(line) for line in processes.log_tail(folder / "log.txt")]
                raise TrainerFailure(
                    TrainerError.of("worker_crashed", "the dry run ended without a result", log_tail=tail)
                )
            if time.monotonic() >= deadline:
                return None
            time.sleep(0.1)

    def forget(self, identity: str) -> None:
        """Deletes a request with its answer, and ends its process if nobody needs that any more."""
        with self._lock:
            if self._is_running(identity):
                child = self._running.pop(identity)
                processes.kill_group(child.pid)
                child.wait()
            shutil.rmtree(self._home / "requests" / identity, ignore_errors=True)

    def forget_old(self) -> None:
        """Deletes requests of more than an hour ago."""
        for path in (self._home / "requests").glob("*_*"):
            if time.time() - path.stat().st_mtime > KEPT_SECONDS and not self._is_running(path.name):
                shutil.rmtree(path, ignore_errors=True)
