"""OpenAI's chat completions as this server understands them: the request, and the documents of the reply."""

from __future__ import annotations

import time
import uuid
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

FinishReason = Literal["stop", "length"]
STOPS_MAX = 16


class StreamOptions(BaseModel):
    model_config = ConfigDict(extra="ignore")

    include_usage: bool = False


class ChatRequest(BaseModel):
    """What a call may request. Ignores fields that have no effect here; refuses unsupported ones that would."""

    model_config = ConfigDict(extra="ignore", allow_inf_nan=False)

    model: str
    messages: list[dict[str, Any]] = Field(min_length=1)
    tools: list[dict[str, Any]] | None = None
    tool_choice: str | dict[str, Any] | None = None
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

    @model_validator(mode="after")
    def _is_supported(self) -> ChatRequest:
        if self.n not in (None, 1):
            raise ValueError("n must be 1")
        if self.presence_penalty or self.frequency_penalty or self.logit_bias:
            raise ValueError("penalties and logit_bias are not supported")
        if self.response_format is not None and self.response_format.get("type") != "text":
            raise ValueError("response_format must be of type text")
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


class InvalidMessage(ValueError):
    """A message that cannot be passed to the model."""


def plain_messages(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Returns messages with their content as text, which is what templates render. Raises InvalidMessage."""
    plain = []
    for message in messages:
        if not isinstance(message.get("role"), str):
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
        plain.append({**message, "content": content})
    return plain


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

    def whole(self, content: str, finish: FinishReason, usage: Usage, tokens: list[Token]) -> dict[str, Any]:
        choice = {
            "index": 0,
            "message": {"role": "assistant", "content": content, "refusal": None},
            "logprobs": self._logprobs(tokens),
            "finish_reason": finish,
        }
        return {**self._head("chat.completion"), "choices": [choice], "usage": usage.document()}

    def begin(self) -> dict[str, Any]:
        return self._chunk({"role": "assistant", "content": ""}, None, [])

    def part(self, content: str, tokens: list[Token]) -> dict[str, Any]:
        return self._chunk({"content": content}, None, tokens)

    def end(self, finish: FinishReason) -> dict[str, Any]:
        return self._chunk({}, finish, [])

    def usage(self, usage: Usage) -> dict[str, Any]:
        return {**self._head("chat.completion.chunk"), "choices": [], "usage": usage.document()}

    def _head(self, kind: str) -> dict[str, Any]:
        return {"id": self._id, "object": kind, "created": self._created, "model": self._request.model}

    def _chunk(self, delta: dict[str, str], finish: FinishReason | None, tokens: list[Token]) -> dict[str, Any]:
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
