"""The service's settings, read once from the command line and the environment."""

from __future__ import annotations

import os
import secrets
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

TOKEN_FILE = "token"
TOKEN_CHARACTERS_MIN = 16


@dataclass(frozen=True)
class Serving:
    """How deployments are watched. `server` starts one; the service adds its arguments. Times are in seconds."""

    server: Sequence[str] = field(default_factory=lambda: (sys.executable, "-m", "whetstone_trainer.serving"))
    poll_seconds: float = 0.2
    health_seconds: float = 5.0
    health_timeout_seconds: float = 10.0
    health_failures_max: int = 3
    verify_tries: int = 3
    restarts_max: int = 3
    restart_seconds: Sequence[float] = (1.0, 5.0, 20.0)
    # After a server has been healthy for this long, its earlier crashes no longer count.
    healthy_again_seconds: float = 600.0
    drain_seconds: float = 30.0
    end_seconds: float = 10.0


@dataclass(frozen=True)
class Settings:
    """`worker` starts an attempt; the service adds its arguments. Times are in seconds."""

    home: Path
    token: str
    host: str = "127.0.0.1"
    port: int = 8420
    max_running_jobs: int = 1
    stop_deadline_seconds: float = 120.0
    tick_seconds: float = 0.25
    # How long a stalled worker may take to print its stacks before it is killed.
    stall_dump_seconds: float = 2.0
    manifest_bytes_max: int = 64 * 1024**3
    worker: Sequence[str] = field(default_factory=lambda: (sys.executable, "-m", "whetstone_trainer.worker"))
    serving: Serving = field(default_factory=Serving)


def ensure_token(home: Path, environment: Mapping[str, str]) -> str:
    """Returns TRAINER_TOKEN, else the token in the home, created at the first start and readable only by its owner."""
    if given := environment.get("TRAINER_TOKEN"):
        if len(given) < TOKEN_CHARACTERS_MIN:
            raise SystemExit(f"TRAINER_TOKEN must have at least {TOKEN_CHARACTERS_MIN} characters")
        return given
    path = home / TOKEN_FILE
    try:
        return path.read_text().strip()
    except FileNotFoundError:
        pass
    token = secrets.token_urlsafe(32)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return path.read_text().strip()
    with os.fdopen(descriptor, "w") as file:
        file.write(token + "\n")
    return token
