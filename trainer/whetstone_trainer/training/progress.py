"""Progress and time left, counted across the attempts of a job."""

from __future__ import annotations

import statistics
import time
from collections import deque
from typing import Any

STEPS_BEFORE_ETA = 5
REMEMBERED_STEPS = 50


class Progress:
    """Times steps with the monotonic clock, so a change of the wall clock has no effect.

    `elapsed_before` is what earlier attempts used; `tokens_seen` is exact because checkpoints carry it.
    """

    def __init__(self, attempt: int, elapsed_before: float) -> None:
        self.attempt = attempt
        self.tokens_seen = 0
        self._elapsed_before = elapsed_before
        self._began = time.monotonic()
        self._step_began: float | None = None
        self._seconds: deque[float] = deque(maxlen=REMEMBERED_STEPS)
        self._tokens: deque[int] = deque(maxlen=REMEMBERED_STEPS)
        self._tokens_at_step = 0

    @property
    def elapsed_seconds(self) -> float:
        return self._elapsed_before + time.monotonic() - self._began

    def step_begins(self) -> None:
        self._step_began = time.monotonic()
        self._tokens_at_step = self.tokens_seen

    def step_ends(self) -> None:
        if self._step_began is not None:
            self._seconds.append(time.monotonic() - self._step_began)
            self._tokens.append(self.tokens_seen - self._tokens_at_step)

    def document(self, step: int, total: int, epoch: float) -> dict[str, Any]:
        """Returns the progress as sent over the wire; eta_seconds is None until five steps have been timed."""
        eta = None
        if len(self._seconds) >= STEPS_BEFORE_ETA:
            eta = round(statistics.median(self._seconds) * max(0, total - step), 1)
        spent = sum(self._seconds)
        return {
            "phase": "training",
            "step": step,
            "total_steps": total,
            "epoch": round(epoch, 4),
            "percent": round(100 * step / total, 2) if total else 0.0,
            "elapsed_seconds": round(self.elapsed_seconds, 1),
            "eta_seconds": eta,
            "tokens_seen": self.tokens_seen,
            "tokens_per_second": round(sum(self._tokens) / spent, 1) if spent else None,
            "attempt": self.attempt,
        }
