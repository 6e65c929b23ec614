"""External requests to a running worker: cancel, pause, save now."""

from __future__ import annotations

import faulthandler
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from ..files import read_json


@dataclass(frozen=True)
class StopRequest:
    """`save` keeps what was learned so far; `discard` stops at the next safe point and saves nothing more."""

    action: Literal["cancel", "pause"]
    mode: Literal["save", "discard"]
    request_id: str | None


class Stopped(BaseException):
    """The job was cancelled or paused. Not an Exception, so that handlers of partial failures do not catch it."""

    def __init__(self, request: StopRequest) -> None:
        super().__init__(request.action)
        self.request = request


class Control:
    """Receives signals and lets the training loop act on them at points where nothing is lost."""

    def __init__(self, job_dir: Path) -> None:
        self._file = job_dir / "control.json"
        self.stop: StopRequest | None = None
        self.save_requested = False
        # While set, there is nothing to save, so a stop request ends the work immediately.
        self.interruptible = True

    def install(self) -> None:
        """Takes over SIGTERM and SIGUSR1, and lets SIGUSR2 print every thread's stack to stderr."""
        signal.signal(signal.SIGTERM, self._on_stop)
        signal.signal(signal.SIGUSR1, self._on_save)
        faulthandler.enable()
        faulthandler.register(signal.SIGUSR2, all_threads=True)

    def check(self) -> None:
        """Raises Stopped if a stop was requested."""
        if self.stop is not None:
            raise Stopped(self.stop)

    def _on_stop(self, _signal: int, _frame: Any) -> None:
        first = self.stop is None
        self.stop = self._read()
        if first and self.interruptible:
            raise Stopped(self.stop)

    def _on_save(self, _signal: int, _frame: Any) -> None:
        self.save_requested = True

    def _read(self) -> StopRequest:
        # A SIGTERM without a request comes from the operating system: keep the work and let the job resume.
        try:
            document = read_json(self._file)
        except (OSError, ValueError):
            document = {}
        action = "cancel" if document.get("action") == "cancel" else "pause"
        mode = "discard" if action == "cancel" and document.get("mode") == "discard" else "save"
        return StopRequest(action, mode, document.get("request_id"))  # type: ignore[arg-type]
