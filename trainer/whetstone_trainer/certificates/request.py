"""A certificate's request and result: the shapes of request.json and result.json."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from ..artifacts.request import QUANTIZATIONS, SAFE_ID
from ..background import RESULT, read_or_none
from ..files import write_json
from ..trainer_error import TrainerError

FormKind = Literal["merged-16bit", "gguf", "compressed"]
SubjectKind = Literal["merged-16bit", "gguf", "compressed", "deployment"]
Verdict = Literal["same", "close", "different"]
PROMPTS = 8
FORMS_MAX = 16


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Form(_Part):
    """Something built from a checkpoint. `quantization` belongs to gguf and compressed."""

    kind: FormKind
    quantization: str | None = None

    @model_validator(mode="after")
    def _quantization_fits_kind(self) -> Form:
        allowed = QUANTIZATIONS.get(self.kind)
        if allowed is None and self.quantization is not None:
            raise ValueError(f"{self.kind} takes no quantization")
        if allowed is not None and self.quantization not in allowed:
            raise ValueError(f"quantization of {self.kind} must be one of {', '.join(allowed)}")
        return self


class CertificateRequest(_Part):
    """What is compared with the checkpoint: forms of it, a running deployment, or both."""

    certificate_id: str = Field(pattern=SAFE_ID)
    checkpoint_id: str = Field(pattern=SAFE_ID)
    forms: list[Form] = Field(default_factory=list, max_length=FORMS_MAX)
    deployment_id: str | None = Field(default=None, pattern=SAFE_ID)
    max_new_tokens: int = Field(default=48, ge=1, le=512)

    @model_validator(mode="after")
    def _compares_something_once(self) -> CertificateRequest:
        if not self.forms and self.deployment_id is None:
            raise ValueError("name a form or a deployment to compare")
        if len({(form.kind, form.quantization) for form in self.forms}) != len(self.forms):
            raise ValueError("forms contains the same form twice")
        return self


class Threshold(_Part):
    """How much a form may differ, in nats per token of the checkpoint's answers."""

    mean_logprob_distance: float
    max_logprob_distance: float
    near_tie: float


class Subject(_Part):
    """How one form compares. `first_difference` is the smallest token index at which an answer diverges."""

    kind: SubjectKind
    quantization: str | None = None
    deployment_id: str | None = None
    verdict: Verdict | None = None
    prompts: int = 0
    identical_answers: int = 0
    tokens_compared: int = 0
    tokens_equal: int = 0
    first_difference: int | None = None
    mean_logprob_distance: float | None = None
    max_logprob_distance: float | None = None
    threshold: Threshold
    error: TrainerError | None = None


class Spoken(_Part):
    content: str
    tokens: int


class SubjectAnswer(_Part):
    kind: SubjectKind
    quantization: str | None
    deployment_id: str | None
    content: str | None


class Answer(_Part):
    """One prompt, with the answers of the checkpoint and of each subject."""

    messages: list[dict[str, Any]]
    reference: Spoken
    subjects: list[SubjectAnswer]


class CertificateResult(_Part):
    """The outcome. `manifest_sha256` identifies the manifest whose text is in `answers`."""

    status: Literal["ready", "failed"]
    verdict: Literal["passed", "failed"] | None = None
    profile_sha256: str | None = None
    manifest_sha256: str | None = None
    subjects: list[Subject] = Field(default_factory=list)
    answers: list[Answer] = Field(default_factory=list)
    error: TrainerError | None = None


def forget_answers(home: Path, manifest_sha256: str) -> None:
    """Deletes prompts and answers from the certificates whose prompts came from a manifest; their figures stay."""
    for path in home.glob(f"certificates/*/{RESULT}"):
        result = read_or_none(path)
        if isinstance(result, dict) and result.get("manifest_sha256") == manifest_sha256:
            write_json(path, {**result, "answers": []})
