"""Estimates memory before anything is loaded. All sizes in bytes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from ..spec import JobSpec
from ..validation_report import MemoryBreakdown

if TYPE_CHECKING:
    from .resolve_spec import Machine

# Allocator, kernels and fragmentation beyond what is counted below.
OVERHEAD = {"cuda": 1_500_000_000, "mps": 500_000_000, "cpu": 500_000_000}
# 4 bits per weight plus the scales of 64-weight blocks, themselves quantized.
QLORA_BYTES_PER_WEIGHT = 0.52
# Above this share of free memory, fragmentation alone can end a run.
TIGHT, FULL = 0.8, 1.0


@dataclass(frozen=True)
class ModelSize:
    parameters: int
    # Parameters that bitsandbytes does not quantize: embeddings and norms.
    unquantized: int
    # Sum of in + out features over the layers that "all-linear" adapts; one unit of rank adds as many weights.
    linear_features: int
    hidden: int
    layers: int
    intermediate: int
    vocabulary: int


def model_size(config: dict[str, Any], trust_remote_code: bool = False, folder: str | None = None) -> ModelSize:
    """Returns the exact parameter counts of an architecture, built without memory for its weights."""
    import torch
    from transformers import AutoConfig, AutoModelForCausalLM

    if folder is not None:
        parsed = AutoConfig.from_pretrained(folder, trust_remote_code=trust_remote_code)
    else:
        parsed = AutoConfig.for_model(**config)
    with torch.device("meta"):
        factory: Any = AutoModelForCausalLM
        model = factory.from_config(parsed, trust_remote_code=trust_remote_code)
    output = model.get_output_embeddings()
    linear = [m for m in model.modules() if isinstance(m, torch.nn.Linear) and m is not output]
    parameters = sum(p.numel() for p in model.parameters())
    text = parsed.get_text_config()
    hidden = int(getattr(text, "hidden_size", 0) or 1024)
    return ModelSize(
        parameters=parameters,
        unquantized=parameters - sum(m.weight.numel() for m in linear),
        linear_features=sum(m.in_features + m.out_features for m in linear),
        hidden=hidden,
        layers=int(getattr(text, "num_hidden_layers", 0) or 1),
        intermediate=int(getattr(text, "intermediate_size", 0) or 4 * hidden),
        vocabulary=int(getattr(text, "vocab_size", 0) or 32_000),
    )


def trainable_parameters(spec: JobSpec, size: ModelSize) -> int:
    return size.parameters if spec.adapter == "full" else spec.lora.r * size.linear_features


def estimate_memory(spec: JobSpec, size: ModelSize, batch: int, sequence: int, device: str) -> MemoryBreakdown:
    """Returns the memory breakdown of one training step at this batch size and sequence length in tokens."""
    training = spec.training
    trainable = trainable_parameters(spec, size)
    wide = 4 if spec.adapter == "full" or device == "cpu" else 2
    if spec.adapter == "qlora":
        quantized = size.parameters - size.unquantized
        weights = int(quantized * QLORA_BYTES_PER_WEIGHT) + size.unquantized * wide + trainable * 4
    else:
        weights = size.parameters * wide + (0 if spec.adapter == "full" else trainable * 4)
    # Chosen and rejected, or the completion and the mismatched one that KTO measures against, run side by side.
    sequences = batch * (1 if spec.method == "sft" else 2)
    tokens = sequences * sequence
    element = 2 if training.bf16 is True else 4
    per_layer = tokens * (16 * size.hidden + 4 * size.intermediate) * element
    kept = tokens * size.hidden * element * size.layers
    activations = kept + per_layer if training.gradient_checkpointing else per_layer * size.layers
    # TRL computes SFT's loss in chunks; the other methods keep the logits of the whole batch with their gradient.
    logits = (min(tokens, 4096) if spec.method == "sft" else tokens) * size.vocabulary * 4 * 2
    moments = {"adamw_torch": 8, "adamw_torch_fused": 8, "adamw_8bit": 2, "paged_adamw_8bit": 2}.get(training.optim, 4)
    reference = size.parameters * wide if spec.adapter == "full" and spec.method in ("dpo", "kto") else 0
    return MemoryBreakdown(
        weights=weights,
        gradients=trainable * 4,
        optimizer=trainable * moments,
        activations=activations,
        logits=logits,
        reference_model=reference,
        overhead=OVERHEAD.get(device, OVERHEAD["cuda"]),
    )


def total(breakdown: MemoryBreakdown) -> int:
    return sum(int(value) for value in breakdown.model_dump().values())


def fits(breakdown: MemoryBreakdown, machine: Machine) -> Literal["yes", "tight", "no", "unknown"]:
    """Returns whether the estimate fits the machine's free memory."""
    if machine.memory_bytes is None:
        return "unknown"
    share = total(breakdown) / max(machine.memory_bytes, 1)
    return "yes" if share <= TIGHT else "tight" if share <= FULL else "no"
