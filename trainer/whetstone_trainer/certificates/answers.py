"""Answers prompts and scores given answers with transformers: the checkpoint itself, and its merged form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch

from ..artifacts.merge import generate
from ..artifacts.parity import encode_prompt
from ..artifacts.prompts import Messages
from .judge import Reference, Said

# A token that is not among them is not a near-tie.
ALTERNATIVES = 20
# Weights, activations and the cache of a short answer.
_MEMORY_OVER_WEIGHTS = 1.3


@dataclass(frozen=True)
class ReferenceAnswer:
    """The checkpoint's answer to a prompt. `stops` are the tokens that end its answers."""

    messages: Messages
    prompt_ids: list[int]
    content: str
    scored: Reference
    stops: frozenset[int]

    @property
    def token_ids(self) -> list[int]:
        return [int(token) for token in self.scored.tokens if isinstance(token, int)]


def on_best_device(model: Any) -> Any:
    """Moves the model to the GPU if it has enough free memory, and returns it."""
    if not torch.cuda.is_available():
        return model
    needed = sum(weight.numel() * weight.element_size() for weight in model.parameters()) * _MEMORY_OVER_WEIGHTS
    free, _ = torch.cuda.mem_get_info()
    return model.to("cuda") if free > needed else model


def reference_answers(
    model: Any, tokenizer: Any, prompts: list[Messages], max_new_tokens: int
) -> list[ReferenceAnswer]:
    """Returns the checkpoint's answers at temperature 0, with the log-probability of every token."""
    configured = model.generation_config.eos_token_id
    stops = frozenset(configured if isinstance(configured, list) else [configured])
    answers = []
    for messages in prompts:
        tokens, _ = generate(model, tokenizer, messages, max_new_tokens)
        ids = encode_prompt(tokenizer, messages)
        distribution = _distribution(model, ids, tokens)
        top = distribution.topk(min(ALTERNATIVES, distribution.shape[-1]), dim=-1)
        chosen = _chosen(distribution, tokens)
        alternatives = [
            {**dict(zip(places, values, strict=True)), token: logprob}
            for places, values, token, logprob in zip(
                top.indices.tolist(), top.values.tolist(), tokens, chosen, strict=True
            )
        ]
        answers.append(
            ReferenceAnswer(
                messages=messages,
                prompt_ids=ids,
                content=str(tokenizer.decode(tokens, skip_special_tokens=True)),
                scored=Reference(tokens=tokens, logprobs=chosen, alternatives=alternatives),
                stops=stops,
            )
        )
    return answers


def answers_of(model: Any, tokenizer: Any, references: list[ReferenceAnswer], max_new_tokens: int) -> list[Said]:
    """Returns a model's own answers to the same prompts and the log-probabilities it gives to the checkpoint's."""
    said = []
    for reference in references:
        tokens, _ = generate(model, tokenizer, reference.messages, max_new_tokens)
        ids = encode_prompt(tokenizer, reference.messages)
        logprobs = _chosen(_distribution(model, ids, reference.token_ids), reference.token_ids)
        said.append(Said(str(tokenizer.decode(tokens, skip_special_tokens=True)), tokens, logprobs))
    return said


def _distribution(model: Any, prompt_ids: list[int], answer_ids: list[int]) -> torch.Tensor:
    """Returns the log-probabilities over the vocabulary at each token of an answer (float32, tokens x vocabulary)."""
    with torch.inference_mode():
        inputs = torch.tensor([[*prompt_ids, *answer_ids]], device=model.device)
        logits = model(input_ids=inputs).logits[0, len(prompt_ids) - 1 : -1].float()
        distribution: torch.Tensor = logits.log_softmax(dim=-1).cpu()
        return distribution


def _chosen(distribution: torch.Tensor, tokens: list[int]) -> list[float]:
    return [float(distribution[index, token]) for index, token in enumerate(tokens)]
