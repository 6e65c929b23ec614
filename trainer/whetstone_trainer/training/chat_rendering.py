"""Renders conversations exactly as they are trained on, and marks which tokens contribute to the loss.

Validation shows what this returns and training feeds it to the model, so the two cannot differ.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..serving.calls.call_format import CallFormat, call_format, tool

Message = dict[str, Any]
Span = tuple[int, int]
TrainOn = Literal["all_assistant", "last_assistant", "all"]
PROBE_ID = "a1B2c3D4e"
_MISTRAL_ID = re.compile(r"[A-Za-z0-9]{9}")
TemplateSource = Literal["model", "trl_patched", "none"]


class TemplateFailed(Exception):
    """The chat template could not render a conversation."""


@dataclass(frozen=True)
class Encoded:
    """One rendered string. `weights[i]`: how much token i counts in the loss; offsets are characters of `text`."""

    text: str
    input_ids: NDArray[np.int32]
    weights: NDArray[np.float32]
    offsets: list[Span]
    # Each message's role and weight, in order; None where no weight applies.
    turns: list[tuple[str, float | None]] = field(default_factory=list)

    @property
    def trained(self) -> NDArray[np.bool_]:
        """Returns whether each token contributes to the loss."""
        return self.weights > 0


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
        # The model's own template, with which it is served.
        self.served = str(tokenizer.chat_template)
        self.has_generation_tags = bool(self.template) and _has_generation_tags(str(self.template))
        self._calls: CallFormat | None = None

    def encode(self, messages: list[Message], tools: list[Any] | None, train_on: TrainOn) -> Encoded:
        """Returns the conversation with each token's weight: that of its message, or what `train_on` gives the others.

        Raises TemplateFailed when the template refuses the conversation or its turns cannot be distinguished.
        """
        weights = turn_weights(messages, train_on)
        messages = [self._form(message) for message in messages]
        text, turns = self._served_turns(messages, tools, weights) or self._tagged_turns(messages, tools, weights)
        spans = [(0, len(text), 1.0)] if train_on == "all" else []
        spans += [(start, end, weights[index]) for index, (start, end) in turns.items()]
        shown = [(message["role"], weights.get(index)) for index, message in enumerate(messages)]
        return self._tokenize(text, spans, shown)

    def encode_answer(self, prompt: list[Message], answer: list[Message], tools: list[Any] | None) -> EncodedAnswer:
        """Returns prompt and answer as one string whose answer is trained on.

        Raises TemplateFailed when the template refuses the conversation.
        """
        prompt = [self._form(message) for message in prompt]
        answer = [self._form(message) for message in answer]
        text, _ = self._render(prompt + answer, tools, template=self.served)
        asked, _ = self._render(prompt, tools, add_generation_prompt=True, template=self.served)
        shown: list[tuple[str, float | None]] = [
            *((message["role"], 0.0 if message["role"] == "assistant" else None) for message in prompt),
            *((message["role"], 1.0) for message in answer),
        ]
        encoded = self._tokenize(text, [(common_prefix(asked, text), len(text), 1.0)], shown)
        begins = int(np.argmax(encoded.trained)) if encoded.trained.any() else len(encoded.trained)
        return EncodedAnswer(encoded, begins)

    def prompt_text(self, messages: list[Message], tools: list[Any] | None) -> str:
        """Returns the string given to the model to continue."""
        messages = [self._form(message) for message in messages]
        return self._render(messages, tools, add_generation_prompt=True, template=self.served)[0]

    def _form(self, message: Message) -> Message:
        """Returns a message without its weight, and with tool calls as the template gets them when it is served."""
        message = {key: value for key, value in message.items() if key != "weight"}
        if not message.get("tool_calls") and "tool_call_id" not in message:
            return message
        if self._calls is None:
            self._calls = call_format(lambda messages, tools, begins: self._render(messages, tools, begins)[0])
        return formed(message, self._calls)

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

    def trains_as_served(self) -> bool:
        """Returns whether an answer is trained after the prompt that it is asked with when the model is served."""
        user, assistant = {"role": "user", "content": "x"}, {"role": "assistant", "content": "y"}
        try:
            served, _ = self._render([user], None, add_generation_prompt=True, template=self.served)
            return self.encode([user, assistant], None, "last_assistant").text.startswith(served)
        except TemplateFailed:
            return False

    def supports_tools(self) -> bool:
        """Returns whether the template renders tool calls and tool results."""
        name, key, value, result = (f"probe_{word}" for word in ("name", "key", "value", "result"))
        call = {"id": PROBE_ID, "type": "function", "function": {"name": name, "arguments": json.dumps({key: value})}}
        messages: list[Message] = [
            {"role": "user", "content": "x"},
            {"role": "assistant", "content": "", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": PROBE_ID, "name": name, "content": result},
        ]
        try:
            text, _ = self._render([self._form(message) for message in messages], [tool(name)])
        except TemplateFailed:
            return False
        return all(word in text for word in (name, key, value, result))

    def template_sha256(self) -> str | None:
        """Returns the hash of the model's own template, the one to serve with."""
        own = self.tokenizer.chat_template
        return hashlib.sha256(str(own).encode()).hexdigest() if own else None

    def _render(
        self,
        messages: list[Message],
        tools: list[Any] | None,
        add_generation_prompt: bool = False,
        template: str | None = None,
    ) -> tuple[str, list[Span]]:
        from transformers.utils.chat_template_utils import render_jinja_template

        try:
            result: Any = render_jinja_template(
                conversations=[messages],
                tools=tools,
                chat_template=template or self.template,
                return_assistant_tokens_mask=template is None
                and self.has_generation_tags
                and not add_generation_prompt,
                add_generation_prompt=add_generation_prompt,
                **self.tokenizer.special_tokens_map,
            )
        except Exception as error:
            # A template is a program written by the model's author and may raise anything.
            raise TemplateFailed(str(error) or type(error).__name__) from error
        rendered, spans = result
        return str(rendered[0]), [(int(start), int(end)) for start, end in (spans[0] if spans else [])]

    def _served_turns(
        self, messages: list[Message], tools: list[Any] | None, weights: dict[int, float]
    ) -> tuple[str, dict[int, Span]] | None:
        """Returns the text of the model's own template with the turns that are taught; None if one cannot be found in it.

        TRL's copies of templates write earlier turns so that each can be found, which is not always as they are served.
        """
        if self.source != "trl_patched":
            return None
        try:
            text, _ = self._render(messages, tools, template=self.served)
            turns = self._turns(messages, tools, text, weights, template=self.served)
        except TemplateFailed:
            return None
        taught = {index for index, weight in weights.items() if weight > 0}
        return (text, turns) if taught <= turns.keys() else None

    def _tagged_turns(
        self, messages: list[Message], tools: list[Any] | None, weights: dict[int, float]
    ) -> tuple[str, dict[int, Span]]:
        """Returns the text and where each of the assistant's messages is in it, by its index."""
        text, generated = self._render(messages, tools)
        return text, self._spans(messages, tools, text, generated, weights)

    def _spans(
        self,
        messages: list[Message],
        tools: list[Any] | None,
        text: str,
        generated: list[Span],
        weights: dict[int, float],
    ) -> dict[int, Span]:
        answers = [index for index, message in enumerate(messages) if message["role"] == "assistant"]
        if not self.has_generation_tags:
            return self._turns(messages, tools, text, weights)
        if len(generated) == len(answers):
            return dict(zip(answers, generated, strict=True))
        # A template may write several messages as one turn, or none for an empty one.
        found: dict[int, Span] = {}
        for index, (start, end) in self._turns(messages, tools, text, weights).items():
            inside = [(max(start, a), min(end, b)) for a, b in generated if a < end and b > start]
            if inside:
                found[index] = (inside[0][0], inside[-1][1])
        return found

    def _turns(
        self,
        messages: list[Message],
        tools: list[Any] | None,
        text: str,
        weights: dict[int, float],
        template: str | None = None,
    ) -> dict[int, Span]:
        """Finds the assistant's turns by rendering what comes before each one."""
        spans: dict[int, Span] = {}
        last = max((i for i, message in enumerate(messages) if message["role"] == "assistant"), default=-1)
        for index, message in enumerate(messages):
            if message["role"] != "assistant":
                continue
            before, _ = self._render(messages[:index], tools, add_generation_prompt=True, template=template)
            through, _ = self._render(messages[: index + 1], tools, template=template)
            if text.startswith(before) and text.startswith(through):
                spans[index] = (len(before), len(through))
            elif index == last and weights[index] > 0:
                # Templates that drop the reasoning of earlier turns still agree about the last one.
                raise TemplateFailed("the template renders the prompt differently when the last answer follows it")
        return spans

    def _tokenize(
        self, text: str, spans: list[tuple[int, int, float]], turns: list[tuple[str, float | None]]
    ) -> Encoded:
        """Tokenizes the text and gives its tokens the weights of the spans; a later span replaces an earlier one's."""
        encoding = self.tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)
        offsets: list[Span] = [(int(start), int(end)) for start, end in encoding["offset_mapping"]]
        starts = np.array([start for start, _ in offsets], dtype=np.int64)
        weights = np.zeros(len(offsets), dtype=np.float32)
        for start, end, weight in spans:
            weights[(starts >= start) & (starts < end)] = weight
        return Encoded(text, np.array(encoding["input_ids"], dtype=np.int32), weights, offsets, turns)


def turn_weights(messages: list[Message], train_on: TrainOn) -> dict[int, float]:
    """Returns the weight of each of the assistant's messages: its own, or the one that `train_on` gives it."""
    answers = [index for index, message in enumerate(messages) if message["role"] == "assistant"]
    default = {index: float(train_on != "last_assistant" or index == answers[-1]) for index in answers}
    own = {index: float(messages[index]["weight"]) for index in answers if messages[index].get("weight") is not None}
    return default | own


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


def formed(message: Message, calls: CallFormat) -> Message:
    """Returns a message with tool calls in the form that a template expects: arguments as objects or text, known ids."""
    found = with_text_arguments(message) if calls.arguments_as_text else with_parsed_arguments(message)
    return _with_short_ids(found) if calls.family == "mistral" else found


def with_text_arguments(message: Message) -> Message:
    """Returns the message with tool call arguments as text, for templates that write them as they are."""
    calls = []
    for call in message.get("tool_calls") or []:
        function = call.get("function") or {}
        arguments = function.get("arguments")
        text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
        calls.append({**call, "function": {**function, "arguments": text}})
    return {**message, "tool_calls": calls, "content": message.get("content") or ""} if calls else message


def _with_short_ids(message: Message) -> Message:
    """Returns a message whose ids Mistral's templates accept; what an Example was made from may have longer ones."""
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


def with_parsed_arguments(message: Message) -> Message:
    """Returns the message with tool call arguments as objects, the form that templates expect, in their text's order."""
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
