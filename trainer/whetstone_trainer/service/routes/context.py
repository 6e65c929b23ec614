"""What routes get from the application, and how long a request wants to wait."""

from __future__ import annotations

import re
from typing import cast

from fastapi import Request
from pydantic import ValidationError

from ...trainer_error import TrainerFailure
from ..builds import Builds
from ..capabilities import Capabilities
from ..deployments import Deployments
from ..disk import DiskUse
from ..settings import Settings
from ..supervisor import Supervisor
from ..works import Works

# Proxies cut a request at 60 to 100 s.
WAIT_SECONDS_MAX = 50.0
_WAIT = re.compile(r"(?:^|[,;\s])wait=(\d+)")


def settings_of(request: Request) -> Settings:
    return cast(Settings, request.app.state.settings)


def supervisor_of(request: Request) -> Supervisor:
    return cast(Supervisor, request.app.state.supervisor)


def capabilities_of(request: Request) -> Capabilities:
    return cast(Capabilities, request.app.state.capabilities)


def disk_of(request: Request) -> DiskUse:
    return cast(DiskUse, request.app.state.disk)


def builds_of(request: Request) -> Builds:
    return cast(Builds, request.app.state.builds)


def deployments_of(request: Request) -> Deployments:
    return cast(Deployments, request.app.state.deployments)


def certificates_of(request: Request) -> Works:
    return cast(Works, request.app.state.certificates)


def exports_of(request: Request) -> Works:
    return cast(Works, request.app.state.exports)


def invalid(error: ValidationError) -> TrainerFailure:
    """Returns the first error in a body, without the invalid value."""
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    return TrainerFailure.of("invalid_spec", f"{where}: {first['msg']}".strip(": "), param=where or None)


def wait_of(request: Request, default: float) -> float:
    """Returns the seconds that `Prefer: wait=…` allows (RFC 7240), at most 50."""
    found = _WAIT.search(request.headers.get("prefer", ""))
    return min(float(found.group(1)) if found else default, WAIT_SECONDS_MAX)
