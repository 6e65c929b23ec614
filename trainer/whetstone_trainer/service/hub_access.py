"""A project's token for its model hub: given with a request, passed to one process, and stored only while a job needs it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, SecretStr, ValidationError, field_serializer, field_validator

from ..exports.request import SECRET, checked_endpoint
from ..files import read_json
from ..trainer_error import TrainerFailure

FILE = "hub.json"


class HubAccess(BaseModel):
    """The token, and the address of the only hub that it is sent to."""

    model_config = ConfigDict(extra="forbid")

    token: SecretStr
    endpoint: str

    _endpoint = field_validator("endpoint")(checked_endpoint)

    @field_serializer("token", when_used="json")
    def _token(self, token: SecretStr) -> str:
        return token.get_secret_value()

    @property
    def environment(self) -> dict[str, str]:
        """Returns the variables that the hub's client reads."""
        return {"HF_TOKEN": self.token.get_secret_value(), "HF_ENDPOINT": self.endpoint}


def take_access(body: dict[str, Any], param: str = "secret") -> HubAccess | None:
    """Removes the token and its hub from a request's body and returns them; None if the request has none."""
    token, endpoint = body.pop(param, None), body.pop("hub_endpoint", None)
    if token is None:
        return None
    if not isinstance(token, str) or not SECRET.match(token):
        raise TrainerFailure.of("invalid_spec", f"{param}: this is not a hub's token", param=param)
    try:
        return HubAccess.model_validate({"token": token, "endpoint": endpoint})
    except ValidationError:
        raise TrainerFailure.of("invalid_spec", "hub_endpoint: send the hub's address", param="hub_endpoint") from None


def store_access(folder: Path, access: HubAccess) -> None:
    """Writes the token where only the service's own user can read it."""
    temporary = folder / f".{FILE}.tmp"
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(access.model_dump_json())
    os.replace(temporary, folder / FILE)


def stored_access(folder: Path) -> HubAccess | None:
    """Returns the token that was stored for a job; None if there is none."""
    try:
        return HubAccess.model_validate(read_json(folder / FILE))
    except (OSError, ValueError):
        return None


def forget_access(folder: Path) -> None:
    (folder / FILE).unlink(missing_ok=True)
