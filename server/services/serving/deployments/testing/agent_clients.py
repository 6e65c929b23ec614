"""Runs an agent's calls with OpenAI's and LangChain's clients, given a base URL, a key and a model name, and prints the results."""

import json
import os
from typing import Literal

from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from openai import OpenAI
from pydantic import BaseModel

BASE_URL, KEY, MODEL = os.environ["BASE_URL"], os.environ["API_KEY"], os.environ["MODEL"]
ASKED = "What is the weather in Ulm?"


class Order(BaseModel):
    item: Literal["jacket", "boots"]
    paid: bool


@tool
def get_weather(city: Literal["Ulm", "Bonn"]) -> str:
    """Returns the weather of a city."""
    return f"Rain in {city}"


PARAMETERS = {
    "type": "object",
    "properties": {"city": {"type": "string", "enum": ["Ulm", "Bonn"]}},
    "required": ["city"],
    "additionalProperties": False,
}
TOOLS = [{"type": "function", "function": {"name": "get_weather", "description": "Weather", "parameters": PARAMETERS}}]


def with_openai() -> dict[str, object]:
    client = OpenAI(base_url=BASE_URL, api_key=KEY, max_retries=0)
    messages = [{"role": "user", "content": ASKED}]
    asked = {"model": MODEL, "tools": TOOLS, "tool_choice": "required", "parallel_tool_calls": False, "seed": 1}
    first = client.chat.completions.create(messages=messages, **asked).choices[0]
    with client.chat.completions.stream(messages=messages, **asked) as stream:
        streamed = stream.get_final_completion().choices[0]
    call = first.message.tool_calls[0]
    messages += [first.message.to_dict(), {"role": "tool", "tool_call_id": call.id, "content": "Rain"}]
    parsed = client.chat.completions.parse(model=MODEL, messages=messages, response_format=Order, seed=1)
    return {
        "call": [call.function.name, json.loads(call.function.arguments)],
        "finish": [first.finish_reason, streamed.finish_reason],
        "streamed": streamed.message.tool_calls[0].function.arguments == call.function.arguments,
        "order": parsed.choices[0].message.parsed.model_dump(),
    }


def with_langchain() -> dict[str, object]:
    model = ChatOpenAI(base_url=BASE_URL, api_key=KEY, model=MODEL, max_retries=0, seed=1)
    agent = model.bind_tools([get_weather], tool_choice="required", parallel_tool_calls=False)
    history = [HumanMessage(ASKED)]
    reply = agent.invoke(history)
    streamed = None
    for chunk in agent.stream(history):
        streamed = chunk if streamed is None else streamed + chunk
    (call,) = reply.tool_calls
    history += [reply, ToolMessage(get_weather.invoke(call["args"]), tool_call_id=call["id"])]
    order = model.with_structured_output(Order, method="json_schema").invoke(history)
    return {
        "call": [call["name"], call["args"]],
        "finish": [reply.response_metadata["finish_reason"], streamed.response_metadata["finish_reason"]],
        "streamed": streamed.tool_calls[0]["args"] == call["args"],
        "order": order.model_dump(),
    }


print(json.dumps({"openai": with_openai(), "langchain": with_langchain()}))
