"""How a chat template writes tool calls, found by rendering some: what a model was trained to write is what is enforced."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from .read_calls import HERMES_CLOSE, HERMES_OPEN, MISTRAL_ARGS, MISTRAL_OPEN, Family

Message = dict[str, Any]
# Renders messages with tools, with or without the beginning of the model's turn; raises whatever the template raises.
Render = Callable[[list[Message], list[Any], bool], str]


@dataclass(frozen=True)
class CallFormat:
    """The text of calls: `opening`, then `before` NAME `between` ARGUMENTS `after` for each, then `closing`.

    `separator` stands between calls; None if a turn can have one only. `family` is None if the template writes calls in
    a way that answers are not searched for. Templates get arguments as objects unless `arguments_as_text`.
    """

    family: Family | None
    opening: str
    before: str
    between: str
    after: str
    closing: str
    separator: str | None
    item_separator: str = ", "
    key_separator: str = ": "
    arguments_as_text: bool = False
    renders_tools: bool = False


BARE = CallFormat("json", "", '{"name": "', '", "arguments": ', "}", "", None)
_NAMES = ("probe_first", "probe_second")
_IDS = ("a1B2c3D4e", "f5G6h7I8j")
_ARGUMENTS = {"k": "v", "n": 1}
# How a template that expects text writes an object.
_PYTHON = "{'k'"
_WRITTEN = re.compile(r'\{"k":(\s*)"v",(\s*)"n":\s*1\}')


def call_format(render: Render) -> CallFormat:
    """Returns how a template writes calls; bare JSON for one that writes none."""
    renders_tools = _renders_tools(render)
    for as_text in (False, True):
        one = _rendered(render, 1, as_text)
        if one is None or _NAMES[0] not in one or _PYTHON in one:
            continue
        written = _WRITTEN.search(one)
        found = None if written is None else _format_of(one, written)
        if written is None or found is None:
            return replace(BARE, family=None, renders_tools=renders_tools, arguments_as_text=as_text)
        return replace(
            found,
            separator=_separator(_rendered(render, 2, as_text), found),
            item_separator="," + written[2],
            key_separator=":" + written[1],
            arguments_as_text=as_text,
            renders_tools=renders_tools,
        )
    return replace(BARE, renders_tools=renders_tools)


def tool(name: str) -> dict[str, Any]:
    parameters = {"type": "object", "properties": {"k": {"type": "string"}, "n": {"type": "integer"}}}
    return {"type": "function", "function": {"name": name, "description": "Probe", "parameters": parameters}}


def _renders_tools(render: Render) -> bool:
    try:
        return _NAMES[0] in render([{"role": "user", "content": "x"}], [tool(_NAMES[0])], True)
    except Exception:
        # A template is a program written by the model's author and may raise anything.
        return False


def _rendered(render: Render, count: int, as_text: bool) -> str | None:
    """Returns what the template adds for a turn with calls; None if it refuses."""
    arguments: Any = json.dumps(_ARGUMENTS) if as_text else _ARGUMENTS
    calls = [
        {"id": _IDS[n], "type": "function", "function": {"name": _NAMES[n], "arguments": arguments}}
        for n in range(count)
    ]
    asked = [{"role": "user", "content": "x"}]
    tools = [tool(name) for name in _NAMES]
    try:
        before = render(asked, tools, True)
        after = render([*asked, {"role": "assistant", "content": "", "tool_calls": calls}], tools, False)
    except Exception:
        # As above.
        return None
    same = next(
        (n for n, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), min(len(before), len(after))
    )
    return after[same:]


def _format_of(text: str, written: re.Match[str]) -> CallFormat | None:
    name = text.find(_NAMES[0])
    if not 0 <= name < written.start():
        return None
    before, between, after = text[:name], text[name + len(_NAMES[0]) : written.start()], text[written.end() :]
    place = before.rfind(MISTRAL_OPEN)
    if place >= 0:
        return _mistral(before[place:], between, after)
    brace = before.rfind("{")
    if brace < 0 or '"name"' not in before[brace:] or not re.search(r'"(arguments|parameters)":\s*$', between):
        return None
    close = after.find("}")
    tag, end = before.rfind(HERMES_OPEN), after.find(HERMES_CLOSE)
    if tag >= 0 and end >= 0:
        return CallFormat("hermes", "", before[tag:], between, after[: end + len(HERMES_CLOSE)], "", None)
    return CallFormat("json", "", before[brace:], between, after[: close + 1], "", None) if close >= 0 else None


def _mistral(before: str, between: str, after: str) -> CallFormat | None:
    brace = before.rfind("{")
    if brace < 0:
        # `[TOOL_CALLS]name{…}`; an id that the template writes between them is none of the model's.
        middle = MISTRAL_ARGS if MISTRAL_ARGS in between else ""
        return CallFormat("mistral", "", before, middle, "", "", None)
    if '"name"' not in before[brace:] or "]" not in after:
        return None
    return CallFormat("mistral", before[:brace], before[brace:], between, "}", "]", None)


def _separator(text: str | None, found: CallFormat) -> str | None:
    """Returns what stands between two calls of one turn."""
    if text is None or _NAMES[1] not in text:
        return None
    if found.family == "mistral":
        return ", " if found.closing else ""
    first = _WRITTEN.search(text)
    if first is None:
        return None
    between = text[first.end() : text.find(_NAMES[1])]
    if not (between.startswith(found.after) and between.endswith(found.before)):
        return None
    separator = between[len(found.after) : len(between) - len(found.before)]
    # Bare objects must be told apart by something that can be read back.
    return separator if found.family == "hermes" or separator.strip(" ;,\n") == "" else None
