"""Calls models with official Python clients, configured only with a base URL, a key and a model's name, and prints the results."""

import json
import os

import litellm
from langchain_core.messages import HumanMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI, OpenAIEmbeddings
from openai import OpenAI

BASE_URL, KEY, MODEL = os.environ["BASE_URL"], os.environ["API_KEY"], os.environ["MODEL"]
EMBEDDING_MODEL = os.environ["EMBEDDING_MODEL"]
MESSAGES = [{"role": "user", "content": "Say hello"}]


@tool
def get_weather(city: str) -> str:
    """Returns the weather of a city."""
    return f"Rain in {city}"


def with_openai() -> dict[str, object]:
    client = OpenAI(base_url=BASE_URL, api_key=KEY, max_retries=0)
    stream = client.chat.completions.create(model=MODEL, messages=MESSAGES, stream=True)
    with client.responses.stream(model=MODEL, input="Say hello") as responses:
        response = responses.get_final_response()
    return {
        "whole": client.chat.completions.create(model=MODEL, messages=MESSAGES).choices[0].message.content,
        "streamed": "".join(chunk.choices[0].delta.content or "" for chunk in stream),
        "response": response.output_text,
        "embedding": client.embeddings.create(model=EMBEDDING_MODEL, input="hello").data[0].embedding,
    }


def with_langchain() -> dict[str, object]:
    given = {"base_url": BASE_URL, "api_key": KEY, "max_retries": 0}
    model = ChatOpenAI(model=MODEL, **given)
    embeddings = OpenAIEmbeddings(model=EMBEDDING_MODEL, check_embedding_ctx_length=False, **given)
    call = model.bind_tools([get_weather]).invoke([HumanMessage("Weather in Ulm?")]).tool_calls[0]
    return {
        "whole": model.invoke(MESSAGES).content,
        "streamed": "".join(chunk.content for chunk in model.stream(MESSAGES)),
        "response": ChatOpenAI(model=MODEL, use_responses_api=True, **given).invoke(MESSAGES).text,
        "embedding": embeddings.embed_query("hello"),
        "call": call["args"],
    }


def with_litellm() -> dict[str, object]:
    given = {"model": f"openai/{MODEL}", "api_base": BASE_URL, "api_key": KEY, "num_retries": 0}
    stream = litellm.completion(messages=MESSAGES, stream=True, **given)
    embedded = litellm.embedding(input=["hello"], **{**given, "model": f"openai/{EMBEDDING_MODEL}"})
    return {
        "whole": litellm.completion(messages=MESSAGES, **given).choices[0].message.content,
        "streamed": "".join(chunk.choices[0].delta.content or "" for chunk in stream),
        "embedding": embedded.data[0]["embedding"],
    }


print(json.dumps({"openai": with_openai(), "langchain": with_langchain(), "litellm": with_litellm()}))
