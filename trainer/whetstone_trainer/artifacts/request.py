"""What the service requests and what it gets: the shapes of request.json, result.json and MANIFEST.json."""

from __future__ import annotations

from typing import Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, model_validator

from ..spec import CompressedQuantization, GgufQuantization
from ..trainer_error import TrainerError

ArtifactKind = Literal["merged-16bit", "lora-adapter", "gguf", "gguf-lora", "compressed"]
# Ids become folder names, so they must contain nothing that could leave the folder.
SAFE_ID = r"^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$"
QUANTIZATIONS: dict[ArtifactKind, tuple[str, ...]] = {
    "gguf": get_args(GgufQuantization),
    "compressed": get_args(CompressedQuantization),
}


class ArtifactRequest(BaseModel):
    """One artifact of one checkpoint. `quantization` belongs to gguf and compressed, and to no other kind."""

    model_config = ConfigDict(extra="forbid")

    artifact_id: str = Field(pattern=SAFE_ID)
    checkpoint_id: str = Field(pattern=SAFE_ID)
    job_id: str = Field(pattern=SAFE_ID)
    kind: ArtifactKind
    quantization: str | None = None

    @model_validator(mode="after")
    def _quantization_fits_kind(self) -> ArtifactRequest:
        allowed = QUANTIZATIONS.get(self.kind)
        if allowed is None and self.quantization is not None:
            raise ValueError(f"{self.kind} takes no quantization")
        if allowed is not None and self.quantization not in allowed:
            raise ValueError(f"quantization of {self.kind} must be one of {', '.join(allowed)}")
        return self


class ArtifactFile(BaseModel):
    """A file of an artifact. `path` is relative to the artifact's folder; `size` is in bytes."""

    model_config = ConfigDict(extra="forbid")

    path: str
    size: int
    sha256: str


class ArtifactResult(BaseModel):
    """The outcome of a build. `files` is empty unless it is ready; `warnings` never stop a build."""

    model_config = ConfigDict(extra="forbid")

    status: Literal["ready", "failed"]
    error: TrainerError | None = None
    warnings: list[TrainerError] = Field(default_factory=list)
    files: list[ArtifactFile] = Field(default_factory=list)


class BuildRecord(BaseModel):
    """A finished build: its files, the warnings and the figures of its checks."""

    model_config = ConfigDict(extra="forbid")

    files: list[ArtifactFile]
    warnings: list[TrainerError] = Field(default_factory=list)
    checks: dict[str, Any] = Field(default_factory=dict)
    tools: dict[str, str] = Field(default_factory=dict)

    @property
    def bytes(self) -> int:
        return sum(file.size for file in self.files)
