"""Turns manifest rows into token rows of a method, or reports why a row cannot be used."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..manifest import Row
from ..spec import Method
from ..validation_report import DropCode
from .chat_rendering import ChatRenderer, Encoded, Message, TemplateFailed, TrainOn, turn_weights

ROLES = ("system", "user", "assistant", "tool")
Part = Literal["messages", "chosen", "rejected", "completion"]
PREFERENCE_METHODS: tuple[Method, ...] = ("dpo", "orpo")


class RowRefused(Exception):
    """A row that cannot be trained on."""

    def __init__(self, code: DropCode, message: str, tokens: int | None = None) -> None:
        super().__init__(message)
        self.code: DropCode = code
        self.tokens = tokens


@dataclass(frozen=True)
class TokenRow:
    """One Example as tokens. Each part is a whole sequence; `prompt_tokens` of it are shared context."""

    example_id: str
    parts: dict[Part, NDArray[np.int32]]
    # How much each token counts in the loss of its row.
    weights: dict[Part, NDArray[np.float32]]
    prompt_tokens: int = 0
    label: bool | None = None
    ends_with_user: bool = False
    # How much a pair or a judged answer counts as a whole.
    weight: float = 1.0

    @property
    def trained(self) -> dict[Part, NDArray[np.bool_]]:
        """Returns which tokens of each part contribute to the loss."""
        return {part: weights > 0 for part, weights in self.weights.items()}

    @property
    def has_fraction(self) -> bool:
        """Returns whether anything in the row counts in part."""
        return self.weight != 1 or any(bool(((w > 0) & (w < 1)).any()) for w in self.weights.values())

    @property
    def length(self) -> int:
        """Returns the length of the longest sequence in tokens."""
        return max(len(ids) for ids in self.parts.values())

    @property
    def tokens(self) -> int:
        return sum(len(ids) for ids in self.parts.values())

    @property
    def trained_tokens(self) -> int:
        return sum(int(mask.sum()) for mask in self.trained.values())

    def learns_within(self, max_length: int) -> bool:
        """Returns whether every sequence still has trained tokens when cut to `max_length`."""
        return all(bool(mask[:max_length].any()) for mask in self.trained.values())

    def cut(self, max_length: int) -> TokenRow:
        """Returns the row with every sequence cut at its end."""
        return TokenRow(
            self.example_id,
            {part: ids[:max_length] for part, ids in self.parts.items()},
            {part: weights[:max_length] for part, weights in self.weights.items()},
            min(self.prompt_tokens, max_length),
            self.label,
            self.ends_with_user,
            self.weight,
        )


@dataclass
class Reader:
    """Reads rows of one method with one renderer."""

    renderer: ChatRenderer
    method: Method
    train_on: TrainOn
    _tools_supported: bool | None = field(default=None, repr=False)

    def read(self, row: Row) -> TokenRow:
        """Returns the row as tokens. Raises RowRefused."""
        return _token_row(row, self.encodings(row))

    def encodings(self, row: Row) -> dict[Part, tuple[Encoded, int]]:
        """Returns each part's rendered string and the position where its answer begins. Raises RowRefused."""
        tools = row.get("tools") or None
        try:
            if self.method == "sft":
                return self._conversation(row, tools)
            return self._answers(row, tools)
        except TemplateFailed as error:
            raise RowRefused("template_failed", f"the chat template refuses this conversation: {error}") from error

    def _conversation(self, row: Row, tools: list[Any] | None) -> dict[Part, tuple[Encoded, int]]:
        messages = row.get("messages")
        if messages is None and "prompt" in row and "completion" in row:
            messages = [*as_messages(row["prompt"], "user"), *as_messages(row["completion"], "assistant")]
        messages = self._checked(messages, tools)
        answers = [message for message in messages if message["role"] == "assistant"]
        if not answers:
            raise RowRefused("empty_answer", "the conversation has no assistant message")
        weights = turn_weights(messages, self.train_on)
        taught = [message for index, message in enumerate(messages) if weights.get(index, 0) > 0]
        if not taught and self.train_on != "all":
            raise RowRefused("empty_answer", "every answer has the weight 0")
        if taught and all(_is_empty(message) for message in taught):
            raise RowRefused("empty_answer", "the assistant's message is empty")
        return {"messages": (self.renderer.encode(messages, tools, self.train_on), 0)}

    def _answers(self, row: Row, tools: list[Any] | None) -> dict[Part, tuple[Encoded, int]]:
        names: tuple[Part, ...] = ("completion",) if self.method == "kto" else ("chosen", "rejected")
        missing = [name for name in ("prompt", *names) if row.get(name) is None]
        if missing:
            raise RowRefused("bad_row", f"{self.method} needs {', '.join(missing)}")
        if self.method == "kto" and not isinstance(row.get("label"), bool):
            raise RowRefused("bad_row", "kto needs a label that is true or false")
        if not _is_weight(row.get("weight", 1)):
            raise RowRefused("bad_row", "the weight is not a number from 0 to 1")
        if row.get("weight") == 0:
            raise RowRefused("empty_answer", "its weight is 0")
        prompt = self._checked(as_messages(row["prompt"], "user"), tools)
        found: dict[Part, tuple[Encoded, int]] = {}
        for name in names:
            answer = self._checked(as_messages(row[name], "assistant"), tools)
            if all(_is_empty(message) for message in answer if message["role"] == "assistant"):
                raise RowRefused("empty_answer", f"{name} is empty")
            encoded = self.renderer.encode_answer(prompt, answer, tools)
            found[name] = (encoded.encoded, encoded.prompt_tokens)
        if len(names) == 2 and found["chosen"][0].text == found["rejected"][0].text:
            raise RowRefused("identical_pair", "chosen and rejected are the same", len(found["chosen"][0].input_ids))
        return found

    def _checked(self, messages: Any, tools: list[Any] | None) -> list[Message]:
        if not isinstance(messages, list) or not messages:
            raise RowRefused("bad_row", "messages must be a non-empty list")
        checked = []
        for index, message in enumerate(messages):
            role = message.get("role") if isinstance(message, dict) else None
            role = "system" if role == "developer" else role
            if role not in ROLES:
                raise RowRefused("bad_roles", f"message {index} has the role {role!r}")
            if role == "system" and index > 0:
                raise RowRefused("bad_roles", f"message {index} is a system message after the first message")
            if not _is_weight(message.get("weight", 1)):
                raise RowRefused("bad_row", f"message {index} has a weight that is not a number from 0 to 1")
            checked.append({**message, "role": role, "content": _text(message.get("content"), index)})
        uses_tools = bool(tools) or any(m["role"] == "tool" or m.get("tool_calls") for m in checked)
        if uses_tools and not self._supports_tools():
            raise RowRefused("tools_unsupported", "the model's chat template does not render tool calls")
        return checked

    def _supports_tools(self) -> bool:
        if self._tools_supported is None:
            self._tools_supported = self.renderer.supports_tools()
        return self._tools_supported


def as_messages(value: Any, role: str) -> list[Message]:
    """Returns a prompt or an answer as messages; a plain string is one message of `role`."""
    if isinstance(value, str):
        return [{"role": role, "content": value}]
    if isinstance(value, dict):
        return [value]
    return value if isinstance(value, list) else []


def plain_messages(messages: list[Message]) -> list[Message]:
    """Returns messages as they are rendered: text content as one string, the developer as system."""
    return [
        {
            **{key: value for key, value in message.items() if key != "weight"},
            "role": "system" if message["role"] == "developer" else message["role"],
            "content": _text(message.get("content"), index),
        }
        for index, message in enumerate(messages)
    ]


def _token_row(row: Row, encodings: dict[Part, tuple[Encoded, int]]) -> TokenRow:
    parts = {part: encoded.input_ids for part, (encoded, _) in encodings.items()}
    begins = min(start for _, start in encodings.values())
    if len(parts) == 2:
        # Both answers continue one prompt, so the shared part ends where either tokenization diverges from it.
        begins = _shared(parts["chosen"][:begins], parts["rejected"][:begins])
    weights: dict[Part, NDArray[np.float32]] = {}
    for part, (encoded, _) in encodings.items():
        answer = (np.arange(len(encoded.input_ids)) >= begins).astype(np.float32)
        weights[part] = encoded.weights if part == "messages" else answer
        if not weights[part].any():
            raise RowRefused("empty_answer", "no token of this row would be trained", len(weights[part]))
    messages = row.get("messages")
    return TokenRow(
        str(row["example_id"]),
        parts,
        weights,
        begins,
        row.get("label"),
        isinstance(messages, list) and bool(messages) and messages[-1].get("role") == "user",
        1.0 if "messages" in parts else float(row.get("weight", 1)),
    )


def _shared(left: NDArray[np.int32], right: NDArray[np.int32]) -> int:
    size = min(len(left), len(right))
    differs = np.nonzero(left[:size] != right[:size])[0]
    return int(differs[0]) if len(differs) else size


def _text(content: Any, index: int) -> str:
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, list) and all(isinstance(part, dict) and part.get("type") == "text" for part in content):
        return "".join(str(part.get("text", "")) for part in content)
    raise RowRefused("bad_row", f"message {index} has content that is not text")


def _is_weight(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= 1


def _is_empty(message: Message) -> bool:
    return not message["content"].strip() and not message.get("tool_calls")
