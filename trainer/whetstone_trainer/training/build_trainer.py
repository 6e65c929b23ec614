"""Builds the TRL trainer of a prepared job."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .arguments import trainer_arguments
from .loading import load_for_training
from .preparation import Prepared, fit
from .resolve_spec import Machine
from .token_datasets import token_dataset
from .trainers import trainer_class
from .weighing import WeighingCollator


def build_trainer(
    home: Path, prepared: Prepared, machine: Machine, output: Path, *, baseline: bool, repeatable: bool
) -> Any:
    """Returns a trainer with model, rows and arguments; the caller gives it its session.

    `repeatable` makes operations raise that would not compute the same bits again, instead of only warning.
    """
    import torch
    from transformers import set_seed
    from transformers.trainer_callback import PrinterCallback

    spec = prepared.resolved
    torch.use_deterministic_algorithms(True, warn_only=not repeatable)
    # Of torch's kernels for attention, the one that is deterministic on every GPU.
    torch.backends.cuda.enable_cudnn_sdp(False)
    set_seed(spec.training.seed)
    held_out = fit(prepared.validation, spec).rows
    evaluates = bool(held_out)
    arguments = trainer_arguments(
        spec, machine, output, evaluates=evaluates, baseline=baseline and spec.evaluation.eval_on_start
    )
    loaded = load_for_training(home, prepared.base, spec, machine)
    options: dict[str, Any] = {}
    if spec.method in ("dpo", "kto"):
        options["ref_model"] = loaded.reference
    trainer = trainer_class(spec.method)(
        model=loaded.model,
        args=arguments,
        train_dataset=token_dataset(spec, fit(prepared.train, spec).rows, arguments.per_device_train_batch_size),
        eval_dataset=token_dataset(spec, held_out, arguments.per_device_eval_batch_size) if evaluates else None,
        processing_class=prepared.renderer.tokenizer,
        peft_config=loaded.peft_config,
        **options,
    )
    trainer.data_collator = WeighingCollator(trainer.data_collator)
    trainer.remove_callback(PrinterCallback)
    return trainer
