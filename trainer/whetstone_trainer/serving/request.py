"""A deployment's request, and the plan of its server process: the shapes of PUT /v1/deployments and plan.json."""

from __future__ import annotations

from typing import Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, model_validator

from ..artifacts.request import SAFE_ID, ArtifactKind
from ..spec import BaseModelRef, CompressedQuantization, GgufQuantization

Backend = Literal["transformers", "llama.cpp", "vllm"]
BACKENDS: tuple[Backend, ...] = get_args(Backend)
GGUF: frozenset[str] = frozenset(get_args(GgufQuantization))
COMPRESSED: frozenset[str] = frozenset(get_args(CompressedQuantization))
# The process's own password: no other user of this machine can use its port, and no other process can impersonate it.
TOKEN_VARIABLE = "WHETSTONE_SERVE_TOKEN"
# Lets a service find the servers that an earlier one started: its value is the deployment's folder.
FOLDER_VARIABLE = "WHETSTONE_DEPLOYMENT"
# Exit code of a server whose port is used by another process; the supervisor chooses another port.
EXIT_PORT_TAKEN = 98


class DeploymentRequest(BaseModel):
    """Serves a checkpoint, or a base model, under a name. Without a quantization it is served as it was trained."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

    checkpoint_id: str | None = Field(default=None, pattern=SAFE_ID)
    base: BaseModelRef | None = None
    served_model_name: str = Field(pattern=r"^[A-Za-z0-9][^\s\x00-\x1f\x7f]{0,199}$")
    backend: Literal["auto", "transformers", "llama.cpp", "vllm"] = "auto"
    quantization: GgufQuantization | CompressedQuantization | None = None
    timeout_seconds: float = Field(default=1200, gt=0, le=24 * 3600)
    idle_timeout_seconds: float | None = Field(default=None, gt=0)

    @model_validator(mode="after")
    def _exactly_one(self) -> DeploymentRequest:
        if (self.checkpoint_id is None) == (self.base is None):
            raise ValueError("a deployment serves exactly one of checkpoint_id and base")
        if self.base is not None and self.quantization is not None:
            raise ValueError("a base model is served as it is; a quantization belongs to a checkpoint")
        return self

    @property
    def form(self) -> ArtifactKind | None:
        """Returns the kind of artifact that is served; None if the checkpoint or the base itself is."""
        if self.quantization is None:
            return None
        return "gguf" if self.quantization in GGUF else "compressed"


class ServePlan(BaseModel):
    """Everything that a server process needs to know. `identity` is what it reports to be serving."""

    model_config = ConfigDict(extra="forbid")

    served_model_name: str
    backend: Backend
    checkpoint_id: str | None
    base: BaseModelRef | None
    artifact_id: str | None
    form: ArtifactKind | None
    quantization: str | None
    identity: str


class Defaults(BaseModel):
    """How answers are sampled if a call does not specify it. A `top_k` of 0 means no limit."""

    model_config = ConfigDict(extra="forbid")

    temperature: float = 1.0
    top_p: float = 1.0
    top_k: int = 0


class ServeProfile(BaseModel):
    """How a model must be served to answer as it was trained."""

    model_config = ConfigDict(extra="forbid")

    chat_template: str | None
    eos_token_ids: list[int]
    max_context: int
    generation_config: dict[str, Any]

    @property
    def defaults(self) -> Defaults:
        """Returns the model's own sampling settings, and OpenAI's for those it lacks."""
        config = self.generation_config
        return Defaults(
            temperature=_number(config.get("temperature"), 1.0),
            top_p=_number(config.get("top_p"), 1.0),
            top_k=int(_number(config.get("top_k"), 0)),
        )


def _number(value: Any, default: float) -> float:
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else default
