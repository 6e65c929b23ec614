"""Separates an answer into text and tool calls as it arrives, by the conventions that vLLM's parsers follow.

hermes   `<tool_call>{"name", "arguments"}</tool_call>`, repeated; what is between or after calls is dropped
mistral  `[TOOL_CALLS]` before a JSON array of calls, or before each `name{…}`, `name[ARGS]{…}`
json     an answer that begins with a JSON object or array of calls, or has them after `<|python_tag|>`
"""

from __future__ import annotations

import secrets
import string
from dataclasses import dataclass
from typing import Literal, Protocol

from .call_object import Arguments, CallObject, Event, JsonValue, Named, is_json

Family = Literal["hermes", "mistral", "json"]
HERMES_OPEN, HERMES_CLOSE = "<tool_call>", "</tool_call>"
MISTRAL_OPEN, MISTRAL_ARGS, MISTRAL_ID = "[TOOL_CALLS]", "[ARGS]", "[CALL_ID]"
PYTHON_TAG = "<|python_tag|>"
# Tokens of these texts must not be left out of an answer, even if the tokenizer calls them special.
MARKERS = (HERMES_OPEN, HERMES_CLOSE, MISTRAL_OPEN, MISTRAL_ARGS, MISTRAL_ID, PYTHON_TAG)
_WHITESPACE = " \t\r\n"
# The longest name of a tool that the API accepts is 64 characters; anything much longer is no name.
_NAME_MAX = 256
_ALPHANUMERIC = string.ascii_letters + string.digits


@dataclass(frozen=True)
class Text:
    text: str


@dataclass(frozen=True)
class CallStart:
    index: int
    id: str
    name: str


@dataclass(frozen=True)
class CallArguments:
    index: int
    text: str


Piece = Text | CallStart | CallArguments


class CallReader(Protocol):
    """Reads one answer. `broken`: a call was begun that is not well-formed. `unfinished`: the last call has no end."""

    broken: bool

    @property
    def unfinished(self) -> bool: ...

    def push(self, text: str) -> list[Piece]: ...

    def end(self) -> list[Piece]: ...


def call_reader(family: Family | None, names: frozenset[str]) -> CallReader:
    """Returns a reader for a family of templates; one that finds no calls for None."""
    if family == "hermes":
        return _Hermes()
    if family == "mistral":
        return _Mistral()
    return _Json(names) if family == "json" else _Plain()


def call_id(family: Family | None) -> str:
    """Returns a new id: Mistral's templates accept nine letters and digits only."""
    length, prefix = (9, "") if family == "mistral" else (24, "call_")
    return prefix + "".join(secrets.choice(_ALPHANUMERIC) for _ in range(length))


class _Plain:
    broken = False
    unfinished = False

    def push(self, text: str) -> list[Piece]:
        return [Text(text)] if text else []

    def end(self) -> list[Piece]:
        return []


class _Pieces:
    """Collects pieces, joining parts of the same text."""

    def __init__(self, family: Family) -> None:
        self._family = family
        self._pieces: list[Piece] = []
        self._calls = 0

    def text(self, text: str) -> None:
        last = self._pieces[-1] if self._pieces else None
        if isinstance(last, Text):
            self._pieces[-1] = Text(last.text + text)
        elif text:
            self._pieces.append(Text(text))

    def events(self, events: list[Event]) -> None:
        for event in events:
            if isinstance(event, Named):
                self._calls += 1
                self._pieces.append(CallStart(self._calls - 1, call_id(self._family), event.name))
            else:
                self._arguments(event.text)

    def _arguments(self, text: str) -> None:
        last = self._pieces[-1] if self._pieces else None
        index = self._calls - 1
        if isinstance(last, CallArguments) and last.index == index:
            self._pieces[-1] = CallArguments(index, last.text + text)
        else:
            self._pieces.append(CallArguments(index, text))

    def take(self) -> list[Piece]:
        pieces, self._pieces = self._pieces, []
        return pieces


def _before(held: str, marker: str) -> tuple[str, str, bool]:
    """Returns the text certainly before a marker, what follows or may become it, and whether it was found."""
    place = held.find(marker)
    if place >= 0:
        return held[:place], held[place + len(marker) :], True
    longest = min(len(marker) - 1, len(held))
    keep = next((n for n in range(longest, 0, -1) if held.endswith(marker[:n])), 0)
    return held[: len(held) - keep], held[len(held) - keep :], False


class _Hermes:
    def __init__(self) -> None:
        self.broken = False
        self._pieces = _Pieces("hermes")
        self._held = ""
        self._call: CallObject | None = None
        self._any = False

    @property
    def unfinished(self) -> bool:
        return self._call is not None

    def push(self, text: str) -> list[Piece]:
        self._held += text
        while self._held:
            if self._call is not None:
                self._inside(self._call)
                continue
            before, self._held, found = _before(self._held, HERMES_OPEN)
            if not self._any:
                self._pieces.text(before)
            if not found:
                break
            self._call, self._any = CallObject(None), True
        return self._pieces.take()

    def _inside(self, call: CallObject) -> None:
        held, self._held = self._held, ""
        for place, char in enumerate(held):
            self._pieces.events(call.push(char))
            if call.done or call.broken:
                self.broken = self.broken or call.broken
                self._call, self._held = None, held[place + 1 :]
                return

    def end(self) -> list[Piece]:
        if not self._any:
            self._pieces.text(self._held)
        self._held = ""
        return self._pieces.take()


class _Mistral:
    def __init__(self) -> None:
        self.broken = False
        self._pieces = _Pieces("mistral")
        self._held = ""
        self._any = False
        # text, begin, list, name, object or value
        self._state = "text"
        self._in_list = False
        self._name = ""
        self._call = CallObject(None)
        self._value = JsonValue()

    @property
    def unfinished(self) -> bool:
        return self._state in ("begin", "name", "object", "value") or (self._state == "list" and self._in_list)

    def push(self, text: str) -> list[Piece]:
        self._held += text
        while self._held:
            if self._state == "text":
                before, self._held, found = _before(self._held, MISTRAL_OPEN)
                if not self._any:
                    self._pieces.text(before)
                if not found:
                    break
                self._any, self._state = True, "begin"
                continue
            char, self._held = self._held[0], self._held[1:]
            if not self._step(char):
                self._held = char + self._held
                break
        return self._pieces.take()

    def _step(self, char: str) -> bool:
        """Reads one character; returns False if more must arrive before it can be read."""
        if self._state in ("begin", "list"):
            self._begin(char)
        elif self._state == "name":
            return self._read_name(char)
        elif self._state == "object":
            self._pieces.events(self._call.push(char))
            if self._call.done or self._call.broken:
                self._ended(self._call.broken)
        else:
            self._value.push(char)
            self._pieces.events([Arguments(char)])
            if self._value.done:
                self._ended(not is_json(self._value.text))
        return True

    def _begin(self, char: str) -> None:
        if char in _WHITESPACE or (self._state == "list" and char == ","):
            return
        if char == "[" and self._state == "begin" and not self._in_list:
            self._in_list, self._state = True, "list"
        elif char == "]" and self._in_list:
            self._in_list, self._state = False, "text"
        elif char == "{":
            self._call, self._state = CallObject(None), "object"
            self._call.push(char)
        elif self._in_list:
            self.broken, self._in_list, self._state = True, False, "text"
        else:
            self._name, self._state = char, "name"

    def _read_name(self, char: str) -> bool:
        rest = char + self._held
        if char == "[":
            marker = next((one for one in (MISTRAL_ARGS, MISTRAL_ID) if rest.startswith(one)), None)
            if marker is not None:
                self._held = rest[len(marker) :]
                self._name += "\0" if marker == MISTRAL_ID else ""
                return True
            if any(one.startswith(rest) for one in (MISTRAL_ARGS, MISTRAL_ID)):
                return False
        if char == "{":
            name = self._name.split("\0")[0].strip()
            self._pieces.events([Named(name), Arguments(char)])
            self._value, self._state = JsonValue(), "value"
            self._value.push(char)
            return True
        self._name += char
        if len(self._name) > _NAME_MAX:
            self.broken, self._state = True, "text"
        return True

    def _ended(self, broken: bool) -> None:
        self.broken = self.broken or broken
        if broken:
            self._in_list = False
        self._state = "list" if self._in_list else "text"

    def end(self) -> list[Piece]:
        if not self._any:
            self._pieces.text(self._held)
        self._held = ""
        return self._pieces.take()


class _Json:
    """Calls are recognised by the name of an offered tool, because any answer may be JSON."""

    def __init__(self, names: frozenset[str]) -> None:
        self.broken = False
        self._names = names
        self._pieces = _Pieces("json")
        # start, text, calls, between or after
        self._state = "start"
        self._raw = ""
        self._held = ""
        self._committed = False
        self._call = CallObject(names)

    @property
    def unfinished(self) -> bool:
        return self._state == "calls" and self._committed

    def push(self, text: str) -> list[Piece]:
        if self._state == "text":
            self._in_text(text)
            return self._pieces.take()
        for place, char in enumerate(text):
            self._raw += "" if self._committed else char
            self._step(char)
            if self._state == "text":
                self._in_text(text[place + 1 :])
                break
        return self._pieces.take()

    def _in_text(self, text: str) -> None:
        before, self._held, found = _before(self._held + text, PYTHON_TAG)
        self._pieces.text(before)
        if found:
            rest, self._held, self._raw, self._state = self._held, "", "", "start"
            for place, char in enumerate(rest):
                self._raw += "" if self._committed else char
                self._step(char)
                if self._state == "text":
                    self._in_text(rest[place + 1 :])
                    return

    def _step(self, char: str) -> None:
        if self._state == "calls":
            self._read(char)
        elif self._state == "after" or char in _WHITESPACE:
            return
        elif char == "{":
            self._call, self._state = CallObject(self._names), "calls"
            self._call.push(char)
        elif self._state == "between":
            self._state = "between" if char in ";,]" else "after"
        elif char != "[" or self._raw.strip() != "[":
            self._release_unless_tagged()

    def _release_unless_tagged(self) -> None:
        """The answer does not begin with a call. It may begin with the tag, which ends in a character read here."""
        seen = self._raw.lstrip(_WHITESPACE)
        if PYTHON_TAG == seen:
            self._raw = ""
        elif not PYTHON_TAG.startswith(seen):
            self._release()

    def _read(self, char: str) -> None:
        events = self._call.push(char)
        if events:
            self._committed, self._raw = True, ""
            self._pieces.events(events)
        if self._call.broken and not self._committed:
            self._release()
        elif self._call.broken:
            self.broken, self._state = True, "after"
        elif self._call.done:
            self._state = "between"

    def _release(self) -> None:
        raw, self._raw, self._state = self._raw, "", "text"
        self._pieces.text(raw)

    def end(self) -> list[Piece]:
        if not self._committed:
            self._pieces.text(self._raw + self._held)
        elif self._held:
            self._pieces.text(self._held)
        self._raw = self._held = ""
        return self._pieces.take()
