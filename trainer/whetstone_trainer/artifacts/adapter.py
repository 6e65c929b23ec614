"""Packs the adapter of a checkpoint for use on its base model."""

from __future__ import annotations

import json
import math
import shutil
from pathlib import Path

from ..trainer_error import TrainerFailure
from .builds import list_files
from .card import scrub, write_card
from .request import BuildRecord
from .source import Checkpoint

ADAPTER_FILES = ("adapter_config.json", "adapter_model.safetensors")


def pack_adapter(checkpoint: Checkpoint, folder: Path) -> BuildRecord:
    """Copies weights, config, tokenizer and template; not TRL's frozen `ref/`, and nothing pickled.

    Raises TrainerFailure unsupported_combination for a checkpoint without an adapter.
    """
    from .merge import load_tokenizer

    _require_adapter(checkpoint)
    for name in ADAPTER_FILES:
        shutil.copyfile(checkpoint.model_dir / name, folder / name)
    load_tokenizer(checkpoint).save_pretrained(folder)
    scrub(folder, checkpoint)
    write_card(folder, checkpoint, "adapter")
    return BuildRecord(files=list_files(folder))


def llama_cpp_adapter(checkpoint: Checkpoint, folder: Path) -> None:
    """Writes the adapter in the form that llama.cpp's converter reads correctly.

    Raises TrainerFailure adapter_not_servable for what a GGUF adapter cannot represent.
    """
    _require_adapter(checkpoint)
    config = checkpoint.adapter_config
    reasons = {
        "modules_to_save": "it replaces whole modules of the base",
        "use_dora": "llama.cpp has no DoRA",
        "alpha_pattern": "its modules have different alphas, but a GGUF adapter has only one",
    }
    if config.get("use_rslora"):
        reasons["rank_pattern"] = "its modules are scaled by the square roots of different ranks"
    for key, reason in reasons.items():
        if config.get(key):
            raise TrainerFailure.of(
                "adapter_not_servable",
                f"the adapter cannot be converted to a GGUF adapter: {reason}",
                param="kind",
                hint="Build the merged model as GGUF instead.",
            )
    if config.get("use_rslora"):
        # llama.cpp scales by alpha / r and does not know rank stabilization, which scales by alpha / sqrt(r).
        config["lora_alpha"] = config["lora_alpha"] * math.sqrt(config["r"])
    (folder / "adapter_config.json").write_text(json.dumps(config))
    shutil.copyfile(checkpoint.model_dir / "adapter_model.safetensors", folder / "adapter_model.safetensors")


def _require_adapter(checkpoint: Checkpoint) -> None:
    if checkpoint.kind != "adapter":
        raise TrainerFailure.of(
            "unsupported_combination",
            "a checkpoint of full fine-tuning has no adapter",
            param="kind",
            hint="Build the merged model instead.",
        )
