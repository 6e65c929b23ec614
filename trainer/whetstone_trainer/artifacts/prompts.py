"""The prompts used to compare a checkpoint with what is built from it."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Any

Messages = list[dict[str, Any]]

COUNT = 5
# Used when the training rows are not on this machine, or are too few.
GENERIC = (
    "What is the capital of France?",
    "Write one sentence about the sea.",
    "List three primary colors.",
    "Translate “good morning” into Spanish.",
    "What is 17 plus 25?",
    "Name two animals that can fly.",
    "Complete the sentence: The library opens at",
    "What day comes after Monday?",
)


def comparison_prompts(rows: Iterable[dict[str, Any]], count: int = COUNT) -> list[Messages]:
    """Returns `count` conversations that end with the user, first from the training rows, where differences matter."""
    seen: list[Messages] = []
    # Rows often repeat a prompt; reading more than this many costs more than a better prompt is worth.
    for row in islice(rows, 50):
        prompt = _prompt_of(row)
        if prompt and prompt not in seen:
            seen.append(prompt)
        if len(seen) == count:
            return seen
    return seen + [[{"role": "user", "content": text}] for text in GENERIC[: count - len(seen)]]


def _prompt_of(row: dict[str, Any]) -> Messages | None:
    messages = row.get("messages") or row.get("prompt") or []
    if "messages" in row:
        last_answer = max((i for i, m in enumerate(messages) if m.get("role") == "assistant"), default=len(messages))
        messages = messages[:last_answer]
    plain = [{"role": m["role"], "content": m["content"]} for m in messages if isinstance(m.get("content"), str)]
    # Tool calls and images need template arguments that a comparison does not have.
    if len(plain) != len(messages) or not plain or plain[-1]["role"] != "user":
        return None
    return plain if all(m["role"] in ("system", "user", "assistant") for m in plain) else None
