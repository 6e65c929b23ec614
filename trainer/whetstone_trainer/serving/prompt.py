"""Turns a request into the prompt's tokens with the model's own template, and into what its answer must match."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..training.chat_rendering import with_parsed_arguments
from .calls.call_format import BARE, CallFormat, Message, call_format
from .calls.read_calls import MARKERS, CallReader, call_reader
from .chat import ChatRequest, plain_messages
from .constraint import Constrainer, Constraint
from .request import ServeProfile

_MISTRAL_ID = re.compile(r"[A-Za-z0-9]{9}")


class TooLong(ValueError):
    """The prompt leaves no room for an answer."""


class TemplateRefuses(ValueError):
    """The model's chat template cannot render the messages."""


class UnsupportedRequest(ValueError):
    """Something that this program cannot do. `param` is the request's field."""

    def __init__(self, message: str, param: str) -> None:
        super().__init__(message)
        self.param = param


@dataclass(frozen=True)
class Prompt:
    """A request that is ready to be answered."""

    request: ChatRequest
    ids: list[int]
    calls: CallFormat
    constraint: Constraint | None = None

    def reader(self) -> CallReader:
        """Returns what separates the answer's text from its tool calls."""
        tools = self.request.offered_tools
        names = frozenset(str(tool["function"]["name"]) for tool in tools or [])
        return call_reader(self.calls.family if tools else None, names)


class Prompter:
    """Renders and tokenizes with one tokenizer and its profile."""

    def __init__(self, tokenizer: Any, profile: ServeProfile, vocabulary: int | None = None) -> None:
        self.tokenizer = tokenizer
        self.max_context = profile.max_context
        self._constrainer = Constrainer(tokenizer, profile.eos_token_ids, vocabulary)

    @cached_property
    def calls(self) -> CallFormat:
        """Returns how the template writes tool calls."""
        return call_format(self._render)

    @cached_property
    def hidden_tokens(self) -> frozenset[int]:
        """Returns the special tokens that are no part of an answer's text."""
        return frozenset(self.tokenizer.all_special_ids)

    @cached_property
    def markers(self) -> frozenset[int]:
        """Returns the tokens that mark tool calls."""
        vocabulary = self.tokenizer.get_vocab()
        return frozenset(vocabulary[marker] for marker in MARKERS if marker in vocabulary)

    def prepare(self, request: ChatRequest) -> Prompt:
        """Returns the prompt. Raises InvalidMessage, InvalidSchema, Unconstrainable, TemplateRefuses or TooLong."""
        ids = self._encode(request)
        if not ids:
            raise TemplateRefuses("the messages render to an empty prompt")
        if len(ids) >= self.max_context:
            raise TooLong(
                f"the prompt has {len(ids)} tokens and the model's context {self.max_context}, "
                "so there is no room for an answer"
            )
        # A forced call in a format that answers are not searched for is written as bare JSON.
        is_forced = request.forced_tools is not None and self.calls.family is None
        calls = BARE if is_forced else self.calls
        return Prompt(request, ids, calls, self._constrainer.constraint(request, calls))

    def _encode(self, request: ChatRequest) -> list[int]:
        messages = plain_messages(request.messages)
        if self.tokenizer.chat_template is None:
            ids: list[int] = self.tokenizer.encode("\n".join(message["content"] for message in messages))
            return ids
        try:
            text = self._render([self._form(message) for message in messages], request.offered_tools, True)
        except Exception as error:
            # A template is a program written by the model's author and may raise anything.
            raise TemplateRefuses(str(error) or type(error).__name__) from error
        return list(self.tokenizer.encode(text, add_special_tokens=False))

    def _render(self, messages: list[Message], tools: list[Any] | None, begins: bool) -> str:
        return str(
            self.tokenizer.apply_chat_template(messages, tools=tools, tokenize=False, add_generation_prompt=begins)
        )

    def _form(self, message: Message) -> Message:
        """Returns a message with tool calls in the form that the template expects."""
        if "tool_calls" not in message and "tool_call_id" not in message:
            return message
        formed = _with_text_arguments(message) if self.calls.arguments_as_text else with_parsed_arguments(message)
        return _with_short_ids(formed) if self.calls.family == "mistral" else formed


def _with_text_arguments(message: Message) -> Message:
    calls = []
    for call in message.get("tool_calls") or []:
        function = call.get("function") or {}
        arguments = function.get("arguments")
        text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
        calls.append({**call, "function": {**function, "arguments": text}})
    return {**message, "tool_calls": calls} if calls else message


def _with_short_ids(message: Message) -> Message:
    """Returns a message whose ids Mistral's templates accept; another provider's history has longer ones."""
    calls = [{**call, "id": _short(call["id"])} if call.get("id") else call for call in message.get("tool_calls") or []]
    given = message.get("tool_call_id")
    return {
        **message,
        **({"tool_calls": calls} if calls else {}),
        **({"tool_call_id": _short(given)} if given else {}),
    }


def _short(given: Any) -> str:
    text = str(given)
    return text if _MISTRAL_ID.fullmatch(text) else hashlib.sha256(text.encode()).hexdigest()[:9]
