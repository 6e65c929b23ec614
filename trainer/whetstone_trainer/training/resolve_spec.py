"""Replaces every "auto" in a spec. The result is what runs and what the user is shown."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

from ..spec import Adapter, JobSpec, Method
from ..trainer_error import TrainerFailure
from .memory import ModelSize, estimate_memory, fits

# Learning rates that work for LoRA; full fine-tuning needs about a tenth of them.
LEARNING_RATES: dict[Method, tuple[float, float]] = {
    "sft": (2e-4, 2e-5),
    "dpo": (5e-6, 5e-7),
    "orpo": (8e-6, 1e-6),
    "kto": (5e-6, 1e-6),
}
EPOCHS: dict[Method, float] = {"sft": 3, "dpo": 1, "orpo": 1, "kto": 1}
LOSS_TYPES: dict[Method, tuple[str, ...]] = {
    "sft": ("nll", "dft"),
    "dpo": ("sigmoid", "hinge", "ipo", "robust", "apo_zero", "apo_down", "sft"),
    "orpo": ("odds_ratio",),
    "kto": ("kto", "apo_zero_unpaired"),
}
EFFECTIVE_BATCH = 16
# Fewer updates per epoch than this teach little, so a small set gets a smaller effective batch.
UPDATES_PER_EPOCH = 8
EVALUATIONS = 10
SHORTEST_MAX_LENGTH = 512
Compute = Literal["bfloat16", "float16", "float32"]


@dataclass(frozen=True)
class Machine:
    """What the worker can use. Bytes are None when unknown."""

    kind: Literal["cpu", "cuda", "mps"]
    name: str
    memory_bytes: int | None
    bf16: bool
    device_count: int = 1


@dataclass(frozen=True)
class DataFacts:
    """Row counts and lengths in tokens, before anything is cut."""

    rows: int
    validation_rows: int
    p99: int
    longest: int
    desirable: int = 0
    undesirable: int = 0


def resolve_spec(spec: JobSpec, model_limit: int, size: ModelSize, data: DataFacts, machine: Machine) -> JobSpec:
    """Returns the spec with every "auto" replaced. Raises TrainerFailure invalid_spec or batch_too_small."""
    training = spec.training
    changes: dict[str, Any] = {
        "num_train_epochs": float(_auto(training.num_train_epochs, EPOCHS[spec.method])),
        "learning_rate": _auto(training.learning_rate, default_learning_rate(spec.method, spec.adapter)),
        "max_length": _auto(training.max_length, default_max_length(data.p99, model_limit)),
        "bf16": _auto(training.bf16, machine.kind != "cpu" and machine.bf16) and machine.kind != "cpu",
        "loss_type": _loss_type(spec),
    }
    if machine.kind == "cpu":
        # Recomputing activations saves memory, which a CPU has plenty of, and costs time, which it has not.
        changes["gradient_checkpointing"] = training.gradient_checkpointing and size.parameters > 1_000_000_000
    changes.update(_kto_weights(spec, data))
    resolved = spec.model_copy(update={"training": training.model_copy(update=changes)})
    batch, accumulation = _batch_sizes(resolved, size, data, machine)
    changes = {"per_device_train_batch_size": batch, "gradient_accumulation_steps": accumulation}
    resolved = resolved.model_copy(update={"training": resolved.training.model_copy(update=changes)})
    return _with_intervals(resolved, data).model_copy(
        update={
            "quantization": spec.quantization.model_copy(
                update={"bnb_4bit_compute_dtype": compute_dtype(spec, machine)}
            )
        }
    )


def default_learning_rate(method: Method, adapter: Adapter) -> float:
    return LEARNING_RATES[method][1 if adapter == "full" else 0]


def default_max_length(p99: int, model_limit: int) -> int:
    """Returns a length in tokens that 99 of 100 rows fit into, never above the model's limit."""
    wanted = max(SHORTEST_MAX_LENGTH, math.ceil(p99 / 64) * 64)
    return min(wanted, model_limit)


def steps_total(spec: JobSpec, rows: int, device_count: int = 1) -> int:
    """Returns the optimizer steps of a resolved spec, counted as transformers counts them."""
    if spec.training.max_steps is not None:
        return spec.training.max_steps
    batch = int(spec.training.per_device_train_batch_size) * device_count
    batches = math.ceil(rows / batch)
    updates = max(1, math.ceil(batches / int(spec.training.gradient_accumulation_steps)))
    return math.ceil(float(spec.training.num_train_epochs) * updates)


def compute_dtype(spec: JobSpec, machine: Machine) -> Compute:
    """Returns the type that 4-bit weights are dequantized to. bitsandbytes' CPU kernels know bfloat16 and float32."""
    asked = spec.quantization.bnb_4bit_compute_dtype
    if asked != "auto":
        return asked
    return "bfloat16" if machine.bf16 or machine.kind == "cpu" else "float16"


def _auto(value: Any, default: Any) -> Any:
    return default if value == "auto" else value


def _loss_type(spec: JobSpec) -> str:
    known = LOSS_TYPES[spec.method]
    asked = spec.training.loss_type or known[0]
    if asked not in known:
        raise TrainerFailure.of(
            "invalid_spec",
            f"{spec.method} has no loss type {asked}",
            param="training.loss_type",
            hint=f"Use one of {', '.join(known)}.",
        )
    return asked


def _kto_weights(spec: JobSpec, data: DataFacts) -> dict[str, float]:
    """Returns weights that give the rarer label the same total weight as the other, as the KTO paper recommends."""
    desirable, undesirable = 1.0, 1.0
    if spec.method == "kto" and data.desirable and data.undesirable:
        if data.desirable < data.undesirable:
            desirable = round(data.undesirable / data.desirable, 4)
        else:
            undesirable = round(data.desirable / data.undesirable, 4)
    return {
        "desirable_weight": _auto(spec.training.desirable_weight, desirable),
        "undesirable_weight": _auto(spec.training.undesirable_weight, undesirable),
    }


def _batch_sizes(spec: JobSpec, size: ModelSize, data: DataFacts, machine: Machine) -> tuple[int, int]:
    smallest = 2 if spec.method == "kto" else 1
    wanted = spec.training.per_device_train_batch_size
    if wanted != "auto" and wanted < smallest:
        raise TrainerFailure.of(
            "batch_too_small",
            "KTO compares the rows of a batch, so a batch of 1 teaches nothing",
            param="training.per_device_train_batch_size",
            hint="Use at least 2, better 4.",
        )
    effective = max(smallest, min(EFFECTIVE_BATCH, _power_of_two(data.rows // UPDATES_PER_EPOCH)))
    batch = int(wanted) if wanted != "auto" else _largest_fitting(spec, size, data, machine, smallest, effective)
    asked = spec.training.gradient_accumulation_steps
    accumulation = math.ceil(effective / (batch * machine.device_count)) if asked == "auto" else int(asked)
    return batch, max(1, accumulation)


def _largest_fitting(
    spec: JobSpec, size: ModelSize, data: DataFacts, machine: Machine, smallest: int, largest: int
) -> int:
    sequence = min(int(spec.training.max_length), max(data.longest, 1))
    batch = min(largest, 16 if spec.method == "kto" else 8)
    while batch > smallest and fits(estimate_memory(spec, size, batch, sequence, machine.kind), machine) != "yes":
        batch //= 2
    return max(batch, smallest)


def _with_intervals(spec: JobSpec, data: DataFacts) -> JobSpec:
    """Derives both intervals from one number: transformers requires save_steps to be a multiple of eval_steps."""
    total = steps_total(spec, data.rows)
    evaluation, saving = spec.evaluation.eval_steps, spec.checkpointing.save_steps
    if evaluation == "auto":
        evaluation = max(1, math.ceil(total / EVALUATIONS)) if saving == "auto" else int(saving)
    evaluation = int(evaluation)
    multiple = 1 if saving == "auto" else max(1, math.ceil(int(saving) / evaluation))
    return spec.model_copy(
        update={
            "evaluation": spec.evaluation.model_copy(update={"eval_steps": evaluation}),
            "checkpointing": spec.checkpointing.model_copy(update={"save_steps": multiple * evaluation}),
        }
    )


def _power_of_two(value: int) -> int:
    return 1 << max(0, value.bit_length() - 1)
