"""Translates exceptions into errors: the code, who can fix it, and what to do."""

from __future__ import annotations

import errno
import traceback

from ..redaction import redact
from ..trainer_error import Phase, TrainerError, TrainerFailure

NO_SPACE = ("No space left on device", "os error 28", "PytorchStreamWriter failed writing", "unexpected pos")


class Diverged(Exception):
    """The loss or the weights are no longer numbers, or nothing has been learned from the start."""


def is_disk_full(error: BaseException) -> bool:
    """Returns whether the disk was full, however the library reports it."""
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        return True
    return any(text in str(error) for text in NO_SPACE) or (
        error.__cause__ is not None and is_disk_full(error.__cause__)
    )


def is_gpu_out_of_memory(error: BaseException) -> bool:
    import torch

    return isinstance(error, torch.OutOfMemoryError) or "CUDA out of memory" in str(error)


def is_not_deterministic(error: BaseException) -> bool:
    """Returns whether an operation has no deterministic form, which torch was told to require."""
    return "torch.use_deterministic_algorithms(True)" in str(error)


def describe(error: BaseException, phase: Phase | None) -> TrainerError:
    """Returns the error to report for an exception that ended a job."""
    tail = redact("".join(traceback.format_exception(error))).splitlines()[-50:]
    if isinstance(error, TrainerFailure):
        return error.error.model_copy(update={"phase": error.error.phase or phase})
    if isinstance(error, Diverged):
        return TrainerError.of(
            "diverged",
            str(error),
            phase=phase,
            hint="Lower the learning rate (a tenth is a good start) or look for broken rows. "
            "The last good checkpoint was kept.",
        )
    if is_disk_full(error):
        return TrainerError.of(
            "disk_full",
            "the trainer's disk is full",
            phase=phase,
            hint="Free space or keep fewer checkpoints, then resume: nothing committed was lost.",
            log_tail=tail,
        )
    if is_gpu_out_of_memory(error):
        return TrainerError.of(
            "out_of_memory_gpu",
            "the GPU ran out of memory even with smaller batches",
            phase=phase,
            hint="Lower max_length, use qlora instead of lora or full, or use a GPU with more memory.",
            log_tail=tail,
        )
    if isinstance(error, MemoryError) or "can't allocate memory" in str(error):
        return TrainerError.of(
            "out_of_memory_host",
            "the machine ran out of memory",
            phase=phase,
            hint="Lower the batch size or max_length, or choose a smaller model.",
            log_tail=tail,
        )
    text = str(error)
    if isinstance(error, ImportError):
        return TrainerError.of(
            "engine_dependency_missing",
            f"a library is missing: {text}",
            phase=phase,
            hint="Install the trainer's environment again with `npx whetstone trainer`.",
            log_tail=tail,
        )
    if "CUDA error" in text or "device-side assert" in text or "NVML" in text:
        return TrainerError.of("device_lost", f"the device stopped working: {text[:300]}", phase=phase, log_tail=tail)
    return TrainerError.of(
        "worker_crashed",
        f"{type(error).__name__}: {redact(text)[:500]}",
        phase=phase,
        hint="Resume the job; if it fails again at the same point, send us the log.",
        log_tail=tail,
    )
