"""A conversation with tools is trained on as the text and tokens that serving makes of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import trl
from jobs import assistant, user
from test_tool_calls import MISTRAL_V3, MISTRAL_V13, TEXT_ARGUMENTS
from tiny import CHATML_WITH_TOOLS, build_tiny_tokenizer

from whetstone_trainer.serving.chat import ChatRequest
from whetstone_trainer.serving.prompt import Prompter
from whetstone_trainer.serving.request import ServeProfile
from whetstone_trainer.training.chat_rendering import ChatRenderer
from whetstone_trainer.training.examples import Reader

FAMILIES = ("qwen2_5", "qwen3", "llama3_1", "glm4moe")
LAST_QUESTION = "m == (messages | selectattr('role', 'equalto', 'user') | list | last)"
OWN = {
    # Mistral's templates list the tools at the last question, whether or not something follows it.
    "mistral 3": MISTRAL_V3.replace("loop.last %}{{ '[AV", f"{LAST_QUESTION} %}}{{{{ '[AV"),
    "mistral 13": MISTRAL_V13.replace("loop.last %}{{ '[AV", f"{LAST_QUESTION} %}}{{{{ '[AV"),
    "text": TEXT_ARGUMENTS,
    "chatml": CHATML_WITH_TOOLS,
}
TOOLS = (
    '[{"type":"function","function":{"name":"find_order","description":"Finds an order.",'
    '"parameters":{"type":"object","properties":{"reason":{"type":"string"},"order":{"type":"number","minimum":1.0}},'
    '"required":["reason","order"]}}}]'
)
CALL_ID = "call_of_another_provider_with_a_long_id"
FIRST_CALL = {
    "id": CALL_ID,
    "type": "function",
    "function": {"name": "find_order", "arguments": '{"reason": "asked", "order": 1.0}'},
}
ASKED: list[dict[str, Any]] = [
    user("where is order 1"),
    {"role": "assistant", "content": None, "tool_calls": [FIRST_CALL]},
    {"role": "tool", "tool_call_id": CALL_ID, "content": "lost"},
]


def template_of(name: str) -> str:
    return OWN.get(name) or (Path(trl.__file__).parent / "chat_templates" / f"{name}.jinja").read_text()


def served_ids(name: str, tokenizer: Any, messages: list[dict[str, Any]]) -> list[int]:
    """Returns the tokens that a served model is given for these messages and the tools."""
    request = ChatRequest(model="m", messages=messages, tools=json.loads(TOOLS))
    profile = ServeProfile(
        chat_template=template_of(name),
        eos_token_ids=[tokenizer.eos_token_id],
        max_context=4096,
        generation_config={},
    )
    return Prompter(tokenizer, profile).prepare(request).ids


@pytest.mark.parametrize("name", [*FAMILIES, *OWN])
@pytest.mark.parametrize("ends_with_result", [True, False])
def test_the_prompt_that_is_trained_after_is_the_one_that_is_served(name: str, ends_with_result: bool) -> None:
    tokenizer = build_tiny_tokenizer(template_of(name))
    asked = ASKED if ends_with_result else [*ASKED, assistant("it is lost"), user("and order 2")]
    reader = Reader(ChatRenderer(tokenizer, [tokenizer.eos_token_id]), "sft", "last_assistant")
    row = {
        "example_id": "ex_1",
        "messages": [*asked, {**assistant("sorry"), "weight": 0.5}],
        "tools": json.loads(TOOLS),
    }
    trained = reader.read(row)
    served = served_ids(name, tokenizer, asked)
    ids = trained.parts["messages"].tolist()
    assert tokenizer.decode(ids[: len(served)]) == tokenizer.decode(served)
    assert ids[: len(served)] == served
    assert trained.trained["messages"].tolist().index(True) == len(served)


@pytest.mark.parametrize("name", [*FAMILIES, *OWN])
def test_the_prompt_of_a_pair_or_a_judged_answer_is_the_one_that_is_served(name: str) -> None:
    tokenizer = build_tiny_tokenizer(template_of(name))
    renderer = ChatRenderer(tokenizer, [tokenizer.eos_token_id])
    row = {"example_id": "ex_1", "prompt": ASKED, "completion": [assistant("sorry")], "label": False}
    judged = Reader(renderer, "kto", "last_assistant").read({**row, "tools": json.loads(TOOLS)})
    served = served_ids(name, tokenizer, ASKED)
    assert judged.parts["completion"].tolist()[: judged.prompt_tokens] == served


@pytest.mark.parametrize(("name", "as_served"), [*((name, True) for name in [*FAMILIES, *OWN]), ("deepseekv3", False)])
def test_a_template_that_begins_answers_differently_when_served_is_found(name: str, as_served: bool) -> None:
    tokenizer = build_tiny_tokenizer(template_of(name))
    assert ChatRenderer(tokenizer, [tokenizer.eos_token_id]).trains_as_served() == as_served
