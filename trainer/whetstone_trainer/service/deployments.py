"""Deployments: models that this machine serves, each in a process that is watched until it is stopped."""

from __future__ import annotations

import contextlib
import logging
import os
import secrets
import shutil
import threading
import time
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import psutil

from ..checkpoints import CheckpointManifest, find_checkpoint
from ..events import utc_now
from ..serving.request import FOLDER_VARIABLE, Backend, DeploymentRequest
from ..trainer_error import TrainerFailure
from . import processes
from .builds import Builds
from .deployment_record import DeploymentRecord, deployment_dir, read_deployment, write_deployment
from .deployment_run import DeploymentRun, Server, end_process, read_tail, server_of
from .hub_access import HubAccess
from .job_record import is_id
from .problems import Problem, not_found
from .settings import Settings

logger = logging.getLogger("whetstone_trainer")


@dataclass(frozen=True)
class Address:
    """The address of a running deployment's server, and its password."""

    url: str
    token: str
    served_model_name: str


class Deployments:
    """The register of all deployments, and their threads. Every change to a record goes through `update`."""

    def __init__(self, settings: Settings, builds: Builds) -> None:
        self._settings = settings
        self._home = settings.home
        self._builds = builds
        self._lock = threading.RLock()
        self._records: dict[str, DeploymentRecord] = {}
        self._runs: dict[str, DeploymentRun] = {}
        self._tokens: dict[str, str] = {}
        # In memory only: after a restart, the web app sends them again.
        self._access: dict[str, HubAccess] = {}
        self._calls: dict[str, int] = {}
        self._called: dict[str, tuple[float, str]] = {}

    # Life cycle.

    def start(self) -> None:
        """Resumes what an earlier service left: checks servers that are still running, and restarts the others."""
        (self._home / "deployments").mkdir(parents=True, exist_ok=True)
        for path in sorted((self._home / "deployments").glob("*/deployment.json")):
            try:
                record = read_deployment(self._home, path.parent.name)
            except ValueError:
                logger.exception("the record of deployment %s cannot be read", path.parent.name)
                continue
            if record is not None:
                self._records[record.deployment_id] = record
        live = [record for record in self._records.values() if record.is_live]
        for record in live:
            self._take_up(record)
        self._end_orphans({record.pid for record in live if record.pid is not None and server_of(record)})
        for record in live:
            self._follow(record.deployment_id)

    def stop(self) -> None:
        """Stops watching. Servers keep running, and the next service resumes watching them."""
        with self._lock:
            runs = list(self._runs.values())
        for run in runs:
            run.leave()
        for run in runs:
            run.thread.join(timeout=10)

    def _take_up(self, record: DeploymentRecord) -> None:
        # Not running until it has answered this service.
        if record.status == "running" and server_of(record) is not None:
            self.update(
                record.deployment_id, status="verifying", stage_detail="Checking after a restart of the trainer"
            )
        elif record.status == "running":
            self.update(
                record.deployment_id,
                status="starting",
                stage_detail="Restarting: the server ended while the trainer was not running",
                restarts=record.restarts + 1,
            )
        if record.verified_at is not None:
            # The deadline of its first start is long past, so it gets the same time to run again.
            deadline = time.time() + record.request.timeout_seconds
            self.update(record.deployment_id, deadline=deadline)

    def _end_orphans(self, known: set[int]) -> None:
        """Ends orphaned servers: their service was killed before it stored their pid."""
        marker = str(self._home / "deployments") + os.sep
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error, OSError):
                if process.pid == os.getpid() or not process.environ().get(FOLDER_VARIABLE, "").startswith(marker):
                    continue
                group = os.getpgid(process.pid)
                if group not in known and group != os.getpgid(0):
                    logger.warning("ending the server %s, which belongs to no deployment", process.pid)
                    orphan = Server(group, processes.started_at(group) or 0.0, 0, None)
                    end_process(orphan, self._settings.serving.end_seconds)

    def _follow(self, deployment_id: str) -> None:
        run = DeploymentRun(self._settings, self._builds, self, deployment_id, self._token(deployment_id))
        self._runs[deployment_id] = run
        if self._records[deployment_id].status == "stopping":
            run.stop()
        run.thread.start()

    # Requests.

    def find(self, deployment_id: str, request: DeploymentRequest) -> DeploymentRecord | None:
        """Returns the deployment of an id; None for a new one. Raises idempotency_mismatch for a different request."""
        if not is_id(deployment_id):
            raise Problem(400, "the id of a deployment may contain only letters, digits, - and _")
        with self._lock:
            record = self._records.get(deployment_id)
        if record is not None and record.request != request:
            raise TrainerFailure.of(
                "idempotency_mismatch", f"deployment {deployment_id} already exists with a different request"
            )
        return record

    def create(
        self,
        deployment_id: str,
        request: DeploymentRequest,
        backend: Backend,
        checkpoints: list[CheckpointManifest],
        access: HubAccess | None = None,
    ) -> tuple[DeploymentRecord, bool]:
        """Starts a deployment once; returns it and whether it is new.

        `access` is the token with which it may download a base model, until it ends.
        """
        with self._lock:
            if existing := self.find(deployment_id, request):
                self.replace_access(existing, access)
                return existing, False
            now = utc_now()
            record = DeploymentRecord(
                deployment_id=deployment_id,
                request=request,
                checkpoint_id=request.checkpoint_id,
                checkpoints=[manifest.checkpoint_id for manifest in checkpoints],
                backend=backend,
                identity=_identity(request, checkpoints),
                artifact_id=_artifact_id(deployment_id) if request.form else None,
                created_at=now,
                updated_at=now,
                deadline=time.time() + request.timeout_seconds,
            )
            write_deployment(self._home, record)
            self._records[deployment_id] = record
            record = self.replace_access(record, access)
            self._follow(deployment_id)
            return record, True

    def replace_access(self, record: DeploymentRecord, access: HubAccess | None) -> DeploymentRecord:
        """Replaces the token of a deployment that has not ended; without another one, it keeps what it has.

        What a restart of the service lost is then no longer expected.
        """
        with self._lock:
            record = self.get(record.deployment_id)
            if access is not None and record.is_live:
                self._access[record.deployment_id] = access
            has_token = record.deployment_id in self._access
            if record.has_hub_token == has_token:
                return record
            return self.update(record.deployment_id, has_hub_token=has_token)

    def lacks_hub_token(self, deployment_id: str) -> bool:
        """Returns whether a restart of the service lost the deployment's token, which nobody has sent again since."""
        with self._lock:
            record = self.get(deployment_id)
            return record.is_live and record.has_hub_token and deployment_id not in self._access

    def hub_environment(self, deployment_id: str) -> Mapping[str, str]:
        """Returns the variables with which a deployment's processes may download a base model."""
        with self._lock:
            access = self._access.get(deployment_id)
        return access.environment if access else {}

    def end(self, deployment_id: str) -> DeploymentRecord:
        """Asks a deployment to stop, once; one that has ended is not changed."""
        with self._lock:
            record = self.get(deployment_id)
            if not record.is_live:
                return record
            if record.status != "stopping":
                record = self.update(deployment_id, status="stopping", stage_detail="Finishing calls")
            self._runs[deployment_id].stop()
            return record

    def remove(self, deployment_id: str) -> None:
        """Deletes an ended deployment with its log. Raises in_use for any other."""
        with self._lock:
            if self.get(deployment_id).is_live:
                raise TrainerFailure.of("in_use", "the deployment has not ended")
            # The record first: without it, nothing that is left of the folder is a deployment.
            folder = deployment_dir(self._home, deployment_id)
            (folder / "deployment.json").unlink(missing_ok=True)
            shutil.rmtree(folder, ignore_errors=True)
            for known in (self._records, self._runs, self._tokens, self._calls, self._called):
                known.pop(deployment_id, None)

    def remove_of(self, checkpoint_ids: Collection[str]) -> None:
        """Deletes the ended deployments of checkpoints."""
        for record in self.list():
            if not record.is_live and record.checkpoint_id in checkpoint_ids:
                self.remove(record.deployment_id)

    @contextlib.contextmanager
    def call(self, deployment_id: str) -> Iterator[Address]:
        """Counts a call while it is in progress. Raises Problem wrong_state for a deployment that is not running."""
        with self._lock:
            record = self.get(deployment_id)
            if record.status != "running" or record.port is None:
                raise Problem(409, f"the deployment is {record.status}, so it cannot answer")
            self._count(deployment_id, 1)
        try:
            yield Address(
                f"http://127.0.0.1:{record.port}", self._token(deployment_id), record.request.served_model_name
            )
        finally:
            with self._lock:
                self._count(deployment_id, -1)

    def _count(self, deployment_id: str, change: int) -> None:
        self._calls[deployment_id] = self._calls.get(deployment_id, 0) + change
        self._called[deployment_id] = (time.monotonic(), utc_now())

    # Records.

    def get(self, deployment_id: str) -> DeploymentRecord:
        with self._lock:
            record = self._records.get(deployment_id)
        if record is None:
            raise not_found("The deployment")
        return record

    def list(self) -> list[DeploymentRecord]:
        with self._lock:
            return sorted(self._records.values(), key=lambda record: (record.created_at, record.deployment_id))

    def update(self, deployment_id: str, **changes: Any) -> DeploymentRecord:
        """Changes a record. An ended deployment is not changed, and a stopping one can only end."""
        with self._lock:
            record = self.get(deployment_id)
            if not record.is_live:
                return record
            if record.status == "stopping" and changes.get("status") not in (None, "stopped", "failed", "timeout"):
                changes = {name: value for name, value in changes.items() if name not in ("status", "stage_detail")}
            record = record.model_copy(update={**changes, "updated_at": utc_now()})
            write_deployment(self._home, record)
            self._records[deployment_id] = record
            if not record.is_live:
                self._access.pop(deployment_id, None)
            return record

    def in_flight(self, deployment_id: str) -> int:
        with self._lock:
            return self._calls.get(deployment_id, 0)

    def idle_seconds(self, deployment_id: str) -> float:
        """Returns the seconds since its last call; before a first call, since this method was first called for it."""
        with self._lock:
            at, _ = self._called.setdefault(deployment_id, (time.monotonic(), ""))
            return time.monotonic() - at

    def last_called(self, deployment_id: str) -> str | None:
        with self._lock:
            _, at = self._called.get(deployment_id, (0.0, ""))
            return at or self._records[deployment_id].last_called_at

    def user_of(self, checkpoint_id: str) -> str | None:
        """Returns a live deployment that is loaded from a checkpoint; None if there is none."""
        for record in self.list():
            if record.is_live and checkpoint_id in record.checkpoints:
                return record.deployment_id
        return None

    def document(self, record: DeploymentRecord) -> dict[str, Any]:
        """Returns a deployment as sent over the wire."""
        identity = record.deployment_id
        log = deployment_dir(self._home, identity) / "server.log"
        return {
            "deployment_id": identity,
            "checkpoint_id": record.checkpoint_id,
            "base": record.request.base.model_dump(mode="json") if record.request.base else None,
            "served_model_name": record.request.served_model_name,
            "quantization": record.request.quantization,
            **record.model_dump(
                mode="json",
                include={
                    *("backend", "status", "stage_detail", "restarts", "error", "verified_at", "first_token_ms"),
                    *("created_at", "updated_at"),
                },
            ),
            "lacks_hub_token": self.lacks_hub_token(identity),
            "in_flight": self.in_flight(identity),
            "last_called_at": self.last_called(identity),
            "log_tail": read_tail(log, self._token(identity)),
        }

    def _token(self, deployment_id: str) -> str:
        """Returns the password of a deployment's server, created once and readable only by its owner."""
        with self._lock:
            if deployment_id not in self._tokens:
                self._tokens[deployment_id] = _ensure_token(deployment_dir(self._home, deployment_id) / "token")
            return self._tokens[deployment_id]


def needed_checkpoints(home: Path, request: DeploymentRequest) -> list[CheckpointManifest]:
    """Returns the checkpoints that a deployment is loaded from: its own, and those below an adapter.

    Raises Problem 404 if one is not here.
    """
    needed: list[CheckpointManifest] = []
    identity = request.checkpoint_id or (request.base.checkpoint_id if request.base else None)
    while identity is not None:
        manifest = find_checkpoint(home, identity) if is_id(identity) else None
        if manifest is None:
            raise not_found("The checkpoint")
        needed.append(manifest)
        identity = manifest.base_model.get("checkpoint_id") if manifest.kind == "adapter" else None
    return needed


def _identity(request: DeploymentRequest, checkpoints: list[CheckpointManifest]) -> str:
    """Returns what distinguishes this deployment's weights from all others."""
    if request.base is not None:
        return f"{request.base.id}@{request.base.revision or 'newest'}"
    return f"{checkpoints[0].content_sha256}:{request.quantization or 'as-trained'}"


def _artifact_id(deployment_id: str) -> str:
    return f"dep_{sha256(deployment_id.encode()).hexdigest()[:32]}"


def _ensure_token(path: Path) -> str:
    try:
        return path.read_text().strip()
    except FileNotFoundError:
        pass
    path.parent.mkdir(parents=True, exist_ok=True)
    token = secrets.token_urlsafe(32)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.write(token + "\n")
    return token


__all__ = ["Address", "Deployments", "needed_checkpoints"]
