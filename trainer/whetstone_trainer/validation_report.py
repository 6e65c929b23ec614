"""What a dry run found: everything a user needs to see before time is spent on training."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from .trainer_error import TrainerError

DropCode = Literal[
    "example_too_long",
    "empty_answer",
    "identical_pair",
    "bad_roles",
    "bad_row",
    "tools_unsupported",
    "template_failed",
]
WarningCode = Literal[
    "rows_dropped",
    "rows_truncated",
    "duplicate_examples",
    "validation_leakage",
    "ends_with_user",
    "kto_labels_unbalanced",
    "template_not_prefix_preserving",
    "template_not_as_served",
    "template_without_generation_tags",
    "only_last_turn_trained",
    "tight_memory",
    "tight_disk",
    "example_erased",
    "quantization_ignored",
    "no_validation_set",
    "sequence_longer_than_model",
]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid")


class DroppedRow(_Part):
    example_id: str
    code: DropCode
    message: str
    tokens: int | None = None
    split: Literal["train", "validation"] = "train"


class ValidationWarning(_Part):
    code: WarningCode
    message: str
    count: int | None = None
    # The first 20; the count is exact.
    example_ids: list[str] = Field(default_factory=list, max_length=20)


class RowCounts(_Part):
    total: int = 0
    usable: int = 0
    validation_total: int = 0
    validation_usable: int = 0
    too_long: int = 0
    empty_answer: int = 0
    duplicate: int = 0
    identical_pair: int = 0
    bad: int = 0
    erased: int = 0
    leaked: int = 0
    label_counts: dict[str, int] | None = None


class HistogramBin(_Part):
    """Rows whose token count is >= `start` and < `end`."""

    start: int
    end: int
    rows: int


class TokenCounts(_Part):
    total: int = 0
    trained: int = 0
    p50: int = 0
    p95: int = 0
    p99: int = 0
    max: int = 0
    histogram: list[HistogramBin] = Field(default_factory=list)


class Truncation(_Part):
    max_length: int
    rows: int = 0
    tokens_lost: int = 0


class TemplateFacts(_Part):
    has_template: bool
    training_compatible: bool = False
    stop_token_trained: bool = False
    prefix_preserving: bool = False
    sha256: str | None = None
    source: Literal["model", "trl_patched", "none"] = "none"
    supports_tools: bool = False


class Segment(_Part):
    """A run of the rendered string. `cut` text is beyond max_length and is never seen by the model."""

    text: str
    trained: bool
    cut: bool = False
    # How much its tokens count in the loss; 0 if they are only read.
    weight: float = 0


class Turn(_Part):
    """A message of a rendered string and its weight; None for messages that are never answers."""

    role: str
    weight: float | None


class RenderedExample(_Part):
    example_id: str
    reason: Literal["worst", "median", "shortest"]
    part: Literal["messages", "chosen", "rejected", "completion"]
    tokens: int
    trained_tokens: int
    cut_tokens: int
    segments: list[Segment]
    turns: list[Turn] = Field(default_factory=list)


class MemoryBreakdown(_Part):
    weights: int
    gradients: int
    optimizer: int
    activations: int
    logits: int
    reference_model: int
    overhead: int


class MemoryEstimate(_Part):
    estimate_bytes: int
    available_bytes: int | None
    breakdown: MemoryBreakdown
    fits: Literal["yes", "tight", "no", "unknown"]
    device: str


class EtaRange(_Part):
    low: float
    high: float


class Cost(_Part):
    amount: float
    currency: str


class ValidationReport(_Part):
    ok: bool
    errors: list[TrainerError] = Field(default_factory=list)
    warnings: list[ValidationWarning] = Field(default_factory=list)
    rows: RowCounts = Field(default_factory=RowCounts)
    # The first 200; `rows` has the exact counts.
    dropped: list[DroppedRow] = Field(default_factory=list, max_length=200)
    tokens: TokenCounts = Field(default_factory=TokenCounts)
    truncation: Truncation | None = None
    template: TemplateFacts | None = None
    rendered_examples: list[RenderedExample] = Field(default_factory=list)
    memory: MemoryEstimate | None = None
    steps_total: int | None = None
    eta_seconds: EtaRange | None = None
    disk_needed_bytes: int | None = None
    disk_free_bytes: int | None = None
    cost: Cost | None = None
    resolved_spec: dict[str, Any] | None = None
