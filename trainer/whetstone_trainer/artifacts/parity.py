"""Compares the logits of a checkpoint with those of the model that was built from it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import torch

from ..trainer_error import TrainerFailure
from .prompts import Messages

# Rounding to bfloat16 through 30 layers moves logits by about 1 % of their spread; a wrong merge moves them by more
# than 10 %. Measured as the root mean square difference over the root mean square of the centered logits.
MAX_RELATIVE_DIFFERENCE = 0.05


@dataclass(frozen=True)
class Observation:
    """A model's response to one prompt: the token ids it was given and its logits (float32, tokens x vocabulary)."""

    input_ids: list[int]
    logits: torch.Tensor


def observe(model: Any, tokenizer: Any, prompts: list[Messages]) -> list[Observation]:
    """Returns the logits at every position of every prompt."""
    observations = []
    for messages in prompts:
        ids = encode_prompt(tokenizer, messages)
        with torch.inference_mode():
            logits = model(input_ids=torch.tensor([ids], device=model.device)).logits[0].float().cpu()
        observations.append(Observation(ids, logits))
    return observations


def encode_prompt(tokenizer: Any, messages: Messages) -> list[int]:
    """Returns the token ids of a prompt for an answer; of plain text if the model has no chat template."""
    if tokenizer.chat_template is None:
        ids: list[int] = tokenizer.encode("\n".join(message["content"] for message in messages))
        return ids
    text = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
    encoded: list[int] = tokenizer.encode(text, add_special_tokens=False)
    return encoded


def compare(expected: list[Observation], actual: list[Observation]) -> dict[str, Any]:
    """Returns the figures of the comparison. Raises TrainerFailure merge_parity_failed above the threshold."""
    figures = [_differences(before, after) for before, after in zip(expected, actual, strict=True)]
    worst = max(figure[0] for figure in figures)
    result = {
        "prompts": len(figures),
        "relative_difference": worst,
        "max_absolute_difference": max(figure[1] for figure in figures),
        "same_next_token": sum(figure[2] for figure in figures),
        "threshold": MAX_RELATIVE_DIFFERENCE,
    }
    # `not <=` so that NaN fails too.
    if not worst <= MAX_RELATIVE_DIFFERENCE:
        raise TrainerFailure.of(
            "merge_parity_failed",
            f"the merged model's logits differ from the adapter's by {worst:.1%} of their spread "
            f"(limit {MAX_RELATIVE_DIFFERENCE:.0%}, {result['same_next_token']} of {len(figures)} next tokens agree)",
            hint="Serve the adapter on its base model instead, or train with a smaller learning rate or rank.",
        )
    return result


def _differences(before: Observation, after: Observation) -> tuple[float, float, bool]:
    if before.input_ids != after.input_ids:
        raise TrainerFailure.of(
            "merge_parity_failed", "the merged model's tokenizer or template reads a prompt differently"
        )
    difference = (after.logits - before.logits).abs()
    centered = before.logits - before.logits.mean(dim=-1, keepdim=True)
    scale = centered.square().mean().sqrt().clamp_min(1e-6)
    relative = float(difference.square().mean().sqrt() / scale)
    # Whether max() returns a NaN depends on the order, so NaN counts as infinite.
    relative = float("inf") if math.isnan(relative) else relative
    same = bool(before.logits[-1].argmax() == after.logits[-1].argmax())
    return relative, float(difference.max().nan_to_num(1e30, 1e30)), same
