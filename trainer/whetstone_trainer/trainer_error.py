"""What went wrong, who can fix it, and what to do next: one shape for every failure."""

from __future__ import annotations

from typing import Literal, get_args

from pydantic import BaseModel, ConfigDict, Field

ErrorCode = Literal[
    "invalid_spec",
    "unsupported_combination",
    "engine_dependency_missing",
    "capability_missing",
    "manifest_not_found",
    "manifest_hash_mismatch",
    "dataset_empty",
    "dataset_incompatible",
    "too_many_rows_dropped",
    "kto_labels_missing",
    "batch_too_small",
    "template_missing",
    "template_not_trainable",
    "stop_token_not_trained",
    "base_model_not_found",
    "base_model_corrupt",
    "base_model_gated",
    "base_model_revision_changed",
    "hub_auth_failed",
    "hub_rate_limited",
    "network_unavailable",
    "remote_code_refused",
    "estimated_oom",
    "out_of_memory_gpu",
    "out_of_memory_host",
    "disk_full",
    "device_busy",
    "device_lost",
    "diverged",
    "stalled",
    "max_runtime_exceeded",
    "worker_vanished",
    "worker_crashed",
    "attempt_limit",
    "checkpoint_corrupt",
    "resume_incompatible",
    "cancelled",
    "merge_parity_failed",
    "tokenizer_pre_unknown",
    "conversion_failed",
    "architecture_unsupported",
    "quantization_failed",
    "quantization_fallback",
    "calibration_failed",
    "deploy_start_failed",
    "deploy_unhealthy",
    "deploy_name_conflict",
    "deploy_timeout",
    "adapter_rank_too_large",
    "adapter_not_servable",
    "export_failed",
    "idempotency_mismatch",
    "in_use",
    "unauthorized",
    "trainer_unreachable",
]
ERROR_CODES: tuple[ErrorCode, ...] = get_args(ErrorCode)
Blame = Literal["user", "platform", "hardware", "dependency"]
Phase = Literal[
    "validating",
    "downloading_model",
    "loading_model",
    "preparing_dataset",
    "baseline_eval",
    "training",
    "saving",
    "evaluating",
    "merging",
    "converting",
    "quantizing",
    "finalizing",
]

# Codes absent from these two tables are for the user to fix, and the same request fails again.
_BLAME: dict[ErrorCode, Blame] = {
    "engine_dependency_missing": "dependency",
    "capability_missing": "platform",
    "manifest_hash_mismatch": "platform",
    "hub_rate_limited": "dependency",
    "network_unavailable": "dependency",
    "estimated_oom": "hardware",
    "out_of_memory_gpu": "hardware",
    "out_of_memory_host": "hardware",
    "disk_full": "hardware",
    "device_busy": "hardware",
    "device_lost": "hardware",
    "stalled": "platform",
    "worker_vanished": "platform",
    "worker_crashed": "platform",
    "attempt_limit": "platform",
    "checkpoint_corrupt": "hardware",
    "merge_parity_failed": "platform",
    "tokenizer_pre_unknown": "dependency",
    "conversion_failed": "dependency",
    "architecture_unsupported": "dependency",
    "quantization_failed": "dependency",
    "quantization_fallback": "dependency",
    "calibration_failed": "dependency",
    "deploy_start_failed": "platform",
    "deploy_unhealthy": "platform",
    "deploy_timeout": "platform",
    "export_failed": "dependency",
    "trainer_unreachable": "platform",
}
_RETRYABLE: frozenset[ErrorCode] = frozenset(
    {
        "hub_rate_limited",
        "network_unavailable",
        "out_of_memory_host",
        "disk_full",
        "device_busy",
        "device_lost",
        "stalled",
        "worker_vanished",
        "worker_crashed",
        "deploy_timeout",
        "export_failed",
        "trainer_unreachable",
    }
)


def blame_of(code: ErrorCode) -> Blame:
    """Returns who can fix an error of this code."""
    return _BLAME.get(code, "user")


class TrainerError(BaseModel):
    """An error as sent over the wire. `retryable`: the same request may succeed later, unchanged."""

    model_config = ConfigDict(extra="forbid")

    code: ErrorCode
    message: str
    param: str | None = None
    retryable: bool = False
    blame: Blame = "user"
    phase: Phase | None = None
    hint: str | None = None
    log_tail: list[str] = Field(default_factory=list, max_length=50)

    @classmethod
    def of(
        cls,
        code: ErrorCode,
        message: str,
        *,
        param: str | None = None,
        phase: Phase | None = None,
        hint: str | None = None,
        log_tail: list[str] | None = None,
    ) -> TrainerError:
        """Returns an error whose blame and retryability follow from its code."""
        return cls(
            code=code,
            message=message,
            param=param,
            retryable=code in _RETRYABLE,
            blame=blame_of(code),
            phase=phase,
            hint=hint,
            log_tail=(log_tail or [])[-50:],
        )


class TrainerFailure(Exception):
    """Raised with the TrainerError that ends the current work."""

    def __init__(self, error: TrainerError) -> None:
        super().__init__(f"{error.code}: {error.message}")
        self.error = error

    @classmethod
    def of(cls, code: ErrorCode, message: str, *, param: str | None = None, hint: str | None = None) -> TrainerFailure:
        return cls(TrainerError.of(code, message, param=param, hint=hint))
