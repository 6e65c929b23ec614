"""What the service knows about a deployment: one file per deployment, replaced as a whole."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from ..files import read_json, write_json
from ..serving.request import Backend, DeploymentRequest
from .job_record import is_id

DeploymentStatus = Literal[
    "pending", "preparing", "starting", "verifying", "running", "stopping", "stopped", "failed", "timeout"
]
FINAL: frozenset[str] = frozenset({"stopped", "failed", "timeout"})
SETTLED: frozenset[str] = FINAL | {"running"}


class DeploymentRecord(BaseModel):
    """`pid` and `pid_started` identify the server unambiguously; `checkpoints` are those it is loaded from, and
    `identity` is what the server must report to be serving.

    `deadline` (Unix seconds) ends the first start; a server that has run once restarts within `timeout_seconds`.
    `has_hub_token`: it was given a hub's token, which is in memory only.
    """

    model_config = ConfigDict(extra="forbid")

    deployment_id: str
    request: DeploymentRequest
    checkpoint_id: str | None
    checkpoints: list[str] = Field(default_factory=list)
    backend: Backend
    identity: str
    status: DeploymentStatus = "pending"
    stage_detail: str | None = None
    restarts: int = 0
    restarts_in_a_row: int = 0
    error: dict[str, Any] | None = None
    artifact_id: str | None = None
    pid: int | None = None
    pid_started: float | None = None
    boot_id: str | None = None
    port: int | None = None
    created_at: str
    updated_at: str
    deadline: float
    verified_at: str | None = None
    first_token_ms: int | None = None
    last_called_at: str | None = None
    has_hub_token: bool = False

    @property
    def is_live(self) -> bool:
        return self.status not in FINAL


def deployment_dir(home: Path, deployment_id: str) -> Path:
    return home / "deployments" / deployment_id


def read_deployment(home: Path, deployment_id: str) -> DeploymentRecord | None:
    """Returns a deployment's record; None if it is not here."""
    if not is_id(deployment_id):
        return None
    try:
        return DeploymentRecord.model_validate(read_json(deployment_dir(home, deployment_id) / "deployment.json"))
    except FileNotFoundError:
        return None


def write_deployment(home: Path, record: DeploymentRecord) -> None:
    folder = deployment_dir(home, record.deployment_id)
    folder.mkdir(parents=True, exist_ok=True)
    write_json(folder / "deployment.json", record.model_dump(mode="json"))
