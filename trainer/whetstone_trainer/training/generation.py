"""Generates answers without disturbing the random state that makes resuming exact."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Answer:
    """`stopped` is False if the answer was cut at the token limit."""

    text: str
    tokens: int
    stopped: bool


@contextlib.contextmanager
def any_algorithm() -> Iterator[None]:
    """Allows operations that are not deterministic inside the block; sampling from the likeliest tokens needs one."""
    import torch

    required = torch.are_deterministic_algorithms_enabled()
    only_warned = torch.is_deterministic_algorithms_warn_only_enabled()
    torch.use_deterministic_algorithms(False)
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(required, warn_only=only_warned)


@contextlib.contextmanager
def undisturbed_random_state() -> Iterator[None]:
    """Restores Python's, NumPy's and torch's random state after the block."""
    import torch

    python, numpy, cpu = random.getstate(), np.random.get_state(), torch.get_rng_state()
    cuda = torch.cuda.get_rng_state_all() if torch.cuda.is_available() else []
    try:
        yield
    finally:
        random.setstate(python)
        np.random.set_state(numpy)
        torch.set_rng_state(cpu)
        if cuda:
            torch.cuda.set_rng_state_all(cuda)


def generate(
    model: Any,
    tokenizer: Any,
    prompt: str,
    *,
    eos_token_ids: list[int],
    max_new_tokens: int,
    temperature: float,
    max_context: int,
) -> Answer:
    """Returns the model's answer to a rendered prompt; empty if the prompt leaves no room for a token."""
    import torch

    ids = tokenizer(prompt, add_special_tokens=False, return_tensors="pt").input_ids
    room = min(max_new_tokens, max_context - ids.shape[1])
    if room <= 0:
        return Answer("", 0, False)
    ids = ids.to(next(model.parameters()).device)
    sampling: dict[str, Any] = {"do_sample": False, "temperature": None, "top_p": None, "top_k": None}
    if temperature > 0:
        sampling = {"do_sample": True, "temperature": temperature}
    was_training = model.training
    model.eval()
    try:
        with torch.no_grad(), undisturbed_random_state(), any_algorithm():
            output = model.generate(
                input_ids=ids,
                attention_mask=torch.ones_like(ids),
                max_new_tokens=room,
                eos_token_id=eos_token_ids,
                pad_token_id=tokenizer.pad_token_id,
                use_cache=True,
                **sampling,
            )
    finally:
        model.train(was_training)
    new = output[0, ids.shape[1] :].tolist()
    stopped = bool(new) and new[-1] in eos_token_ids
    return Answer(tokenizer.decode(new, skip_special_tokens=True), len(new), stopped)
