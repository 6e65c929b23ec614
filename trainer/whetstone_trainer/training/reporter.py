"""Writes a worker's events: phases, progress, metrics, warnings."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ..events import Event, EventLevel, EventLog, EventType
from ..trainer_error import Phase


class Reporter:
    """Appends events of one attempt. Safe between threads."""

    def __init__(self, job_dir: Path, attempt: int) -> None:
        self.log = EventLog(job_dir)
        self.attempt = attempt
        self.phase: Phase | None = None
        self._lock = threading.RLock()

    def emit(self, type: EventType, data: Mapping[str, Any], *, level: EventLevel = "info", message: str = "") -> Event:
        """Appends an event. Raises StaleAttempt when a newer attempt of the job has begun."""
        with self._lock:
            return self.log.append(type, data, attempt=self.attempt, level=level, message=message)

    def warn(self, code: str, message: str, **data: Any) -> None:
        self.emit("warning", {"code": code, "phase": self.phase, **data}, level="warn", message=message)

    @contextlib.contextmanager
    def in_phase(self, phase: Phase, **data: Any) -> Iterator[None]:
        """Marks the work inside as `phase`, and returns to the surrounding phase afterwards.

        phase.finished is absent when the work raised: the phase did not finish.
        """
        outer, self.phase = self.phase, phase
        began = time.monotonic()
        self.emit("phase.started", {"phase": phase, **data})
        yield
        self.emit("phase.finished", {"phase": phase, "seconds": round(time.monotonic() - began, 3)})
        self.phase = outer


class Throttle:
    """Lets one value per second through and keeps the newest of those it held back."""

    def __init__(self, seconds: float = 1.0) -> None:
        self._seconds = seconds
        self._last = float("-inf")
        self._held: dict[str, Any] | None = None

    def offer(self, value: dict[str, Any], *, force: bool = False) -> dict[str, Any] | None:
        """Returns the value if it may be sent now, else None."""
        now = time.monotonic()
        if force or now - self._last >= self._seconds:
            self._last, self._held = now, None
            return value
        self._held = value
        return None

    def flush(self) -> dict[str, Any] | None:
        """Returns the newest value that was held back, if any."""
        held, self._held = self._held, None
        return held
