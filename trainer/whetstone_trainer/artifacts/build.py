"""Builds one artifact: from the shared builds it needs to the files in its own folder."""

from __future__ import annotations

import errno
import hashlib
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any, Literal

from pydantic import ValidationError

from ..files import fsync_path, write_json
from ..redaction import redact
from ..spec import canonical_json
from ..trainer_error import Phase, TrainerError, TrainerFailure
from .builds import content_key, link_files, prune_builds, shared_build
from .child import tail
from .request import ArtifactKind, ArtifactRequest, ArtifactResult, BuildRecord
from .source import Checkpoint, find_base, read_checkpoint, weights_bytes

BuildPhase = Literal["merging", "converting", "quantizing"]
OnPhase = Callable[[BuildPhase], None]
# Files of the artifact's folder that are not part of the artifact.
OWN_FILES = frozenset({"request.json", "result.json", "MANIFEST.json", "log.txt"})
# Merged models and lossless GGUF files are as large as the base, so those left from finished builds go after a week.
UNUSED_BUILD_SECONDS = 7 * 24 * 3600
MERGE_PACKAGES = ("transformers", "peft", "torch")


def build(
    home: Path, request: ArtifactRequest | Mapping[str, Any], *, on_phase: OnPhase | None = None
) -> ArtifactResult:
    """Builds the artifact into `<home>/artifacts/<id>/` and returns the outcome; failures are results.

    `on_phase` is called as each phase begins, even when its result is reused. Building a finished artifact again
    finds its files in the shared builds. Raises ValidationError for an invalid request.
    """
    request = request if isinstance(request, ArtifactRequest) else ArtifactRequest.model_validate(request)
    folder = home / "artifacts" / request.artifact_id
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "request.json").exists():
        write_json(folder / "request.json", request.model_dump(mode="json"))
    progress = _Progress(on_phase)
    try:
        checkpoint = read_checkpoint(home, request.job_id, request.checkpoint_id)
        source, record = _Builder(checkpoint, request.kind, request.quantization, folder / "log.txt", progress).run()
        _publish(folder, source, record, request, checkpoint)
        result = ArtifactResult(status="ready", warnings=record.warnings, files=record.files)
        prune_builds(home, UNUSED_BUILD_SECONDS)
    except Exception as error:
        result = ArtifactResult(status="failed", error=_error_of(error, progress.phase))
    write_json(folder / "result.json", result.model_dump(mode="json"))
    return result


def build_source(
    checkpoint: Checkpoint, kind: ArtifactKind, quantization: str | None, log: Path, on_phase: OnPhase | None = None
) -> tuple[Path, BuildRecord]:
    """Builds a form of a checkpoint, or finds it built, and returns its folder among the shared builds and its record.

    Raises TrainerFailure.
    """
    progress = _Progress(on_phase)
    try:
        return _Builder(checkpoint, kind, quantization, log, progress).run()
    except Exception as error:
        raise TrainerFailure(_error_of(error, progress.phase)) from error


@dataclass
class _Progress:
    on_phase: OnPhase | None
    phase: Phase | None = None

    def begin(self, phase: BuildPhase) -> None:
        if phase != self.phase:
            self.phase = phase
            if self.on_phase is not None:
                self.on_phase(phase)


@dataclass
class _Builder:
    checkpoint: Checkpoint
    kind: ArtifactKind
    quantization: str | None
    log: Path
    progress: _Progress
    parts: dict[str, Any] = field(default_factory=dict)

    @property
    def home(self) -> Path:
        return self.checkpoint.home

    def run(self) -> tuple[Path, BuildRecord]:
        checkpoint = self.checkpoint
        checkpoint.verify()
        self.parts = {
            "checkpoint": checkpoint.content_sha256,
            "base": checkpoint.base.model_dump(mode="json"),
            # The profile may be registered after the checkpoint, and decides template and stop tokens.
            "profile": hashlib.sha256(canonical_json(checkpoint.profile)).hexdigest(),
        }
        makers: dict[ArtifactKind, Callable[[Checkpoint], tuple[Path, BuildRecord]]] = {
            "merged-16bit": self._merged,
            "lora-adapter": self._adapter,
            "gguf": self._gguf,
            "gguf-lora": self._gguf_lora,
            "compressed": self._compressed,
        }
        return makers[self.kind](checkpoint)

    def _merged(self, checkpoint: Checkpoint) -> tuple[Path, BuildRecord]:
        self.progress.begin("merging")
        from .merge import merge

        key = self._key("merged-16bit", {name: metadata.version(name) for name in MERGE_PACKAGES})
        return self._shared(key, _merged_bytes(checkpoint), lambda folder: merge(checkpoint, folder))

    def _adapter(self, checkpoint: Checkpoint) -> tuple[Path, BuildRecord]:
        self.progress.begin("converting")
        from .adapter import pack_adapter

        key = self._key("lora-adapter", {"transformers": metadata.version("transformers")})
        needs = weights_bytes(checkpoint.model_dir)
        return self._shared(key, needs, lambda folder: pack_adapter(checkpoint, folder))

    def _gguf(self, checkpoint: Checkpoint) -> tuple[Path, BuildRecord]:
        from .gguf import BYTES_PER_WEIGHT, MODEL_FILE, convert, lossless_type, quantize, smoke
        from .llama_cpp import find_llama_cpp

        # Before the merge, which takes long.
        llama = find_llama_cpp()
        quantization = self.quantization or ""
        merged, merged_record = self._merged(checkpoint)
        weights = weights_bytes(merged) // 2
        self.progress.begin("converting")
        from .merge import merged_config

        lossless = lossless_type(merged_config(merged))
        source, source_record = self._shared(
            self._key("gguf-source", llama.tools, lossless),
            int(weights * BYTES_PER_WEIGHT[lossless]),
            lambda folder: convert(llama, checkpoint, merged, lossless, folder, self.log),
        )
        source_file = source / MODEL_FILE.format(quantization=lossless)

        def make(folder: Path) -> BuildRecord:
            from .builds import list_files

            warnings: list[TrainerError] = []
            if quantization == lossless:
                link_files(source, source_record.files, folder)
            else:
                warnings = quantize(llama, source_file, quantization, folder, self.log)
            file = folder / MODEL_FILE.format(quantization=quantization)
            answered = smoke(llama, checkpoint, file, self.log, merged)
            same = zip(answered.pop("answer_sha256"), merged_record.checks["answer_sha256"], strict=True)
            answered["same_as_merged"] = sum(mine == theirs for mine, theirs in same)
            reference = source_record.checks.get("mean_log_likelihood")
            if reference is not None and answered["mean_log_likelihood"] is not None:
                # Compared with the lossless file: the cost of quantization alone, in nats per token.
                answered["log_likelihood_change"] = answered["mean_log_likelihood"] - reference
            checks = {**source_record.checks, "smoke": answered}
            return BuildRecord(files=list_files(folder), warnings=warnings, checks=checks, tools=llama.tools)

        self.progress.begin("quantizing")
        needs = int(weights * BYTES_PER_WEIGHT[quantization])
        return self._shared(self._key("gguf", llama.tools, quantization), needs, make)

    def _gguf_lora(self, checkpoint: Checkpoint) -> tuple[Path, BuildRecord]:
        self.progress.begin("converting")
        from .gguf import convert_adapter
        from .llama_cpp import find_llama_cpp

        llama = find_llama_cpp()
        key = self._key("gguf-lora", llama.tools)
        needs = weights_bytes(checkpoint.model_dir)
        return self._shared(key, needs, lambda folder: convert_adapter(llama, checkpoint, folder, self.log))

    def _compressed(self, checkpoint: Checkpoint) -> tuple[Path, BuildRecord]:
        from .compressed import SCHEMES, check_compressor, compress

        python, versions = check_compressor(self.log)
        merged, merged_record = self._merged(checkpoint)
        self.progress.begin("quantizing")
        scheme = SCHEMES[self.quantization or ""]

        def make(folder: Path) -> BuildRecord:
            record = compress(python, checkpoint, merged, scheme, folder, self.log)
            same = zip(record.checks.pop("answer_sha256"), merged_record.checks["answer_sha256"], strict=True)
            record.checks["same_as_merged"] = sum(mine == theirs for mine, theirs in same)
            return record.model_copy(update={"tools": versions})

        # The result is half a merged model, but llm-compressor writes shards before it removes the whole.
        return self._shared(self._key("compressed", versions, scheme), weights_bytes(merged), make)

    def _shared(self, key: str, needs_bytes: int, make: Callable[[Path], BuildRecord]) -> tuple[Path, BuildRecord]:
        return shared_build(self.home, key, needs_bytes, make, self.checkpoint.checkpoint_id)

    def _key(self, kind: str, tools: Mapping[str, str], quantization: str | None = None) -> str:
        return content_key({**self.parts, "kind": kind, "quantization": quantization, "tools": dict(tools)})


def _publish(folder: Path, source: Path, record: BuildRecord, request: ArtifactRequest, checkpoint: Checkpoint) -> None:
    """Links the files, then commits them with MANIFEST.json; without it nothing in the folder counts."""
    (folder / "MANIFEST.json").unlink(missing_ok=True)
    for leftover in folder.iterdir():
        if leftover.is_file() and leftover.name not in OWN_FILES:
            leftover.unlink()
    link_files(source, record.files, folder)
    fsync_path(folder)
    manifest = {
        **request.model_dump(mode="json"),
        "checkpoint_sha256": checkpoint.content_sha256,
        "base_model": {"id": checkpoint.base_label, "revision": checkpoint.base.revision},
        "build": source.name,
        "bytes": record.bytes,
        **record.model_dump(mode="json"),
    }
    write_json(folder / "MANIFEST.json", manifest)


def _merged_bytes(checkpoint: Checkpoint) -> int:
    if checkpoint.kind == "full":
        return weights_bytes(checkpoint.model_dir)
    return weights_bytes(find_base(checkpoint)) + weights_bytes(checkpoint.model_dir)


def _error_of(error: Exception, phase: Phase | None) -> TrainerError:
    if isinstance(error, TrainerFailure):
        return error.error.model_copy(update={"phase": error.error.phase or phase})
    if isinstance(error, ValidationError):
        return TrainerError.of("invalid_spec", str(error), phase=phase)
    if isinstance(error, MemoryError):
        return TrainerError.of("out_of_memory_host", "not enough memory to build the artifact", phase=phase)
    if isinstance(error, OSError) and error.errno == errno.ENOSPC:
        return TrainerError.of("disk_full", "the disk filled up during the build", phase=phase)
    trace = tail(redact("".join(traceback.format_exception(error))))
    message = redact(f"the build failed: {type(error).__name__}: {error}")
    return TrainerError.of("worker_crashed", message, phase=phase, log_tail=trace)
