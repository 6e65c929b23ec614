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
# TRL projects to the vocabulary in tiles of this many tokens and entries; ORPO projects everything at once.
TILE_TOKENS, TILE_VOCABULARY = 4096, 32_768
# Bytes per logit. ORPO: in the type of the weights and in 32 bits, and the gradients of both. Without a GPU, a tile is
# processed in 32 bits with copies of its own size.
ORPO_LOGIT_BYTES, CPU_TILE_BYTES = 12, 16
# A layer that is recomputed holds its activations and their gradients at the same time.
RECOMPUTED = 1.5
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
    element = 2 if training.bf16 is True else 4
    if spec.adapter == "qlora":
        quantized = size.parameters - size.unquantized
        # ORPO's trainer widens what is not quantized.
        unquantized = size.unquantized * (4 if spec.method == "orpo" else wide)
        weights = int(quantized * QLORA_BYTES_PER_WEIGHT) + unquantized + trainable * 4
    elif spec.adapter == "full":
        weights = size.parameters * wide
    else:
        weights = size.parameters * wide + trainable * 4
    # Chosen and rejected, or the completion and the mismatched one that KTO measures against, run side by side.
    sequences = batch * (1 if spec.method == "sft" else 2)
    tokens = sequences * sequence
    per_layer = tokens * (16 * size.hidden + 4 * size.intermediate) * element
    kept = tokens * size.hidden * element * size.layers
    # Autocast keeps copies of the trained weights in 16 bits while a batch is computed.
    copies = size.parameters * element if spec.adapter == "full" and training.bf16 is True else 0
    layers = kept + int(per_layer * RECOMPUTED) if training.gradient_checkpointing else per_layer * size.layers
    activations = layers + copies
    logits = _logits(spec, size, tokens, element, device)
    moments = {"adamw_torch": 8, "adamw_torch_fused": 8, "adamw_8bit": 2, "paged_adamw_8bit": 2}.get(training.optim, 4)
    optimizer = trainable * moments
    if training.optim == "adamw_torch" and device == "cuda":
        # Its update needs a copy of all trained weights, when the batch no longer needs memory.
        optimizer += max(0, trainable * 4 - activations - logits)
    reference = size.parameters * wide if spec.adapter == "full" and spec.method in ("dpo", "kto") else 0
    return MemoryBreakdown(
        weights=weights,
        gradients=trainable * 4,
        optimizer=optimizer,
        activations=activations,
        logits=logits,
        reference_model=reference,
        overhead=OVERHEAD.get(device, OVERHEAD["cuda"]),
    )


def _logits(spec: JobSpec, size: ModelSize, tokens: int, element: int, device: str) -> int:
    """Returns the memory from the last hidden states to the loss and back."""
    if spec.method == "orpo":
        return tokens * size.vocabulary * ORPO_LOGIT_BYTES
    tile = min(tokens, TILE_TOKENS) * min(size.vocabulary, TILE_VOCABULARY)
    # Gradients of the hidden states and, if it is trained, of the projection are added up in 32 bits.
    sums = tokens * size.hidden * 4 + (size.vocabulary * size.hidden * 4 if spec.adapter == "full" else 0)
    return tile * (CPU_TILE_BYTES if device == "cpu" else element) + sums


def total(breakdown: MemoryBreakdown) -> int:
    return sum(int(value) for value in breakdown.model_dump().values())


def fits(breakdown: MemoryBreakdown, machine: Machine) -> Literal["yes", "tight", "no", "unknown"]:
    """Returns whether the estimate fits the machine's free memory."""
    if machine.memory_bytes is None:
        return "unknown"
    share = total(breakdown) / max(machine.memory_bytes, 1)
    return "yes" if share <= TIGHT else "tight" if share <= FULL else "no"
