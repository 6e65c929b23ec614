"""The service's settings, read once from the command line and the environment."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path


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
    # How long a start waits for a hub's token that a restart of the service lost: the web app may be restarting too.
    token_seconds: float = 120.0


@dataclass(frozen=True)
class Settings:
    """`token` admits callers. `worker` starts an attempt; the service adds its arguments. Times are in seconds."""

    home: Path
    token: str
    max_running_jobs: int = 1
    stop_deadline_seconds: float = 120.0
    tick_seconds: float = 0.25
    # How long a stalled worker may take to print its stacks before it is killed.
    stall_dump_seconds: float = 2.0
    manifest_bytes_max: int = 64 * 1024**3
    worker: Sequence[str] = field(default_factory=lambda: (sys.executable, "-m", "whetstone_trainer.worker"))
    serving: Serving = field(default_factory=Serving)
