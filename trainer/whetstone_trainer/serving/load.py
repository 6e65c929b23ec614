"""Loads the model of a plan with transformers: safetensors only, remote code only if it was allowed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..trainer_error import TrainerFailure
from .engine import Engine
from .request import ServeProfile
from .sources import Source, serve_profile


def load_engine(home: Path, source: Source) -> tuple[Engine, ServeProfile]:
    """Returns the model ready to answer, on the GPU if there is one.

    Raises TrainerFailure unsupported_combination for an adapter that does not fit its base, and what find_base raises.
    """
    import torch

    model, tokenizer = _load(home, source)
    profile = serve_profile(home, source, tokenizer, model.config.to_dict())
    tokenizer.chat_template = profile.chat_template
    if profile.generation_config.get("repetition_penalty"):
        model.generation_config.repetition_penalty = profile.generation_config["repetition_penalty"]
    if torch.cuda.is_available():
        try:
            model = model.to("cuda")
        except torch.cuda.OutOfMemoryError as error:
            raise TrainerFailure.of(
                "out_of_memory_gpu",
                "the model does not fit into the GPU's free memory",
                hint="Stop another deployment or a training job, or deploy a quantization.",
            ) from error
    return Engine(model.eval(), tokenizer, profile), profile


def _load(home: Path, source: Source) -> tuple[Any, Any]:
    from transformers import AutoTokenizer

    from ..artifacts.merge import load_checkpoint_model, load_model, load_tokenizer, sixteen_bit_dtype

    if source.base is not None:
        base, trust = source.base, source.base.ref.trust_remote_code
        model = load_model(base.folder, sixteen_bit_dtype(base.folder), trust_remote_code=trust)
        return model, AutoTokenizer.from_pretrained(base.tokenizer_folder(home), trust_remote_code=trust)
    assert source.checkpoint is not None
    if source.artifact is not None:
        return load_model(source.artifact, sixteen_bit_dtype(source.artifact)), AutoTokenizer.from_pretrained(
            source.artifact
        )
    return load_checkpoint_model(source.checkpoint), load_tokenizer(source.checkpoint)
