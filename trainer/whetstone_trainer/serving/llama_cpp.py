"""Generates answers with llama.cpp, which runs in a node process of its own and sees only tokens."""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import threading
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .answer import Answer, Finished, OnText
from .chat import ChatRequest
from .constraint import Constraint
from .prompt import Prompt, Prompter, UnsupportedRequest
from .request import ServeProfile

# The range of seeds that llama.cpp accepts.
_SEEDS = 2**32


class LlamaProcess:
    """The node process. It ends with this one, because it reads until its standard input is closed."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        self._child = subprocess.Popen(
            list(command), env=dict(environment), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        self._writing = threading.Lock()
        ready = self.receive()
        self.context_size = int(ready["context_size"])

    def exit_with_it(self) -> None:
        """Ends this process when the other has ended, so that the deployment is restarted."""
        threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self) -> None:
        code = self._child.wait()
        print(f"llama.cpp ended with {code}", flush=True)
        os._exit(1)

    def send(self, message: dict[str, Any]) -> None:
        assert self._child.stdin is not None
        with self._writing:
            self._child.stdin.write(json.dumps(message) + "\n")
            self._child.stdin.flush()

    def receive(self) -> dict[str, Any]:
        """Returns the next message. Raises RuntimeError if the process has ended."""
        assert self._child.stdout is not None
        line = self._child.stdout.readline()
        if not line:
            raise RuntimeError(f"llama.cpp ended with {self._child.wait()}")
        return dict(json.loads(line))


class LlamaCppEngine:
    """A GGUF file in its process, with the tokenizer and profile it was made from. Not thread-safe."""

    def __init__(self, process: LlamaProcess, tokenizer: Any, profile: ServeProfile, vocabulary: int) -> None:
        self._process = process
        self._profile = profile.model_copy(update={"max_context": min(profile.max_context, process.context_size)})
        self._eos = frozenset(profile.eos_token_ids)
        self._prompter = Prompter(tokenizer, self._profile, vocabulary)
        self._calls = 0

    @property
    def max_context(self) -> int:
        return self._profile.max_context

    def prepare(self, request: ChatRequest) -> Prompt:
        """Returns the prompt. Raises UnsupportedRequest, and what Prompter.prepare raises."""
        if request.logprobs or request.top_logprobs:
            raise UnsupportedRequest("logprobs are not available with llama.cpp", "logprobs")
        return self._prompter.prepare(request)

    def generate(self, prompt: Prompt, on_text: OnText, cancelled: threading.Event) -> Finished:
        """Passes the answer to `on_text` as it is generated, and returns how it ended. Ends early if cancelled."""
        answer = Answer(self._prompter, prompt, self._eos, on_text)
        self._calls += 1
        self._process.send(self._asked(prompt))
        stopped = False
        while "done" not in (message := self._process.receive()):
            if message.get("id") != self._calls:
                continue
            if "error" in message:
                raise RuntimeError(str(message["error"]))
            if stopped:
                continue
            if cancelled.is_set() or not self._take(answer, prompt.constraint, message):
                stopped = True
                self._process.send({"id": self._calls, "stop": True})
        return answer.finish()

    def _take(self, answer: Answer, constraint: Constraint | None, message: dict[str, Any]) -> bool:
        """Returns whether the answer goes on."""
        token = int(message["token"])
        if constraint is not None:
            if not constraint.take(token):
                self._process.send({"id": self._calls, "allowed": _allowed(constraint)})
                return True
            self._process.send({"id": self._calls, "accept": True})
        answer.push(token, None, ends=bool(message["ends"]))
        return not answer.over and not (constraint is not None and constraint.complete)

    def _asked(self, prompt: Prompt) -> dict[str, Any]:
        request, defaults = prompt.request, self._profile.defaults
        room = self._profile.max_context - len(prompt.ids)
        return {
            "id": self._calls,
            "tokens": prompt.ids,
            "max_tokens": min(request.limit or room, room),
            "temperature": defaults.temperature if request.temperature is None else request.temperature,
            "top_p": defaults.top_p if request.top_p is None else request.top_p,
            "top_k": defaults.top_k,
            "seed": secrets.randbelow(_SEEDS) if request.seed is None else request.seed % _SEEDS,
            "checked": prompt.constraint is not None,
        }


def _allowed(constraint: Constraint) -> list[int]:
    bits = np.unpackbits(np.frombuffer(constraint.allowed_mask(), dtype=np.uint8), bitorder="little")
    return [int(token) for token in np.nonzero(bits)[0]]
