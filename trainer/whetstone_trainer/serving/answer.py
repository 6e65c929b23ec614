"""Turns generated tokens into an answer's text, whichever program generates them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from .chat import Token, Usage
from .prompt import Prompt, Prompter
from .text import Detokenizer, StopStrings

OnText = Callable[[str, list[Token]], None]
# A token's log-probability, and the likeliest tokens at its position.
Likelihood = tuple[float, list[tuple[int, float]]]


@dataclass(frozen=True)
class Finished:
    reason: Literal["stop", "length"]
    usage: Usage


class Answer:
    """Follows one answer from its first token to its end."""

    def __init__(self, prompter: Prompter, prompt: Prompt, eos: frozenset[int], on_text: OnText) -> None:
        markers = prompter.markers if prompt.request.offered_tools else frozenset()
        self._tokenizer = prompter.tokenizer
        self._text = Detokenizer(prompter.tokenizer, prompter.hidden_tokens - markers)
        self._stops = StopStrings(prompt.request.stops)
        self._constraint = prompt.constraint
        self._prompt_tokens = len(prompt.ids)
        self._eos = eos
        self._on_text = on_text
        self._tokens: list[Token] = []
        self._count = 0
        self._ended = False

    @property
    def over(self) -> bool:
        """Returns whether no further token belongs to the answer."""
        return self._ended or self._stops.found

    def push(self, token: int, likelihood: Likelihood | None, *, ends: bool = False) -> None:
        """Takes the next token; one that `ends` the answer has no text."""
        self._count += 1
        if ends or token in self._eos:
            self._ended = True
            return
        if likelihood is not None:
            logprob, likeliest = likelihood
            top = [(self._token_text(one), value) for one, value in likeliest]
            self._tokens.append(Token(self._token_text(token), logprob, top))
        self._say(self._stops.push(self._text.push(token)))

    def finish(self) -> Finished:
        """Says what was held back, and returns how the answer ended."""
        rest = self._stops.push(self._text.rest()) + self._stops.rest()
        if rest or self._tokens:
            self._on_text(rest, self._tokens)
        complete = self._constraint is not None and self._constraint.complete
        return Finished("stop" if self.over or complete else "length", Usage(self._prompt_tokens, self._count))

    def _token_text(self, token: int) -> str:
        return str(self._tokenizer.decode([token], clean_up_tokenization_spaces=False))

    def _say(self, text: str) -> None:
        if text:
            tokens, self._tokens = self._tokens, []
            self._on_text(text, tokens)
