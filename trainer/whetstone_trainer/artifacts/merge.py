"""Builds the 16-bit model that every other format is made from, and checks that it answers as the checkpoint does."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import torch

from ..files import read_json
from ..trainer_error import TrainerFailure
from .builds import list_files
from .card import scrub, write_card
from .parity import Observation, compare, encode_prompt, observe
from .prompts import Messages, comparison_prompts
from .request import BuildRecord
from .source import Checkpoint, find_base
from .template import inference_template

SHARD_SIZE = "5GB"
ANSWER_TOKENS = 32
SIXTEEN_BIT = (torch.bfloat16, torch.float16)


def merge(checkpoint: Checkpoint, folder: Path) -> BuildRecord:
    """Writes the merged model to `folder`. Everything runs on the CPU, alongside whatever uses the accelerator.

    Raises TrainerFailure merge_parity_failed, checkpoint_corrupt, unsupported_combination, base_model_not_found.
    """
    tokenizer = load_tokenizer(checkpoint)
    prompts = comparison_prompts(checkpoint.rows())
    model = load_checkpoint_model(checkpoint)
    expected = observe(model, tokenizer, prompts)
    if checkpoint.kind == "adapter":
        model = model.merge_and_unload(safe_merge=True)
    elif model.dtype not in SIXTEEN_BIT:
        model = model.to(torch.bfloat16)
    model.save_pretrained(folder, max_shard_size=SHARD_SIZE)
    del model
    tokenizer.save_pretrained(folder)
    scrub(folder, checkpoint)
    write_card(folder, checkpoint, "merged, 16 bit")
    checks = _check_what_was_written(folder, prompts, expected)
    return BuildRecord(files=list_files(folder), checks=checks)


def load_tokenizer(checkpoint: Checkpoint) -> Any:
    """Returns the tokenizer used in training, with the template to serve with."""
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(checkpoint.tokenizer_dir)
    template = inference_template(checkpoint.profile, tokenizer.chat_template)
    tokenizer.chat_template = template
    return tokenizer


def load_checkpoint_model(checkpoint: Checkpoint) -> Any:
    """Returns the checkpoint as it was trained: its own weights, or its adapter on the 16-bit base."""
    if checkpoint.kind == "full":
        model = load_model(checkpoint.model_dir, _stored_dtype(checkpoint.model_dir))
        _set_stop_tokens(model, checkpoint)
        return model
    from peft import PeftModel

    base_dir = find_base(checkpoint)
    # Even for an adapter trained on 4-bit weights: merging into those would round the adapter away.
    base = load_model(base_dir, sixteen_bit_dtype(base_dir), trust_remote_code=checkpoint.base.trust_remote_code)
    _fit_vocabulary(base, checkpoint)
    _set_stop_tokens(base, checkpoint)
    try:
        return PeftModel.from_pretrained(base, str(checkpoint.model_dir)).eval()
    except (RuntimeError, ValueError, KeyError) as error:
        raise TrainerFailure.of(
            "unsupported_combination",
            f"the adapter does not fit {checkpoint.base_label}: {str(error).splitlines()[0]}",
            hint="Build from the base model and revision that the job was trained on.",
        ) from error


def sixteen_bit_dtype(folder: Path) -> torch.dtype:
    """Returns the 16-bit type of a model: its own, or bfloat16 for a model stored in a wider type."""
    stored = _stored_dtype(folder)
    return stored if stored in SIXTEEN_BIT else torch.bfloat16


def generate(model: Any, tokenizer: Any, messages: Messages, max_new_tokens: int) -> tuple[list[int], int]:
    """Returns the new token ids at temperature 0 and the number of prompt tokens."""
    ids = encode_prompt(tokenizer, messages)
    inputs = torch.tensor([ids], device=model.device)
    with torch.inference_mode():
        output = model.generate(
            input_ids=inputs,
            attention_mask=torch.ones_like(inputs),
            max_new_tokens=max_new_tokens,
            do_sample=False,
            temperature=None,
            top_p=None,
            top_k=None,
            pad_token_id=tokenizer.pad_token_id if tokenizer.pad_token_id is not None else tokenizer.eos_token_id,
        )
    return output[0, len(ids) :].tolist(), len(ids)


def answer_hash(text: str) -> str:
    """Returns a hash that identifies an answer without repeating it, because prompts come from users' data."""
    return hashlib.sha256(text.strip().encode()).hexdigest()


def _check_what_was_written(folder: Path, prompts: list[Messages], expected: list[Observation]) -> dict[str, Any]:
    """Loads the files as a server would and compares; a model that was only correct in memory fails here."""
    from transformers import AutoTokenizer

    if any(path.suffix in (".bin", ".pt", ".pth", ".pkl") for path in folder.rglob("*")):
        raise TrainerFailure.of("conversion_failed", "the merged model contains pickled files")
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = load_model(folder, _stored_dtype(folder))
    figures = compare(expected, observe(model, tokenizer, prompts))
    hashes = []
    for messages in prompts:
        tokens, _ = generate(model, tokenizer, messages, ANSWER_TOKENS)
        hashes.append(answer_hash(str(tokenizer.decode(tokens, skip_special_tokens=True))))
    return {"parity": figures, "answer_sha256": hashes}


def load_model(folder: Path, dtype: torch.dtype, *, trust_remote_code: bool = False) -> Any:
    """Returns a model from safetensors on this machine. Raises TrainerFailure base_model_not_found."""
    from transformers import AutoModelForCausalLM

    try:
        model = AutoModelForCausalLM.from_pretrained(
            folder, dtype=dtype, use_safetensors=True, local_files_only=True, trust_remote_code=trust_remote_code
        )
    except (OSError, ValueError) as error:
        raise TrainerFailure.of("base_model_not_found", f"{folder.name} cannot be loaded: {error}") from error
    loaded: Any = model
    return loaded.eval()


def _stored_dtype(folder: Path) -> torch.dtype:
    config = read_json(folder / "config.json")
    name = config.get("dtype") or config.get("torch_dtype") or (config.get("text_config") or {}).get("dtype")
    return getattr(torch, name) if isinstance(name, str) else torch.float32


def _fit_vocabulary(base: Any, checkpoint: Checkpoint) -> None:
    """Resizes the base's embeddings when training added tokens and saved the larger tables with the adapter."""
    from safetensors import safe_open

    weights = checkpoint.model_dir / "adapter_model.safetensors"
    try:
        with safe_open(weights, framework="pt") as file:
            names = list(file.keys())
            tables = [name for name in names if name.endswith(("embed_tokens.weight", "lm_head.weight"))]
            rows = max((file.get_slice(name).get_shape()[0] for name in tables), default=0)
    except (OSError, ValueError) as error:
        raise TrainerFailure.of("checkpoint_corrupt", f"{weights.name} cannot be read: {error}") from error
    if rows and rows != base.get_input_embeddings().weight.shape[0]:
        base.resize_token_embeddings(rows)


def _set_stop_tokens(model: Any, checkpoint: Checkpoint) -> None:
    """Sets the profile's generation settings on the model: a base's own often lack the stop token of the training."""
    generation = model.generation_config
    for name, value in (checkpoint.profile.get("generation_config") or {}).items():
        if isinstance(value, (int, float, bool, str, list)):
            setattr(generation, name, value)
    stop = checkpoint.profile.get("eos_token_ids") or _stop_tokens(generation.eos_token_id, checkpoint)
    if stop:
        generation.eos_token_id = model.config.eos_token_id = stop if len(stop) > 1 else stop[0]
    if not generation.do_sample:
        # Left over from the base, these make save_pretrained refuse a greedy configuration.
        generation.temperature = generation.top_p = generation.top_k = None


def _stop_tokens(configured: int | list[int] | None, checkpoint: Checkpoint) -> list[int]:
    """Returns the stop tokens of a checkpoint without a profile: the base's and its own tokenizer's."""
    from transformers import AutoTokenizer

    trained = AutoTokenizer.from_pretrained(checkpoint.tokenizer_dir).eos_token_id
    found = [*(configured if isinstance(configured, list) else [configured]), trained]
    return list(dict.fromkeys(token for token in found if token is not None))


def merged_config(folder: Path) -> dict[str, Any]:
    """Returns config.json of a merged model."""
    config: dict[str, Any] = json.loads((folder / "config.json").read_text())
    return config
