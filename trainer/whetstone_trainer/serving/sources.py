"""Finds what a plan serves, and with which template, stop tokens and context."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..artifacts.gguf import MODEL_FILE
from ..artifacts.source import Checkpoint, find_base, read_checkpoint
from ..artifacts.template import inference_template
from ..files import read_json
from ..trainer_error import TrainerFailure
from ..training.base_model import ResolvedBase, resolve_base
from .request import ServePlan, ServeProfile


@dataclass(frozen=True)
class Source:
    """What a plan names, on this machine. `artifact` is the form that was built; None if there is none."""

    plan: ServePlan
    checkpoint: Checkpoint | None
    base: ResolvedBase | None
    artifact: Path | None

    def tokenizer_folder(self, home: Path) -> Path:
        """Returns the folder of the tokenizer used in training, or of a base model's own."""
        if self.checkpoint is not None:
            return self.checkpoint.tokenizer_dir
        assert self.base is not None
        return self.base.tokenizer_folder(home)

    @property
    def gguf_file(self) -> Path:
        assert self.artifact is not None
        return self.artifact / MODEL_FILE.format(quantization=self.plan.quantization)


def find_source(home: Path, plan: ServePlan) -> Source:
    """Returns what is served, after verifying its files.

    Raises TrainerFailure checkpoint_corrupt, base_model_not_found and the like.
    """
    if plan.base is not None:
        return Source(plan, None, resolve_base(home, plan.base, weights=True, token=os.environ.get("HF_TOKEN")), None)
    checkpoint = read_checkpoint(home, None, plan.checkpoint_id or "")
    if plan.artifact_id is None:
        checkpoint.verify()
        return Source(plan, checkpoint, None, None)
    folder = home / "artifacts" / plan.artifact_id
    try:
        manifest = read_json(folder / "MANIFEST.json")
    except (OSError, ValueError) as error:
        raise TrainerFailure.of("deploy_start_failed", "the form to serve has not been built") from error
    found = (manifest.get("checkpoint_id"), manifest.get("kind"), manifest.get("quantization"))
    if found != (plan.checkpoint_id, plan.form, plan.quantization):
        raise TrainerFailure.of("deploy_start_failed", "the form that was built belongs to another checkpoint")
    return Source(plan, checkpoint, None, folder)


def serve_profile(home: Path, source: Source, tokenizer: Any, config: dict[str, Any]) -> ServeProfile:
    """Returns the checkpoint's profile; without one, or for a base model, what its own files specify."""
    from ..training.loading import eos_token_ids, model_limit

    profile = source.checkpoint.profile if source.checkpoint else {}
    folder = source.tokenizer_folder(home)
    template = inference_template(profile, tokenizer.chat_template)
    return ServeProfile(
        chat_template=template,
        eos_token_ids=profile.get("eos_token_ids") or eos_token_ids(folder, tokenizer),
        max_context=int(profile.get("max_context") or model_limit(config)),
        generation_config=profile.get("generation_config") or {},
    )


def base_folder(source: Source) -> Path:
    """Returns the folder of the base model that is served, or on which an adapter is served."""
    if source.base is not None:
        return source.base.folder
    assert source.checkpoint is not None
    return find_base(source.checkpoint)


def trusts_remote_code(source: Source) -> bool:
    if source.base is not None:
        return source.base.ref.trust_remote_code
    return source.checkpoint is not None and source.checkpoint.base.trust_remote_code
