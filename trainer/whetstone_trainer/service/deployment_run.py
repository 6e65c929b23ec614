"""Runs one deployment from its request to its end, in its own thread."""

from __future__ import annotations

import contextlib
import logging
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import httpx

from ..events import utc_now
from ..files import read_json, write_json
from ..redaction import REDACTED, redact
from ..serving.request import EXIT_PORT_TAKEN, FOLDER_VARIABLE, TOKEN_VARIABLE, ServePlan
from ..serving.vllm import root_cause
from ..trainer_error import ErrorCode, TrainerError, TrainerFailure
from . import processes
from .builds import Builds
from .deployment_probe import ANY_PROMPT, Probe, Refused, listens
from .deployment_record import DeploymentRecord, deployment_dir
from .settings import Settings

logger = logging.getLogger("whetstone_trainer")

PORT_TRIES = 5
LOG_BYTES_MAX = 10 * 1024**2
_CALLED_SECONDS = 10.0
_GONE_SECONDS = 10.0
# vLLM's two tracebacks.
_LINES_WITH_THE_CAUSE = 500
_PORT_WORDS = ("address already in use", "eaddrinuse")


class Leaving(Exception):
    """The service is stopping; its servers keep running."""


class StopRequested(Exception):
    """The deployment should end."""


class TimedOut(Exception):
    """The deployment did not start running in time."""


class PortTaken(Exception):
    """Another process listens on the chosen port."""


class Ledger(Protocol):
    """What a run needs from the register of deployments."""

    def get(self, deployment_id: str) -> DeploymentRecord: ...

    def update(self, deployment_id: str, **changes: Any) -> DeploymentRecord: ...

    def in_flight(self, deployment_id: str) -> int: ...

    def idle_seconds(self, deployment_id: str) -> float: ...

    def last_called(self, deployment_id: str) -> str | None: ...

    def hub_environment(self, deployment_id: str) -> Mapping[str, str]: ...

    def lacks_hub_token(self, deployment_id: str) -> bool: ...


@dataclass
class Server:
    """A server process. `child` is None for one that an earlier service started."""

    pid: int
    started: float
    port: int
    child: subprocess.Popen[bytes] | None

    def exit_code(self) -> int | str | None:
        """Returns None while it runs; "unknown" for a server of an earlier service that has ended."""
        if self.child is not None:
            return self.child.poll()
        return None if processes.is_same(self.pid, self.started) else "unknown"


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def server_of(record: DeploymentRecord) -> Server | None:
    """Returns the server that a record names; None if it has ended."""
    if record.pid is None or record.pid_started is None or record.port is None:
        return None
    if record.boot_id != processes.boot_id() or not processes.is_same(record.pid, record.pid_started):
        return None
    return Server(record.pid, record.pid_started, record.port, None)


class DeploymentRun:
    """Only this thread changes its deployment's status, except to `stopping`; a stored final status never changes."""

    def __init__(self, settings: Settings, builds: Builds, ledger: Ledger, deployment_id: str, token: str) -> None:
        self._settings = settings
        self._times = settings.serving
        self._builds = builds
        self._ledger = ledger
        self._id = deployment_id
        self._token = token
        self._folder = deployment_dir(settings.home, deployment_id)
        record = ledger.get(deployment_id)
        self._server = server_of(record)
        left = min(record.request.timeout_seconds, max(0.0, record.deadline - time.time()))
        self._deadline: float | None = time.monotonic() + left
        self._healthy_since: float | None = None
        self._ports_tried = 0
        self._wake = threading.Event()
        self._stop = False
        self._leave = False
        self.thread = threading.Thread(target=self._main, name=f"deployment {deployment_id}", daemon=True)

    # Requests from other threads.

    def stop(self) -> None:
        """Ends the deployment."""
        self._stop = True
        self._wake.set()

    def leave(self) -> None:
        """Ends only the thread."""
        self._leave = True
        self._wake.set()

    # Life cycle.

    @property
    def _record(self) -> DeploymentRecord:
        return self._ledger.get(self._id)

    def _main(self) -> None:
        try:
            self._serve()
        except Leaving:
            return
        except StopRequested as reason:
            self._drain()
            self._finish("stopped", None, str(reason) or None)
        except TimedOut:
            seconds = round(self._record.request.timeout_seconds)
            message = f"it was not running within {seconds} s"
            self._finish("timeout", self._error("deploy_timeout", message, hint="Allow more time."))
        except TrainerFailure as failure:
            self._finish("failed", failure.error)
        except Exception as error:
            logger.exception("deployment %s failed", self._id)
            self._finish("failed", self._error("deploy_start_failed", f"the trainer failed: {type(error).__name__}"))

    def _serve(self) -> None:
        while True:
            try:
                self._pause(0)
                if self._server is None:
                    self._await_hub_token()
                    self._prepare()
                    self._start()
                self._until_healthy()
                self._verify()
                error = self._watch()
            except PortTaken:
                continue
            except TimedOut:
                if self._record.verified_at is None:
                    raise
                error = self._error("deploy_timeout", "it was not running again in time")
            except TrainerFailure as failure:
                # A deployment that has never run is not restarted: it would fail in the same way.
                if self._record.verified_at is None:
                    raise
                error = failure.error
            self._back_off(error)

    def _pause(self, seconds: float) -> None:
        """Waits; raises Leaving, StopRequested or TimedOut if one of them ends the wait early."""
        if self._deadline is not None:
            seconds = min(seconds, max(0.0, self._deadline - time.monotonic()))
        self._wake.wait(seconds)
        if self._stop:
            raise StopRequested
        if self._leave:
            raise Leaving
        if self._deadline is not None and time.monotonic() >= self._deadline:
            raise TimedOut

    # Starting.

    def _await_hub_token(self) -> None:
        """Waits for a token that a restart of the service lost. Without it, what is already downloaded may be enough."""
        # A model that has run has been downloaded.
        if self._record.verified_at is not None or not self._ledger.lacks_hub_token(self._id):
            return
        self._move("starting", "Waiting for the hub's token after a restart of the trainer")
        until = time.monotonic() + self._times.token_seconds
        while self._ledger.lacks_hub_token(self._id) and time.monotonic() < until:
            self._pause(self._times.poll_seconds)

    def _prepare(self) -> None:
        """Builds the form to serve, through the shared builds."""
        record = self._record
        form = record.request.form
        if form is None:
            return
        if record.artifact_id is None:
            raise TrainerFailure.of("deploy_start_failed", "the deployment has no artifact")
        self._move("preparing", f"Building {record.request.quantization}")
        wanted = {
            "checkpoint_id": record.checkpoint_id,
            "job_id": self._job_of(record),
            "kind": form,
            "quantization": record.request.quantization,
        }
        document = self._builds.put_artifact(record.artifact_id, wanted, self._ledger.hub_environment(self._id))
        while document["status"] == "building":
            self._pause(self._times.poll_seconds)
            document = self._builds.artifact(record.artifact_id)
        if document["status"] != "ready":
            raise TrainerFailure(TrainerError.model_validate(document["error"]))
        self._pause(0)

    def _job_of(self, record: DeploymentRecord) -> str:
        from ..checkpoints import find_checkpoint

        manifest = find_checkpoint(self._settings.home, record.checkpoint_id or "")
        if manifest is None:
            raise TrainerFailure.of("checkpoint_corrupt", f"checkpoint {record.checkpoint_id} no longer exists")
        return manifest.job_id

    def _start(self) -> None:
        record = self._record
        self._move("starting", "Loading the model")
        self._write_plan(record)
        for name in ("start-error.json", "served.json"):
            (self._folder / name).unlink(missing_ok=True)
        log = self._folder / "server.log"
        with contextlib.suppress(FileNotFoundError):
            if log.stat().st_size > LOG_BYTES_MAX:
                log.unlink()
        port = free_port()
        command = [
            *self._times.server,
            *("--home", str(self._settings.home)),
            *("--plan", str(self._folder / "plan.json")),
            *("--port", str(port)),
        ]
        try:
            child = processes.start(command, log, self._environment())
        except OSError as error:
            raise TrainerFailure.of(
                "deploy_start_failed", f"the server could not be started: {error.strerror}"
            ) from error
        started = processes.started_at(child.pid)
        self._server = Server(child.pid, started or time.time(), port, child)
        self._ledger.update(
            self._id, pid=child.pid, pid_started=self._server.started, boot_id=processes.boot_id(), port=port
        )

    def _environment(self) -> dict[str, str]:
        environment = processes.clean_environment()
        environment.setdefault("HF_HOME", str(self._settings.home / "models"))
        own = {TOKEN_VARIABLE: self._token, FOLDER_VARIABLE: str(self._folder)}
        return {**environment, **self._ledger.hub_environment(self._id), **own}

    def _write_plan(self, record: DeploymentRecord) -> None:
        plan = ServePlan(
            served_model_name=record.request.served_model_name,
            backend=record.backend,
            checkpoint_id=record.request.checkpoint_id,
            base=record.request.base,
            artifact_id=record.artifact_id,
            form=record.request.form,
            quantization=record.request.quantization,
            identity=record.identity,
        )
        write_json(self._folder / "plan.json", plan.model_dump(mode="json"))

    def _until_healthy(self) -> None:
        server = self._running_server()
        with contextlib.closing(Probe(server.port, self._token)) as probe:
            while True:
                self._pause(self._times.poll_seconds)
                self._require_alive(server)
                if listens(server.pid, server.port) and probe.is_healthy(self._times.health_timeout_seconds):
                    return

    def _require_alive(self, server: Server) -> None:
        """Raises PortTaken, or TrainerFailure with the server's own reason if it gave one, if the server has ended."""
        code = server.exit_code()
        if code is None:
            return
        tail = self._tail()
        if (code == EXIT_PORT_TAKEN or _names_port(tail)) and self._ports_tried < PORT_TRIES:
            self._ports_tried += 1
            self._server = None
            raise PortTaken
        try:
            raise TrainerFailure(TrainerError.model_validate(read_json(self._folder / "start-error.json")))
        except (OSError, ValueError):
            pass
        cause = root_cause(read_tail(self._folder / "server.log", self._token, _LINES_WITH_THE_CAUSE))
        message = f"the server ended with {_code(code)} before it was running"
        raise TrainerFailure(self._error("deploy_start_failed", f"{message}: {cause[:300]}" if cause else message))

    # Verifying.

    def _verify(self) -> None:
        """Makes the server answer under its name; only then does the deployment count as running."""
        server = self._running_server()
        record = self._move("verifying", "Requesting a test answer")
        last, prompt = "", self._prompt(record)
        with contextlib.closing(Probe(server.port, self._token)) as probe:
            for _ in range(self._times.verify_tries):
                seconds = self._seconds_left()
                try:
                    first = probe.verify(
                        record.request.served_model_name,
                        self._root(),
                        prompt,
                        seconds,
                        must_speak=record.checkpoint_id is not None,
                    )
                    # An answer that is too late does not count.
                    self._pause(0)
                    self._require_alive(server)
                    self._runs(first)
                    return
                except (Refused, httpx.HTTPError) as error:
                    last = str(error) if isinstance(error, Refused) else f"it did not reply ({type(error).__name__})"
                self._pause(min(1.0, self._times.poll_seconds * 5))
                self._require_alive(server)
        raise TrainerFailure(self._error("deploy_unhealthy", f"the server started, but {last}"))

    def _prompt(self, record: DeploymentRecord) -> list[dict[str, Any]]:
        """Returns the prompt to send: one that it was trained on, if one is still here."""
        if record.checkpoint_id is None:
            return ANY_PROMPT
        from ..artifacts.prompts import comparison_prompts
        from ..artifacts.source import read_checkpoint

        return comparison_prompts(read_checkpoint(self._settings.home, None, record.checkpoint_id).rows())[0]

    def _root(self) -> str:
        """Returns what the server must report to be serving: the weights' identity, or for vLLM their folder."""
        try:
            return str(read_json(self._folder / "served.json")["root"])
        except FileNotFoundError:
            return self._record.identity

    def _seconds_left(self) -> float:
        assert self._deadline is not None
        return max(0.1, self._deadline - time.monotonic())

    def _runs(self, first_token_ms: int) -> None:
        self._deadline = None
        self._healthy_since = time.monotonic()
        self._ports_tried = 0
        verified = utc_now()
        self._ledger.update(
            self._id,
            status="running",
            stage_detail=None,
            error=None,
            verified_at=verified,
            first_token_ms=first_token_ms,
        )

    # Running.

    def _watch(self) -> TrainerError:
        """Watches the server and returns why it no longer runs."""
        server = self._running_server()
        failures, looked = 0, time.monotonic()
        with contextlib.closing(Probe(server.port, self._token)) as probe:
            while True:
                self._pause(self._times.poll_seconds)
                if (code := server.exit_code()) is not None:
                    return self._error("worker_crashed", f"the server ended with {_code(code)}")
                self._note_calls()
                if time.monotonic() - looked < self._times.health_seconds:
                    continue
                looked = time.monotonic()
                failures = 0 if probe.is_healthy(self._times.health_timeout_seconds) else failures + 1
                if failures >= self._times.health_failures_max:
                    return self._error("deploy_unhealthy", f"the server did not reply {failures} times in a row")

    def _note_calls(self) -> None:
        """Stores when it was last called, and ends a deployment that is no longer called."""
        record = self._record
        idle, limit = self._ledger.idle_seconds(self._id), record.request.idle_timeout_seconds
        if limit is not None and self._ledger.in_flight(self._id) == 0 and idle > limit:
            self._ledger.update(self._id, status="stopping", stage_detail="Stopping: not in use")
            raise StopRequested(f"It received no calls for {limit:g} s")
        called = self._ledger.last_called(self._id)
        if called != record.last_called_at and idle > min(_CALLED_SECONDS, self._times.health_seconds):
            self._ledger.update(self._id, last_called_at=called)

    def _back_off(self, error: TrainerError) -> None:
        """Takes a crashed server out of service and waits. Raises TrainerFailure if it crashes repeatedly."""
        record = self._record
        lasted = time.monotonic() - self._healthy_since if self._healthy_since is not None else 0.0
        self._healthy_since = None
        in_a_row = 0 if lasted > self._times.healthy_again_seconds else record.restarts_in_a_row
        if in_a_row >= self._times.restarts_max:
            # Taken out of service before its process has ended, because it does not answer.
            self._move("starting", "Stopping after too many crashes")
            message = f"it was restarted {in_a_row} times in a row, the last time because {error.message}"
            raise TrainerFailure(error.model_copy(update={"message": message}))
        self._ledger.update(
            self._id,
            status="starting",
            stage_detail=f"Restarting: {error.message}",
            restarts=record.restarts + 1,
            restarts_in_a_row=in_a_row + 1,
        )
        logger.warning("restarting deployment %s: %s", self._id, error.message)
        self._end_server()
        waits = self._times.restart_seconds
        self._deadline = None
        self._pause(waits[min(in_a_row, len(waits) - 1)])
        self._deadline = time.monotonic() + record.request.timeout_seconds

    # Ending.

    def _drain(self) -> None:
        """Lets calls finish; new ones are already refused."""
        deadline = time.monotonic() + self._times.drain_seconds
        while self._server is not None and self._ledger.in_flight(self._id) > 0 and time.monotonic() < deadline:
            if self._server.exit_code() is not None:
                return
            time.sleep(0.05)

    def _finish(self, status: str, error: TrainerError | None, detail: str | None = None) -> None:
        """Ends the process, and stores the final status only once it is gone."""
        self._end_server()
        if self._stop:
            # It was told to stop, so an error on the way does not matter.
            status, error = "stopped", None
        record = self._record
        if record.artifact_id is not None:
            self._builds.drop_artifact(record.artifact_id)
        self._ledger.update(
            self._id,
            status=status,
            stage_detail=detail,
            error=None if error is None else error.model_dump(mode="json"),
            last_called_at=self._ledger.last_called(self._id),
        )

    def _end_server(self) -> None:
        server, self._server = self._server, None
        if server is None:
            return
        end_process(server, self._times.end_seconds)
        self._ledger.update(self._id, pid=None, pid_started=None, boot_id=None, port=None)

    def _running_server(self) -> Server:
        assert self._server is not None
        return self._server

    def _move(self, status: str, detail: str) -> DeploymentRecord:
        return self._ledger.update(self._id, status=status, stage_detail=detail)

    def _tail(self) -> list[str]:
        return read_tail(self._folder / "server.log", self._token)

    def _error(self, code: ErrorCode, message: str, hint: str | None = None) -> TrainerError:
        return TrainerError.of(code, message, hint=hint, log_tail=self._tail())


def end_process(server: Server, seconds: float) -> None:
    """Ends a server and everything it started, and returns when it is gone."""
    if server.exit_code() is None:
        processes.signal_worker(server.pid, signal.SIGTERM)
        _wait_for(server, seconds)
    # What it started must not outlive it.
    processes.kill_group(server.pid)
    _wait_for(server, _GONE_SECONDS)


def _wait_for(server: Server, seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while server.exit_code() is None and time.monotonic() < deadline:
        time.sleep(0.02)


def read_tail(log: Path, token: str, lines: int = 50) -> list[str]:
    return [redact(line.replace(token, REDACTED)) for line in processes.log_tail(log, lines)]


def _names_port(tail: list[str]) -> bool:
    return any(word in line.lower() for line in tail[-20:] for word in _PORT_WORDS)


def _code(code: int | str) -> str:
    if isinstance(code, int) and code < 0:
        return f"signal {-code}"
    return f"code {code}" if isinstance(code, int) else "an unknown code"
