"""Tool calls are read from answers as each family of models writes them, and templates show how they write them."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
import trl
from tiny import CHATML, build_tiny_tokenizer

from whetstone_trainer.serving.calls.call_format import CallFormat, call_format
from whetstone_trainer.serving.calls.read_calls import CallArguments, CallStart, Family, Text, call_reader

NAMES = frozenset({"get_weather", "book"})
Calls = list[tuple[str, str]]


def read(family: Family | None, parts: list[str]) -> tuple[str, Calls, bool]:
    """Returns an answer's text, its calls, and whether one of them cannot be read."""
    reader = call_reader(family, NAMES)
    pieces = [piece for part in parts for piece in reader.push(part)] + reader.end()
    calls: list[list[str]] = []
    for piece in pieces:
        if isinstance(piece, CallStart):
            assert piece.index == len(calls)
            calls.append([piece.name, ""])
        elif isinstance(piece, CallArguments):
            calls[piece.index][1] += piece.text
    content = "".join(piece.text for piece in pieces if isinstance(piece, Text))
    return content, [(name, arguments) for name, arguments in calls], reader.broken or reader.unfinished


ULM = '{"city": "Ulm"}'
TRICKY = '{"text": "a } \\" ] </tool_call> [TOOL_CALLS]", "n": [1.0, {"x": null}]}'
HERMES_ONE = f'<tool_call>\n{{"name": "get_weather", "arguments": {ULM}}}\n</tool_call>'
HERMES_TWO = f'<tool_call>\n{{"name": "book", "arguments": {TRICKY}}}\n</tool_call>'

READ: list[tuple[Family | None, str, str, Calls]] = [
    ("hermes", HERMES_ONE, "", [("get_weather", ULM)]),
    ("hermes", f"Let me look.\n{HERMES_ONE}\n{HERMES_TWO}", "Let me look.\n", [("get_weather", ULM), ("book", TRICKY)]),
    # Models often leave out the last tag.
    ("hermes", HERMES_ONE.removesuffix("\n</tool_call>"), "", [("get_weather", ULM)]),
    ("hermes", '<tool_call>{"arguments": {"a": 1}, "name": "other"}</tool_call>', "", [("other", '{"a": 1}')]),
    ("hermes", "It is <b>sunny</b> and <tool is fine.", "It is <b>sunny</b> and <tool is fine.", []),
    ("hermes", '{"name": "get_weather", "arguments": {}}', '{"name": "get_weather", "arguments": {}}', []),
    ("json", f'{{"name": "get_weather", "parameters": {ULM}}}', "", [("get_weather", ULM)]),
    (
        "json",
        f'<|python_tag|>{{"name": "get_weather", "parameters": {ULM}}}; {{"name": "book", "parameters": {TRICKY}}}',
        "",
        [("get_weather", ULM), ("book", TRICKY)],
    ),
    ("json", f'Wait.<|python_tag|>{{"name": "book", "parameters": {ULM}}}', "Wait.", [("book", ULM)]),
    (
        "json",
        f'[{{"name": "get_weather", "arguments": {ULM}}}, {{"name": "book", "arguments": {{}}}}]',
        "",
        [("get_weather", ULM), ("book", "{}")],
    ),
    # Answers in JSON that are no calls.
    ("json", '{"name": "Ann", "age": 3}', '{"name": "Ann", "age": 3}', []),
    ("json", '{"city": "Ulm"}', '{"city": "Ulm"}', []),
    ("json", '[1, 2] and {"name": "book"}', '[1, 2] and {"name": "book"}', []),
    ("json", "<|pyth and more", "<|pyth and more", []),
    (
        "mistral",
        f'[TOOL_CALLS] [{{"name": "get_weather", "arguments": {ULM}, "id": "abcdefghi"}},'
        f' {{"name": "book", "arguments": {TRICKY}}}]',
        "",
        [("get_weather", ULM), ("book", TRICKY)],
    ),
    ("mistral", f"Sure.[TOOL_CALLS]get_weather{ULM}", "Sure.", [("get_weather", ULM)]),
    (
        "mistral",
        f"[TOOL_CALLS]get_weather[ARGS]{ULM}[TOOL_CALLS]book[CALL_ID]abcdefghi[ARGS]{TRICKY}",
        "",
        [("get_weather", ULM), ("book", TRICKY)],
    ),
    ("mistral", "no [TOOL calls here", "no [TOOL calls here", []),
    (None, HERMES_ONE, HERMES_ONE, []),
]


@pytest.mark.parametrize(("family", "text", "content", "calls"), READ)
def test_calls_are_read_wherever_the_text_is_cut(family: Family | None, text: str, content: str, calls: Calls) -> None:
    expected = (content, calls, False)
    assert read(family, [text]) == expected
    assert read(family, list(text)) == expected
    for seed in range(5):
        cuts = sorted(random.Random(seed).sample(range(len(text)), 4))
        assert read(family, [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]) == expected


@pytest.mark.parametrize(
    ("family", "text"),
    [
        ("hermes", '<tool_call>{"name": "f", "arguments": {"a": }}</tool_call>'),
        ("hermes", '<tool_call>{"name": "f"}</tool_call>'),
        ("hermes", "<tool_call>f(1)</tool_call>"),
        ("hermes", '<tool_call>{"name": "f", "arguments": {"a": "x'),
        ("json", '{"name": "book", "parameters": {"a" 1}}'),
        ("json", '{"name": "book", "parameters": {"a": 1'),
        ("mistral", '[TOOL_CALLS] [{"name": "f", "arguments": {]'),
        ("mistral", "[TOOL_CALLS] [1, 2]"),
        ("mistral", "[TOOL_CALLS]f" + "x" * 300),
        ("mistral", "[TOOL_CALLS]f[ARGS]{'a': 1}"),
        ("mistral", "[TOOL_CALLS]"),
    ],
)
def test_what_is_no_call_is_known_to_be_none(family: Family, text: str) -> None:
    assert read(family, [text])[2]
    assert read(family, list(text))[2]


def test_arguments_arrive_as_they_are_written() -> None:
    reader = call_reader("hermes", NAMES)
    assert reader.push('<tool_call>\n{"name": "bo') == []
    (start,) = reader.push('ok", "arguments"')
    assert isinstance(start, CallStart) and start.name == "book" and start.id.startswith("call_")
    assert reader.push(': {"a": "on') == [CallArguments(0, '{"a": "on')]
    assert reader.push('e"') == [CallArguments(0, 'e"')]
    assert reader.push("}}\n</tool") == [CallArguments(0, "}")]


def test_an_answer_in_json_is_not_held_back() -> None:
    reader = call_reader("json", NAMES)
    assert reader.push('{"city"') == [Text('{"city"')]
    assert reader.push(': "Ulm"}') == [Text(': "Ulm"}')]


@pytest.mark.parametrize(
    ("family", "text"),
    [
        ("json", '{"name": "book", "arguments": ' + "[" * 50_000),
        ("hermes", "<tool_call>{" * 10_000),
        ("mistral", "[TOOL_CALLS]" * 10_000),
    ],
)
def test_long_and_deep_texts_are_read_to_their_end(family: Family, text: str) -> None:
    """None of these is a call; they would overflow a stack, or take minutes if what was read were read again."""
    content, _, is_broken = read(family, [text])
    assert is_broken and content == ""
    other: Family = "hermes" if family == "json" else "json"
    assert read(other, [text]) == (text, [], False)


TEMPLATES = Path(trl.__file__).parent / "chat_templates"
# After Mistral's description of its formats: with a list of calls (tokenizer v3), and with a call each (v11, v13).
MISTRAL = """{%- for m in messages %}{%- if m.role == 'user' %}
{%- if tools and loop.last %}{{ '[AVAILABLE_TOOLS] ' + tools | tojson + '[/AVAILABLE_TOOLS]' }}{%- endif %}
{{- '[INST] ' + m.content + '[/INST]' }}
{%- elif m.tool_calls %}CALLS{{- eos_token }}
{%- elif m.role == 'tool' %}{%- if m.tool_call_id | length != 9 %}{{ raise_exception('ids have length 9') }}{%- endif %}
{{- '[TOOL_RESULTS] ' + m.content + '[/TOOL_RESULTS]' }}
{%- else %}{{- ' ' + m.content + eos_token }}{%- endif %}{%- endfor %}"""
MISTRAL_V3 = MISTRAL.replace(
    "CALLS",
    "{{- '[TOOL_CALLS] [' }}{%- for c in m.tool_calls %}{{- '{\"name\": \"' + c.function.name + '\", \"arguments\": ' }}"
    "{{- c.function.arguments | tojson }}{{- ', \"id\": \"' + c.id + '\"}' }}{{- ', ' if not loop.last }}"
    "{%- if c.id | length != 9 %}{{ raise_exception('ids have length 9') }}{%- endif %}{%- endfor %}{{- ']' }}",
)
MISTRAL_V13 = MISTRAL.replace(
    "CALLS",
    "{%- for c in m.tool_calls %}{{- '[TOOL_CALLS]' + c.function.name + '[ARGS]' + c.function.arguments | tojson }}"
    "{%- endfor %}",
)
# Writes arguments as the text that it is given, as DeepSeek's templates do.
TEXT_ARGUMENTS = CHATML.replace(
    "{{ m['content'] + '<|im_end|>\\n' }}{% endgeneration %}",
    "{{ m['content'] }}{% for c in m.tool_calls or [] %}"
    "{{ '{\"name\": \"' + c.function.name + '\", \"arguments\": ' + c.function.arguments + '}' }}{% endfor %}"
    "{{ '<|im_end|>\\n' }}{% endgeneration %}",
)


def format_of(template: str) -> CallFormat:
    tokenizer = build_tiny_tokenizer(template)
    return call_format(
        lambda messages, tools, begins: tokenizer.apply_chat_template(
            messages, tools=tools, tokenize=False, add_generation_prompt=begins
        )
    )


def written(found: CallFormat, *calls: tuple[str, dict[str, Any]]) -> str:
    parts = [found.before + name + found.between + json.dumps(given) + found.after for name, given in calls]
    return found.opening + (found.separator or "").join(parts) + found.closing


ONE, TWO = ("book", {"seat": 1}), ("get_weather", {"city": "Ulm"})


@pytest.mark.parametrize(
    ("template", "family", "text", "parallel"),
    [
        ("qwen2_5", "hermes", '<tool_call>\n{"name": "book", "arguments": {"seat": 1}}\n</tool_call>', True),
        ("qwen3", "hermes", '<tool_call>\n{"name": "book", "arguments": {"seat": 1}}\n</tool_call>', True),
        ("llama3_1", "json", '{"name": "book", "parameters": {"seat": 1}}', False),
        ("llama3_2", "json", '{"name": "book", "parameters": {"seat": 1}}', False),
        (MISTRAL_V3, "mistral", '[TOOL_CALLS] [{"name": "book", "arguments": {"seat": 1}}]', True),
        (MISTRAL_V13, "mistral", '[TOOL_CALLS]book[ARGS]{"seat": 1}', True),
        (TEXT_ARGUMENTS, "json", '{"name": "book", "arguments": {"seat": 1}}', True),
        # Without tool calls of its own.
        (CHATML, "json", '{"name": "book", "arguments": {"seat": 1}}', False),
    ],
)
def test_a_template_shows_how_its_model_writes_calls(template: str, family: Family, text: str, parallel: bool) -> None:
    source = template if "{" in template else (TEMPLATES / f"{template}.jinja").read_text()
    found = format_of(source)
    assert (found.family, written(found, ONE), found.separator is not None) == (family, text, parallel)
    assert found.arguments_as_text == (template is TEXT_ARGUMENTS)
    # What is enforced is what is read.
    assert read(family, [written(found, ONE)]) == ("", [("book", '{"seat": 1}')], False)
    if parallel:
        two = [("book", '{"seat": 1}'), ("get_weather", '{"city": "Ulm"}')]
        assert read(family, [written(found, ONE, TWO)]) == ("", two, False)


@pytest.mark.parametrize("template", ["glm4moe", "gemma4", "gptoss"])
def test_other_ways_to_write_calls_are_told_apart(template: str) -> None:
    assert format_of((TEMPLATES / f"{template}.jinja").read_text()).family is None
