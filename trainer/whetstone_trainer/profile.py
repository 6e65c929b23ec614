"""The inference profile: how a checkpoint must be served to answer as it was trained.

Serving, merging and converting take template and stop tokens from here, never from the base model's repository.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from .checkpoints import PROFILE, CheckpointManifest, checkpoint_dir
from .files import read_json, write_json

# The ranks vLLM can reserve for adapters; an adapter of another rank uses the next larger one.
VLLM_RANKS = (1, 8, 16, 32, 64, 128, 256, 320, 512)


class NotServable(BaseModel):
    model_config = ConfigDict(extra="forbid")

    backend: str
    reason: str


class AdapterFacts(BaseModel):
    model_config = ConfigDict(extra="forbid")

    r: int
    lora_alpha: float
    target_modules: list[str]
    modules_to_save: list[str]
    use_dora: bool
    use_rslora: bool


class GenerateTest(BaseModel):
    """The generation that the checkpoint passed before it was given a profile."""

    model_config = ConfigDict(extra="forbid")

    prompt: str
    output: str
    tokens: int
    stopped: bool


class InferenceProfile(BaseModel):
    model_config = ConfigDict(extra="forbid")

    chat_template: str
    chat_template_sha256: str
    eos_token_ids: list[int]
    stop: list[str]
    max_context: int
    dtype: str
    adapter: AdapterFacts | None
    generation_config: dict[str, Any]
    servable_by: list[str]
    not_servable: list[NotServable]
    tokenizer_pre: str | None
    architecture: str | None
    generate_test: GenerateTest


def read_profile(home: Path, manifest: CheckpointManifest) -> InferenceProfile | None:
    """Returns the profile of a checkpoint; None if it has not passed its generation test."""
    try:
        return InferenceProfile.model_validate(read_json(checkpoint_dir(home, manifest) / PROFILE))
    except (OSError, ValueError):
        return None


def write_profile(home: Path, manifest: CheckpointManifest, profile: InferenceProfile) -> None:
    """Stores the profile beside the committed files, without changing them."""
    write_json(checkpoint_dir(home, manifest) / PROFILE, profile.model_dump(mode="json"))


def make_profile(
    home: Path, manifest: CheckpointManifest, prompt: str, *, stop_token_id: int | None, max_new_tokens: int = 32
) -> InferenceProfile:
    """Loads the checkpoint from disk, generates an answer, and returns its profile. Raises what loading raises."""
    from .training.generation import generate
    from .training.loading import eos_token_ids, load_for_inference, model_limit

    folder = checkpoint_dir(home, manifest) / "model"
    model, tokenizer = load_for_inference(home, manifest)
    stops = eos_token_ids(folder, tokenizer)
    configured = model.generation_config.eos_token_id
    for token in [*(configured if isinstance(configured, list) else [configured]), stop_token_id]:
        # The token that training used to end an answer is a stop token, whatever the base's configuration says.
        if token is not None and token not in stops:
            stops.append(int(token))
    limit = model_limit(model.config.to_dict())
    answer = generate(
        model,
        tokenizer,
        prompt,
        eos_token_ids=stops,
        max_new_tokens=max_new_tokens,
        temperature=0,
        max_context=limit,
    )
    template = str(tokenizer.chat_template)
    adapter = adapter_facts(folder)
    servable, refused = serving(adapter)
    generation = model.generation_config.to_diff_dict()
    generation["eos_token_id"] = stops
    generation.pop("transformers_version", None)
    return InferenceProfile(
        chat_template=template,
        chat_template_sha256=hashlib.sha256(template.encode()).hexdigest(),
        eos_token_ids=stops,
        stop=[tokenizer.decode([token]) for token in stops],
        max_context=limit,
        dtype=str(next(model.parameters()).dtype).removeprefix("torch."),
        adapter=adapter,
        generation_config=generation,
        servable_by=servable,
        not_servable=refused,
        # The converter fills it in, because only llama.cpp's own name for the base is right.
        tokenizer_pre=None,
        architecture=(getattr(model.config, "architectures", None) or [None])[0],
        generate_test=GenerateTest(prompt=prompt, output=answer.text, tokens=answer.tokens, stopped=answer.stopped),
    )


def serving(adapter: AdapterFacts | None) -> tuple[list[str], list[NotServable]]:
    """Returns the backends that can serve a checkpoint as it is, and why the others cannot."""
    if adapter is None:
        return ["transformers", "vllm"], [NotServable(backend="llama.cpp", reason="export it as GGUF first")]
    refused = [NotServable(backend="llama.cpp", reason="export it as a GGUF adapter first")]
    reason = None
    if adapter.r > VLLM_RANKS[-1]:
        reason = f"vLLM serves adapters up to rank {VLLM_RANKS[-1]}, and this one has {adapter.r}; merge it"
    elif adapter.use_dora:
        reason = "vLLM does not serve DoRA adapters; merge it"
    elif adapter.modules_to_save:
        reason = f"the adapter replaces whole modules ({', '.join(adapter.modules_to_save)}); merge it"
    if reason is None:
        return ["transformers", "vllm"], refused
    return ["transformers"], [*refused, NotServable(backend="vllm", reason=reason)]


def adapter_facts(folder: Path) -> AdapterFacts | None:
    """Returns the facts that decide where an adapter can be served; None for a folder with full weights."""
    config = folder / "adapter_config.json"
    if not config.exists():
        return None
    document = read_json(config)
    modules = document.get("target_modules") or []
    return AdapterFacts(
        r=document["r"],
        lora_alpha=document["lora_alpha"],
        target_modules=[modules] if isinstance(modules, str) else sorted(modules),
        modules_to_save=document.get("modules_to_save") or [],
        use_dora=bool(document.get("use_dora")),
        use_rslora=bool(document.get("use_rslora")),
    )
