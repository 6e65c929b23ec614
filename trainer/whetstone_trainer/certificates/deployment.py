"""Lets a running deployment answer over HTTP, through the process that serves it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from ..files import read_json
from ..trainer_error import TrainerFailure
from .answers import ReferenceAnswer
from .judge import Reference, Said

_SECONDS = 300.0
_PATH = "/v1/chat/completions"


@dataclass(frozen=True)
class Deployed:
    """The port on which a deployment listens, the name it serves, and the password of its process."""

    deployment_id: str
    port: int
    served_model_name: str
    quantization: str | None
    token: str | None


def find_deployment(home: Path, deployment_id: str, checkpoint_id: str) -> Deployed:
    """Returns a running deployment of a checkpoint. Raises TrainerFailure invalid_spec."""
    folder = home / "deployments" / deployment_id
    try:
        document = read_json(folder / "deployment.json")
        asked = {**document, **(document.get("request") or {})}
        port, name, status = int(document["port"]), str(asked["served_model_name"]), document["status"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise _refused(f"deployment {deployment_id} is not on this trainer, or not running") from error
    if status not in ("running", "verifying"):
        raise _refused(f"deployment {deployment_id} is {status}")
    if asked.get("checkpoint_id") not in (None, checkpoint_id):
        raise _refused(f"deployment {deployment_id} serves another checkpoint")
    token = folder / "token"
    return Deployed(
        deployment_id, port, name, asked.get("quantization"), token.read_text().strip() if token.exists() else None
    )


def answers_of_deployment(
    deployed: Deployed, tokenizer: Any, references: list[ReferenceAnswer], max_new_tokens: int
) -> tuple[list[Reference], list[Said]]:
    """Returns the checkpoint's answers in the form of a chat completion, and the deployment's.

    A chat completion identifies tokens by their text, omits the one that ends an answer, and scores only its own
    tokens: distances are measured up to where the answers diverge, as long as both models have read the same text.
    """
    expected = [_as_text(reference, tokenizer) for reference in references]
    said = []
    headers = {"authorization": f"Bearer {deployed.token}"} if deployed.token else {}
    address = f"http://127.0.0.1:{deployed.port}"
    with httpx.Client(base_url=address, headers=headers, timeout=_SECONDS, trust_env=False) as client:
        for reference, words in zip(references, expected, strict=True):
            try:
                said.append(_said(_choice(client, deployed, reference, max_new_tokens), words, tokenizer))
            except (httpx.HTTPError, ValueError, KeyError, IndexError, TypeError) as error:
                reason = f"status {error.response.status_code}" if isinstance(error, httpx.HTTPStatusError) else error
                raise TrainerFailure.of(
                    "deploy_unhealthy", f"deployment {deployed.deployment_id} did not answer: {reason}"
                ) from error
    return expected, said


def _choice(
    client: httpx.Client, deployed: Deployed, reference: ReferenceAnswer, max_new_tokens: int
) -> dict[str, Any]:
    body = {
        "model": deployed.served_model_name,
        "messages": reference.messages,
        "temperature": 0,
        "max_tokens": max_new_tokens,
    }
    reply = client.post(_PATH, json={**body, "logprobs": True, "top_logprobs": 5})
    if reply.status_code in (400, 422):
        # Some servers do not support log-probabilities and reject the request.
        reply = client.post(_PATH, json=body)
    reply.raise_for_status()
    choice: dict[str, Any] = reply.json()["choices"][0]
    return choice


def _as_text(reference: ReferenceAnswer, tokenizer: Any) -> Reference:
    scored, count = reference.scored, len(reference.token_ids)
    while count > 0 and reference.token_ids[count - 1] in reference.stops:
        count -= 1

    def text(token: Any) -> str:
        return str(tokenizer.decode([token]))

    return Reference(
        tokens=[text(token) for token in scored.tokens[:count]],
        logprobs=scored.logprobs[:count],
        alternatives=[_by_text(options, text) for options in scored.alternatives[:count]],
    )


def _by_text(options: dict[Any, float], text: Any) -> dict[Any, float]:
    named: dict[Any, float] = {}
    for token, logprob in options.items():
        # Tokens that are part of a character decode to the same text; the likeliest is the one that was meant.
        named[text(token)] = max(logprob, named.get(text(token), float("-inf")))
    return named


def _said(choice: dict[str, Any], expected: Reference, tokenizer: Any) -> Said:
    content = str(choice["message"].get("content") or "")
    listed = (choice.get("logprobs") or {}).get("content") or []
    special = set(tokenizer.all_special_tokens)
    listed = [one for one in listed if one["token"] not in special]
    if not listed:
        # There are no tokens to compare, so the whole answer counts as one.
        whole = "".join(str(token) for token in expected.tokens)
        return Said(content, list(expected.tokens) if content.strip() == whole.strip() else [content])
    tokens = [str(one["token"]) for one in listed]
    shared = 0
    while shared < min(len(tokens), len(expected.tokens)) and tokens[shared] == expected.tokens[shared]:
        shared += 1
    return Said(content, tokens, [float(one["logprob"]) for one in listed[:shared]])


def _refused(message: str) -> TrainerFailure:
    return TrainerFailure.of("invalid_spec", message, param="deployment_id", hint="Deploy it, then compare again.")
