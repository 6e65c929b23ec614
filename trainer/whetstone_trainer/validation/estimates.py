"""Estimates time, memory and disk of a resolved job."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from ..spec import JobSpec
from ..training.memory import ModelSize, estimate_memory, fits, total, trainable_parameters
from ..training.preparation import Fitted, Prepared, packed_rows
from ..training.resolve_spec import Machine, steps_total
from ..validation_report import EtaRange, MemoryEstimate

# Floating-point operations per weight and token: forward 2, backward 4; frozen weights need no gradient of their own.
FULL_OPERATIONS, ADAPTER_OPERATIONS = 6, 4
# Sustained operations per second that training reaches, low and high. A range, because nothing has been measured yet.
CUDA_SPEED = (2e13, 2.5e14)
CPU_SPEED_PER_CORE = (2e9, 4e10)
STARTUP_SECONDS = (5.0, 60.0)


def job_memory(prepared: Prepared, machine: Machine, longest: int) -> MemoryEstimate:
    spec = prepared.resolved
    sequence = max(1, min(longest, int(spec.training.max_length)))
    batch = int(spec.training.per_device_train_batch_size)
    breakdown = estimate_memory(spec, prepared.size, batch, sequence, machine.kind)
    return MemoryEstimate(
        estimate_bytes=total(breakdown),
        available_bytes=machine.memory_bytes,
        breakdown=breakdown,
        fits=fits(breakdown, machine),
        device=machine.name,
    )


def job_steps(prepared: Prepared, train: Fitted, machine: Machine) -> int:
    spec = prepared.resolved
    rows = packed_rows(train.rows, int(spec.training.max_length)) if spec.training.packing else len(train.rows)
    return steps_total(spec, max(rows, 1), machine.device_count)


def job_eta(prepared: Prepared, train: Fitted, steps: int, machine: Machine) -> EtaRange:
    """Returns a range in seconds from arithmetic alone; the run's own ETA replaces it after five steps."""
    spec, size = prepared.resolved, prepared.size
    epoch_tokens = sum(row.tokens for row in train.rows)
    steps_an_epoch = max(1, steps_total(_one_epoch(spec), max(len(train.rows), 1), machine.device_count))
    tokens = epoch_tokens * steps / steps_an_epoch
    per_token = size.parameters * (FULL_OPERATIONS if spec.adapter == "full" else ADAPTER_OPERATIONS)
    if spec.training.gradient_checkpointing:
        per_token += 2 * size.parameters
    if spec.method in ("dpo", "kto"):
        per_token += 2 * size.parameters
    slow, fast = CUDA_SPEED if machine.kind == "cuda" else tuple(s * (os.cpu_count() or 1) for s in CPU_SPEED_PER_CORE)
    return EtaRange(
        low=round(STARTUP_SECONDS[0] + tokens * per_token / fast, 1),
        high=round(STARTUP_SECONDS[1] + tokens * per_token / slow, 1),
    )


def job_disk(home: Path, spec: JobSpec, size: ModelSize) -> tuple[int, int]:
    """Returns the bytes that checkpoints and exports will take, and the bytes that are free."""
    trainable = trainable_parameters(spec, size)
    # Weights and two moments of Adam at 4 bytes each; one more checkpoint while the newest replaces the oldest.
    checkpoint = trainable * 4 * 3
    kept = spec.checkpointing.save_total_limit + (1 if spec.checkpointing.keep_best else 0) + 1
    exports = 0
    if "gguf" in spec.output.formats:
        # Merged 16-bit weights, the 16-bit GGUF, and one file of at most that size for each quantization.
        exports += size.parameters * 2 * (2 + len(spec.output.gguf_quantizations))
    if spec.output.compressed_quantizations:
        exports += size.parameters * (2 + len(spec.output.compressed_quantizations))
    needed = checkpoint * kept + exports + (spec.limits.min_free_disk_bytes or 0)
    return needed, shutil.disk_usage(home).free


def _one_epoch(spec: JobSpec) -> JobSpec:
    changes = {"num_train_epochs": 1, "max_steps": None}
    return spec.model_copy(update={"training": spec.training.model_copy(update=changes)})
