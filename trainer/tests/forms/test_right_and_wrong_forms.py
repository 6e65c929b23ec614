"""A right merge is never refused, and no planted fault passes: three kinds of models, in three dtypes."""

from __future__ import annotations

import copy
import functools
import random
from collections.abc import Callable
from typing import Any

import pytest
import torch
from amounts import amount
from peft import LoraConfig, get_peft_model
from tiny import build_tiny_tokenizer
from transformers import (
    GemmaConfig,
    GemmaForCausalLM,
    LlamaConfig,
    LlamaForCausalLM,
    Qwen2Config,
    Qwen2ForCausalLM,
)

from whetstone_trainer.certificates.answers import answers_of, reference_answers
from whetstone_trainer.certificates.judge import judge
from whetstone_trainer.certificates.request import Subject

TOKENIZER = build_tiny_tokenizer()
SIZES: dict[str, Any] = {
    "vocab_size": len(TOKENIZER),
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 256,
    "eos_token_id": TOKENIZER.eos_token_id,
    "pad_token_id": TOKENIZER.pad_token_id,
    "bos_token_id": None,
}
BASES: dict[str, Callable[[], Any]] = {
    "llama": lambda: LlamaForCausalLM(LlamaConfig(**SIZES)),
    "qwen2": lambda: Qwen2ForCausalLM(Qwen2Config(**SIZES, tie_word_embeddings=True)),
    "gemma": lambda: GemmaForCausalLM(GemmaConfig(**SIZES, head_dim=16)),
}
DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}
WORDS = ["hello", "world", "this", "is", "a", "tiny", "tokenizer", "weather", "sunny"]
# Undecided after a few steps, decided after many.
STEPS = {"few": 4, "many": 40}
# Models of usual size have logits of 10 to 30, at which bfloat16 rounds to an eighth; those of tiny ones are below 1.
LOUDER = 8.0
TOKENS = 24

CHECKPOINTS = [(base, dtype, steps) for base in BASES for dtype in DTYPES for steps in STEPS]
# With two more of the model that drifts most.
CHECKPOINTS += [("llama", "bfloat16", "more"), ("qwen2", "bfloat16", "more")]
STEPS["more"] = 12


@functools.cache
def rows() -> tuple[list[dict[str, str]], ...]:
    choice = random.Random(7)
    return tuple(
        [
            {"role": "system", "content": choice.choice(["hello tiny", "this is a tokenizer"])},
            {"role": "user", "content": " ".join(choice.sample(WORDS, 3))},
            {"role": "assistant", "content": " ".join(choice.choice(WORDS) for _ in range(6))},
        ]
        for _ in range(6)
    )


def teach(model: Any, steps: int, rate: float) -> None:
    texts = [TOKENIZER.apply_chat_template(row, tokenize=True, return_dict=True)["input_ids"] for row in rows()]
    longest = max(map(len, texts))
    inputs = torch.tensor([ids + [TOKENIZER.pad_token_id] * (longest - len(ids)) for ids in texts])
    labels = torch.tensor([ids + [-100] * (longest - len(ids)) for ids in texts])
    optimizer = torch.optim.AdamW([one for one in model.parameters() if one.requires_grad], lr=rate)
    model.train()
    for _ in range(steps):
        model(input_ids=inputs, labels=labels, attention_mask=(labels != -100).long()).loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    model.eval()


@functools.cache
def base_of(name: str) -> Any:
    torch.manual_seed(0)
    model = BASES[name]()
    model.generation_config.eos_token_id = TOKENIZER.eos_token_id
    model.generation_config.pad_token_id = TOKENIZER.pad_token_id
    teach(model, 15, 3e-3)
    with torch.no_grad():
        weight = model.model.norm.weight
        # Gemma's norm scales by 1 + weight.
        weight.copy_((1 + weight) * LOUDER - 1 if name == "gemma" else weight * LOUDER)
    return model


def adapted(base: str, dtype: str, steps: int) -> Any:
    """Returns a model with an adapter, as a worker trains it: the base in its dtype, the adapter in float32."""
    torch.manual_seed(steps)
    model = copy.deepcopy(base_of(base)).to(DTYPES[dtype])
    config = LoraConfig(r=8, lora_alpha=16, target_modules="all-linear", task_type="CAUSAL_LM")
    with_adapter = get_peft_model(model, config, autocast_adapter_dtype=True)
    teach(with_adapter, steps, 1e-2)
    return with_adapter


def merged(with_adapter: Any) -> Any:
    """Returns the merged model in 16 bits, as it is served."""
    model = copy.deepcopy(with_adapter).merge_and_unload()
    return (model.to(torch.bfloat16) if model.dtype == torch.float32 else model).eval()


def certified(reference: Any, form: Any, tokenizer: Any = TOKENIZER) -> Subject:
    answers = reference_answers(reference, TOKENIZER, [row[:-1] for row in rows()], TOKENS)
    said = answers_of(form, tokenizer, answers, TOKENS)
    return judge("merged-16bit", None, [one.scored for one in answers], said)


@pytest.mark.parametrize(("base", "dtype", "steps"), amount(CHECKPOINTS[::8], CHECKPOINTS))
def test_a_right_merge_is_not_refused(base: str, dtype: str, steps: str) -> None:
    reference = adapted(base, dtype, STEPS[steps])
    subject = certified(reference, merged(reference))
    assert subject.verdict == "same", subject


@functools.cache
def learned() -> Any:
    return adapted("qwen2", "bfloat16", STEPS["many"])


def scale_doubled() -> Any:
    model = copy.deepcopy(learned())
    for module in model.modules():
        if isinstance(getattr(module, "scaling", None), dict):
            module.scaling = {name: 2 * value for name, value in module.scaling.items()}
    return merged(model)


def adapter_of_another_step() -> Any:
    return merged(adapted("qwen2", "bfloat16", STEPS["more"]))


def adapter_left_out() -> Any:
    return copy.deepcopy(base_of("qwen2")).to(torch.bfloat16).eval()


def layer_left_out() -> Any:
    model = copy.deepcopy(learned())
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if "layers.1." in name and "lora_B" in name:
                weight.zero_()
    return merged(model)


def tied_weights_lost() -> Any:
    model = merged(learned())
    torch.manual_seed(3)
    model.lm_head.weight = torch.nn.Parameter(torch.randn_like(model.lm_head.weight) * 0.02)
    return model


def vocabulary_off_by_one() -> Any:
    model = merged(learned())
    weight = model.get_input_embeddings().weight
    with torch.no_grad():
        weight.copy_(weight.roll(1, dims=0))
    return model


def norm_lost() -> Any:
    model = merged(learned())
    torch.nn.init.ones_(model.model.norm.weight)
    return model


def biases_moved() -> Any:
    model = merged(learned())
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if name.endswith(("q_proj.bias", "k_proj.bias", "v_proj.bias")):
                weight.add_(1)
    return model


def heads_swapped() -> Any:
    model = merged(learned())
    weight = model.model.layers[0].self_attn.o_proj.weight
    with torch.no_grad():
        weight.copy_(weight.roll(16, dims=1))
    return model


def without_system_turn() -> Any:
    tokenizer = copy.deepcopy(TOKENIZER)
    tokenizer.chat_template = "{% set messages = messages | rejectattr('role', 'equalto', 'system') | list %}" + (
        TOKENIZER.chat_template
    )
    return tokenizer


FAULTS = [
    *(scale_doubled, adapter_of_another_step, adapter_left_out, layer_left_out, tied_weights_lost),
    *(vocabulary_off_by_one, norm_lost, biases_moved, heads_swapped),
]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_a_planted_fault_is_refused(fault: Callable[[], Any]) -> None:
    subject = certified(learned(), fault())
    assert subject.verdict == "different", subject


def test_a_template_without_its_system_turn_is_refused() -> None:
    subject = certified(learned(), merged(learned()), without_system_turn())
    assert subject.verdict == "different", subject
