"""Reads a committed checkpoint and finds the base model it was trained from."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from ..checkpoints import PROFILE, CheckpointManifest, checkpoint_dir, find_checkpoint
from ..files import read_json, sha256_file
from ..manifest import is_erased, read_rows
from ..spec import BaseModelRef
from ..trainer_error import TrainerFailure
from ..training.base_model import resolve_base

TOKENIZER_FILES = ("tokenizer.json", "tokenizer.model", "vocab.json", "spiece.model")


@dataclass(frozen=True)
class Checkpoint:
    """A checkpoint as its MANIFEST.json describes it."""

    home: Path
    folder: Path
    manifest: CheckpointManifest
    base: BaseModelRef
    profile: dict[str, Any]
    spec: dict[str, Any]

    @property
    def checkpoint_id(self) -> str:
        return self.manifest.checkpoint_id

    @property
    def kind(self) -> Literal["adapter", "full"]:
        return self.manifest.kind

    @property
    def content_sha256(self) -> str:
        return self.manifest.content_sha256

    @property
    def model_dir(self) -> Path:
        """Returns the folder with the weights."""
        return self.folder / "model"

    @property
    def tokenizer_dir(self) -> Path:
        """Returns the folder of the tokenizer used in training."""
        for candidate in (self.model_dir, self.folder):
            if any((candidate / name).exists() for name in TOKENIZER_FILES):
                return candidate
        raise TrainerFailure.of("checkpoint_corrupt", f"checkpoint {self.checkpoint_id} has no tokenizer")

    @property
    def adapter_config(self) -> dict[str, Any]:
        config: dict[str, Any] = read_json(self.model_dir / "adapter_config.json")
        return config

    @property
    def base_label(self) -> str:
        """Returns the base's publishable name: its hub id, never a local path."""
        return Path(self.base.id).name if os.path.isabs(self.base.id) else self.base.id

    def verify(self) -> None:
        """Compares the weights with the hashes they were committed with. Raises checkpoint_corrupt."""
        for file in self.manifest.files:
            # Optimizer state is large, and no artifact is made from it.
            if file.path.startswith("state/"):
                continue
            path = self.folder / file.path
            if not path.is_file() or sha256_file(path) != file.sha256:
                raise TrainerFailure.of(
                    "checkpoint_corrupt",
                    f"{file.path} of checkpoint {self.checkpoint_id} differs from what was saved",
                    hint="Build from another checkpoint of the job.",
                )

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yields the Examples it was trained on, without the erased ones; none when the manifest is gone."""
        sha256 = (self.spec.get("manifest") or {}).get("sha256")
        if not sha256:
            return
        try:
            yield from (row for row in read_rows(self.home, sha256) if not is_erased(row))
        except TrainerFailure as failure:
            if failure.error.code != "manifest_not_found":
                raise


def read_checkpoint(home: Path, job_id: str | None, checkpoint_id: str) -> Checkpoint:
    """Returns the checkpoint; without `job_id`, searches every job.

    Raises TrainerFailure checkpoint_corrupt when it was never committed or cannot be read.
    """
    manifest = find_checkpoint(home, checkpoint_id)
    if manifest is None or (job_id is not None and manifest.job_id != job_id):
        raise TrainerFailure.of(
            "checkpoint_corrupt",
            f"checkpoint {checkpoint_id} is not on this trainer, or was never committed",
            param="checkpoint_id",
        )
    folder = checkpoint_dir(home, manifest)
    profile = folder / PROFILE
    try:
        return Checkpoint(
            home=home,
            folder=folder,
            manifest=manifest,
            base=BaseModelRef.model_validate(manifest.base_model),
            profile=read_json(profile) if profile.exists() else {},
            spec=_job_spec(folder.parent.parent),
        )
    except (TypeError, ValueError) as error:
        raise TrainerFailure.of("checkpoint_corrupt", f"checkpoint {checkpoint_id} cannot be read: {error}") from error


def find_base(checkpoint: Checkpoint) -> Path:
    """Returns the folder of the base model of the checkpoint's adapter, downloading what the cache lacks.

    Raises TrainerFailure base_model_not_found, base_model_gated, network_unavailable and the like.
    """
    return resolve_base(checkpoint.home, checkpoint.base, weights=True, token=os.environ.get("HF_TOKEN")).folder


def weights_bytes(folder: Path) -> int:
    """Returns the size of the safetensors files in a folder, in bytes."""
    return sum(path.stat().st_size for path in folder.glob("*.safetensors"))


def _job_spec(job_dir: Path) -> dict[str, Any]:
    for name in ("resolved.json", "spec.json"):
        if (job_dir / name).exists():
            spec: dict[str, Any] = read_json(job_dir / name)
            return spec
    return {}
