"""`python -m whetstone_trainer.samples --home H --request FILE --out FILE`: generates answers at temperature 0.

Shows the same prompts before and after training: from the base model, a checkpoint and a merged artifact. Writes
`{answers: [...], error}` and exits with 0, or with 1 when `error` is set.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from .artifacts.request import SAFE_ID
from .compiler import do_without_compiler
from .files import read_json, write_json
from .redaction import redact, redact_standard_streams
from .spec import BaseModelRef
from .trainer_error import TrainerError, TrainerFailure

DEFAULT_NEW_TOKENS = 256
MAX_PROMPTS = 50


class SampleTarget(BaseModel):
    """The model that answers: exactly one of the three."""

    model_config = ConfigDict(extra="forbid")

    base: BaseModelRef | None = None
    checkpoint_id: str | None = Field(default=None, pattern=SAFE_ID)
    artifact_id: str | None = Field(default=None, pattern=SAFE_ID)

    @model_validator(mode="after")
    def _exactly_one(self) -> SampleTarget:
        if sum(value is not None for value in (self.base, self.checkpoint_id, self.artifact_id)) != 1:
            raise ValueError("a target must be exactly one of base, checkpoint_id and artifact_id")
        return self


class SampleMessage(BaseModel):
    model_config = ConfigDict(extra="forbid")

    role: Literal["system", "user", "assistant", "tool"]
    content: str
    tool_calls: list[dict[str, Any]] | None = None
    tool_call_id: str | None = None
    name: str | None = None


class SamplePrompt(BaseModel):
    """A conversation to continue, with the tools that are offered, both as OpenAI's API has them."""

    model_config = ConfigDict(extra="forbid")

    messages: list[SampleMessage] = Field(min_length=1)
    tools: list[dict[str, Any]] | None = None

    @property
    def has_tools(self) -> bool:
        return bool(self.tools) or any(one.role == "tool" or one.tool_calls for one in self.messages)


class SamplesRequest(BaseModel):
    """Prompts and the models that answer them. `max_new_tokens` limits each answer."""

    model_config = ConfigDict(extra="forbid")

    targets: list[SampleTarget] = Field(min_length=1)
    prompts: list[SamplePrompt] = Field(min_length=1, max_length=MAX_PROMPTS)
    max_new_tokens: int = Field(default=DEFAULT_NEW_TOKENS, ge=1, le=4096)


class SampledCall(BaseModel):
    """A tool call of an answer, its arguments as the model wrote them."""

    model_config = ConfigDict(extra="forbid")

    name: str
    arguments: str


class SampleAnswer(BaseModel):
    """One answer. `finish_reason` is stop if the model ended it, length if the limit did.

    Where tools are offered, `tool_calls` are those in it, and `content` is the text beside them.
    """

    model_config = ConfigDict(extra="forbid")

    content: str
    tool_calls: list[SampledCall] = Field(default_factory=list)
    finish_reason: Literal["stop", "length"]
    prompt_tokens: int
    completion_tokens: int
    seconds: float


class TargetAnswers(BaseModel):
    model_config = ConfigDict(extra="forbid")

    target: SampleTarget
    answers: list[SampleAnswer]


class SamplesResult(BaseModel):
    model_config = ConfigDict(extra="forbid")

    answers: list[TargetAnswers] = Field(default_factory=list)
    error: TrainerError | None = None


def sample(home: Path, request: SamplesRequest) -> SamplesResult:
    """Returns the answers of every target, with one model in memory at a time; stops at the first failure."""
    done: list[TargetAnswers] = []
    for target in request.targets:
        try:
            model, tokenizer = _load(home, target)
            answers = [_answer(model, tokenizer, prompt, request.max_new_tokens) for prompt in request.prompts]
        except TrainerFailure as failure:
            return SamplesResult(answers=done, error=failure.error)
        done.append(TargetAnswers(target=target, answers=answers))
        del model
    return SamplesResult(answers=done)


def _load(home: Path, target: SampleTarget) -> tuple[Any, Any]:
    import torch

    model, tokenizer = _load_on_cpu(home, target)
    return model.to("cuda" if torch.cuda.is_available() else "cpu"), tokenizer


def _load_on_cpu(home: Path, target: SampleTarget) -> tuple[Any, Any]:
    from transformers import AutoTokenizer

    from .artifacts.merge import load_checkpoint_model, load_model, load_tokenizer, sixteen_bit_dtype
    from .artifacts.source import read_checkpoint
    from .training.base_model import resolve_base

    if target.checkpoint_id is not None:
        checkpoint = read_checkpoint(home, None, target.checkpoint_id)
        checkpoint.verify()
        return load_checkpoint_model(checkpoint), load_tokenizer(checkpoint)
    if target.base is not None:
        base = resolve_base(home, target.base, weights=True, token=os.environ.get("HF_TOKEN"))
        model = load_model(base.folder, sixteen_bit_dtype(base.folder), trust_remote_code=target.base.trust_remote_code)
        return model, AutoTokenizer.from_pretrained(base.tokenizer_folder(home))
    folder = _merged_artifact(home, target.artifact_id or "")
    return load_model(folder, sixteen_bit_dtype(folder)), AutoTokenizer.from_pretrained(folder)


def _merged_artifact(home: Path, artifact_id: str) -> Path:
    folder = home / "artifacts" / artifact_id
    try:
        kind = read_json(folder / "MANIFEST.json")["kind"]
    except (OSError, ValueError, KeyError) as error:
        message = f"artifact {artifact_id} is not on this trainer, or is not ready"
        raise TrainerFailure.of("invalid_spec", message, param="artifact_id") from error
    if kind != "merged-16bit":
        raise TrainerFailure.of(
            "unsupported_combination",
            f"artifact {artifact_id} is {kind}; only merged-16bit artifacts can be sampled",
            param="artifact_id",
            hint="Sample the checkpoint or its merged artifact.",
        )
    return folder


def _answer(model: Any, tokenizer: Any, prompt: SamplePrompt, max_new_tokens: int) -> SampleAnswer:
    from .artifacts.merge import generate

    if prompt.has_tools:
        return _answer_with_tools(model, tokenizer, prompt, max_new_tokens)
    started = time.monotonic()
    messages = [message.model_dump() for message in prompt.messages]
    tokens, prompt_tokens = generate(model, tokenizer, messages, max_new_tokens)
    stop = model.generation_config.eos_token_id
    stops = set(stop) if isinstance(stop, list) else {stop}
    return SampleAnswer(
        content=tokenizer.decode(tokens, skip_special_tokens=True),
        finish_reason="stop" if tokens and tokens[-1] in stops else "length",
        prompt_tokens=prompt_tokens,
        completion_tokens=len(tokens),
        seconds=round(time.monotonic() - started, 3),
    )


def _answer_with_tools(model: Any, tokenizer: Any, prompt: SamplePrompt, max_new_tokens: int) -> SampleAnswer:
    """Returns the answer as a deployment would give it; none if the template or the context has no room for the prompt."""
    import threading

    from .serving.chat import ChatRequest, message_of
    from .serving.engine import Engine
    from .serving.prompt import TemplateRefuses, TooLong
    from .serving.request import ServeProfile
    from .training.loading import model_limit

    started = time.monotonic()
    stop = model.generation_config.eos_token_id
    profile = ServeProfile(
        chat_template=tokenizer.chat_template,
        eos_token_ids=stop if isinstance(stop, list) else [] if stop is None else [stop],
        max_context=model_limit(model.config.to_dict()),
        generation_config={},
    )
    engine = Engine(model, tokenizer, profile)
    request = ChatRequest(
        model="",
        messages=[message.model_dump(exclude_none=True) for message in prompt.messages],
        tools=prompt.tools,
        temperature=0,
        max_tokens=max_new_tokens,
    )
    try:
        ready = engine.prepare(request)
    except (TemplateRefuses, TooLong):
        return SampleAnswer(content="", finish_reason="stop", prompt_tokens=0, completion_tokens=0, seconds=0)
    said: list[str] = []
    finished = engine.generate(ready, lambda text, _: said.append(text), threading.Event())
    content, calls = message_of(ready.reader(), said, cut=finished.reason == "length")
    return SampleAnswer(
        content=content,
        tool_calls=[
            SampledCall(name=call["function"]["name"], arguments=call["function"]["arguments"]) for call in calls
        ],
        finish_reason=finished.reason,
        prompt_tokens=finished.usage.prompt_tokens,
        completion_tokens=finished.usage.completion_tokens,
        seconds=round(time.monotonic() - started, 3),
    )


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m whetstone_trainer.samples")
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--request", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    redact_standard_streams()
    do_without_compiler()
    try:
        result = sample(arguments.home, SamplesRequest.model_validate(read_json(arguments.request)))
    except ValidationError as error:
        result = SamplesResult(error=TrainerError.of("invalid_spec", redact(str(error))))
    write_json(arguments.out, result.model_dump(mode="json"))
    return 1 if result.error else 0


if __name__ == "__main__":
    sys.exit(main())
