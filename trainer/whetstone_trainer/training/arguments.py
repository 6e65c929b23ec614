"""Translates a resolved spec into the configuration of a TRL trainer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..spec import JobSpec
from .resolve_spec import Machine

# KTO estimates its KL term from the rows of a batch, so losses of two jobs compare only if their batches are equal.
KTO_EVAL_BATCH = 4


def trainer_arguments(spec: JobSpec, machine: Machine, output: Path, *, evaluates: bool, baseline: bool) -> Any:
    """Returns SFTConfig, DPOConfig, ORPOConfig or KTOConfig. `baseline` also evaluates before the first step."""
    training = spec.training
    common: dict[str, Any] = {
        "output_dir": str(output),
        "per_device_train_batch_size": training.per_device_train_batch_size,
        "per_device_eval_batch_size": eval_batch_size(spec),
        "gradient_accumulation_steps": training.gradient_accumulation_steps,
        "num_train_epochs": float(training.num_train_epochs),
        "max_steps": training.max_steps or -1,
        "learning_rate": training.learning_rate,
        "lr_scheduler_type": training.lr_scheduler_type,
        # transformers reads a value below 1 as a share of all steps.
        "warmup_steps": training.warmup_ratio,
        "weight_decay": training.weight_decay,
        "max_grad_norm": training.max_grad_norm,
        "optim": training.optim,
        "bf16": training.bf16,
        "use_cpu": machine.kind == "cpu",
        "gradient_checkpointing": training.gradient_checkpointing,
        "seed": training.seed,
        "data_seed": training.seed,
        "logging_steps": 1,
        # The filter would report an exploded loss as 0.0 and let the run succeed.
        "logging_nan_inf_filter": False,
        "save_strategy": "steps",
        "save_steps": spec.checkpointing.save_steps,
        "eval_strategy": "steps" if evaluates else "no",
        "eval_steps": spec.evaluation.eval_steps if evaluates else None,
        "eval_on_start": evaluates and baseline,
        "prediction_loss_only": True,
        "report_to": [],
        "disable_tqdm": True,
        "dataloader_pin_memory": machine.kind == "cuda",
        "max_length": training.max_length,
    }
    return _BUILDERS[spec.method](spec, common)


def eval_batch_size(spec: JobSpec) -> int:
    """Returns the rows of a batch of an evaluation, on which only KTO's loss depends."""
    return KTO_EVAL_BATCH if spec.method == "kto" else int(spec.training.per_device_train_batch_size)


def _sft(spec: JobSpec, common: dict[str, Any]) -> Any:
    from trl.trainer.sft_config import SFTConfig

    # Rows are already tokenized and labelled; only packing still needs TRL's preparation.
    skip = None if spec.training.packing else {"skip_prepare_dataset": True}
    return SFTConfig(
        **common, packing=spec.training.packing, loss_type=str(spec.training.loss_type), dataset_kwargs=skip
    )


def _dpo(spec: JobSpec, common: dict[str, Any]) -> Any:
    from trl.trainer.dpo_config import DPOConfig

    return DPOConfig(**common, beta=spec.training.beta, loss_type=[str(spec.training.loss_type)])


def _orpo(spec: JobSpec, common: dict[str, Any]) -> Any:
    from trl.experimental.orpo import ORPOConfig

    common.pop("prediction_loss_only")
    return ORPOConfig(**common, beta=spec.training.beta)


def _kto(spec: JobSpec, common: dict[str, Any]) -> Any:
    from trl.trainer.kto_config import KTOConfig

    return KTOConfig(
        **common,
        beta=spec.training.beta,
        loss_type=str(spec.training.loss_type),
        desirable_weight=float(spec.training.desirable_weight),
        undesirable_weight=float(spec.training.undesirable_weight),
        train_sampling_strategy="sequential",
    )


_BUILDERS = {"sft": _sft, "dpo": _dpo, "orpo": _orpo, "kto": _kto}
