"""Loads models and tokenizers: safetensors only, remote code only if it was allowed."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..checkpoints import CheckpointManifest, checkpoint_dir
from ..spec import BaseModelRef, JobSpec
from ..trainer_error import TrainerFailure
from .base_model import ResolvedBase, resolve_base
from .resolve_spec import Machine


@dataclass
class LoadedModel:
    """What a TRL trainer is built from. `reference` is set when the method needs a frozen copy of full weights."""

    model: Any
    reference: Any | None
    peft_config: Any | None
    continues_adapter: bool


def load_tokenizer(home: Path, base: ResolvedBase) -> Any:
    """Returns the tokenizer of the parent checkpoint or the base; it pads with its end token if it has no pad token.

    Raises TrainerFailure base_model_corrupt if its files cannot be read.
    """
    from transformers import AutoTokenizer

    try:
        tokenizer: Any = AutoTokenizer.from_pretrained(
            base.tokenizer_folder(home), trust_remote_code=base.ref.trust_remote_code
        )
    except Exception as error:
        # The tokenizers library raises a bare Exception for a damaged file.
        raise TrainerFailure.of(
            "base_model_corrupt",
            f"the tokenizer of {base.ref.id} cannot be read: {error}",
            param="base_model.id",
            hint="Copy or download the model again.",
        ) from error
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    if tokenizer.chat_template is None and base.parent is not None:
        tokenizer.chat_template = AutoTokenizer.from_pretrained(base.folder).chat_template
    return tokenizer


def eos_token_ids(folder: Path, tokenizer: Any) -> list[int]:
    """Returns every token that ends generation, from the generation config and the tokenizer."""
    from transformers import GenerationConfig

    found: list[int] = []
    try:
        configured = GenerationConfig.from_pretrained(folder).eos_token_id
    except OSError:
        configured = None
    for value in [*(configured if isinstance(configured, list) else [configured]), tokenizer.eos_token_id]:
        if value is not None and value not in found:
            found.append(int(value))
    return found


def model_limit(config: dict[str, Any]) -> int:
    """Returns the longest sequence, in tokens, that the model was built for."""
    text = config.get("text_config") or config
    return int(text.get("max_position_embeddings") or text.get("n_positions") or 2048)


def load_for_training(home: Path, base: ResolvedBase, spec: JobSpec, machine: Machine) -> LoadedModel:
    """Returns the model to train, on the CPU or, if quantized for a GPU, already on it."""
    from peft import LoraConfig, PeftModel

    parent = base.parent
    adapter = parent if parent is not None and parent.kind == "adapter" else None
    model = _load_weights(base, spec, machine)
    if adapter is not None and spec.adapter == "full":
        # Full training does not continue an adapter, so what the adapter learned is first merged into the weights.
        merged: Any = PeftModel.from_pretrained(model, checkpoint_dir(home, adapter) / "model")
        model, adapter = merged.merge_and_unload(), None
        # Loading the adapter froze the weights below it.
        model.requires_grad_(True)
    if adapter is not None:
        model = PeftModel.from_pretrained(model, checkpoint_dir(home, adapter) / "model", is_trainable=True)
        return LoadedModel(model, None, None, True)
    if spec.adapter == "full":
        reference = copy.deepcopy(model) if spec.method in ("dpo", "kto") else None
        return LoadedModel(model, reference, None, False)
    lora = spec.lora
    config = LoraConfig(
        r=lora.r,
        lora_alpha=lora.lora_alpha,
        lora_dropout=lora.lora_dropout,
        target_modules=lora.target_modules,
        use_rslora=lora.use_rslora,
        use_dora=lora.use_dora,
        task_type="CAUSAL_LM",
    )
    return LoadedModel(model, None, config, False)


def load_for_inference(home: Path, manifest: CheckpointManifest) -> tuple[Any, Any]:
    """Returns a committed checkpoint as (model, tokenizer) in evaluation mode, read from disk only."""
    import torch
    from peft import PeftModel
    from transformers import AutoModelForCausalLM, AutoTokenizer

    folder = checkpoint_dir(home, manifest) / "model"
    trust = bool(manifest.base_model.get("trust_remote_code"))
    dtype = torch.bfloat16 if torch.cuda.is_available() else torch.float32
    weights = folder
    if manifest.kind == "adapter":
        weights = resolve_base(home, BaseModelRef.model_validate(manifest.base_model), weights=True).folder
    model: Any = AutoModelForCausalLM.from_pretrained(
        weights, dtype=dtype, use_safetensors=True, trust_remote_code=trust
    )
    if manifest.kind == "adapter":
        model = PeftModel.from_pretrained(model, folder)
    if torch.cuda.is_available():
        model = model.to("cuda")
    return model.eval(), AutoTokenizer.from_pretrained(folder, trust_remote_code=trust)


def _load_weights(base: ResolvedBase, spec: JobSpec, machine: Machine) -> Any:
    import torch
    from transformers import AutoModelForCausalLM

    options: dict[str, Any] = {
        "dtype": _dtype(spec, machine),
        "use_safetensors": True,
        "trust_remote_code": base.ref.trust_remote_code,
    }
    if spec.adapter == "qlora":
        options["quantization_config"] = _four_bits(spec)
        options["device_map"] = {"": 0} if machine.kind == "cuda" else None
    try:
        model: Any = AutoModelForCausalLM.from_pretrained(base.folder, **options)
        if spec.adapter == "qlora" and machine.kind == "cpu":
            _keep_trainable(model)
        return model
    except ValueError as error:
        if "does not recognize this architecture" in str(error) or "model type" in str(error):
            raise TrainerFailure.of(
                "architecture_unsupported",
                f"transformers does not know the architecture of {base.ref.id}",
                param="base_model.id",
            ) from error
        raise
    finally:
        torch.manual_seed(spec.training.seed)


def _keep_trainable(model: Any) -> None:
    """Prevents bitsandbytes from repacking weights in an evaluation: its kernel for those passes on no gradient."""
    for module in model.modules():
        if hasattr(module, "support_avx512bf16_for_cpu"):
            module.support_avx512bf16_for_cpu = False


def _dtype(spec: JobSpec, machine: Machine) -> Any:
    """Returns the weights' type. Full training needs 32 bits, or small updates are lost; a frozen base does not."""
    import torch

    if machine.kind == "cpu" or spec.adapter == "full":
        return torch.float32
    return torch.bfloat16 if machine.bf16 else torch.float16


def _four_bits(spec: JobSpec) -> Any:
    try:
        import bitsandbytes  # noqa: F401
    except ImportError as error:
        raise TrainerFailure.of(
            "engine_dependency_missing", "qlora needs bitsandbytes", param="adapter", hint="Use lora instead."
        ) from error
    import torch
    from transformers import BitsAndBytesConfig

    return BitsAndBytesConfig(  # type: ignore[no-untyped-call]
        load_in_4bit=True,
        bnb_4bit_quant_type=spec.quantization.bnb_4bit_quant_type,
        bnb_4bit_use_double_quant=spec.quantization.bnb_4bit_use_double_quant,
        bnb_4bit_compute_dtype=getattr(torch, spec.quantization.bnb_4bit_compute_dtype),
    )
