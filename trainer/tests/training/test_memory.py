"""The estimate of a step's memory against what torch allocated at most on an H200 (torch 2.11, bf16, rank 16)."""

from __future__ import annotations

import functools
from typing import Any

import pytest

from whetstone_trainer.spec import JobSpec
from whetstone_trainer.training.memory import OVERHEAD, ModelSize, estimate_memory, model_size, total

GIB = 2**30
# Qwen 2.5's shapes: hidden, layers, intermediate, heads, heads of keys and values, vocabulary, tied embeddings.
SHAPES = {
    "0.5B": (896, 24, 4864, 14, 2, 151_936, True),
    "1.5B": (1536, 28, 8960, 12, 2, 151_936, True),
    "7B": (3584, 28, 18_944, 28, 4, 152_064, False),
}


@functools.cache
def size_of(name: str) -> ModelSize:
    hidden, layers, intermediate, heads, kv_heads, vocabulary, tied = SHAPES[name]
    return model_size(
        {
            "model_type": "qwen2",
            "hidden_size": hidden,
            "num_hidden_layers": layers,
            "intermediate_size": intermediate,
            "num_attention_heads": heads,
            "num_key_value_heads": kv_heads,
            "vocab_size": vocabulary,
            "tie_word_embeddings": tied,
        }
    )


def spec_of(method: str, adapter: str, **training: Any) -> JobSpec:
    return JobSpec.model_validate(
        {
            "method": method,
            "adapter": adapter,
            "base_model": {"id": "any", "source": "local"},
            "manifest": {"sha256": "0" * 64, "rows": 1},
            "training": {"bf16": True, **training},
        }
    )


@pytest.mark.parametrize(
    ("model", "method", "adapter", "batch", "length", "training", "peak"),
    [
        ("0.5B", "sft", "lora", 8, 512, {}, 1.63),
        ("0.5B", "sft", "lora", 8, 2048, {}, 3.26),
        ("0.5B", "sft", "lora", 8, 2048, {"gradient_checkpointing": False}, 24.11),
        ("0.5B", "sft", "qlora", 8, 2048, {}, 2.35),
        ("0.5B", "sft", "full", 1, 512, {}, 9.29),
        ("0.5B", "sft", "full", 8, 1024, {}, 9.29),
        ("0.5B", "dpo", "lora", 4, 1024, {}, 2.18),
        ("0.5B", "dpo", "full", 4, 1024, {}, 11.13),
        ("0.5B", "kto", "lora", 4, 1024, {}, 1.63),
        ("0.5B", "kto", "full", 4, 1024, {}, 11.14),
        ("0.5B", "orpo", "lora", 4, 1024, {}, 13.04),
        ("0.5B", "orpo", "full", 4, 1024, {}, 18.16),
        ("1.5B", "sft", "lora", 8, 2048, {}, 7.19),
        ("1.5B", "sft", "lora", 2, 1024, {"gradient_checkpointing": False}, 9.27),
        ("1.5B", "sft", "qlora", 8, 2048, {}, 4.64),
        ("1.5B", "sft", "full", 4, 2048, {}, 28.83),
        ("1.5B", "sft", "full", 4, 2048, {"optim": "adamw_8bit"}, 16.96),
        ("1.5B", "dpo", "lora", 4, 2048, {}, 7.19),
        ("1.5B", "orpo", "lora", 2, 1024, {}, 9.30),
        ("7B", "sft", "qlora", 1, 512, {}, 5.82),
        ("7B", "sft", "qlora", 4, 2048, {}, 9.25),
        ("7B", "sft", "lora", 4, 2048, {}, 19.27),
        ("7B", "sft", "lora", 8, 4096, {}, 32.78),
        ("7B", "dpo", "lora", 2, 2048, {}, 19.27),
    ],
)
def test_the_estimate_covers_the_measured_peak_and_is_not_far_above_it(
    model: str, method: str, adapter: str, batch: int, length: int, training: dict[str, Any], peak: float
) -> None:
    spec = spec_of(method, adapter, **training)
    estimate = total(estimate_memory(spec, size_of(model), batch, length, "cuda"))
    # The overhead is what torch does not count, such as the CUDA context.
    assert peak * 0.98 < (estimate - OVERHEAD["cuda"]) / GIB < peak * 1.55
    assert estimate / GIB > peak * 1.05
