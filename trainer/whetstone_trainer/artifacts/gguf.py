"""Builds GGUF files: converts the merged model once, quantizes it, and lets each file answer prompts."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from ..trainer_error import ErrorCode, Phase, TrainerError, TrainerFailure
from .adapter import llama_cpp_adapter
from .builds import list_files
from .child import ToolFailed, run_tool
from .llama_cpp import LlamaCpp
from .prompts import Messages, comparison_prompts
from .request import BuildRecord
from .source import Checkpoint, find_base

# llama_ftype of llama.h.
FTYPES = {
    "f32": 0,
    "f16": 1,
    "q4_0": 2,
    "q8_0": 7,
    "q5_0": 8,
    "q4_k_s": 14,
    "q4_k_m": 15,
    "q5_k_m": 17,
    "q6_k": 18,
    "bf16": 32,
}
# Bytes per weight, scales included, for the disk check.
BYTES_PER_WEIGHT = {
    "f32": 4.0,
    "f16": 2.0,
    "bf16": 2.0,
    "q8_0": 1.1,
    "q6_k": 0.85,
    "q5_k_m": 0.75,
    "q5_0": 0.7,
    "q4_k_m": 0.65,
    "q4_k_s": 0.6,
    "q4_0": 0.6,
}
TOOLS = Path(__file__).parent / "tools"
MODEL_FILE = "model-{quantization}.gguf"
SMOKE_CONTEXT_TOKENS = 2048
SMOKE_ANSWER_TOKENS = 32


def lossless_type(config: dict[str, Any]) -> str:
    """Returns the GGUF type that represents a model's weights exactly; every other type is made from it."""
    return {"bfloat16": "bf16", "float16": "f16"}.get(str(config.get("dtype") or config.get("torch_dtype")), "f32")


def convert(
    llama: LlamaCpp, checkpoint: Checkpoint, merged: Path, quantization: str, folder: Path, log: Path
) -> BuildRecord:
    """Converts a model without loss and scores it, so that quantized files can be compared with it.

    Raises TrainerFailure tokenizer_pre_unknown, architecture_unsupported or conversion_failed.
    """
    outfile = folder / MODEL_FILE.format(quantization=quantization)
    arguments = ["--outfile", outfile, "--outtype", quantization, "--model-name", checkpoint.checkpoint_id, merged]
    report = _run_converter(llama, checkpoint, "convert_hf_to_gguf.py", arguments, log)
    _require_file(outfile, "conversion_failed")
    answered = smoke(llama, checkpoint, outfile, log, merged)
    checks = {**report, "mean_log_likelihood": answered["mean_log_likelihood"]}
    return BuildRecord(files=list_files(folder), checks=checks, tools=llama.tools)


def quantize(llama: LlamaCpp, source: Path, quantization: str, folder: Path, log: Path) -> list[TrainerError]:
    """Writes the quantized file and returns a warning for each tensor type that llama.cpp replaced.

    Raises TrainerFailure quantization_failed.
    """
    target = folder / MODEL_FILE.format(quantization=quantization)
    arguments: list[str | Path] = [llama.library, source, target, str(FTYPES[quantization]), str(os.cpu_count() or 1)]
    try:
        output = run_tool("quantize", [sys.executable, TOOLS / "quantize.py", *arguments], log)
    except ToolFailed as error:
        target.unlink(missing_ok=True)
        raise _failure("quantization_failed", f"{quantization}: {error}", error.log_tail) from error
    _require_file(target, "quantization_failed")
    fallbacks = [line.strip() for line in output.splitlines() if "fallback" in line.lower()]
    if not fallbacks:
        return []
    message = f"{quantization} does not fit the shape of some tensors, which were stored in a larger type"
    hint = "Quantizations of 256-weight blocks need tensor widths divisible by 256; q8_0 and q5_0 need 32."
    return [TrainerError.of("quantization_fallback", message, param="quantization", hint=hint, log_tail=fallbacks)]


def smoke(
    llama: LlamaCpp, checkpoint: Checkpoint, model: Path, log: Path, merged: Path, lora: Path | None = None
) -> dict[str, Any]:
    """Lets the file answer five prompts through llama.cpp.

    Returns how many answers equal the merged model's, how many prompts split into the same tokens, and the mean
    log-likelihood (nats per token) of the prompts. Raises TrainerFailure quantization_failed when the file does not
    load or gives every prompt an empty answer.
    """
    from transformers import AutoTokenizer

    from .merge import answer_hash

    tokenizer = AutoTokenizer.from_pretrained(merged)
    prompts = comparison_prompts(checkpoint.rows())
    texts = [_rendered(tokenizer, messages) for messages in prompts]
    result = ask(llama, model, prompts, texts, SMOKE_ANSWER_TOKENS, log, lora)
    answers = result["answers"]
    if not any(answer["content"].strip() for answer in answers):
        raise _failure(
            "quantization_failed", f"{model.name} loads, but gives an empty answer to each of five prompts", []
        )
    expected = [tokenizer.encode(text, add_special_tokens=False) for text in texts]
    likelihoods = [answer["mean_log_likelihood"] for answer in answers if answer["mean_log_likelihood"] is not None]
    return {
        "prompts": len(prompts),
        "answer_sha256": [answer_hash(answer["content"]) for answer in answers],
        "same_tokens": sum(
            _same_tokens(answer["tokens"], ids, tokenizer.bos_token_id)
            for answer, ids in zip(answers, expected, strict=True)
        ),
        "mean_log_likelihood": sum(likelihoods) / len(likelihoods) if likelihoods else None,
    }


def ask(
    llama: LlamaCpp,
    model: Path,
    prompts: list[Messages],
    texts: list[str] | None,
    max_tokens: int,
    log: Path,
    lora: Path | None = None,
) -> dict[str, Any]:
    """Returns the answers of a GGUF file at temperature 0. Raises TrainerFailure quantization_failed."""
    # The request contains users' prompts, so it lives outside the build and no longer than the call.
    with tempfile.TemporaryDirectory(prefix="whetstone-gguf-") as scratch:
        request, result = Path(scratch, "request.json"), Path(scratch, "result.json")
        request.write_text(
            json.dumps(
                {
                    "model": str(model),
                    "lora": str(lora) if lora else None,
                    "context_size": SMOKE_CONTEXT_TOKENS,
                    "max_tokens": max_tokens,
                    "prompts": [
                        {"messages": messages, **({"text": texts[i], "scored_text": texts[i]} if texts else {})}
                        for i, messages in enumerate(prompts)
                    ],
                }
            )
        )
        try:
            run_tool("chat", [llama.node, llama.chat_script, request, result], log)
        except ToolFailed as error:
            raise _failure("quantization_failed", f"{model.name} does not answer: {error}", error.log_tail) from error
        answers: dict[str, Any] = json.loads(result.read_text())
        return answers


def convert_adapter(llama: LlamaCpp, checkpoint: Checkpoint, folder: Path, log: Path) -> BuildRecord:
    """Writes the adapter as GGUF, for use with a GGUF of its base model.

    Raises TrainerFailure adapter_not_servable, architecture_unsupported or conversion_failed.
    """
    outfile = folder / "adapter-f16.gguf"
    with tempfile.TemporaryDirectory(prefix="whetstone-adapter-") as scratch:
        llama_cpp_adapter(checkpoint, Path(scratch))
        arguments = ["--outfile", outfile, "--outtype", "f16", "--base", find_base(checkpoint), scratch]
        _run_converter(llama, checkpoint, "convert_lora_to_gguf.py", arguments, log)
    _require_file(outfile, "conversion_failed")
    return BuildRecord(files=list_files(folder), tools=llama.tools)


def _run_converter(
    llama: LlamaCpp, checkpoint: Checkpoint, script: str, arguments: list[Any], log: Path
) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="whetstone-convert-") as scratch:
        report = Path(scratch, "report.json")
        script_path = llama.converter(checkpoint.home) / script
        explicit = checkpoint.profile.get("tokenizer_pre") or ""
        command = [TOOLS / "convert.py", script_path, report, _base_or_nothing(checkpoint), explicit, *arguments]
        try:
            run_tool(script, [sys.executable, *command], log)
        except ToolFailed as error:
            code = json.loads(report.read_text()).get("error") if report.exists() else None
            raise _conversion_failure(code, error) from error
        outcome: dict[str, Any] = json.loads(report.read_text()) if report.exists() else {}
        return outcome


def _base_or_nothing(checkpoint: Checkpoint) -> str:
    """Returns the base's folder; a full checkpoint converts without it, because it has its own tokenizer."""
    try:
        return str(find_base(checkpoint))
    except TrainerFailure:
        return ""


def _conversion_failure(code: str | None, error: ToolFailed) -> TrainerFailure:
    if code == "tokenizer_pre_unknown":
        return _failure(
            "tokenizer_pre_unknown",
            "llama.cpp does not know how this model splits text before tokenizing it",
            error.log_tail,
            "Set tokenizerPre in the job's output to the name that llama.cpp uses for this tokenizer family.",
        )
    if code == "architecture_unsupported":
        return _failure(
            "architecture_unsupported",
            "llama.cpp has no implementation of this model's architecture",
            error.log_tail,
            "Serve the merged model or the adapter instead of GGUF.",
        )
    return _failure("conversion_failed", f"llama.cpp's converter failed: {error}", error.log_tail)


def _failure(code: ErrorCode, message: str, log_tail: list[str], hint: str | None = None) -> TrainerFailure:
    phase: Phase = "quantizing" if code == "quantization_failed" else "converting"
    return TrainerFailure(TrainerError.of(code, message, phase=phase, log_tail=log_tail, hint=hint))


def _require_file(path: Path, code: ErrorCode) -> None:
    if not path.is_file() or path.stat().st_size == 0:
        raise _failure(code, f"{path.name} was not written", [])


def _rendered(tokenizer: Any, messages: Messages) -> str:
    if tokenizer.chat_template is None:
        return "\n".join(message["content"] for message in messages)
    text: str = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
    return text


def _same_tokens(actual: list[int], expected: list[int], bos: int | None) -> bool:
    """Returns whether both are the same prompt; llama.cpp may add the BOS token that the template already has."""
    if bos is None:
        return actual == expected
    return [token for token in actual if token != bos] == [token for token in expected if token != bos]
