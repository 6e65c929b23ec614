"""Runs one export: preflight, build, upload, one commit. Killed at any point and rerun, it makes no second commit."""

from __future__ import annotations

import contextlib
import json
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from pydantic import ValidationError

from ..artifacts.request import ArtifactFile
from ..artifacts.tools.parent import named_as_parent
from ..background import CANCEL, STATE, read_or_none
from ..files import write_json
from ..trainer_error import TrainerError, TrainerFailure
from .build import BUILT, FILES
from .hub import MARK, CountedAdd, Hub, addition, stale_files
from .hub_failure import export_failure
from .hub_model import resolve_commit, token_for
from .request import ExportRequest, ExportResult, Progress

# How often the commit is tried, because others may have committed in between.
COMMIT_TRIES = 4
COMMIT_WAIT_SECONDS = 2.0
_STATE_SECONDS = 0.5


class Cancelled(BaseException):
    """The export was cancelled. Not an Exception, because the hub's client retries those."""


class Export:
    """`environment` is the environment of the build: the service's, which may forbid downloads.

    It has the token for downloads of what is published, which is not the one that publishes.
    """

    def __init__(self, home: Path, request: ExportRequest, secret: str, environment: dict[str, str]) -> None:
        self._home = home
        self._request = request
        self._folder = home / "exports" / request.export_id
        self._hub = Hub(request.destination, secret)
        self._environment = environment
        self._progress = Progress()
        self._status = "preflight"
        self._read: dict[str, int] = {}
        self._told = float("-inf")
        self._may_be_public = False
        self._is_cancelled = False

    def run(self) -> ExportResult:
        """Runs the export and returns the outcome; failures are results."""
        signal.signal(signal.SIGTERM, self._on_sigterm)
        try:
            oid, files = self._publish()
        except Cancelled:
            return ExportResult(status="cancelled", progress=self._progress)
        except Exception as error:
            if self._is_cancelled:
                return ExportResult(status="cancelled", progress=self._progress)
            failure = export_failure(error, self._request.destination.repo_id)
            return ExportResult(status="failed", progress=self._progress, error=failure.error)
        finally:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            # The shared builds still have the files, for another export.
            shutil.rmtree(self._folder / FILES, ignore_errors=True)
        self._progress.bytes_done = self._progress.bytes_total or 0
        return ExportResult(status="succeeded", progress=self._progress, commit_oid=oid, url=self._hub.url, files=files)

    def _on_sigterm(self, *_: object) -> None:
        self._is_cancelled = True
        if not self._may_be_public:
            raise Cancelled

    def _publish(self) -> tuple[str, list[ArtifactFile]]:
        self._enter("preflight")
        self._hub.require_access()
        if oid := self._hub.find_commit(self._request.export_id):
            self._may_be_public = True
            return oid, self._published_files()
        self._hub.state()
        commit = self._source_commit()
        self._enter("building")
        files = self._build(commit)
        self._progress.bytes_total = sum(file.size for file in files)
        self._enter("uploading")
        # Building may have taken hours: since then the token may have expired and the repository may have changed.
        self._hub.require_access()
        self._hub.state()
        self._hub.create()
        additions = [
            addition(self._folder / FILES / file.path, file.path, partial(self._on_read, file.path)) for file in files
        ]
        self._hub.upload(additions)
        return self._commit(additions), files

    def _commit(self, additions: list[CountedAdd]) -> str:
        """Makes the commit once: before each try, looks for a commit whose response was lost."""
        request = self._request
        quantization = f" {request.quantization}" if request.quantization else ""
        title = f"Upload {request.format}{quantization}"
        for tries in range(1, COMMIT_TRIES + 1):
            self._stop_if_cancelled()
            state = self._hub.state()
            if oid := self._hub.find_commit(request.export_id):
                return oid
            stale = stale_files(state.files, {one.path_in_repo for one in additions})
            with self._committing():
                try:
                    return self._hub.commit(additions, stale, title, f"{MARK}{request.export_id}", state.head)
                except TrainerFailure as failure:
                    # The commit may have been made anyway; only the hub knows.
                    with contextlib.suppress(TrainerFailure):
                        if oid := self._hub.find_commit(request.export_id):
                            return oid
                    if tries == COMMIT_TRIES or not failure.error.retryable:
                        raise
            time.sleep(COMMIT_WAIT_SECONDS * tries)
        raise AssertionError("unreachable")

    @contextlib.contextmanager
    def _committing(self) -> Iterator[None]:
        """Lets a commit that was sent finish, because what is public must not be reported as cancelled."""
        self._may_be_public = True
        try:
            yield
        except BaseException:
            self._may_be_public = False
            raise

    def _source_commit(self) -> str | None:
        """Returns the commit of a hub model, the same one on every attempt."""
        model = self._request.source.hub_model
        if model is None:
            return None
        known = read_or_none(self._folder / "source.json") or {}
        if isinstance(known.get("commit"), str):
            return str(known["commit"])
        commit = resolve_commit(model, token_for(model, self._environment))
        write_json(self._folder / "source.json", {"commit": commit})
        return commit

    def _build(self, commit: str | None) -> list[ArtifactFile]:
        """Builds in a separate process, because this one has the token that publishes and does not need torch."""
        outcome = self._folder / "build.json"
        for path in (outcome, self._folder / BUILT):
            path.unlink(missing_ok=True)
        command = [sys.executable, "-m", "whetstone_trainer.exports", "--home", str(self._home)]
        command += ["--id", self._request.export_id, "--build", *([commit] if commit else ["checkpoint"])]
        environment = {**self._environment, **named_as_parent()}
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, env=environment)
        try:
            code = child.wait()
        except BaseException:
            child.kill()
            child.wait()
            raise
        self._stop_if_cancelled()
        if (built := read_or_none(self._folder / BUILT)) and code == 0:
            return [ArtifactFile.model_validate(file) for file in built["files"]]
        try:
            raise TrainerFailure(TrainerError.model_validate(read_or_none(outcome)))
        except ValidationError:
            message = f"the build ended with code {code} and without a result"
            raise TrainerFailure(TrainerError.of("worker_crashed", message)) from None

    def _published_files(self) -> list[ArtifactFile]:
        """Returns what the earlier attempt sent, which was stored before the commit was made."""
        built = read_or_none(self._folder / BUILT) or {"files": []}
        files = [ArtifactFile.model_validate(file) for file in built["files"]]
        self._progress.bytes_total = sum(file.size for file in files)
        return files

    def _on_read(self, path: str, done: int) -> None:
        self._read[path] = done
        self._progress.bytes_done = min(sum(self._read.values()), self._progress.bytes_total or 0)
        if time.monotonic() - self._told > _STATE_SECONDS:
            self._tell()

    def _enter(self, status: str) -> None:
        self._stop_if_cancelled()
        self._status = status
        self._tell()

    def _tell(self) -> None:
        self._told = time.monotonic()
        write_json(self._folder / STATE, {"status": self._status, "progress": self._progress.model_dump()})

    def _stop_if_cancelled(self) -> None:
        if self._is_cancelled or (self._folder / CANCEL).exists():
            raise Cancelled


def build_outcome(folder: Path, error: TrainerError) -> None:
    """Stores why a build failed, for the process that is waiting for it."""
    write_json(folder / "build.json", json.loads(error.model_dump_json()))
