"""Renders conversations exactly as they are trained on, and marks which tokens contribute to the loss.

Validation shows what this returns and training feeds it to the model, so the two cannot differ.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Message = dict[str, Any]
Span = tuple[int, int]
TrainOn = Literal["all_assistant", "last_assistant", "all"]
TemplateSource = Literal["model", "trl_patched", "none"]


class TemplateFailed(Exception):
    """The chat template could not render a conversation."""


@dataclass(frozen=True)
class Encoded:
    """One rendered string. `trained[i]`: whether token i contributes to the loss; offsets are characters of `text`."""

    text: str
    input_ids: NDArray[np.int32]
    trained: NDArray[np.bool_]
    offsets: list[Span]


@dataclass(frozen=True)
class EncodedAnswer:
    """A prompt with one answer; `prompt_tokens` is where the answer begins."""

    encoded: Encoded
    prompt_tokens: int


class ChatRenderer:
    """Renders and tokenizes with one tokenizer and its chat template."""

    def __init__(self, tokenizer: Any, eos_token_ids: list[int]) -> None:
        self.tokenizer = tokenizer
        self.eos_token_ids = eos_token_ids
        self.template, self.source = training_template(tokenizer)
        self.has_generation_tags = bool(self.template) and _has_generation_tags(str(self.template))

    def encode(self, messages: list[Message], tools: list[Any] | None, train_on: TrainOn) -> Encoded:
        """Returns the conversation with the tokens of the assistant's turns marked according to `train_on`.

        Raises TemplateFailed when the template refuses the conversation or its turns cannot be distinguished.
        """
        messages = [with_parsed_arguments(message) for message in messages]
        text, generated = self._render(messages, tools)
        if train_on == "all":
            spans = [(0, len(text))]
        else:
            spans = generated if self.has_generation_tags else self._turns(messages, tools, text)
            if train_on == "last_assistant":
                spans = spans[-1:]
        return self._tokenize(text, spans)

    def encode_answer(self, prompt: list[Message], answer: list[Message], tools: list[Any] | None) -> EncodedAnswer:
        """Returns prompt and answer as one string whose answer is trained on.

        Raises TemplateFailed when the template refuses the conversation.
        """
        prompt = [with_parsed_arguments(message) for message in prompt]
        answer = [with_parsed_arguments(message) for message in answer]
        text, _ = self._render(prompt + answer, tools)
        asked, _ = self._render(prompt, tools, add_generation_prompt=True)
        encoded = self._tokenize(text, [(common_prefix(asked, text), len(text))])
        begins = int(np.argmax(encoded.trained)) if encoded.trained.any() else len(encoded.trained)
        return EncodedAnswer(encoded, begins)

    def prompt_text(self, messages: list[Message], tools: list[Any] | None) -> str:
        """Returns the string given to the model to continue."""
        messages = [with_parsed_arguments(message) for message in messages]
        return self._render(messages, tools, add_generation_prompt=True)[0]

    def stop_token_id(self) -> int | None:
        """Returns the special token that ends a trained answer; None if no such token is trained on."""
        user, assistant = {"role": "user", "content": "x"}, {"role": "assistant", "content": "x"}
        try:
            encoded = self.encode([user, assistant], None, "all_assistant")
        except TemplateFailed:
            return None
        special = set(self.tokenizer.get_added_vocab().values()) | set(self.eos_token_ids)
        for token in reversed(encoded.input_ids[encoded.trained].tolist()):
            if self.tokenizer.decode([token]).strip() == "":
                continue
            return token if token in special else None
        return None

    def preserves_prefixes(self) -> bool:
        """Returns whether earlier turns render identically whatever follows them."""
        user, assistant = {"role": "user", "content": "x"}, {"role": "assistant", "content": "y"}
        try:
            shorter, _ = self._render([user, assistant], None)
            longer, _ = self._render([user, assistant, user, assistant], None)
        except TemplateFailed:
            return False
        return longer.startswith(shorter)

    def supports_tools(self) -> bool:
        """Returns whether the template renders tool calls and tool results."""
        from trl.chat_template_utils import supports_tool_calling

        try:
            return bool(supports_tool_calling(self.tokenizer))
        except Exception:
            # Templates fail in many ways on a kind of conversation they do not support.
            return False

    def template_sha256(self) -> str | None:
        """Returns the hash of the model's own template, the one to serve with."""
        own = self.tokenizer.chat_template
        return hashlib.sha256(str(own).encode()).hexdigest() if own else None

    def _render(
        self, messages: list[Message], tools: list[Any] | None, add_generation_prompt: bool = False
    ) -> tuple[str, list[Span]]:
        from transformers.utils.chat_template_utils import render_jinja_template

        try:
            result: Any = render_jinja_template(
                conversations=[messages],
                tools=tools,
                chat_template=self.template,
                return_assistant_tokens_mask=self.has_generation_tags and not add_generation_prompt,
                add_generation_prompt=add_generation_prompt,
                **self.tokenizer.special_tokens_map,
            )
        except Exception as error:
            # A template is a program written by the model's author and may raise anything.
            raise TemplateFailed(str(error) or type(error).__name__) from error
        rendered, spans = result
        return str(rendered[0]), [(int(start), int(end)) for start, end in (spans[0] if spans else [])]

    def _turns(self, messages: list[Message], tools: list[Any] | None, text: str) -> list[Span]:
        """Finds the assistant's turns by rendering what comes before each one."""
        spans: list[Span] = []
        last = max((i for i, message in enumerate(messages) if message["role"] == "assistant"), default=-1)
        for index, message in enumerate(messages):
            if message["role"] != "assistant":
                continue
            before, _ = self._render(messages[:index], tools, add_generation_prompt=True)
            through, _ = self._render(messages[: index + 1], tools)
            if text.startswith(before) and text.startswith(through):
                spans.append((len(before), len(through)))
            elif index == last:
                # Templates that drop the reasoning of earlier turns still agree about the last one.
                raise TemplateFailed("the template renders the prompt differently when the last answer follows it")
        return spans

    def _tokenize(self, text: str, spans: list[Span]) -> Encoded:
        encoding = self.tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)
        offsets: list[Span] = [(int(start), int(end)) for start, end in encoding["offset_mapping"]]
        starts = np.array([start for start, _ in offsets], dtype=np.int64)
        trained = np.zeros(len(offsets), dtype=np.bool_)
        for start, end in spans:
            trained |= (starts >= start) & (starts < end)
        return Encoded(text, np.array(encoding["input_ids"], dtype=np.int32), trained, offsets)


def training_template(tokenizer: Any) -> tuple[str | None, TemplateSource]:
    """Returns the template to train with: the model's own, or TRL's patched copy of a known family."""
    own = tokenizer.chat_template
    if not own:
        return None, "none"
    if _has_generation_tags(str(own)):
        return str(own), "model"
    from trl.chat_template_utils import get_training_chat_template

    try:
        patched = get_training_chat_template(tokenizer)
    except Exception:
        # TRL raises for every template it does not know; turns are then found by rendering prefixes.
        patched = None
    return (str(patched), "trl_patched") if patched else (str(own), "model")


def with_parsed_arguments(message: Message) -> Message:
    """Returns the message with tool call arguments as objects, the form that templates expect."""
    calls = message.get("tool_calls")
    if not calls:
        return message
    parsed = []
    for call in calls:
        function = dict(call.get("function") or {})
        if isinstance(function.get("arguments"), str):
            with contextlib.suppress(ValueError):
                function["arguments"] = json.loads(function["arguments"])
        parsed.append({**call, "function": function})
    return {**message, "tool_calls": parsed, "content": message.get("content") or ""}


def common_prefix(left: str, right: str) -> int:
    """Returns how many leading characters two strings share."""
    if right.startswith(left):
        return len(left)
    return next((i for i, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), min(len(left), len(right)))


def _has_generation_tags(template: str) -> bool:
    from trl.chat_template_utils import has_generation_markers

    return bool(has_generation_markers(template))
