"""Constrains answers to a grammar with llguidance: in each step the tokens that may come next, in time linear in the text."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from .calls.call_format import CallFormat
from .calls.read_calls import HERMES_OPEN, MISTRAL_OPEN
from .chat import ChatRequest
from .limits import InvalidSchema, check_schema

# A call more than any answer would have; the grammar must end somewhere.
_CALLS_MAX = 32
# Below llguidance's defaults where those allow for seconds per step.
_STEP_ITEMS_MAX, _LEXER_STATES_MAX, _GRAMMAR_MAX = 50_000, 50_000, 100_000


# Where in the grammar an error is, which says nothing to whoever sent a schema.
_PLACE = re.compile(r"^at \d+\(\d+\): (failed to compile JSON schema: )?")


class Unconstrainable(Exception):
    """The model's tokenizer cannot be constrained."""


class BrokenConstraint(RuntimeError):
    """The schema became too complex while the answer was generated."""


@dataclass(frozen=True)
class _Tool:
    """A tool's name and the schema of its arguments; `param` is the request's field."""

    name: str
    schema: Any
    param: str
    strict: bool


class Constraint:
    """Follows one answer. Not thread-safe."""

    def __init__(self, matcher: Any) -> None:
        self._matcher = matcher

    @property
    def complete(self) -> bool:
        """Returns whether nothing but the end can follow."""
        return bool(self._matcher.is_stopped())

    def take(self, token: int) -> bool:
        """Takes the next token if it may come next; returns whether it was taken. Raises BrokenConstraint."""
        if self._matcher.validate_tokens([token]) != 1:
            self._check()
            return False
        self._matcher.consume_token(token)
        self._check()
        return True

    def allowed_mask(self) -> bytes:
        """Returns one bit for each token that may come next, the lowest bit of a byte first. Raises BrokenConstraint."""
        mask: bytes = self._matcher.compute_bitmask()
        self._check()
        return mask

    def _check(self) -> None:
        if self._matcher.is_error():
            raise BrokenConstraint("the schema is too complex for this answer")


class Constrainer:
    """Makes constraints for one tokenizer, which is read once, at the first."""

    def __init__(self, tokenizer: Any, eos_token_ids: Sequence[int], vocabulary: int | None) -> None:
        self._tokenizer = tokenizer
        self._eos = list(eos_token_ids)
        self._vocabulary = vocabulary
        self._read: Any = None

    def constraint(self, request: ChatRequest, calls: CallFormat) -> Constraint | None:
        """Returns what the answer to a request must match; None if it may be anything.

        Raises InvalidSchema, or Unconstrainable.
        """
        grammar = self._grammar(request, calls)
        if grammar is None:
            return None
        import llguidance

        limits = llguidance.LLParserLimits(
            step_max_items=_STEP_ITEMS_MAX,
            max_lexer_states=_LEXER_STATES_MAX,
            max_grammar_size=_GRAMMAR_MAX,
            verbose_errors=False,
        )
        tokens = self._tokens()
        text, param = grammar
        matcher = llguidance.LLMatcher(tokens, llguidance.LLMatcher.grammar_from_lark(text), log_level=0, limits=limits)
        if matcher.is_error():
            for tool in _tools(request, request.offered_tools):
                schema = llguidance.LLMatcher.grammar_from_json_schema(tool.schema)
                if reason := llguidance.LLMatcher.validate_grammar(schema, limits=limits):
                    raise _unsupported(reason, tool.param)
            raise _unsupported(matcher.get_error(), param)
        return Constraint(matcher)

    def _tokens(self) -> Any:
        if self._read is None:
            from llguidance import hf

            try:
                self._read = hf.from_tokenizer(self._tokenizer, n_vocab=self._vocabulary, eos_token=self._eos or None)
            except Exception as error:
                raise Unconstrainable(f"this model's answers cannot be constrained: {error}") from error
        return self._read

    def _grammar(self, request: ChatRequest, calls: CallFormat) -> tuple[str, str] | None:
        """Returns a grammar in llguidance's Lark and the request's field that it is about."""
        content = request.content_schema
        forced = request.forced_tools
        if forced is not None:
            return self._lark(calls, _tools(request, forced), request.parallel_tool_calls, None), "tools"
        if content is None:
            return self._strict(request, calls)
        check_schema(content, "response_format")
        offered = _tools(request, request.offered_tools)
        return self._lark(calls, offered, request.parallel_tool_calls, content), "response_format"

    def _strict(self, request: ChatRequest, calls: CallFormat) -> tuple[str, str] | None:
        """Returns a grammar of any text, with calls whose arguments match if their tool is strict; None without such a tool."""
        offered = _tools(request, request.offered_tools)
        if not any(tool.strict for tool in offered) or not self._is_marked(calls):
            return None
        tools = [tool if tool.strict else replace(tool, schema={"type": "object"}) for tool in offered]
        grammar = self._lark(calls, tools, request.parallel_tool_calls, None)
        # Text has no special tokens, so the mark ends it.
        return grammar.replace("start: calls", "start: calls | TEXT calls?", 1) + "\nTEXT: /(.|\\n)*/", "tools"

    def _is_marked(self, calls: CallFormat) -> bool:
        """Returns whether one special token announces calls. Elsewhere, text cannot be told from a call as it is written."""
        marker = {"hermes": HERMES_OPEN, "mistral": MISTRAL_OPEN}.get(calls.family or "")
        number = None if marker is None else self._tokenizer.get_vocab().get(marker)
        return number is not None and bool(self._tokens().is_special_token(number))

    def _lark(self, calls: CallFormat, tools: list[_Tool], parallel: bool, content: Any) -> str:
        rules = []
        starts = [] if content is None else ["content"]
        if content is not None:
            rules.append(f"content: %json {_schema(content, ', ', ': ')}")
        if tools:
            starts.append("calls")
            one = [f"call_{n}" for n in range(len(tools))]
            rules.append(f"call: {' | '.join(one)}")
            more = (
                f" ({self._quoted(calls.separator)} call){{0,{_CALLS_MAX - 1}}}" if calls.separator is not None else ""
            )
            more = more if parallel else ""
            rules.append(f"calls: {self._quoted(calls.opening)} call{more} {self._quoted(calls.closing)}")
        for n, tool in enumerate(tools):
            check_schema(tool.schema, tool.param)
            begin = self._quoted(f"{calls.before}{tool.name}{calls.between}")
            rules.append(f"call_{n}: {begin} arguments_{n} {self._quoted(calls.after)}")
            schema = _schema(tool.schema, calls.item_separator, calls.key_separator)
            rules.append(f"arguments_{n}: %json {schema}")
        return "\n".join([f"start: {' | '.join(starts)}", *rules])

    def _quoted(self, text: str) -> str:
        """Returns text for a rule; what is one special token is generated as that token."""
        # llguidance counts more tokens as special than the tokenizer does: Qwen's `<tool_call>`, for one.
        special = {
            str(token.content): number
            for number, token in self._tokenizer.added_tokens_decoder.items()
            if str(token.content) and self._tokens().is_special_token(number)
        }
        parts: list[str] = []
        while text:
            places = [(text.find(name), name) for name in special if name in text]
            place, name = min(places, default=(len(text), ""))
            if place:
                parts.append(json.dumps(text[:place], ensure_ascii=False))
            if name:
                parts.append(f"<[{special[name]}]>")
            text = text[place + len(name) :]
        return " ".join(parts) or '""'


def _schema(schema: Any, item_separator: str, key_separator: str) -> str:
    """Returns a schema with the spaces that the model writes, instead of any number of them."""
    style = {"whitespace_flexible": False, "item_separator": item_separator, "key_separator": key_separator}
    return json.dumps({**(schema if isinstance(schema, dict) else {}), "x-guidance": style})


def _tools(request: ChatRequest, tools: list[dict[str, Any]] | None) -> list[_Tool]:
    """Returns some of a request's tools; one without a schema has no arguments."""
    none = {"type": "object", "properties": {}, "additionalProperties": False}
    places = [(n, tool["function"]) for n, tool in enumerate(request.tools or []) if tool in (tools or [])]
    return [
        _Tool(
            name=function["name"],
            schema=function.get("parameters") or none,
            param=f"tools.{n}.function.parameters",
            strict=function.get("strict") is True,
        )
        for n, function in places
    ]


def _unsupported(reason: str, param: str) -> InvalidSchema:
    # What follows the first line is the grammar.
    first = _PLACE.sub("", reason.split("\n")[0])
    return InvalidSchema(f"the schema is not supported: {first}"[:500], param)
