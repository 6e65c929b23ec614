"""Lets each form of a checkpoint answer: with transformers, through llama.cpp, and in the compress environment."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from ..artifacts.build import build_source
from ..artifacts.child import ToolFailed, run_tool
from ..artifacts.gguf import MODEL_FILE, SMOKE_CONTEXT_TOKENS
from ..artifacts.source import Checkpoint
from ..trainer_error import TrainerError, TrainerFailure
from .answers import ReferenceAnswer, answers_of, on_best_device
from .judge import Said
from .request import Form


class Forms:
    """The forms of one checkpoint. Two names of one build, such as fp8 and fp8_dynamic, are evaluated once."""

    def __init__(
        self, checkpoint: Checkpoint, references: list[ReferenceAnswer], max_new_tokens: int, log: Path
    ) -> None:
        self._checkpoint = checkpoint
        self._references = references
        self._max_new_tokens = max_new_tokens
        self._log = log
        self._said: dict[Path, list[Said]] = {}

    def answers(self, form: Form) -> list[Said]:
        """Builds a form, or finds it built, and returns the answers of its files. Raises TrainerFailure."""
        folder, _ = build_source(self._checkpoint, form.kind, form.quantization, self._log)
        if folder not in self._said:
            self._said[folder] = self._ask(form, folder)
        return self._said[folder]

    def _ask(self, form: Form, folder: Path) -> list[Said]:
        if form.kind == "merged-16bit":
            return answers_of_merged(folder, self._references, self._max_new_tokens)
        if form.kind == "gguf":
            file = folder / MODEL_FILE.format(quantization=form.quantization)
            return answers_of_gguf(file, self._references, self._max_new_tokens, self._log)
        return answers_of_compressed(folder, self._references, self._max_new_tokens, self._log)


def answers_of_merged(folder: Path, references: list[ReferenceAnswer], max_new_tokens: int) -> list[Said]:
    """Returns the answers that a folder gives with transformers alone."""
    from transformers import AutoTokenizer

    from ..artifacts.merge import load_model, sixteen_bit_dtype

    model = on_best_device(load_model(folder, sixteen_bit_dtype(folder)))
    return answers_of(model, AutoTokenizer.from_pretrained(folder), references, max_new_tokens)


def answers_of_gguf(file: Path, references: list[ReferenceAnswer], max_new_tokens: int, log: Path) -> list[Said]:
    """Returns a GGUF file's answers through llama.cpp. Raises TrainerFailure quantization_failed."""
    from ..artifacts.llama_cpp import find_llama_cpp

    llama = find_llama_cpp()
    longest = max(len(one.prompt_ids) + len(one.scored.tokens) for one in references)
    request = {
        "model": str(file),
        "context_size": max(SMOKE_CONTEXT_TOKENS, longest + max_new_tokens),
        "max_tokens": max_new_tokens,
        "prompts": [{"messages": one.messages, "answer_tokens": one.token_ids} for one in references],
    }
    result = _ask("answer", [llama.node, llama.answer_script], request, log, file.name)
    return [Said(one["content"], one["tokens"], one["logprobs"]) for one in result["answers"]]


def answers_of_compressed(
    folder: Path, references: list[ReferenceAnswer], max_new_tokens: int, log: Path
) -> list[Said]:
    """Returns a compressed model's answers from the environment that can load it. Raises TrainerFailure."""
    from transformers import AutoTokenizer

    from ..artifacts.compressed import TOOL, check_compressor
    from ..artifacts.parity import encode_prompt

    python, _ = check_compressor(log)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    request = {
        "model": str(folder),
        "prompts": [encode_prompt(tokenizer, one.messages) for one in references],
        "answers": [one.token_ids for one in references],
        "max_new_tokens": max_new_tokens,
    }
    result = _ask("answer", [python, TOOL, "answer"], request, log, "the compressed model")
    return [
        Said(str(tokenizer.decode(tokens, skip_special_tokens=True)), tokens, logprobs)
        for tokens, logprobs in zip(result["tokens"], result["logprobs"], strict=True)
    ]


def _ask(name: str, command: list[str | Path], request: dict[str, Any], log: Path, subject: str) -> dict[str, Any]:
    # The request contains users' prompts, so it lives no longer than the call.
    with tempfile.TemporaryDirectory(prefix="whetstone-certificate-") as scratch:
        asked, answered = Path(scratch, "request.json"), Path(scratch, "result.json")
        asked.write_text(json.dumps(request))
        try:
            run_tool(name, [*command, asked, answered], log)
        except ToolFailed as error:
            raise TrainerFailure(
                TrainerError.of("quantization_failed", f"{subject} does not answer: {error}", log_tail=error.log_tail)
            ) from error
        result: dict[str, Any] = json.loads(answered.read_text())
        return result
