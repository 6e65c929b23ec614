"""Finds the model that training starts from, and refuses what must not be loaded."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..checkpoints import CheckpointManifest, checkpoint_dir, find_checkpoint
from ..files import read_json
from ..spec import BaseModelRef
from ..trainer_error import TrainerFailure
from .weight_files import check_weights

TOKENIZER_FILES = ["*.json", "*.jinja", "*.txt", "*.model", "*.tiktoken", "*.py"]
WEIGHT_FILES = ["*.safetensors"]
PICKLES = (".bin", ".pt", ".pth", ".ckpt", ".pkl", ".pickle")
# transformers loads the code that any of these names.
MAY_NAME_CODE = ("config.json", "tokenizer_config.json", "generation_config.json", "processor_config.json")
COMMIT_SHA = re.compile(r"^[0-9a-f]{40}$")


@dataclass(frozen=True)
class ResolvedBase:
    """A base on this machine. `checkpoints` are those continued from it, oldest first; the last one is the parent."""

    ref: BaseModelRef
    folder: Path
    revision: str | None
    config: dict[str, Any]
    checkpoints: list[CheckpointManifest] = field(default_factory=list)

    @property
    def parent(self) -> CheckpointManifest | None:
        return self.checkpoints[-1] if self.checkpoints else None

    def tokenizer_folder(self, home: Path) -> Path:
        """Returns the folder of the tokenizer and template to train with: the parent checkpoint's, else the base's."""
        return checkpoint_dir(home, self.parent) / "model" if self.parent else self.folder


def resolve_base(home: Path, ref: BaseModelRef, *, weights: bool, token: str | None = None) -> ResolvedBase:
    """Returns the model on disk, downloading it if it is on the hub. Without `weights`, only what tokenizing needs.

    Raises TrainerFailure: base_model_not_found, base_model_gated, base_model_revision_changed, hub_auth_failed,
    hub_rate_limited, network_unavailable, remote_code_refused, base_model_corrupt, checkpoint_corrupt, unsupported_combination.
    """
    if ref.source == "checkpoint":
        return _resolve_checkpoint(home, ref, weights=weights, token=token)
    folder = _local(ref) if ref.source == "local" else _download(home, ref, weights=weights, token=token)
    config_file = folder / "config.json"
    if not config_file.exists():
        raise TrainerFailure.of("base_model_not_found", f"{ref.id} has no config.json", param="base_model.id")
    config = _read_configuration(ref, config_file)
    for name in MAY_NAME_CODE:
        if (folder / name).exists():
            refuse_remote_code(ref, _read_configuration(ref, folder / name))
    if weights or ref.source == "local":
        refuse_pickles(ref.id, folder)
        check_weights(ref.id, folder, config)
    revision = folder.name if ref.source == "hub" and COMMIT_SHA.match(folder.name) else ref.revision
    return ResolvedBase(ref, folder, revision, config)


def _read_configuration(ref: BaseModelRef, file: Path) -> dict[str, Any]:
    try:
        content = read_json(file)
    except ValueError:
        content = None
    if isinstance(content, dict):
        return content
    raise TrainerFailure.of(
        "base_model_corrupt", f"{file.name} of {ref.id} is not readable JSON", param="base_model.id"
    )


def refuse_remote_code(ref: BaseModelRef, config: dict[str, Any]) -> None:
    """Raises remote_code_refused unless the model needs none or its code was allowed for one revision."""
    if "auto_map" not in config:
        return
    if not ref.trust_remote_code:
        raise TrainerFailure.of(
            "remote_code_refused",
            f"{ref.id} contains its own Python code, which runs only if it is allowed",
            param="base_model.trust_remote_code",
            hint="Read the code, then allow it for this exact revision, or choose a model that transformers supports.",
        )
    if ref.source == "hub" and not COMMIT_SHA.match(ref.revision or ""):
        raise TrainerFailure.of(
            "remote_code_refused",
            f"code of {ref.id} may run only at a pinned commit, not at {ref.revision or 'its newest revision'}",
            param="base_model.revision",
            hint="Set base_model.revision to the 40-character commit hash you reviewed.",
        )


def refuse_pickles(name: str, folder: Path) -> None:
    """Raises unsupported_combination if weights exist only as pickles, which can run code when they are read."""
    files = [file.name for file in folder.iterdir()]
    if any(file.endswith(".safetensors") for file in files):
        return
    pickles = sorted(file for file in files if file.endswith(PICKLES))
    if pickles:
        raise TrainerFailure.of(
            "unsupported_combination",
            f"{name} has its weights only as {', '.join(pickles[:3])}; only safetensors are loaded",
            param="base_model.id",
            hint="Convert the weights to safetensors, or choose a revision that has them.",
        )
    raise TrainerFailure.of("base_model_not_found", f"{name} has no weights in its folder", param="base_model.id")


def _local(ref: BaseModelRef) -> Path:
    folder = Path(ref.id)
    if not folder.is_absolute() or not folder.is_dir():
        raise TrainerFailure.of(
            "base_model_not_found",
            f"{ref.id} is not a folder on the trainer's machine",
            param="base_model.id",
            hint="Give the absolute path of a folder on the trainer's machine, not on your own.",
        )
    return folder


def _resolve_checkpoint(home: Path, ref: BaseModelRef, *, weights: bool, token: str | None) -> ResolvedBase:
    manifest = find_checkpoint(home, ref.checkpoint_id or "")
    if manifest is None:
        raise TrainerFailure.of(
            "base_model_not_found", f"checkpoint {ref.checkpoint_id} is not on this trainer", param="base_model"
        )
    folder = checkpoint_dir(home, manifest)
    problem = manifest.problem(folder) if weights else None
    if problem:
        raise TrainerFailure.of("checkpoint_corrupt", f"checkpoint {manifest.checkpoint_id}: {problem}")
    if manifest.kind == "full":
        config = read_json(folder / "model" / "config.json")
        return ResolvedBase(ref, folder / "model", None, config, [manifest])
    below = resolve_base(home, BaseModelRef.model_validate(manifest.base_model), weights=weights, token=token)
    return ResolvedBase(ref, below.folder, below.revision, below.config, [*below.checkpoints, manifest])


def _download(home: Path, ref: BaseModelRef, *, weights: bool, token: str | None) -> Path:
    from huggingface_hub import snapshot_download

    cache = Path(os.environ.get("HF_HOME", home / "models")) / "hub"
    patterns = [*TOKENIZER_FILES, *(WEIGHT_FILES if weights else [])]
    try:
        return Path(
            snapshot_download(
                ref.id, revision=ref.revision, cache_dir=cache, allow_patterns=patterns, token=token or False
            )
        )
    except Exception as error:
        raise hub_failure(ref, error) from error


def hub_failure(ref: BaseModelRef, error: Exception) -> TrainerFailure:
    """Returns what an exception of the hub client means for the user."""
    from huggingface_hub import errors

    status = getattr(getattr(error, "response", None), "status_code", None)
    if isinstance(error, errors.GatedRepoError):
        return TrainerFailure.of(
            "base_model_gated",
            f"{ref.id} is gated",
            param="base_model.id",
            hint=f"Accept its terms on the hub's page of {ref.id}, and connect the hub with that account's token, for downloads.",
        )
    if isinstance(error, errors.RevisionNotFoundError):
        return TrainerFailure.of(
            "base_model_revision_changed", f"{ref.id} has no revision {ref.revision}", param="base_model.revision"
        )
    if status == 401 and not isinstance(error, errors.RepositoryNotFoundError):
        return TrainerFailure.of("hub_auth_failed", "the hub refused the token", hint="Create a new read token.")
    if status == 429:
        return TrainerFailure.of("hub_rate_limited", "the hub is limiting our requests", hint="Retry in a few minutes.")
    if isinstance(error, (errors.RepositoryNotFoundError, errors.HFValidationError)):
        return TrainerFailure.of(
            "base_model_not_found",
            f"{ref.id} is not on the hub, or the token may not see it",
            param="base_model.id",
            hint="Check the spelling. A private model needs a token that can read it.",
        )
    if isinstance(error, (errors.OfflineModeIsEnabled, errors.LocalEntryNotFoundError)):
        if os.environ.get("HF_HUB_OFFLINE") in ("1", "true", "True", "ON", "YES"):
            return TrainerFailure.of(
                "base_model_not_found",
                f"{ref.id} is not in the model cache and the hub is off (HF_HUB_OFFLINE)",
                param="base_model.id",
                hint="Unset HF_HUB_OFFLINE once to download it, or give a local path.",
            )
        return TrainerFailure.of("network_unavailable", f"the hub cannot be reached for {ref.id}")
    if isinstance(error, OSError) and getattr(error, "errno", None) == 28:
        return TrainerFailure.of("disk_full", f"no space left while downloading {ref.id}")
    return TrainerFailure.of("network_unavailable", f"downloading {ref.id} failed: {error}")
