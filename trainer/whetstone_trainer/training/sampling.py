"""Generates answers to validation prompts during training, so that they can be read beside the loss."""

from __future__ import annotations

from typing import Any

from .examples import as_messages, plain_messages
from .generation import generate
from .preparation import Prepared
from .reporter import Reporter


def report_samples(prepared: Prepared, reporter: Reporter, trainer: Any, step: int) -> None:
    """Reports the model's answers to the first validation prompts that can be rendered, in the precision of training."""
    wanted = prepared.resolved.evaluation.samples
    usable = {row.example_id for row in prepared.validation.rows}
    rows = [row for row in prepared.validation.source if str(row["example_id"]) in usable][: wanted.count]
    for row in rows:
        prompt, reference = question_of(row)
        text = prepared.renderer.prompt_text(prompt, row.get("tools") or None)
        # Weights of different types, as in a model that is quantized to 4 bits, only fit each other under autocast.
        with trainer.accelerator.autocast():
            answer = generate(
                trainer.model,
                prepared.renderer.tokenizer,
                text,
                eos_token_ids=prepared.renderer.eos_token_ids,
                max_new_tokens=wanted.max_new_tokens,
                temperature=wanted.temperature,
                max_context=prepared.limit,
            )
        data = {
            "step": step,
            "example_id": str(row["example_id"]),
            "split": "validation",
            "prompt": prompt,
            "reference": reference,
            "output": answer.text,
            "tokens": answer.tokens,
            "finish_reason": "stop" if answer.stopped else "length",
        }
        reporter.emit("sample", data)


def question_of(row: dict[str, Any]) -> tuple[list[dict[str, Any]], str | None]:
    """Returns the prompt of a row as messages, and its expected answer if it has a good one."""
    if row.get("messages"):
        messages = list(row["messages"])
        last = max((i for i, m in enumerate(messages) if m["role"] == "assistant"), default=len(messages))
        reference = messages[last].get("content") if last < len(messages) else None
        return plain_messages(messages[:last]), reference
    answer = row.get("chosen") or (row.get("completion") if row.get("label", True) else None)
    wanted = as_messages(answer, "assistant") if answer else []
    return plain_messages(as_messages(row["prompt"], "user")), wanted[-1].get("content") if wanted else None
