"""Builds compressed models (fp8, int8) with llm-compressor, which needs an environment of its own."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from itertools import islice
from pathlib import Path
from typing import Any

from ..trainer_error import TrainerError, TrainerFailure
from .builds import list_files
from .card import scrub, write_card
from .child import ToolFailed, run_tool
from .prompts import comparison_prompts
from .request import BuildRecord
from .source import Checkpoint

# fp8 and fp8_dynamic are two names for one scheme, so they share one build.
SCHEMES = {"fp8": "FP8_DYNAMIC", "fp8_dynamic": "FP8_DYNAMIC", "fp8_static": "FP8", "int8": "INT8"}
CALIBRATED = frozenset({"FP8"})
MAX_CALIBRATION_ROWS = 512
MAX_CALIBRATION_TOKENS = 2048
TOOL = Path(__file__).parent / "tools" / "compress.py"
SETUP_HINT = (
    "Create a separate environment with `uv venv COMPRESS && uv pip install --python COMPRESS/bin/python "
    "llmcompressor`, and set TRAINER_COMPRESS_PYTHON to COMPRESS/bin/python."
)


def check_compressor(log: Path) -> tuple[str, dict[str, str]]:
    """Returns the environment's interpreter and its versions; takes 0.1 s, so call it before the merge.

    Raises TrainerFailure engine_dependency_missing.
    """
    python = os.environ.get("TRAINER_COMPRESS_PYTHON")
    if not python:
        raise _missing("TRAINER_COMPRESS_PYTHON is not set")
    if shutil.which(python) is None:
        raise _missing(f"TRAINER_COMPRESS_PYTHON names {python}, which does not exist")
    try:
        found = json.loads(run_tool("compress check", [python, TOOL, "check"], log).splitlines()[-1])
    except (ToolFailed, ValueError, IndexError) as error:
        raise _missing(f"the environment of {python} is broken: {error}") from error
    if found["conflicts"]:
        raise _missing(
            f"the environment of {python} is not compatible with llm-compressor: {'; '.join(found['conflicts'])}"
        )
    return python, found["versions"]


def compress(python: str, checkpoint: Checkpoint, merged: Path, scheme: str, folder: Path, log: Path) -> BuildRecord:
    """Writes the compressed model, loads it again in the same environment and lets it answer.

    Raises TrainerFailure calibration_failed or quantization_failed.
    """
    from transformers import AutoTokenizer

    from .merge import ANSWER_TOKENS, answer_hash
    from .parity import encode_prompt

    tokenizer = AutoTokenizer.from_pretrained(merged)
    prompts = comparison_prompts(checkpoint.rows())
    request: dict[str, Any] = {
        "source": str(merged),
        "target": str(folder),
        "scheme": scheme,
        "calibration": _calibration_texts(checkpoint, tokenizer) if scheme in CALIBRATED else None,
        "max_seq_length": MAX_CALIBRATION_TOKENS,
        "prompts": [encode_prompt(tokenizer, messages) for messages in prompts],
        "max_new_tokens": ANSWER_TOKENS,
    }
    # Requests contain users' text, so they live outside the build and no longer than the tool runs.
    with tempfile.TemporaryDirectory(prefix="whetstone-compress-") as scratch:
        request_path, result_path = Path(scratch, "request.json"), Path(scratch, "result.json")
        request_path.write_text(json.dumps(request))
        try:
            run_tool("compress", [python, TOOL, "run", request_path, result_path], log)
        except ToolFailed as error:
            raise _failed(f"{scheme}: {error}", error.log_tail) from error
        result = json.loads(result_path.read_text())
    if result.get("error"):
        raise TrainerFailure.of("calibration_failed", f"{scheme}: llm-compressor could not use the training rows")
    answers = [str(tokenizer.decode(tokens, skip_special_tokens=True)) for tokens in result["answers"]]
    if not any(answer.strip() for answer in answers):
        raise _failed(f"{scheme}: the compressed model gives an empty answer to each of five prompts", [])
    _drop_working_files(folder)
    # The files that decide how answers end must be the merged model's, whatever the other environment writes.
    for name in ("generation_config.json", "chat_template.jinja", "tokenizer_config.json", "tokenizer.json"):
        if (merged / name).exists():
            shutil.copyfile(merged / name, folder / name)
    scrub(folder, checkpoint)
    write_card(folder, checkpoint, f"compressed-tensors, {scheme}, written by llm-compressor")
    checks = {
        "scheme": scheme,
        "calibration_rows": len(request["calibration"] or []),
        "prompts": len(prompts),
        "answer_sha256": [answer_hash(answer) for answer in answers],
    }
    return BuildRecord(files=list_files(folder), checks=checks)


def _calibration_texts(checkpoint: Checkpoint, tokenizer: Any) -> list[str]:
    """Returns up to 512 training conversations as the model saw them. Raises TrainerFailure calibration_failed."""
    texts = []
    for row in islice(checkpoint.rows(), MAX_CALIBRATION_ROWS):
        messages = row.get("messages") or [
            *(row.get("prompt") or []),
            *(row.get("chosen") or row.get("completion") or []),
        ]
        if messages:
            extra = {"tools": row["tools"]} if row.get("tools") else {}
            texts.append(tokenizer.apply_chat_template(messages, tokenize=False, **extra))
    if not texts:
        raise TrainerFailure.of(
            "calibration_failed",
            "fp8_static measures activations on the training rows, which this trainer no longer has",
            hint="Use fp8_dynamic, which needs no rows, or upload the manifest again.",
        )
    return texts


def _drop_working_files(folder: Path) -> None:
    # recipe.yaml records how the model was made, with local paths; servers read only config.json.
    for name in ("recipe.yaml", "training_args.bin"):
        (folder / name).unlink(missing_ok=True)


def _missing(reason: str) -> TrainerFailure:
    return TrainerFailure.of("engine_dependency_missing", reason, param="kind", hint=SETUP_HINT)


def _failed(message: str, log_tail: list[str]) -> TrainerFailure:
    return TrainerFailure(TrainerError.of("quantization_failed", message, phase="quantizing", log_tail=log_tail))
