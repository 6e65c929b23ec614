"""`python -m whetstone_trainer.base_check --home H --request FILE --out FILE`: checks a base model without loading it.

Writes `{check, error}`: what is known about its template, weights, licence and size, or why it cannot be trained.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from .files import read_json, write_json
from .redaction import redact, redact_standard_streams
from .spec import BaseModelRef
from .trainer_error import TrainerError, TrainerFailure

LICENSE_CHARACTERS = 100


def check(home: Path, ref: BaseModelRef) -> dict[str, Any]:
    """Returns what is known about a base model on this machine. Raises what makes it unusable, as a dry run would."""
    from .training.base_model import resolve_base
    from .training.chat_rendering import ChatRenderer
    from .training.loading import eos_token_ids, load_tokenizer, model_limit
    from .training.memory import model_size

    base = resolve_base(home, ref, weights=True, token=None)
    tokenizer = load_tokenizer(home, base)
    template: dict[str, Any] = {"has_template": bool(tokenizer.chat_template)}
    if tokenizer.chat_template:
        renderer = ChatRenderer(tokenizer, eos_token_ids(base.folder, tokenizer))
        stops = renderer.stop_token_id() is not None
        template.update(
            training_compatible=renderer.has_generation_tags or stops,
            stop_token_trained=stops,
            supports_tools=renderer.supports_tools(),
        )
    try:
        parameters: int | None = model_size(base.config, ref.trust_remote_code, str(base.folder)).parameters
    except (ValueError, KeyError, ImportError):
        # An architecture that this transformers does not know: training says so, too.
        parameters = None
    files = [path for path in base.folder.rglob("*") if path.is_file()]
    return {
        "template": template,
        "parameters": parameters,
        "context_length": model_limit(base.config),
        "license": license_of(base.folder),
        "bytes": sum(path.stat().st_size for path in files),
        "weights_bytes": sum(path.stat().st_size for path in files if path.suffix == ".safetensors"),
    }


def license_of(folder: Path) -> str | None:
    """Returns the licence that the model's card names; None if there is no card or it names none."""
    from huggingface_hub import ModelCard

    card = folder / "README.md"
    if not card.is_file():
        return None
    try:
        named = ModelCard.load(card).data.to_dict().get("license")
    except (ValueError, OSError):
        return None
    return named[:LICENSE_CHARACTERS] if isinstance(named, str) and named.strip() else None


def answer(home: Path, document: Any) -> dict[str, Any]:
    """Returns the result of a request; failures are results."""
    try:
        return {"check": check(home, BaseModelRef.model_validate(document["base_model"])), "error": None}
    except TrainerFailure as failure:
        error = failure.error
    except (KeyError, TypeError, ValidationError, json.JSONDecodeError) as invalid:
        error = TrainerError.of("invalid_spec", redact(str(invalid).splitlines()[-1]))
    return {"check": None, "error": error.model_dump(mode="json")}


def main() -> int:
    parser = argparse.ArgumentParser(prog="whetstone_trainer.base_check")
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--request", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    home = options.home.resolve()
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    redact_standard_streams()
    write_json(options.out, answer(home, read_json(options.request)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
