"""Maps the numbers that TRL logs to the names in our events."""

from __future__ import annotations

import math
from typing import Any

REWARDS = {
    "chosen": "rewards/chosen",
    "rejected": "rewards/rejected",
    "margin": "rewards/margins",
    "accuracy": "rewards/accuracies",
}


def train_metrics(logs: dict[str, Any], step: int, epoch: float, tokens_seen: int) -> dict[str, Any]:
    """Returns the data of a `metrics` event. `raw` holds every number under TRL's own name."""
    rewards = {name: _number(logs.get(key)) for name, key in REWARDS.items() if key in logs}
    document: dict[str, Any] = {
        "step": step,
        "epoch": round(epoch, 4),
        "train_loss": _number(logs.get("loss")),
        "learning_rate": _number(logs.get("learning_rate")),
        "grad_norm": _number(logs.get("grad_norm")),
        "train_mean_token_accuracy": _number(logs.get("mean_token_accuracy")),
        "tokens_seen": tokens_seen,
        "rewards": rewards or None,
        "kl": _number(logs.get("kl")),
        "raw": {key: _number(value) for key, value in logs.items() if isinstance(value, (int, float))},
    }
    if is_nonfinite(logs.get("loss")) or is_nonfinite(logs.get("grad_norm")):
        document["nonfinite"] = True
    return document


def eval_metrics(logs: dict[str, Any], step: int, epoch: float) -> dict[str, Any]:
    """Returns the data of an `eval` event."""
    rewards = {name: _number(logs.get(f"eval_{key}")) for name, key in REWARDS.items() if f"eval_{key}" in logs}
    loss = logs.get("eval_loss")
    document: dict[str, Any] = {
        "step": step,
        "epoch": round(epoch, 4),
        "eval_loss": _number(loss),
        "eval_mean_token_accuracy": _number(logs.get("eval_mean_token_accuracy")),
        "rewards": rewards or None,
        "raw": {key: _number(value) for key, value in logs.items() if isinstance(value, (int, float))},
    }
    if is_nonfinite(loss):
        document["nonfinite"] = True
    return document


def is_nonfinite(value: Any) -> bool:
    return isinstance(value, (int, float)) and not math.isfinite(value)


def higher_is_better(metric: str) -> bool:
    return any(word in metric for word in ("accurac", "margin", "reward"))


def evaluations_without_improvement(history: list[dict[str, Any]], metric: str) -> int:
    """Returns how many of the newest evaluations did not beat the best one before them."""
    values = [entry[metric] for entry in history if isinstance(entry.get(metric), (int, float))]
    best, since = None, 0
    for value in values:
        sign = -1 if higher_is_better(metric) else 1
        if best is None or (math.isfinite(value) and sign * value < sign * best):
            best, since = value, 0
        else:
            since += 1
    return since


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return float(value) if math.isfinite(value) else None
