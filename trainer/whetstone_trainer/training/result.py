"""How an attempt ended. Light to import, so that a worker stopped in its first second can still report it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ..checkpoints import list_checkpoints
from ..events import current_attempt
from ..files import write_json
from ..trainer_error import TrainerError


@dataclass(frozen=True)
class JobResult:
    """The content of result.json. `outcome` decides the exit code."""

    attempt: int
    outcome: str
    stop_reason: str | None
    error: TrainerError | None
    final_checkpoint_id: str | None
    best_checkpoint_id: str | None

    def write(self, job_dir: Path) -> None:
        """Records the outcome of the attempt. Writes nothing if a newer attempt has begun."""
        if current_attempt(job_dir) > self.attempt:
            return
        error = self.error.model_dump(mode="json") if self.error else None
        write_json(job_dir / "result.json", {**self.__dict__, "error": error})


def newest_good(job_dir: Path) -> str | None:
    """Returns the newest committed checkpoint, which remains after a failed job."""
    found = list_checkpoints(job_dir)
    return found[-1].checkpoint_id if found else None
