"""What llama.cpp's process generates is checked token by token, and a deployment ends with that process."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from tiny import build_tiny_tokenizer

from whetstone_trainer.serving.answer import Finished
from whetstone_trainer.serving.chat import ChatRequest
from whetstone_trainer.serving.llama_cpp import LlamaCppEngine, LlamaProcess
from whetstone_trainer.serving.request import ServeProfile

TRAINER = Path(__file__).parents[2]
READY = "import json, sys; print(json.dumps({'ready': True, 'context_size': 64}), flush=True); "


class Stubborn:
    """Proposes one token again and again; if others are allowed, it takes the first of them."""

    context_size = 256

    def __init__(self, token: int, eos: int) -> None:
        self.sent: list[dict[str, Any]] = []
        self._token, self._eos = token, eos
        self._replies: list[dict[str, Any]] = []

    def send(self, message: dict[str, Any]) -> None:
        self.sent.append(message)
        done = message.get("stop") or (message.get("accept") and self.sent[-2].get("allowed") == [self._eos])
        token = message["allowed"][0] if "allowed" in message else self._token
        reply = {"done": True} if done else {"token": token, "ends": token == self._eos}
        self._replies.append({"id": message["id"], **reply})

    def receive(self) -> dict[str, Any]:
        if not self._replies:
            return {"id": self.sent[0]["id"], "token": self._token, "ends": False}
        return self._replies.pop(0)


def generated(content: Any, **changes: Any) -> tuple[str, Finished, Stubborn]:
    tokenizer = build_tiny_tokenizer()
    eos = int(tokenizer.eos_token_id)
    process = Stubborn(tokenizer.encode("weather", add_special_tokens=False)[0], eos)
    profile = ServeProfile(
        chat_template=tokenizer.chat_template, eos_token_ids=[eos], max_context=512, generation_config={}
    )
    engine = LlamaCppEngine(process, tokenizer, profile, len(tokenizer))  # type: ignore[arg-type]
    schema = {"type": "json_schema", "json_schema": {"name": "x", "schema": content}}
    asked = {"model": "x", "messages": [{"role": "user", "content": "hello"}], "response_format": schema, **changes}
    said: list[str] = []
    prompt = engine.prepare(ChatRequest.model_validate(asked))
    finished = engine.generate(prompt, lambda text, _: said.append(text), threading.Event())
    return "".join(said), finished, process


def test_a_token_that_does_not_match_is_drawn_again_among_those_that_do() -> None:
    text, finished, process = generated({"enum": ["sunny", "sunny sunny"]})
    assert json.loads(text) in ("sunny", "sunny sunny") and finished.reason == "stop"
    kinds = ["allowed" if "allowed" in one else "accept" for one in process.sent[1:] if "stop" not in one]
    # Each refused token is followed by one that is taken.
    assert kinds[:4] == ["allowed", "accept", "allowed", "accept"]
    assert process.sent[0]["checked"] and process.sent[0]["max_tokens"] < 256


def test_a_free_answer_is_not_checked() -> None:
    asked = {"response_format": None, "stop": "w"}
    text, finished, process = generated({}, **asked)
    assert (text, finished.reason, process.sent[0]["checked"]) == ("", "stop", False)
    assert process.sent[-1] == {"id": 1, "stop": True}


def test_log_probabilities_are_refused() -> None:
    with pytest.raises(ValueError, match="logprobs"):
        generated({}, logprobs=True)


def test_a_process_that_ends_is_an_error_and_ends_the_server() -> None:
    command = [sys.executable, "-c", READY + "sys.stdin.readline(); sys.exit(3)"]
    process = LlamaProcess(command, {})
    process.send({"id": 1})
    with pytest.raises(RuntimeError, match="ended with 3"):
        process.receive()
    server = (
        "import sys, time; from whetstone_trainer.serving.llama_cpp import LlamaProcess;"
        f"p = LlamaProcess({command!r}, {{}}); p.exit_with_it(); p.send({{'id': 1}}); time.sleep(60)"
    )
    ended = subprocess.run([sys.executable, "-c", server], cwd=TRAINER, check=False, capture_output=True, timeout=60)
    assert ended.returncode == 1 and b"llama.cpp ended with 3" in ended.stdout
