"""Real servers of real checkpoints answer what they were taught, over OpenAI's chat completions."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import socket
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import forked
import httpx
import pytest
import uvicorn
from artifact_home import ANSWER, JOB, checkpoint_of, commit_model, fresh_home, learned_home, write_job
from deployment_fixtures import AMachine, ask, end_all, settled, use_this_trainer
from fastapi.testclient import TestClient
from forked import forked_processes  # noqa: F401
from service_fixtures import running, until
from tiny import CHATML_WITH_TOOLS, build_tiny, build_tiny_tokenizer
from transformers import AutoModelForCausalLM, LlamaConfig, LlamaForCausalLM

from whetstone_trainer.artifacts.llama_cpp import find_llama_cpp
from whetstone_trainer.service import processes
from whetstone_trainer.service.capabilities import Capabilities
from whetstone_trainer.service.settings import Serving
from whetstone_trainer.serving.answer import Finished, OnText
from whetstone_trainer.serving.app import Served, create_serving_app
from whetstone_trainer.serving.calls.call_format import CallFormat
from whetstone_trainer.serving.chat import ChatRequest, Usage
from whetstone_trainer.serving.engine import Engine
from whetstone_trainer.serving.load import load_engine
from whetstone_trainer.serving.prompt import Prompt
from whetstone_trainer.serving.request import ServePlan
from whetstone_trainer.serving.sources import find_source
from whetstone_trainer.trainer_error import TrainerFailure

NAME = "shop-agent"
NO_CALLS = CallFormat(None, "", "", "", "", "", None)
TOKEN = "the-password-of-this-server"
MESSAGES = [{"role": "user", "content": "weather 1"}]
HAS_COMPRESSOR = bool(shutil.which(os.environ.get("TRAINER_COMPRESS_PYTHON", ""))) and bool(
    importlib.util.find_spec("compressed_tensors")
)


def plan_of(home: Path, job_id: str = JOB) -> ServePlan:
    return ServePlan(
        served_model_name=NAME,
        backend="transformers",
        checkpoint_id=checkpoint_of(home, job_id),
        base=None,
        artifact_id=None,
        form=None,
        quantization=None,
        identity="these-weights",
    )


def client_of(engine: Engine, max_context: int = 512) -> httpx.Client:
    app = create_serving_app(engine, Served(NAME, "these-weights", max_context), TOKEN)
    return TestClient(app, headers={"authorization": f"Bearer {TOKEN}"}, raise_server_exceptions=False)


@pytest.fixture(scope="module")
def engine() -> Engine:
    home = learned_home()
    return load_engine(home, find_source(home, plan_of(home)))[0]


@pytest.fixture
def client(engine: Engine) -> Iterator[httpx.Client]:
    with client_of(engine) as found:
        yield found


def complete(client: httpx.Client, **changes: Any) -> httpx.Response:
    document = {"model": NAME, "messages": MESSAGES, "temperature": 0, **changes}
    return client.post("/v1/chat/completions", json=document)


def chunks_of(text: str) -> list[dict[str, Any]]:
    """Returns the events of a stream, which must end with [DONE]."""
    data = [line.removeprefix("data: ") for line in text.splitlines() if line]
    assert data.pop() == "[DONE]"
    return [json.loads(one) for one in data]


def said(chunks: list[dict[str, Any]]) -> str:
    return "".join(one["choices"][0]["delta"].get("content") or "" for one in chunks if one["choices"])


# The server, in this process.


def test_it_answers_what_was_taught(client: httpx.Client) -> None:
    reply = complete(client).json()
    (choice,) = reply["choices"]
    assert choice["message"] == {"role": "assistant", "content": ANSWER, "refusal": None}
    assert (choice["finish_reason"], choice["logprobs"]) == ("stop", None)
    assert (reply["object"], reply["model"]) == ("chat.completion", NAME)
    usage = reply["usage"]
    assert usage["total_tokens"] == usage["prompt_tokens"] + usage["completion_tokens"]
    # The answer's five tokens and the one that ends it.
    assert usage["completion_tokens"] == 6


def test_a_stream_says_the_same_in_parts(client: httpx.Client) -> None:
    chunks = chunks_of(complete(client, stream=True, stream_options={"include_usage": True}).text)
    assert said(chunks) == ANSWER
    assert chunks[0]["choices"][0]["delta"] == {"role": "assistant", "content": ""}
    assert [one["choices"][0]["finish_reason"] for one in chunks[:-1]] == [None] * (len(chunks) - 2) + ["stop"]
    assert chunks[-1]["choices"] == [] and chunks[-1]["usage"] == complete(client).json()["usage"]
    assert len(chunks) > 5 and len({one["id"] for one in chunks}) == 1


def test_a_limit_and_stop_strings_end_an_answer(client: httpx.Client) -> None:
    short = complete(client, max_tokens=2).json()["choices"][0]
    assert (short["message"]["content"], short["finish_reason"]) == ("sunny", "length")
    assert complete(client, max_completion_tokens=2).json()["choices"][0] == short
    for stop in ("lo", ["nothing", "o wor"], [" hello", "world"]):
        choice = complete(client, stop=stop).json()["choices"][0]
        assert choice["finish_reason"] == "stop"
        expected = min((ANSWER.split(one)[0] for one in ([stop] if isinstance(stop, str) else stop)), key=len)
        assert choice["message"]["content"] == expected
        assert said(chunks_of(complete(client, stop=stop, stream=True).text)) == expected


def test_log_probabilities_are_those_of_the_answers_tokens(client: httpx.Client) -> None:
    choice = complete(client, logprobs=True, top_logprobs=3).json()["choices"][0]
    tokens = choice["logprobs"]["content"]
    assert "".join(bytes(token["bytes"]).decode() for token in tokens) == ANSWER
    for token in tokens:
        best = token["top_logprobs"][0]
        assert len(token["top_logprobs"]) == 3
        assert (best["token"], best["logprob"]) == (token["token"], token["logprob"])
        assert -2 < token["logprob"] <= 0
    streamed = chunks_of(complete(client, logprobs=True, stream=True).text)
    parts = [part for one in streamed for part in (one["choices"][0]["logprobs"] or {"content": []})["content"]]
    assert [part["logprob"] for part in parts] == [token["logprob"] for token in tokens]


def test_a_seed_makes_sampling_repeatable(client: httpx.Client) -> None:
    def sampled(seed: int | None) -> str:
        choice = complete(client, temperature=2, seed=seed, max_tokens=12).json()["choices"][0]
        return str(choice["message"]["content"])

    assert sampled(1) == sampled(1)
    assert len({sampled(seed) for seed in range(4)}) > 1
    assert len({sampled(None) for _ in range(4)}) > 1


@pytest.mark.parametrize(
    ("changes", "status", "param"),
    [
        ({"model": "gpt-4o"}, 404, "model"),
        ({"messages": []}, 400, "messages"),
        ({"messages": [{"content": "x"}]}, 400, "messages"),
        ({"messages": [{"role": "user", "content": [{"type": "image_url"}]}]}, 400, "messages"),
        ({"messages": [{"role": "user", "content": "weather " * 600}]}, 400, "messages"),
        ({"temperature": 3}, 400, "temperature"),
        ({"max_tokens": 0}, 400, "max_tokens"),
        ({"n": 2}, 400, None),
        ({"logit_bias": {"1": 5}}, 400, None),
        ({"response_format": {"type": "grammar"}}, 400, "response_format"),
        ({"functions": [{"name": "f"}]}, 400, None),
        ({"stop": ["x"] * 17}, 400, None),
    ],
)
def test_what_it_cannot_do_is_refused_in_the_form_of_openai(
    client: httpx.Client, changes: dict[str, Any], status: int, param: str | None
) -> None:
    reply = complete(client, **changes)
    error = reply.json()["error"]
    assert (reply.status_code, error["param"], error["type"]) == (status, param, "invalid_request_error")
    assert error["message"] and error["code"]


def test_nobody_without_the_password_is_answered(client: httpx.Client) -> None:
    for path in ("/health", "/v1/models"):
        assert client.get(path).status_code == 200
        assert client.get(path, headers={"authorization": "Bearer wrong"}).status_code == 401
    model = client.get("/v1/models").json()["data"][0]
    assert (model["id"], model["root"], model["max_model_len"]) == (NAME, "these-weights", 512)


def test_parts_of_text_and_tools_reach_the_template(tmp_path: Path) -> None:
    home = tmp_path / "home"
    base = build_tiny(home / "models" / "base", CHATML_WITH_TOOLS)
    tokenizer = build_tiny_tokenizer(CHATML_WITH_TOOLS)
    template = CHATML_WITH_TOOLS + "{% for t in tools or [] %}{{ t.function.name }}{% endfor %}"
    model = AutoModelForCausalLM.from_pretrained(base)
    profile = {"chat_template": template, "eos_token_ids": [7], "max_context": 100}
    commit_model(write_job(home, base, "full"), model, tokenizer, base, "full", profile)
    found, used = load_engine(home, find_source(home, plan_of(home)))
    # The profile decides, not the files beside the weights.
    assert (used.eos_token_ids, used.max_context) == ([7], 100)

    def prompt(**changes: Any) -> str:
        asked = {"model": NAME, "messages": [{"role": "user", "content": [{"type": "text", "text": "hello"}]}]}
        ids = found.prepare(ChatRequest.model_validate({**asked, **changes})).ids
        return str(tokenizer.decode(ids))

    tools = [{"type": "function", "function": {"name": "look_up_weather"}}]
    assert prompt().endswith("hello<|im_end|>\n<|im_start|>assistant\n")
    assert prompt(tools=tools).endswith("look_up_weather")
    assert not prompt(tools=tools, tool_choice="none").endswith("look_up_weather")
    calls = [{"id": "c1", "type": "function", "function": {"name": "look_up", "arguments": '{"city": "Ulm"}'}}]
    history = [{"role": "user", "content": "x"}, {"role": "assistant", "content": None, "tool_calls": calls}]
    assert 'look_up{"city": "Ulm"}' in prompt(messages=history)


def test_a_cancelled_answer_is_not_generated_to_its_end(engine: Engine) -> None:
    asked = ChatRequest.model_validate({"model": NAME, "messages": MESSAGES, "temperature": 2, "max_tokens": 400})
    cancelled, heard = threading.Event(), 0

    def on_text(_: str, __: Any) -> None:
        nonlocal heard
        heard += 1
        cancelled.set()

    finished = engine.generate(engine.prepare(asked), on_text, cancelled)
    # transformers checks whether to stop before it passes a token on.
    assert heard <= 2 and finished.usage.completion_tokens < 10


class Endless:
    """Repeats one word until nobody listens any more."""

    def __init__(self) -> None:
        self.ended = threading.Event()

    def prepare(self, request: ChatRequest) -> Prompt:
        return Prompt(request, [1], NO_CALLS)

    def generate(self, _: Prompt, on_text: OnText, cancelled: threading.Event) -> Finished:
        while not cancelled.wait(0.02):
            on_text("sunny ", [])
        self.ended.set()
        return Finished("stop", Usage(1, 1))


@pytest.mark.parametrize("stream", [True, False])
def test_a_client_that_goes_away_ends_the_generation(stream: bool) -> None:
    engine, listener = Endless(), socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    app = create_serving_app(engine, Served(NAME, "these-weights", 512), TOKEN)
    server = uvicorn.Server(uvicorn.Config(app, log_level="error"))
    thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
    thread.start()
    until(lambda: server.started)
    headers = {"authorization": f"Bearer {TOKEN}"}
    document = {"model": NAME, "messages": MESSAGES, "stream": stream}
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", headers=headers) as client:
        if stream:
            with client.stream("POST", "/v1/chat/completions", json=document) as reply:
                lines = reply.iter_lines()
                next(lines)
                assert not engine.ended.is_set()
        else:
            with pytest.raises(httpx.ReadTimeout):
                client.post("/v1/chat/completions", json=document, timeout=1)
        assert engine.ended.wait(30)
    server.should_exit = True
    thread.join(20)


def test_a_model_that_returns_no_numbers_is_an_error(engine: Engine, tmp_path: Path) -> None:
    import torch

    home = learned_home()
    broken, _ = load_engine(home, find_source(home, plan_of(home, "job-full")))
    with torch.no_grad():
        broken._model.lm_head.weight[:] = float("nan")
    with client_of(broken) as client:
        reply = complete(client)
        assert (reply.status_code, reply.json()["error"]["code"]) == (500, "model_failed")
        assert "model_failed" in complete(client, stream=True).text


def test_an_adapter_does_not_load_on_another_base(tmp_path: Path) -> None:
    home = fresh_home(tmp_path)
    other = build_tiny(tmp_path / "other", max_position_embeddings=512)
    config = json.loads((other / "config.json").read_text())
    narrow = LlamaConfig(**{**config, "hidden_size": 128, "intermediate_size": 256, "head_dim": 32})
    LlamaForCausalLM(narrow).save_pretrained(other)
    path = next((home / "jobs" / JOB / "checkpoints").glob("*/MANIFEST.json"))
    manifest = json.loads(path.read_text())
    path.write_text(json.dumps({**manifest, "base_model": {**manifest["base_model"], "id": str(other)}}))
    with pytest.raises(TrainerFailure) as raised:
        load_engine(home, find_source(home, plan_of(home)))
    assert raised.value.error.code == "unsupported_combination"


def test_weights_that_are_not_those_that_were_saved_are_not_served(tmp_path: Path) -> None:
    home = fresh_home(tmp_path)
    weights = next((home / "jobs" / JOB / "checkpoints").glob("*/model/adapter_model.safetensors"))
    weights.write_bytes(weights.read_bytes()[:-4] + b"\0\0\0\1")
    with pytest.raises(TrainerFailure) as raised:
        find_source(home, plan_of(home))
    assert raised.value.error.code == "checkpoint_corrupt"


# The processes, through the service.


@pytest.fixture(scope="module")
def service() -> Iterator[httpx.Client]:
    with pytest.MonkeyPatch.context() as patch:
        use_this_trainer(patch)
        for name, value in {"HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1", "OMP_WAIT_POLICY": "PASSIVE"}.items():
            patch.setenv(name, value)
        with running(
            learned_home(), Capabilities(learned_home()), serving=Serving(poll_seconds=0.1, restart_seconds=(0.1,))
        ) as found:
            yield found
            end_all(found)


def deployed(service: httpx.Client, name: str, **changes: Any) -> dict[str, Any]:
    document = {"served_model_name": NAME, "timeout_seconds": 500, **changes}
    reply = service.put(f"/deployments/{name}", json=document)
    assert reply.status_code == 202, reply.text
    return dict(reply.json()["deployment"])


def answer_of(service: httpx.Client, name: str) -> str:
    whole = ask(service, name, "weather 2", max_tokens=12)
    assert whole.status_code == 200, whole.text
    content = str(whole.json()["choices"][0]["message"]["content"])
    streamed = ask(service, name, "weather 2", max_tokens=12, stream=True)
    assert streamed.headers["content-type"].startswith("text/event-stream")
    assert said(chunks_of(streamed.text)) == content
    return content


def stopped(service: httpx.Client, name: str) -> None:
    ended = service.delete(f"/deployments/{name}", headers={"prefer": "wait=40"})
    assert (ended.status_code, ended.json()["deployment"]["status"]) == (200, "stopped")


@pytest.mark.usefixtures("forked_processes")
def test_adapter_full_weights_and_base_run_beside_each_other_under_one_name(service: httpx.Client) -> None:
    home = learned_home()
    base = {"id": str(home / "models" / "tiny-base"), "source": "local"}
    deployed(service, "dep_adapter", checkpoint_id=checkpoint_of(home))
    deployed(service, "dep_full", checkpoint_id=checkpoint_of(home, "job-full"))
    deployed(service, "dep_base", base=base)
    for name in ("dep_adapter", "dep_full", "dep_base"):
        found = settled(service, name)
        assert (found["status"], found["backend"]) == ("running", "transformers"), found
    assert [answer_of(service, name) for name in ("dep_adapter", "dep_full")] == [ANSWER, ANSWER]
    # The base has different weights, so it does not answer like the trained models.
    assert ANSWER not in answer_of(service, "dep_base")
    roots = {
        service.get(f"/deployments/{name}/v1/models").json()["data"][0]["root"] for name in ("dep_adapter", "dep_full")
    }
    assert len(roots) == 2
    for name in ("dep_adapter", "dep_full", "dep_base"):
        stopped(service, name)


@pytest.mark.parametrize("quantization", ["q4_k_m", "q8_0"])
def test_gguf_is_built_and_served_by_llama_cpp(
    service: httpx.Client, quantization: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    find_llama_cpp()
    if quantization == "q8_0":
        # The other one starts the real commands.
        monkeypatch.setattr(processes, "start", forked.start)
    home, name = learned_home(), f"dep_{quantization}"
    first = deployed(service, name, checkpoint_id=checkpoint_of(home), quantization=quantization)
    assert first["backend"] == "llama.cpp"
    assert settled(service, name)["status"] == "running", settled(service, name)
    assert answer_of(service, name) == ANSWER
    for stop, expected in (("lo", "sunny hel"), (["o wor"], "sunny hell")):
        choice = ask(service, name, stop=stop).json()["choices"][0]
        assert (choice["message"]["content"], choice["finish_reason"]) == (expected, "stop")
    short = ask(service, name, max_tokens=2).json()
    assert (short["choices"][0]["finish_reason"], short["usage"]["completion_tokens"]) == ("length", 2)
    too_long = ask(service, name, "weather " * 600)
    assert (too_long.status_code, too_long.json()["error"]["code"]) == (400, "context_length_exceeded")
    assert ask(service, name, logprobs=True).json()["error"]["param"] == "logprobs"
    sampled = [
        ask(service, name, temperature=2, seed=seed, max_tokens=8).json()["choices"][0]["message"]["content"]
        for seed in (1, 1, 2, 3)
    ]
    assert sampled[0] == sampled[1] and len(set(sampled)) > 1
    parameters = {"type": "object", "properties": {"n": {"enum": [1, 2]}}, "required": ["n"]}
    tool = {
        "type": "function",
        "function": {"name": "look_up", "parameters": {**parameters, "additionalProperties": False}},
    }
    forced = ask(service, name, tools=[tool], tool_choice="required", temperature=0).json()["choices"][0]
    (call,) = forced["message"]["tool_calls"]
    assert (call["function"]["name"], forced["finish_reason"]) == ("look_up", "tool_calls")
    assert json.loads(call["function"]["arguments"])["n"] in (1, 2)
    shape = {
        "type": "json_schema",
        "json_schema": {
            "name": "x",
            "schema": {"type": "array", "maxItems": 3, "items": parameters["properties"]["n"]},
        },
    }
    for seed in range(4):
        chosen = ask(service, name, response_format=shape, temperature=1.5, seed=seed).json()["choices"][0]
        assert set(json.loads(chosen["message"]["content"])) <= {1, 2} and chosen["finish_reason"] == "stop"
    # The next call is free again.
    assert answer_of(service, name) == ANSWER
    stopped(service, name)
    assert not list((home / "artifacts").glob("dep_*"))


@pytest.mark.skipif(not HAS_COMPRESSOR, reason="the compress environment or compressed-tensors is not installed")
def test_a_compressed_form_is_served_by_transformers(service: httpx.Client) -> None:
    found = deployed(service, "dep_int8", checkpoint_id=checkpoint_of(learned_home()), quantization="int8")
    assert found["backend"] == "transformers"
    assert settled(service, "dep_int8")["status"] == "running", settled(service, "dep_int8")
    assert answer_of(service, "dep_int8") == ANSWER
    stopped(service, "dep_int8")


def test_a_model_that_cannot_be_loaded_says_why(service: httpx.Client, tmp_path: Path) -> None:
    missing = {"id": str(tmp_path / "nowhere"), "source": "local"}
    deployed(service, "dep_missing", base=missing)
    found = settled(service, "dep_missing")
    assert (found["status"], found["error"]["code"]) == ("failed", "base_model_not_found")


def test_this_machine_says_what_it_can_serve_with(service: httpx.Client) -> None:
    known = service.get("/capabilities").json()
    assert {"transformers", "llama.cpp"} <= set(known["serve_backends"])
    assert "deployments" not in {one["feature"] for one in known["unavailable"]}
    (vllm,) = (one for one in known["unavailable"] if one["feature"] == "serve:vllm")
    assert vllm["reason"] and vllm["hint"]


class WithVllm(AMachine):
    def get(self) -> dict[str, Any]:
        return {**super().get(), "serve_backends": ["transformers", "vllm"]}


def test_vllm_is_given_the_adapter_its_base_and_the_profile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use_this_trainer(monkeypatch)
    home = fresh_home(tmp_path)
    profile = {"chat_template": "{{ messages }}", "eos_token_ids": [2, 5], "max_context": 300}
    next((home / "jobs" / JOB / "checkpoints").glob("*/PROFILE.json")).write_text(json.dumps(profile))
    python = tmp_path / "python"
    python.write_text(f"#!{sys.executable}\n{(Path(__file__).parent / 'support' / 'fake_vllm.py').read_text()}")
    python.chmod(0o755)
    monkeypatch.setenv("TRAINER_VLLM_PYTHON", str(python))
    monkeypatch.setenv("VLLM_ALLOW_RUNTIME_LORA_UPDATING", "True")
    with running(home, WithVllm(home)) as client:
        checkpoint = checkpoint_of(home)
        found = deployed(client, "dep_a", checkpoint_id=checkpoint)
        assert found["backend"] == "vllm"
        found = settled(client, "dep_a")
        assert found["status"] == "running", found
        assert ask(client, "dep_a").json()["choices"][0]["message"]["content"] == "sunny"
        end_all(client)
    seen = json.loads((tmp_path / "seen.json").read_text())
    options = dict(zip(seen["arguments"], seen["arguments"][1:], strict=False))
    folder = home / "jobs" / JOB / "checkpoints" / checkpoint / "model"
    assert json.loads(options["--lora-modules"])["path"] == str(folder)
    assert options["--model"] == str((learned_home() / "models" / "tiny-base").resolve())
    assert (options["--max-lora-rank"], options["--max-model-len"]) == ("16", "300")
    assert Path(options["--chat-template"]).read_text() == "{{ messages }}"
    generation = json.loads(Path(options["--generation-config"], "generation_config.json").read_text())
    assert generation["eos_token_id"] == [2, 5]
    assert seen["environment"] == {
        "PYTHONPATH": None,
        "HF_HUB_OFFLINE": "1",
        "VLLM_ALLOW_RUNTIME_LORA_UPDATING": None,
    }
