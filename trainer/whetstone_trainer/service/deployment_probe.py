"""Checks whether a server process serves what it was started for."""

from __future__ import annotations

import time
from typing import Any

import httpx
import psutil

# One token can be half a character or the end of the answer; this many show whether there is any text.
TOKENS_TO_SAY_SOMETHING = 16
# For a base model, whose training data is unknown here.
ANY_PROMPT: list[dict[str, Any]] = [{"role": "user", "content": "Hello"}]
_FINISHED = frozenset({"stop", "length", "tool_calls"})


class Refused(Exception):
    """The server replied, but not with the requested model."""


def listens(pid: int, port: int) -> bool:
    """Returns whether this process, or one that it started, listens on the port."""
    try:
        leader = psutil.Process(pid)
        family = [leader, *leader.children(recursive=True)]
    except psutil.Error:
        return False
    for process in family:
        try:
            sockets = process.net_connections(kind="tcp")
        except psutil.Error:
            continue
        if any(one.status == psutil.CONN_LISTEN and one.laddr and one.laddr.port == port for one in sockets):
            return True
    return False


class Probe:
    """A client of one server on loopback. Ignores proxies from the environment."""

    def __init__(self, port: int, token: str) -> None:
        self._client = httpx.Client(
            base_url=f"http://127.0.0.1:{port}",
            headers={"authorization": f"Bearer {token}"},
            trust_env=False,
        )

    def close(self) -> None:
        self._client.close()

    def is_healthy(self, seconds: float) -> bool:
        try:
            return self._client.get("/health", timeout=seconds).status_code == 200
        except httpx.HTTPError:
            return False

    def verify(self, name: str, root: str, prompt: list[dict[str, Any]], seconds: float, *, must_speak: bool) -> int:
        """Returns the milliseconds to the first token. Raises Refused, or httpx.HTTPError if there is no reply.

        `must_speak`: the answer must contain text, as a trained model's does; a base model may answer anything. A 200
        alone proves nothing: the name must be in the server's list with the root that was deployed, and a completion
        under that name must contain an answer.
        """
        self._require_listed(name, root, seconds)
        started = time.monotonic()
        content = self._complete(name, prompt, 1, seconds)
        first = round((time.monotonic() - started) * 1000)
        if must_speak and not content.strip():
            content = self._complete(name, prompt, TOKENS_TO_SAY_SOMETHING, seconds)
            if not content.strip():
                raise Refused("its answer is empty")
        return first

    def _require_listed(self, name: str, expected: str, seconds: float) -> None:
        document = self._json(self._client.get("/v1/models", timeout=seconds), "its list of models")
        listed = document.get("data")
        models = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
        found = next((one for one in models if one.get("id") == name), None)
        if found is None:
            raise Refused(f"{name} is not in its list of models")
        if (root := found.get("root")) not in (None, expected):
            raise Refused(f"it serves {root} as {name}, which is not what was deployed")

    def _complete(self, name: str, prompt: list[dict[str, Any]], tokens: int, seconds: float) -> str:
        body = {"model": name, "messages": prompt, "max_tokens": tokens, "temperature": 0}
        document = self._json(self._client.post("/v1/chat/completions", json=body, timeout=seconds), "its answer")
        choices = document.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else {}
        message = choice.get("message")
        usage = document.get("usage")
        said = usage.get("completion_tokens") if isinstance(usage, dict) else None
        if (
            not isinstance(message, dict)
            or message.get("role") != "assistant"
            or not isinstance(message.get("content"), (str, type(None)))
            or choice.get("finish_reason") not in _FINISHED
            or document.get("model") != name
            or not isinstance(said, int)
            or not 1 <= said <= tokens
        ):
            raise Refused("its answer is not a chat completion")
        return str(message.get("content") or "")

    def _json(self, response: httpx.Response, what: str) -> dict[str, Any]:
        if response.status_code != 200:
            raise Refused(f"{what} has status {response.status_code}: {response.text[:300]}")
        try:
            document = response.json()
        except ValueError:
            document = None
        if not isinstance(document, dict):
            raise Refused(f"{what} is not JSON")
        return document


__all__ = ["Probe", "Refused", "listens"]
