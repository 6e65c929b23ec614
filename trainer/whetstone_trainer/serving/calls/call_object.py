"""Reads a tool call as a JSON object, character by character, so that its arguments can be passed on as they arrive."""

from __future__ import annotations

import json
from dataclasses import dataclass

_WHITESPACE = " \t\r\n"
_ARGUMENTS = ("arguments", "parameters")
# What an object may begin with that is a call; any other key shows early that it is an answer in JSON.
_KEYS = ("name", "type", "id", *_ARGUMENTS)


@dataclass(frozen=True)
class Named:
    """The call's name is known."""

    name: str


@dataclass(frozen=True)
class Arguments:
    """The next part of the call's arguments, as the model wrote it."""

    text: str


Event = Named | Arguments


def is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


class JsonValue:
    """Finds the end of one JSON value. `text` is the value so far."""

    def __init__(self) -> None:
        self.done = False
        self.begun = False
        self._parts: list[str] = []
        self._depth = 0
        self._in_string = False
        self._escaped = False
        self._is_scalar = False

    @property
    def text(self) -> str:
        return "".join(self._parts)

    def push(self, char: str) -> bool:
        """Returns whether the character belongs to the value; one that ends a number or a word does not."""
        if self._is_scalar and char in ",}]" + _WHITESPACE:
            self.done = True
            return False
        if not self.begun and char not in '{["':
            self._is_scalar = True
        self.begun = True
        self._parts.append(char)
        if self._in_string:
            self._string(char)
        elif char == '"':
            self._in_string = True
        elif char in "{[":
            self._depth += 1
        elif char in "}]":
            self._depth -= 1
            self.done = self._depth <= 0
        return True

    def _string(self, char: str) -> None:
        if self._escaped:
            self._escaped = False
        elif char == "\\":
            self._escaped = True
        elif char == '"':
            self._in_string = False
            self.done = self._depth == 0


class CallObject:
    """Reads `{"name": …, "arguments": …}`, or `parameters`, in any order and among other keys.

    `broken`: what was read is no such object. `names` are the names that count as a call; None for any.
    """

    def __init__(self, names: frozenset[str] | None) -> None:
        self.done = False
        self.broken = False
        self.name: str | None = None
        self._names = names
        self._expects = "{"
        self._key = ""
        self._value = JsonValue()
        # Arguments that came before the name.
        self._early = ""
        self._has_arguments = False

    def push(self, char: str) -> list[Event]:
        """Returns what the character makes known."""
        if self._expects in ("key", "value"):
            return self._token(char)
        if char in _WHITESPACE:
            return []
        if self._expects in ("first", "comma") and char == "}":
            return self._close()
        if self._expects == "{" and char == "{":
            self._expects = "first"
        elif self._expects in ("first", "next") and char == '"':
            self._expects, self._value = "key", JsonValue()
            self._value.push(char)
        elif self._expects == ":" and char == ":":
            self._expects, self._value = "value", JsonValue()
        elif self._expects == "comma" and char == ",":
            self._expects = "next"
        else:
            self.broken = True
        return []

    def _token(self, char: str) -> list[Event]:
        if not self._value.begun and char in _WHITESPACE:
            return []
        belongs = self._value.push(char)
        events = self._part(char) if belongs and self._expects == "value" else []
        if not self._value.done:
            return events
        if self._expects == "key":
            self._key, self._expects = _string(self._value.text) or "", ":"
            self.broken = self._names is not None and self.name is None and self._key not in _KEYS
            return events
        self._expects = "comma"
        events += self._finish_value()
        return events if belongs or self.broken else events + self.push(char)

    def _part(self, char: str) -> list[Event]:
        if self._key not in _ARGUMENTS:
            return []
        self._has_arguments = True
        if self.name is None:
            self._early += char
            return []
        return [Arguments(char)]

    def _finish_value(self) -> list[Event]:
        if self._key in _ARGUMENTS:
            self.broken = not is_json(self._value.text)
            return []
        if self._key != "name" or self.name is not None:
            return []
        name = _string(self._value.text)
        if not name or (self._names is not None and name not in self._names):
            self.broken = True
            return []
        self.name = name
        early, self._early = self._early, ""
        return [Named(name), *([Arguments(early)] if early else [])]

    def _close(self) -> list[Event]:
        self.done = True
        self.broken = self.name is None or not self._has_arguments
        return []


def _string(text: str) -> str | None:
    try:
        value = json.loads(text)
    except ValueError:
        return None
    return value if isinstance(value, str) else None
