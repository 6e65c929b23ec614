"""A really running model, with random weights, answers with calls and JSON that are valid, in every family's form."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import trl
from fastapi.testclient import TestClient
from test_serving import NAME, TOKEN, chunks_of
from test_tool_calls import MISTRAL_V3, MISTRAL_V13
from tiny import CHATML, build_tiny
from transformers import AutoModelForCausalLM, AutoTokenizer

from whetstone_trainer.serving.answer import Finished, OnText
from whetstone_trainer.serving.app import Served, create_serving_app
from whetstone_trainer.serving.calls.call_format import BARE
from whetstone_trainer.serving.chat import ChatRequest, Usage
from whetstone_trainer.serving.engine import Engine
from whetstone_trainer.serving.prompt import Prompt
from whetstone_trainer.serving.request import ServeProfile

TEMPLATES = Path(trl.__file__).parent / "chat_templates"
FAMILIES = {
    "qwen": (TEMPLATES / "qwen2_5.jinja").read_text(),
    "llama": (TEMPLATES / "llama3_2.jinja").read_text(),
    "mistral-v3": MISTRAL_V3,
    "mistral-v13": MISTRAL_V13,
    "plain": CHATML,
    # Its own form is not read, so a call that is forced is written as JSON.
    "glm": (TEMPLATES / "glm4moe.jinja").read_text(),
}
MARKERS = ["<tool_call>", "</tool_call>", "[TOOL_CALLS]", "[ARGS]", "<|python_tag|>"]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Path]:
    folder = build_tiny(tmp_path_factory.mktemp("tiny"), max_position_embeddings=4096)
    found = AutoModelForCausalLM.from_pretrained(folder).eval()
    # Room for the markers.
    found.resize_token_embeddings(320)
    return found, folder


def engine_of(model: tuple[Any, Path], template: str) -> Engine:
    tokenizer = AutoTokenizer.from_pretrained(model[1])
    # Qwen's are ordinary tokens of the vocabulary, Mistral's and Llama's special ones.
    tokenizer.add_tokens(MARKERS[:2])
    tokenizer.add_tokens(MARKERS[2:], special_tokens=True)
    tokenizer.chat_template = template
    eos = tokenizer.convert_tokens_to_ids("<|im_end|>")
    profile = ServeProfile(chat_template=template, eos_token_ids=[eos], max_context=4096, generation_config={})
    return Engine(model[0], tokenizer, profile)


def client_of(engine: Any) -> httpx.Client:
    app = create_serving_app(engine, Served(NAME, "these-weights", 4096), TOKEN)
    return TestClient(app, headers={"authorization": f"Bearer {TOKEN}"}, raise_server_exceptions=False)


@pytest.fixture(scope="module", params=list(FAMILIES))
def family(request: pytest.FixtureRequest, model: tuple[Any, Path]) -> Iterator[tuple[str, httpx.Client]]:
    with client_of(engine_of(model, FAMILIES[request.param])) as client:
        yield request.param, client


@pytest.fixture(scope="module")
def qwen(model: tuple[Any, Path]) -> Iterator[httpx.Client]:
    with client_of(engine_of(model, FAMILIES["qwen"])) as client:
        yield client


def tool(name: str, **properties: Any) -> dict[str, Any]:
    required = list(properties)
    parameters = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    return {"type": "function", "function": {"name": name, "description": name, "parameters": parameters}}


WEATHER = tool("get_weather", city={"enum": ["Ulm", "Köln"]}, days={"type": "integer", "minimum": 1, "maximum": 9})
BOOK = tool(
    "book",
    seat={"type": "string", "pattern": "^[A-F][1-9]$"},
    notes={"type": "array", "maxItems": 2, "items": {"type": "boolean"}},
)


def ask(client: httpx.Client, **changes: Any) -> httpx.Response:
    messages = [{"role": "user", "content": "weather in Ulm"}]
    document = {"model": NAME, "messages": messages, "temperature": 1, "seed": 7, "max_tokens": 400, **changes}
    return client.post("/v1/chat/completions", json=document)


def answered(client: httpx.Client, **changes: Any) -> dict[str, Any]:
    reply = ask(client, **changes)
    assert reply.status_code == 200, reply.text
    return dict(reply.json()["choices"][0])


def valid(call: dict[str, Any]) -> str:
    """Returns the name of a call after checking its arguments."""
    name, given = call["function"]["name"], json.loads(call["function"]["arguments"])
    if name == "get_weather":
        assert given["city"] in ("Ulm", "Köln") and 1 <= given["days"] <= 9 and set(given) == {"city", "days"}
    else:
        assert given["seat"][0] in "ABCDEF" and given["seat"][1] in "123456789" and len(given["notes"]) <= 2
    return str(name)


def joined(chunks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Returns the calls of a stream, joined as OpenAI's clients join them."""
    calls: list[dict[str, Any]] = []
    for chunk in chunks:
        for delta in chunk["choices"][0]["delta"].get("tool_calls", []):
            if "id" in delta:
                assert delta["index"] == len(calls) and delta["type"] == "function"
                calls.append({"id": delta["id"], "function": {**delta["function"]}})
            else:
                calls[delta["index"]]["function"]["arguments"] += delta["function"]["arguments"]
    return calls


def test_a_required_call_is_one_of_the_tools_with_arguments_after_its_schema(
    family: tuple[str, httpx.Client],
) -> None:
    name, client = family
    choice = answered(client, tools=[WEATHER, BOOK], tool_choice="required", parallel_tool_calls=False)
    (call,) = choice["message"]["tool_calls"]
    assert valid(call) in ("get_weather", "book")
    assert (choice["message"]["content"], choice["finish_reason"]) == (None, "tool_calls")
    assert len(call["id"]) == 9 if name.startswith("mistral") else call["id"].startswith("call_")


def test_a_named_call_is_that_tools(family: tuple[str, httpx.Client]) -> None:
    named = {"type": "function", "function": {"name": "book"}}
    choice = answered(family[1], tools=[WEATHER, BOOK], tool_choice=named, parallel_tool_calls=False)
    assert [valid(call) for call in choice["message"]["tool_calls"]] == ["book"]
    # As OpenAI reports it: the client chose the call, not the model.
    assert choice["finish_reason"] == "stop"


def test_calls_are_streamed_as_they_are_written(family: tuple[str, httpx.Client]) -> None:
    asked = {"tools": [WEATHER, BOOK], "tool_choice": "required", "parallel_tool_calls": False}
    whole = answered(family[1], **asked)["message"]["tool_calls"]
    chunks = chunks_of(ask(family[1], stream=True, **asked).text)
    streamed = joined(chunks)
    assert [call["function"] for call in streamed] == [call["function"] for call in whole]
    assert [chunk["choices"][0]["finish_reason"] for chunk in chunks][-1] == "tool_calls"
    assert "".join(chunk["choices"][0]["delta"].get("content") or "" for chunk in chunks) == ""
    # In parts, not at the end.
    assert sum("tool_calls" in chunk["choices"][0]["delta"] for chunk in chunks) > 4


@pytest.mark.parametrize("family", ["qwen", "mistral-v3", "mistral-v13"], indirect=True)
def test_a_turn_can_have_several_calls(family: tuple[str, httpx.Client]) -> None:
    for seed in range(40):
        calls = answered(family[1], tools=[tool("ping")], tool_choice="required", seed=seed)["message"]["tool_calls"]
        assert {(call["function"]["name"], call["function"]["arguments"]) for call in calls} == {("ping", "{}")}
        assert len({call["id"] for call in calls}) == len(calls)
        if len(calls) > 1:
            return
    pytest.fail("no turn had several calls")


def test_a_turn_of_llama_has_one_call(model: tuple[Any, Path]) -> None:
    with client_of(engine_of(model, FAMILIES["llama"])) as client:
        for seed in range(3):
            choice = answered(client, tools=[tool("ping")], tool_choice="required", seed=seed)
            assert len(choice["message"]["tool_calls"]) == 1


ORDER = {
    "type": "object",
    "properties": {
        "lines": {"type": "array", "maxItems": 3, "items": {"$ref": "#/$defs/line"}},
        "paid": {"type": "boolean"},
    },
    "required": ["lines", "paid"],
    "additionalProperties": False,
    "$defs": {
        "line": {
            "type": "object",
            "properties": {"sku": {"type": "string", "maxLength": 5}, "n": {"type": "integer", "maximum": 99}},
            "required": ["sku", "n"],
            "additionalProperties": False,
        }
    },
}


def schema(content: Any, **more: Any) -> dict[str, Any]:
    return {"type": "json_schema", "json_schema": {"name": "order", "strict": True, "schema": content, **more}}


def test_an_answer_follows_a_schema_whole_and_streamed(family: tuple[str, httpx.Client]) -> None:
    choice = answered(family[1], response_format=schema(ORDER))
    order = json.loads(choice["message"]["content"])
    assert choice["finish_reason"] == "stop" and set(order) == {"lines", "paid"} and isinstance(order["paid"], bool)
    assert all(set(line) == {"sku", "n"} and len(line["sku"]) <= 5 for line in order["lines"])
    chunks = chunks_of(ask(family[1], response_format=schema(ORDER), stream=True).text)
    parts = [chunk["choices"][0]["delta"].get("content") or "" for chunk in chunks]
    assert "".join(parts) == choice["message"]["content"] and len([part for part in parts if part]) > 4


def test_json_mode_answers_with_an_object(qwen: httpx.Client) -> None:
    cut = answered(qwen, response_format={"type": "json_object"}, max_tokens=20)
    assert cut["message"]["content"].startswith("{")
    # A random model ends an object only by chance.
    assert cut["finish_reason"] == "length" or isinstance(json.loads(cut["message"]["content"]), dict)


def test_with_tools_and_a_schema_the_answer_is_a_call_or_follows_the_schema(qwen: httpx.Client) -> None:
    found: set[str] = set()
    for seed in range(40):
        choice = answered(qwen, tools=[BOOK], response_format=schema(ORDER), seed=seed, parallel_tool_calls=False)
        if calls := choice["message"].get("tool_calls"):
            found.add(valid(calls[0]))
        else:
            found.add(",".join(sorted(json.loads(choice["message"]["content"]))))
        if len(found) == 2:
            break
    assert found == {"book", "lines,paid"}


def test_temperature_zero_and_log_probabilities_work_with_a_schema(qwen: httpx.Client) -> None:
    asked = {"temperature": 0, "logprobs": True, "top_logprobs": 2, "response_format": schema({"enum": ["yes", "no"]})}
    choice = answered(qwen, **asked)
    assert json.loads(choice["message"]["content"]) in ("yes", "no")
    assert "".join(one["token"] for one in choice["logprobs"]["content"]) == choice["message"]["content"]


def test_an_answer_that_is_cut_short_says_so(qwen: httpx.Client) -> None:
    asked = {"tools": [BOOK], "tool_choice": "required", "max_tokens": 45}
    choice = answered(qwen, **asked)
    assert choice["finish_reason"] == "length"
    (call,) = choice["message"]["tool_calls"]
    assert call["function"]["name"] == "book"
    chunks = chunks_of(ask(qwen, stream=True, **asked).text)
    assert chunks[-1]["choices"][0]["finish_reason"] == "length"
    assert [one["function"] for one in joined(chunks)] == [call["function"]]


DEEP: dict[str, Any] = {"type": "string"}
for _ in range(40):
    DEEP = {"type": "object", "properties": {"a": DEEP}}


@pytest.mark.parametrize(
    ("changes", "param"),
    [
        ({"tools": [{"type": "custom", "custom": {"name": "x"}}]}, "tools"),
        ({"tools": [tool("no spaces")]}, "tools"),
        ({"tools": [BOOK, BOOK]}, "tools"),
        ({"tools": [tool(f"t{n}") for n in range(129)]}, "tools"),
        ({"tool_choice": "required"}, "tool_choice"),
        ({"tools": [BOOK], "tool_choice": "sometimes"}, "tool_choice"),
        ({"tools": [BOOK], "tool_choice": {"type": "function", "function": {"name": "other"}}}, "tool_choice"),
        ({"response_format": {"type": "json_schema"}}, "response_format"),
        ({"response_format": schema({"type": "integer", "not": {"const": 1}})}, "response_format"),
        ({"response_format": schema({"type": "string", "pattern": "("})}, "response_format"),
        ({"response_format": schema({"$ref": "https://example.com/schema.json"})}, "response_format"),
        ({"response_format": schema(DEEP)}, "response_format"),
        ({"response_format": schema({"enum": [str(n) for n in range(50_000)]})}, "response_format"),
        ({"response_format": schema({"properties": {str(n): {} for n in range(6_000)}})}, "response_format"),
        ({"tools": [tool("f", a=DEEP)], "tool_choice": "required"}, "tools.0.function.parameters"),
        ({"tools": [BOOK, tool("f", a={"type": "x"})], "tool_choice": "required"}, "tools.1.function.parameters"),
        (
            {
                "tools": [BOOK, tool("f", a={"type": "x"})],
                "tool_choice": {"type": "function", "function": {"name": "f"}},
            },
            "tools.1.function.parameters",
        ),
        ({"messages": [{"role": "assistant", "tool_calls": [{"id": "1"}]}]}, "messages"),
    ],
)
def test_what_cannot_be_enforced_is_refused_before_an_answer_begins(
    qwen: httpx.Client, changes: dict[str, Any], param: str
) -> None:
    for stream in (False, True):
        reply = ask(qwen, stream=stream, **changes)
        error = reply.json()["error"]
        assert (reply.status_code, error["type"], error["param"]) == (400, "invalid_request_error", param), error


def test_a_schema_that_is_too_complex_is_refused(qwen: httpx.Client) -> None:
    content = {"allOf": [{"anyOf": [{"required": [f"p{n}"]}, {"required": [f"q{n}"]}]} for n in range(20)]}
    reply = ask(qwen, response_format=schema(content))
    error = reply.json()["error"]
    assert (reply.status_code, error["param"], error["code"]) == (400, "response_format", "invalid_schema")
    assert "\n" not in error["message"] and len(error["message"]) < 200


@pytest.mark.parametrize("pattern", ["^((a{0,200}){0,200}){0,200}b$", "^(a|aa)*(b|bb)*(.*x.*){30}$", "^(a+)+$"])
def test_patterns_that_explode_elsewhere_are_answered(qwen: httpx.Client, pattern: str) -> None:
    assert answered(qwen, response_format=schema({"type": "string", "pattern": pattern}), max_tokens=4)


def test_a_schema_that_no_answer_can_follow_ends_it_as_the_clients_fault(qwen: httpx.Client) -> None:
    endless = {"type": "array", "minItems": 1, "items": {"$ref": "#"}}
    reply = ask(qwen, response_format=schema(endless))
    error = reply.json()["error"]
    assert (reply.status_code, error["type"], error["code"]) == (400, "invalid_request_error", "schema_too_complex")
    streamed = ask(qwen, response_format=schema(endless), stream=True).text
    assert "schema_too_complex" in streamed and "[DONE]" not in streamed


@pytest.mark.parametrize("family", ["qwen", "mistral-v13"], indirect=True)
def test_a_strict_tool_is_called_only_with_arguments_after_its_schema(family: tuple[str, httpx.Client]) -> None:
    """Nothing forces a call: a random model begins one by chance, after a text or instead of it."""
    strict = {"type": "function", "function": {**BOOK["function"], "strict": True}}
    called = texts = 0
    for seed in range(60):
        choice = answered(family[1], tools=[strict], seed=seed, max_tokens=200, temperature=2)
        assert not any(marker in (choice["message"]["content"] or "") for marker in MARKERS)
        if choice["finish_reason"] == "tool_calls":
            assert {valid(call) for call in choice["message"]["tool_calls"]} == {"book"}
            called += 1
        else:
            texts += 1
        if called and texts:
            return
    pytest.fail(f"{called} calls and {texts} texts")


HISTORY = [
    {"role": "user", "content": "weather?"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {
                "id": "call_" + "x" * 24,
                "type": "function",
                "function": {"name": "book", "arguments": '{"z": 1.0, "a": "ü"}'},
            }
        ],
    },
    {"role": "tool", "tool_call_id": "call_" + "x" * 24, "content": "sunny"},
]


def test_history_with_tool_turns_is_rendered_as_recorded(model: tuple[Any, Path]) -> None:
    expected = {
        "qwen": '<tool_call>\n{"name": "book", "arguments": {"z": 1.0, "a": "ü"}}\n</tool_call>',
        "llama": '{"name": "book", "parameters": {"z": 1.0, "a": "ü"}}',
        "mistral-v3": '[TOOL_CALLS] [{"name": "book", "arguments": {"z": 1.0, "a": "ü"}, "id": "',
        "mistral-v13": '[TOOL_CALLS]book[ARGS]{"z": 1.0, "a": "ü"}',
    }
    for name, text in expected.items():
        engine = engine_of(model, FAMILIES[name])
        prompt = engine.prepare(ChatRequest.model_validate({"model": NAME, "messages": HISTORY, "tools": [BOOK]}))
        rendered = engine._tokenizer.decode(prompt.ids)
        assert text in rendered and "sunny" in rendered, rendered


class Recorded:
    """Answers with a recorded text, in parts of three characters."""

    def __init__(self, engine: Engine, text: str) -> None:
        self.prepare = engine.prepare
        self._text = text

    def generate(self, prompt: Prompt, on_text: OnText, cancelled: threading.Event) -> Finished:
        for place in range(0, len(self._text), 3):
            on_text(self._text[place : place + 3], [])
        return Finished("stop", Usage(len(prompt.ids), 1))


QWEN_ANSWER = (
    'I will look.\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "Ulm", "days": 2}}\n</tool_call>\n'
    '<tool_call>\n{"name": "book", "arguments": {"seat": "A1", "notes": []}}\n</tool_call>'
)


def test_what_a_model_wrote_freely_becomes_calls(model: tuple[Any, Path]) -> None:
    with client_of(Recorded(engine_of(model, FAMILIES["qwen"]), QWEN_ANSWER)) as client:
        choice = answered(client, tools=[WEATHER, BOOK])
        assert (choice["message"]["content"], choice["finish_reason"]) == ("I will look.\n", "tool_calls")
        assert [valid(call) for call in choice["message"]["tool_calls"]] == ["get_weather", "book"]
        chunks = chunks_of(ask(client, tools=[WEATHER, BOOK], stream=True).text)
        assert [call["function"] for call in joined(chunks)] == [
            call["function"] for call in choice["message"]["tool_calls"]
        ]
        assert chunks[-1]["choices"][0]["finish_reason"] == "tool_calls"
        # Who offers no tools, or wants none, gets the text.
        for changes in ({}, {"tools": [WEATHER], "tool_choice": "none"}):
            choice = answered(client, **changes)
            assert (choice["message"]["content"], choice["finish_reason"]) == (QWEN_ANSWER, "stop")
            assert "tool_calls" not in choice["message"]


def test_a_call_that_cannot_be_read_is_shown_as_text(model: tuple[Any, Path]) -> None:
    text = '<tool_call>\n{"name": "book", "arguments": {"seat": A1}}\n</tool_call>'
    with client_of(Recorded(engine_of(model, FAMILIES["qwen"]), text)) as client:
        choice = answered(client, tools=[BOOK])
        assert (choice["message"]["content"], choice["finish_reason"]) == (text, "stop")


def test_tools_are_not_looked_for_without_a_form_to_read(model: tuple[Any, Path]) -> None:
    engine = engine_of(model, FAMILIES["glm"])
    free = engine.prepare(ChatRequest.model_validate({"model": NAME, "messages": HISTORY[:1], "tools": [BOOK]}))
    assert free.calls.family is None and free.constraint is None
    forced = {"model": NAME, "messages": HISTORY[:1], "tools": [BOOK], "tool_choice": "required"}
    assert engine.prepare(ChatRequest.model_validate(forced)).calls == BARE
