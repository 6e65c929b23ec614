"""Generates answers with transformers, token by token, one at a time."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from transformers import LogitsProcessor, LogitsProcessorList, StoppingCriteria, StoppingCriteriaList
from transformers.generation.streamers import BaseStreamer

from ..training.chat_rendering import with_parsed_arguments
from .chat import ChatRequest, FinishReason, Token, Usage, plain_messages
from .request import ServeProfile
from .text import Detokenizer, StopStrings

OnText = Callable[[str, list[Token]], None]
# The range of seeds that torch accepts.
_SEEDS = 2**63


class TooLong(ValueError):
    """The prompt leaves no room for an answer."""


class TemplateRefuses(ValueError):
    """The model's chat template cannot render the messages."""


class BrokenModel(RuntimeError):
    """The model returned values that are not numbers."""


@dataclass(frozen=True)
class Finished:
    reason: FinishReason
    usage: Usage


class Engine:
    """A model, its tokenizer and its profile. Not thread-safe."""

    def __init__(self, model: Any, tokenizer: Any, profile: ServeProfile) -> None:
        self._model = model
        self._tokenizer = tokenizer
        self._profile = profile
        self._eos = set(profile.eos_token_ids)

    def encode(self, request: ChatRequest) -> list[int]:
        """Returns the prompt's tokens. Raises InvalidMessage, TemplateRefuses or TooLong."""
        messages = [with_parsed_arguments(message) for message in plain_messages(request.messages)]
        if self._tokenizer.chat_template is None:
            ids: list[int] = self._tokenizer.encode("\n".join(message["content"] for message in messages))
        else:
            try:
                text = self._tokenizer.apply_chat_template(
                    messages, tools=request.offered_tools, tokenize=False, add_generation_prompt=True
                )
            except Exception as error:
                # A template is a program written by the model's author and may raise anything.
                raise TemplateRefuses(str(error) or type(error).__name__) from error
            ids = self._tokenizer.encode(text, add_special_tokens=False)
        if len(ids) >= self._profile.max_context:
            raise TooLong(
                f"the prompt has {len(ids)} tokens and the model's context {self._profile.max_context}, "
                "so there is no room for an answer"
            )
        return ids

    def generate(self, request: ChatRequest, ids: list[int], on_text: OnText, cancelled: threading.Event) -> Finished:
        """Passes the answer to `on_text` as it is generated, and returns how it ended. Ends early if cancelled."""
        if not ids:
            raise TemplateRefuses("the messages render to an empty prompt")
        room = self._profile.max_context - len(ids)
        limit = min(request.limit or room, room)
        answer = _Answer(self, request, on_text, cancelled)
        inputs = torch.tensor([ids], device=self._model.device)
        torch.manual_seed(request.seed % _SEEDS) if request.seed is not None else torch.seed()
        with torch.inference_mode():
            self._model.generate(
                input_ids=inputs,
                attention_mask=torch.ones_like(inputs),
                max_new_tokens=limit,
                eos_token_id=self._profile.eos_token_ids or None,
                pad_token_id=self._tokenizer.pad_token_id if self._tokenizer.pad_token_id is not None else 0,
                streamer=answer,
                logits_processor=LogitsProcessorList([answer.watch]),
                stopping_criteria=StoppingCriteriaList([answer.stop]),
                use_cache=True,
                **self._sampling(request),
            )
        return answer.finish(len(ids))

    def _sampling(self, request: ChatRequest) -> dict[str, Any]:
        defaults = self._profile.defaults
        temperature = defaults.temperature if request.temperature is None else request.temperature
        if temperature == 0:
            return {"do_sample": False, "temperature": None, "top_p": None, "top_k": None}
        top_p = defaults.top_p if request.top_p is None else request.top_p
        return {"do_sample": True, "temperature": temperature, "top_p": top_p, "top_k": defaults.top_k}

    def token_text(self, token: int) -> str:
        return str(self._tokenizer.decode([token], clean_up_tokenization_spaces=False))

    def ends(self, token: int) -> bool:
        return token in self._eos

    def detokenizer(self) -> Detokenizer:
        return Detokenizer(self._tokenizer)


class _Watch(LogitsProcessor):
    """Sees the logits of every step before sampling changes them."""

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

    def take(self, token: int) -> tuple[float, list[tuple[int, float]]]:
        """Returns the log-probability of the next streamed token, and the likeliest tokens at its position."""
        logprobs = self._steps.popleft()
        values, ids = torch.topk(logprobs, self._top or 0)
        return float(logprobs[token]), list(zip(ids.tolist(), values.tolist(), strict=True))


class _Stop(StoppingCriteria):
    def __init__(self, cancelled: threading.Event, stops: StopStrings) -> None:
        self._cancelled = cancelled
        self._stops = stops

    def __call__(self, input_ids: torch.Tensor, scores: torch.Tensor, **_: Any) -> torch.Tensor:
        ends = self._cancelled.is_set() or self._stops.found
        return torch.full((input_ids.shape[0],), ends, device=input_ids.device, dtype=torch.bool)


class _Answer(BaseStreamer):
    """Follows one generation."""

    def __init__(self, engine: Engine, request: ChatRequest, on_text: OnText, cancelled: threading.Event) -> None:
        self._engine = engine
        self._on_text = on_text
        self._text = engine.detokenizer()
        self._stops = StopStrings(request.stops)
        self._with_logprobs = bool(request.logprobs)
        self._tokens: list[Token] = []
        self._saw_prompt = False
        self._ended = False
        self._count = 0
        self.watch = _Watch((request.top_logprobs or 0) if request.logprobs else None)
        self.stop = _Stop(cancelled, self._stops)

    def put(self, value: torch.Tensor) -> None:
        if not self._saw_prompt:
            self._saw_prompt = True
            return
        for token in value.reshape(-1).tolist():
            self._push(int(token))

    def end(self) -> None:
        """Does nothing, because `finish` reports the end."""

    def _push(self, token: int) -> None:
        if self._ended or self._stops.found:
            return
        self._count += 1
        if self._engine.ends(token):
            self._ended = True
            return
        if self._with_logprobs:
            logprob, likeliest = self.watch.take(token)
            top = [(self._engine.token_text(one), value) for one, value in likeliest]
            self._tokens.append(Token(self._engine.token_text(token), logprob, top))
        self._say(self._stops.push(self._text.push(token)))

    def _say(self, text: str) -> None:
        if text:
            tokens, self._tokens = self._tokens, []
            self._on_text(text, tokens)

    def finish(self, prompt_tokens: int) -> Finished:
        rest = self._stops.push(self._text.rest()) + self._stops.rest()
        if rest or self._tokens:
            self._on_text(rest, self._tokens)
        reason: FinishReason = "stop" if self._ended or self._stops.found else "length"
        return Finished(reason, Usage(prompt_tokens, self._count))
