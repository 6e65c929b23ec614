"""The job spec as the web app sends it, and its hash. Refuses unknown fields."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Annotated, Any, Literal

import rfc8785
from pydantic import BaseModel, ConfigDict, Field, model_validator

from .trainer_error import ERROR_CODES, Blame, ErrorCode, Phase, TrainerError, TrainerFailure
from .validation_report import ValidationReport

__all__ = [
    "ERROR_CODES",
    "Adapter",
    "BaseModelRef",
    "Blame",
    "Checkpointing",
    "CompressedQuantization",
    "ErrorCode",
    "Evaluation",
    "GgufQuantization",
    "JobSpec",
    "Limits",
    "Lora",
    "ManifestRef",
    "Method",
    "Output",
    "Phase",
    "Quantization",
    "Samples",
    "TrainerError",
    "TrainerFailure",
    "Training",
    "ValidationFile",
    "ValidationFraction",
    "ValidationReport",
    "canonical_json",
    "spec_hash",
]

Auto = Literal["auto"]
Method = Literal["sft", "dpo", "orpo", "kto"]
Adapter = Literal["lora", "qlora", "full"]
GgufQuantization = Literal["q4_0", "q4_k_s", "q4_k_m", "q5_0", "q5_k_m", "q6_k", "q8_0", "f16", "bf16", "f32"]
CompressedQuantization = Literal["fp8", "fp8_dynamic", "fp8_static", "int8"]
OutputFormat = Literal["safetensors", "gguf"]
LossType = Literal[
    "nll",
    "dft",
    "sigmoid",
    "hinge",
    "ipo",
    "robust",
    "apo_zero",
    "apo_down",
    "sft",
    "odds_ratio",
    "kto",
    "apo_zero_unpaired",
]
Positive = Annotated[float, Field(gt=0)]
AtLeastOne = Annotated[int, Field(ge=1)]
Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)


class BaseModelRef(_Part):
    """Where training starts. `id` is a hub id or an absolute path; with `checkpoint` it names the original base."""

    id: str = Field(min_length=1, max_length=1000)
    revision: str | None = None
    source: Literal["hub", "local", "checkpoint"] = "hub"
    checkpoint_id: Annotated[str, Field(pattern=r"^ckpt_[0-9a-z]+$")] | None = None
    trust_remote_code: bool = False

    @model_validator(mode="after")
    def _checkpoint_is_named(self) -> BaseModelRef:
        if (self.source == "checkpoint") != (self.checkpoint_id is not None):
            raise ValueError('checkpoint_id is required for source "checkpoint", and not allowed for any other')
        return self


class ValidationFile(_Part):
    sha256: Sha256


class ValidationFraction(_Part):
    fraction: float = Field(gt=0, lt=1)
    seed: int = 42


class ManifestRef(_Part):
    sha256: Sha256
    rows: int = Field(ge=0)
    schema_: str = Field(default="chat.v1", alias="schema", serialization_alias="schema")
    validation: ValidationFile | ValidationFraction | None = None


class Training(_Part):
    """Hyperparameters by the names of transformers and TRL. Lengths are in tokens."""

    num_train_epochs: Positive | Auto = "auto"
    max_steps: AtLeastOne | None = None
    learning_rate: Positive | Auto = "auto"
    lr_scheduler_type: Literal["linear", "cosine", "constant", "constant_with_warmup"] = "cosine"
    warmup_ratio: float = Field(default=0.03, ge=0, lt=1)
    per_device_train_batch_size: AtLeastOne | Auto = "auto"
    gradient_accumulation_steps: AtLeastOne | Auto = "auto"
    max_length: AtLeastOne | Auto = "auto"
    overflow: Literal["error", "drop", "truncate"] = "drop"
    # The messages whose tokens are learned, of those that have no weight of their own.
    train_on: Literal["all_assistant", "last_assistant", "all"] = "last_assistant"
    packing: bool = False
    optim: Literal["adamw_torch", "adamw_torch_fused", "adamw_8bit", "paged_adamw_8bit", "adafactor", "sgd"] = (
        "adamw_torch"
    )
    weight_decay: float = Field(default=0.0, ge=0)
    max_grad_norm: float = Field(default=1.0, ge=0)
    bf16: bool | Auto = "auto"
    gradient_checkpointing: bool = True
    seed: int = Field(default=42, ge=0, lt=2**32)
    beta: Positive = 0.1
    loss_type: LossType | None = None
    desirable_weight: Positive | Auto = "auto"
    undesirable_weight: Positive | Auto = "auto"


class Lora(_Part):
    r: int = Field(default=16, ge=1, le=512)
    lora_alpha: int = Field(default=32, ge=1)
    lora_dropout: float = Field(default=0.0, ge=0, lt=1)
    target_modules: str | list[str] = "all-linear"
    use_rslora: bool = False
    use_dora: bool = False


class Quantization(_Part):
    bnb_4bit_quant_type: Literal["nf4", "fp4"] = "nf4"
    bnb_4bit_use_double_quant: bool = True
    bnb_4bit_compute_dtype: Literal["auto", "bfloat16", "float16", "float32"] = "auto"


class Samples(_Part):
    """Prompts of the validation set that are generated at every evaluation."""

    count: int = Field(default=5, ge=0, le=50)
    max_new_tokens: int = Field(default=256, ge=1, le=4096)
    temperature: float = Field(default=0, ge=0, le=2)


class Evaluation(_Part):
    eval_steps: AtLeastOne | Auto = "auto"
    eval_on_start: bool = True
    early_stopping_patience: AtLeastOne | None = None
    metric: str = "eval_loss"
    samples: Samples = Field(default_factory=Samples)


class Checkpointing(_Part):
    save_steps: AtLeastOne | Auto = "auto"
    save_total_limit: int = Field(default=3, ge=1)
    keep_best: bool = True


class Output(_Part):
    formats: list[OutputFormat] = ["safetensors"]
    gguf_quantizations: list[GgufQuantization] = Field(default_factory=list)
    compressed_quantizations: list[CompressedQuantization] = Field(default_factory=list)
    # Part of file names, so it must contain nothing that could leave a folder.
    suffix: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")] | None = None

    @model_validator(mode="after")
    def _suffix_stays_in_its_folder(self) -> Output:
        if self.suffix is not None and ".." in self.suffix:
            raise ValueError('suffix must not contain ".."')
        return self


class Limits(_Part):
    max_runtime_seconds: Positive | None = None
    max_restarts: int = Field(default=3, ge=0)
    max_dropped_fraction: float = Field(default=0.3, ge=0, le=1)
    stall_timeout_seconds: float = Field(default=900, gt=0)
    min_free_disk_bytes: int | None = Field(default=None, ge=0)


class JobSpec(_Part):
    # Since 2, manifests have tools and arguments as text, and weights. Jobs of before can still be resumed.
    spec_version: Literal[1, 2] = 1
    engine: Literal["transformers"] = "transformers"
    method: Method
    adapter: Adapter
    base_model: BaseModelRef
    manifest: ManifestRef
    training: Training = Field(default_factory=Training)
    lora: Lora = Field(default_factory=Lora)
    quantization: Quantization = Field(default_factory=Quantization)
    evaluation: Evaluation = Field(default_factory=Evaluation)
    checkpointing: Checkpointing = Field(default_factory=Checkpointing)
    output: Output = Field(default_factory=Output)
    limits: Limits = Field(default_factory=Limits)
    metadata: dict[str, Any] = Field(default_factory=dict)

    def document(self, *, as_sent: bool = False) -> dict[str, Any]:
        """Returns the spec as JSON data; `as_sent` omits what the sender omitted."""
        return self.model_dump(mode="json", by_alias=True, exclude_unset=as_sent)


def canonical_json(value: Any) -> bytes:
    """Returns RFC 8785 JSON: the same bytes for the same value, whichever language wrote it."""
    return rfc8785.dumps(value)


def spec_hash(spec: JobSpec | Mapping[str, Any]) -> str:
    """Returns the sha256 of the spec as it was sent, so that a later default never changes the hash of an old job."""
    document = spec.document(as_sent=True) if isinstance(spec, JobSpec) else dict(spec)
    return hashlib.sha256(canonical_json(document)).hexdigest()
