"""Generates answers with transformers, token by token, one at a time."""

from __future__ import annotations

import threading
from collections import deque
from typing import Any

import torch
from transformers import LogitsProcessor, LogitsProcessorList, StoppingCriteria, StoppingCriteriaList
from transformers.generation.streamers import BaseStreamer

from .answer import Answer, Finished, Likelihood, OnText
from .chat import ChatRequest
from .constraint import BrokenConstraint, Constraint
from .prompt import Prompt, Prompter
from .request import ServeProfile

# The range of seeds that torch accepts.
_SEEDS = 2**63


class BrokenModel(RuntimeError):
    """The model returned values that are not numbers."""


class Engine:
    """A model, its tokenizer and its profile. Not thread-safe, but `prepare` may run beside `generate`."""

    def __init__(self, model: Any, tokenizer: Any, profile: ServeProfile) -> None:
        self._model = model
        self._tokenizer = tokenizer
        self._profile = profile
        self._eos = frozenset(profile.eos_token_ids)
        vocabulary = max(int(model.config.get_text_config().vocab_size), len(tokenizer))
        self._prompter = Prompter(tokenizer, profile, vocabulary)

    def prepare(self, request: ChatRequest) -> Prompt:
        """Returns the prompt. Raises what Prompter.prepare raises."""
        return self._prompter.prepare(request)

    def generate(self, prompt: Prompt, on_text: OnText, cancelled: threading.Event) -> Finished:
        """Passes the answer to `on_text` as it is generated, and returns how it ended. Ends early if cancelled."""
        request, ids = prompt.request, prompt.ids
        room = self._profile.max_context - len(ids)
        limit = min(request.limit or room, room)
        answer = Answer(self._prompter, prompt, self._eos, on_text)
        watch = _Watch((request.top_logprobs or 0) if request.logprobs else None)
        processors: list[LogitsProcessor] = [watch]
        if prompt.constraint is not None:
            processors.append(_Allow(prompt.constraint, len(ids)))
        inputs = torch.tensor([ids], device=self._model.device)
        torch.manual_seed(request.seed % _SEEDS) if request.seed is not None else torch.seed()
        with torch.inference_mode():
            self._model.generate(
                input_ids=inputs,
                attention_mask=torch.ones_like(inputs),
                max_new_tokens=limit,
                eos_token_id=self._profile.eos_token_ids or None,
                pad_token_id=self._tokenizer.pad_token_id if self._tokenizer.pad_token_id is not None else 0,
                streamer=_Stream(answer, watch),
                logits_processor=LogitsProcessorList(processors),
                stopping_criteria=StoppingCriteriaList([_Stop(cancelled, answer, prompt.constraint)]),
                use_cache=True,
                **self._sampling(request),
            )
        return answer.finish()

    def _sampling(self, request: ChatRequest) -> dict[str, Any]:
        defaults = self._profile.defaults
        temperature = defaults.temperature if request.temperature is None else request.temperature
        if temperature == 0:
            return {"do_sample": False, "temperature": None, "top_p": None, "top_k": None}
        top_p = defaults.top_p if request.top_p is None else request.top_p
        return {"do_sample": True, "temperature": temperature, "top_p": top_p, "top_k": defaults.top_k}


class _Watch(LogitsProcessor):
    """Sees the logits of every step before anything changes them."""

    def __init__(self, top: int | None) -> None:
        self._top = top
        # Logits of the tokens not streamed yet: transformers may stream a step late.
        self._steps: deque[torch.Tensor] = deque()

    def __call__(self, input_ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        if bool(torch.isnan(scores).any()):
            raise BrokenModel("the model returned no numbers")
        if self._top is not None:
            self._steps.append(torch.log_softmax(scores[0].float(), dim=-1))
        return scores

    def take(self, token: int) -> Likelihood | None:
        """Returns the log-probability of the next streamed token, and the likeliest tokens at its position."""
        if self._top is None:
            return None
        logprobs = self._steps.popleft()
        values, ids = torch.topk(logprobs, self._top)
        return float(logprobs[token]), list(zip(ids.tolist(), values.tolist(), strict=True))


class _Allow(LogitsProcessor):
    """Leaves only the tokens that may come next."""

    def __init__(self, constraint: Constraint, prompt_tokens: int) -> None:
        self._constraint = constraint
        self._taken = prompt_tokens

    def __call__(self, input_ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        for token in input_ids[0, self._taken :].tolist():
            if not self._constraint.take(int(token)):
                raise BrokenConstraint("a token that was allowed does not match")
            self._taken += 1
        bits = torch.frombuffer(bytearray(self._constraint.allowed_mask()), dtype=torch.uint8)
        allowed = (bits.unsqueeze(1) >> torch.arange(8, dtype=torch.uint8)).bitwise_and(1).reshape(-1).bool()
        size = scores.shape[-1]
        if allowed.shape[0] < size:
            allowed = torch.nn.functional.pad(allowed, (0, size - allowed.shape[0]))
        return scores.masked_fill(~allowed[:size].to(scores.device), float("-inf"))


class _Stop(StoppingCriteria):
    def __init__(self, cancelled: threading.Event, answer: Answer, constraint: Constraint | None) -> None:
        self._cancelled = cancelled
        self._answer = answer
        self._constraint = constraint

    def __call__(self, input_ids: torch.Tensor, scores: torch.Tensor, **_: Any) -> torch.Tensor:
        complete = self._constraint is not None and self._constraint.complete
        ends = self._cancelled.is_set() or self._answer.over or complete
        return torch.full((input_ids.shape[0],), ends, device=input_ids.device, dtype=torch.bool)


class _Stream(BaseStreamer):
    """Passes the tokens on; the first ones are the prompt's."""

    def __init__(self, answer: Answer, watch: _Watch) -> None:
        self._answer = answer
        self._watch = watch
        self._saw_prompt = False

    def put(self, value: torch.Tensor) -> None:
        if not self._saw_prompt:
            self._saw_prompt = True
            return
        for token in value.reshape(-1).tolist():
            if not self._answer.over:
                self._answer.push(int(token), self._watch.take(int(token)))

    def end(self) -> None:
        """Does nothing, because `finish` reports the end."""
