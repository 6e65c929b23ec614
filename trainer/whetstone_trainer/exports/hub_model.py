"""Fetches a hub model at one commit, as a checkpoint without training."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path

from ..artifacts.source import Checkpoint
from ..checkpoints import CheckpointManifest
from ..events import utc_now
from ..files import read_json
from ..spec import BaseModelRef
from ..trainer_error import TrainerFailure
from ..training.base_model import COMMIT_SHA, PICKLES, hub_failure, refuse_remote_code
from .card import source_key
from .request import HubModel

# No *.py: a model's code is neither fetched nor run.
DATA_FILES = ["*.json", "*.jinja", "*.txt", "*.model", "*.tiktoken", "*.safetensors"]


def token_for(model: HubModel, environment: Mapping[str, str]) -> str | None:
    """Returns the token for downloads if it is for the model's hub; no other hub must get it."""
    is_its_hub = environment.get("HF_ENDPOINT") == model.endpoint
    return environment.get("HF_TOKEN") or None if is_its_hub else None


def resolve_commit(model: HubModel, token: str | None) -> str:
    """Returns the commit that a revision names now. Refuses a model without safe weights. Raises TrainerFailure."""
    from huggingface_hub import HfApi

    ref = BaseModelRef(id=model.id, source="hub", revision=model.revision)
    try:
        info = HfApi(endpoint=model.endpoint, token=token or False).model_info(model.id, revision=model.revision)
    except Exception as error:
        raise _of_source(hub_failure(ref, error)) from error
    names = [one.rfilename for one in info.siblings or []]
    if not any(name.endswith(".safetensors") for name in names):
        pickles = [name for name in names if name.endswith(PICKLES)]
        raise TrainerFailure.of(
            "unsupported_combination",
            f"{model.id} has its weights only as {', '.join(pickles[:3])}; only safetensors are read"
            if pickles
            else f"{model.id} has no safetensors",
            param="source.hub_model",
            hint="Choose a model, or a revision of it, that has safetensors.",
        )
    if not COMMIT_SHA.match(info.sha or ""):
        raise TrainerFailure.of(
            "base_model_not_found", f"the hub returned no commit for {model.id}", param="source.hub_model"
        )
    return str(info.sha)


def download(home: Path, model: HubModel, commit: str, token: str | None) -> Path:
    """Returns the folder with the model's data, fetching what the cache lacks. Raises TrainerFailure."""
    from huggingface_hub import snapshot_download

    ref = BaseModelRef(id=model.id, source="hub", revision=commit)
    # A model of the same name on another hub is a different model.
    place = hashlib.sha256(model.endpoint.encode()).hexdigest()[:12]
    try:
        folder = Path(
            snapshot_download(
                model.id,
                revision=commit,
                endpoint=model.endpoint,
                cache_dir=home / "models" / f"hub-{place}",
                allow_patterns=DATA_FILES,
                token=token or False,
            )
        )
    except Exception as error:
        raise _of_source(hub_failure(ref, error)) from error
    config = folder / "config.json"
    if not config.exists():
        raise TrainerFailure.of("base_model_not_found", f"{model.id} has no config.json", param="source.hub_model")
    for name in ("config.json", "tokenizer_config.json"):
        if (folder / name).exists():
            try:
                refuse_remote_code(ref, read_json(folder / name))
            except TrainerFailure as failure:
                raise _of_source(failure) from None
    return folder


def as_checkpoint(home: Path, model: HubModel, commit: str, snapshot: Path, folder: Path) -> Checkpoint:
    """Returns the model as a checkpoint of full weights, from which every form can be built."""
    folder.mkdir(parents=True, exist_ok=True)
    link = folder / "model"
    link.unlink(missing_ok=True)
    os.symlink(snapshot, link)
    manifest = CheckpointManifest(
        checkpoint_id=model.id.rpartition("/")[2],
        job_id="",
        attempt=0,
        step_number=0,
        epoch=0,
        created_at=utc_now(),
        kind="full",
        method="none",
        adapter="full",
        metrics={},
        files=[],
        content_sha256=hashlib.sha256(source_key(model.endpoint, model.id, commit).encode()).hexdigest(),
        base_model={"id": str(snapshot), "source": "local"},
        parent_checkpoint_id=None,
        resumable=False,
        bytes=0,
    )
    base = BaseModelRef(id=str(snapshot), source="local")
    return Checkpoint(home=home, folder=folder, manifest=manifest, base=base, profile={}, spec={})


def _of_source(failure: TrainerFailure) -> TrainerFailure:
    failure.error.param = "source.hub_model"
    return failure
