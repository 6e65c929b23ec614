"""OpenAI's chat completions as this server understands them: the request, and the documents of the reply."""

from __future__ import annotations

import re
import time
import uuid
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator, model_validator

from .calls.read_calls import CallArguments, CallReader, CallStart, Piece, Text
from .limits import TOOLS_MAX

FinishReason = Literal["stop", "length", "tool_calls"]
STOPS_MAX = 16
_TOOL_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_ANY_OBJECT = {"type": "object"}


class StreamOptions(BaseModel):
    model_config = ConfigDict(extra="ignore")

    include_usage: bool = False


class ChatRequest(BaseModel):
    """What a call may request. Ignores fields that have no effect here; refuses unsupported ones that would."""

    model_config = ConfigDict(extra="ignore", allow_inf_nan=False)

    model: str
    messages: list[dict[str, Any]] = Field(min_length=1)
    tools: list[dict[str, Any]] | None = Field(default=None, max_length=TOOLS_MAX)
    tool_choice: str | dict[str, Any] | None = None
    parallel_tool_calls: bool = True
    functions: list[Any] | None = None
    stream: bool = False
    stream_options: StreamOptions | None = None
    temperature: float | None = Field(default=None, ge=0, le=2)
    top_p: float | None = Field(default=None, gt=0, le=1)
    max_tokens: int | None = Field(default=None, ge=1)
    max_completion_tokens: int | None = Field(default=None, ge=1)
    stop: str | list[str] | None = None
    seed: int | None = None
    logprobs: bool | None = False
    top_logprobs: int | None = Field(default=None, ge=0, le=20)
    n: int | None = None
    presence_penalty: float | None = None
    frequency_penalty: float | None = None
    logit_bias: dict[str, float] | None = None
    response_format: dict[str, Any] | None = None

    @field_validator("parallel_tool_calls", mode="before")
    @classmethod
    def _parallel_unless_refused(cls, value: Any) -> Any:
        return True if value is None else value

    @field_validator("tools")
    @classmethod
    def _are_functions(cls, tools: list[dict[str, Any]] | None) -> list[dict[str, Any]] | None:
        names: set[str] = set()
        for index, tool in enumerate(tools or []):
            function = tool.get("function")
            if tool.get("type") != "function" or not isinstance(function, dict):
                raise ValueError(f"the tool {index} must be of type function, with a function")
            name = function.get("name")
            if not isinstance(name, str) or not _TOOL_NAME.fullmatch(name):
                raise ValueError(
                    f"the tool {index} needs a name of up to 64 letters, digits, dots, dashes and underscores"
                )
            if name in names:
                raise ValueError(f"two tools are called {name}")
            if not isinstance(function.get("parameters"), dict | None):
                raise ValueError(f"the parameters of {name} must be a JSON Schema")  # noqa: TRY004  pydantic refuses for ValueErrors only
            names.add(name)
        return tools

    @field_validator("tool_choice")
    @classmethod
    def _is_offered(cls, choice: str | dict[str, Any] | None, info: ValidationInfo) -> str | dict[str, Any] | None:
        tools = info.data.get("tools") or []
        if isinstance(choice, dict):
            function = choice.get("function")
            name = function.get("name") if isinstance(function, dict) else None
            if choice.get("type") != "function" or not isinstance(name, str):
                raise ValueError("must be none, auto, required, or name a function")
            if all(tool["function"]["name"] != name for tool in tools):
                raise ValueError(f"{name} is not among the tools")
        elif choice not in (None, "none", "auto", "required"):
            raise ValueError("must be none, auto, required, or name a function")
        elif choice == "required" and not tools:
            raise ValueError("required needs tools")
        return choice

    @field_validator("response_format")
    @classmethod
    def _is_known(cls, given: dict[str, Any] | None) -> dict[str, Any] | None:
        kind = None if given is None else given.get("type")
        if given is not None and kind not in ("text", "json_object", "json_schema"):
            raise ValueError("must be of type text, json_object or json_schema")
        if given is not None and kind == "json_schema":
            described = given.get("json_schema")
            if not isinstance(described, dict) or not isinstance(described.get("schema"), dict | None):
                raise ValueError("json_schema must be an object with a schema")
        return given

    @model_validator(mode="after")
    def _is_supported(self) -> ChatRequest:
        if self.n not in (None, 1):
            raise ValueError("n must be 1")
        if self.functions:
            raise ValueError("functions is an older form of tools; send tools")
        if self.presence_penalty or self.frequency_penalty or self.logit_bias:
            raise ValueError("penalties and logit_bias are not supported")
        if len(self.stops) > STOPS_MAX or "" in self.stops:
            raise ValueError(f"stop takes up to {STOPS_MAX} non-empty strings")
        if self.top_logprobs and not self.logprobs:
            raise ValueError("top_logprobs needs logprobs")
        return self

    @property
    def stops(self) -> list[str]:
        return [self.stop] if isinstance(self.stop, str) else self.stop or []

    @property
    def limit(self) -> int | None:
        """Returns how many tokens the answer may have; None for as many as fit."""
        return self.max_completion_tokens or self.max_tokens

    @property
    def offered_tools(self) -> list[dict[str, Any]] | None:
        return self.tools if self.tools and self.tool_choice != "none" else None

    @property
    def forced_tools(self) -> list[dict[str, Any]] | None:
        """Returns the tools of which the answer must call one; None if it may be text."""
        if isinstance(self.tool_choice, dict):
            name = self.tool_choice["function"]["name"]
            return [tool for tool in self.tools or [] if tool["function"]["name"] == name]
        return self.tools if self.tool_choice == "required" else None

    @property
    def content_schema(self) -> dict[str, Any] | None:
        """Returns the JSON Schema of the answer's text; None if it may be any text."""
        given = self.response_format or {}
        if given.get("type") == "json_object":
            return _ANY_OBJECT
        return (given["json_schema"].get("schema") or _ANY_OBJECT) if given.get("type") == "json_schema" else None


class InvalidMessage(ValueError):
    """A message that cannot be passed to the model."""


def plain_messages(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Returns messages with their content as text, which is what templates render. Raises InvalidMessage."""
    plain = []
    for message in messages:
        role = message.get("role")
        if not isinstance(role, str):
            raise InvalidMessage("a message needs a role")
        content = message.get("content")
        if isinstance(content, list):
            parts = [
                part.get("text") if isinstance(part, dict) and part.get("type") == "text" else None for part in content
            ]
            if not all(isinstance(part, str) for part in parts):
                raise InvalidMessage("content may contain only text")
            content = "".join(str(part) for part in parts)
        if content is None:
            content = ""
        if not isinstance(content, str):
            raise InvalidMessage("content must be text")
        # As in training, where the developer is the system.
        form = {**message, "role": "system" if role == "developer" else role, "content": content}
        if "tool_calls" in message:
            form["tool_calls"] = _checked_calls(message["tool_calls"])
        if not form.get("tool_calls"):
            form.pop("tool_calls", None)
        plain.append(form)
    return plain


def _checked_calls(calls: Any) -> list[dict[str, Any]]:
    if calls is None:
        return []
    if not isinstance(calls, list):
        raise InvalidMessage("tool_calls must be a list")
    functions = [call.get("function") if isinstance(call, dict) else None for call in calls]
    if not all(isinstance(one, dict) and isinstance(one.get("name"), str) for one in functions):
        raise InvalidMessage("tool_calls must be functions with a name")
    return list(calls)


@dataclass(frozen=True)
class Token:
    """A token of an answer with its log-probability (nats), and the likeliest tokens at its position."""

    text: str
    logprob: float
    top: list[tuple[str, float]]

    def document(self) -> dict[str, Any]:
        top = [{"token": text, "logprob": value, "bytes": list(text.encode())} for text, value in self.top]
        return {"token": self.text, "logprob": self.logprob, "bytes": list(self.text.encode()), "top_logprobs": top}


@dataclass(frozen=True)
class Usage:
    prompt_tokens: int
    completion_tokens: int

    def document(self) -> dict[str, int]:
        total = self.prompt_tokens + self.completion_tokens
        return {
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
            "total_tokens": total,
        }


class Reply:
    """The documents of one reply, under one id."""

    def __init__(self, request: ChatRequest) -> None:
        self._request = request
        self._id = f"chatcmpl-{uuid.uuid4().hex}"
        self._created = int(time.time())

    def whole(
        self, content: str, calls: list[dict[str, Any]], finish: FinishReason, usage: Usage, tokens: list[Token]
    ) -> dict[str, Any]:
        message: dict[str, Any] = {"role": "assistant", "content": content, "refusal": None}
        if calls:
            message |= {"content": content or None, "tool_calls": calls}
        choice = {"index": 0, "message": message, "logprobs": self._logprobs(tokens), "finish_reason": finish}
        return {**self._head("chat.completion"), "choices": [choice], "usage": usage.document()}

    def begin(self) -> dict[str, Any]:
        return self._chunk({"role": "assistant", "content": ""}, None, [])

    def parts(self, pieces: list[Piece], tokens: list[Token]) -> list[dict[str, Any]]:
        """Returns a chunk for each piece; the log-probabilities of their tokens come with the first."""
        chunks = []
        for piece in pieces or ([Text("")] if tokens else []):
            chunks.append(self._chunk(_delta(piece), None, tokens))
            tokens = []
        return chunks

    def end(self, finish: FinishReason) -> dict[str, Any]:
        return self._chunk({}, finish, [])

    def usage(self, usage: Usage) -> dict[str, Any]:
        return {**self._head("chat.completion.chunk"), "choices": [], "usage": usage.document()}

    def _head(self, kind: str) -> dict[str, Any]:
        return {"id": self._id, "object": kind, "created": self._created, "model": self._request.model}

    def _chunk(self, delta: dict[str, Any], finish: FinishReason | None, tokens: list[Token]) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "logprobs": self._logprobs(tokens), "finish_reason": finish}
        options = self._request.stream_options
        usage = {"usage": None} if options is not None and options.include_usage else {}
        return {**self._head("chat.completion.chunk"), "choices": [choice], **usage}

    def _logprobs(self, tokens: list[Token]) -> dict[str, Any] | None:
        if not self._request.logprobs:
            return None
        return {"content": [token.document() for token in tokens], "refusal": None}


def error_document(message: str, *, code: str, param: str | None = None, kind: str = "invalid_request_error") -> Any:
    """Returns an error in the form that OpenAI's clients expect."""
    return {"error": {"message": message, "type": kind, "param": param, "code": code}}


def _delta(piece: Piece) -> dict[str, Any]:
    if isinstance(piece, Text):
        return {"content": piece.text}
    if isinstance(piece, CallArguments):
        return {"tool_calls": [{"index": piece.index, "function": {"arguments": piece.text}}]}
    function = {"name": piece.name, "arguments": ""}
    return {"tool_calls": [{"index": piece.index, "id": piece.id, "type": "function", "function": function}]}


def message_of(reader: CallReader, parts: list[str], *, cut: bool) -> tuple[str, list[dict[str, Any]]]:
    """Returns an answer's text and tool calls.

    If calls cannot be read, the answer is text as the model wrote it. One that was `cut` keeps the part of a call it has.
    """
    pieces = [piece for part in parts for piece in reader.push(part)] + reader.end()
    if reader.broken or (reader.unfinished and not cut):
        return "".join(parts), []
    content = "".join(piece.text for piece in pieces if isinstance(piece, Text))
    calls: list[dict[str, Any]] = []
    arguments: dict[int, list[str]] = {}
    for piece in pieces:
        if isinstance(piece, CallStart):
            calls.append({"id": piece.id, "type": "function", "function": {"name": piece.name, "arguments": ""}})
        elif isinstance(piece, CallArguments):
            arguments.setdefault(piece.index, []).append(piece.text)
    for index, texts in arguments.items():
        calls[index]["function"]["arguments"] = "".join(texts)
    return content, calls
