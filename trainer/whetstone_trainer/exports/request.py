"""An export's request and results: the shapes of request.json, built.json and result.json."""

from __future__ import annotations

import re
from ipaddress import ip_address
from typing import Any, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from ..artifacts.request import QUANTIZATIONS, SAFE_ID, ArtifactFile
from ..trainer_error import TrainerError

ExportFormat = Literal["gguf", "merged-16bit", "lora-adapter"]
REPO_ID = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,95}/[A-Za-z0-9][A-Za-z0-9._-]{0,95}$"
# A branch, tag or commit, with nothing that could escape its segment of a URL.
REVISION = r"^[A-Za-z0-9][A-Za-z0-9._/-]{0,199}$"
SECRET = re.compile(r"^[\x21-\x7e]{8,500}$")


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid")


def checked_endpoint(value: str) -> str:
    """Returns the address of a hub without its trailing slash. Raises ValueError for one that would leak a token."""
    parts = urlsplit(value)
    if parts.scheme not in ("https", "http") or not parts.hostname or parts.username or parts.query or parts.fragment:
        raise ValueError("endpoint must be an address such as https://huggingface.co")
    if parts.scheme == "http" and not _is_loopback(parts.hostname):
        raise ValueError("endpoint must use https: otherwise the token could be read in transit")
    return value.rstrip("/")


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class HubModel(_Part):
    """A model of a hub at a revision, resolved to its commit once."""

    id: str = Field(pattern=REPO_ID)
    revision: str = Field(pattern=REVISION)
    endpoint: str

    _endpoint = field_validator("endpoint")(checked_endpoint)


class ExportSource(_Part):
    """What to publish: exactly one of the two."""

    checkpoint_id: str | None = Field(default=None, pattern=SAFE_ID)
    hub_model: HubModel | None = None

    @model_validator(mode="after")
    def _exactly_one(self) -> ExportSource:
        if (self.checkpoint_id is None) == (self.hub_model is None):
            raise ValueError("source must be exactly one of checkpoint_id and hub_model")
        return self


class Destination(_Part):
    endpoint: str
    repo_id: str = Field(pattern=REPO_ID)
    private: bool = True
    revision: str = Field(default="main", pattern=REVISION)

    _endpoint = field_validator("endpoint")(checked_endpoint)


class Card(_Part):
    """What the caller states about the model; the trainer adds what it knows itself."""

    title: str | None = Field(default=None, max_length=200)
    license: str | None = Field(default=None, max_length=100)
    tags: list[str] = Field(default_factory=list, max_length=50)
    facts: dict[str, Any] = Field(default_factory=dict, max_length=100)


class ExportRequest(_Part):
    export_id: str = Field(pattern=SAFE_ID)
    source: ExportSource
    format: ExportFormat
    quantization: str | None = None
    destination: Destination
    card: Card = Field(default_factory=Card)

    @model_validator(mode="after")
    def _quantization_fits_format(self) -> ExportRequest:
        allowed = QUANTIZATIONS["gguf"]
        if self.format != "gguf" and self.quantization is not None:
            raise ValueError(f"{self.format} takes no quantization")
        if self.format == "gguf" and self.quantization not in allowed:
            raise ValueError(f"quantization of gguf must be one of {', '.join(allowed)}")
        return self


class Progress(_Part):
    bytes_done: int = 0
    bytes_total: int | None = None


class ExportResult(_Part):
    """The outcome. `commit_oid` is the one commit that contains all files."""

    status: Literal["succeeded", "failed", "cancelled"]
    progress: Progress = Field(default_factory=Progress)
    commit_oid: str | None = None
    url: str | None = None
    files: list[ArtifactFile] = Field(default_factory=list)
    error: TrainerError | None = None
