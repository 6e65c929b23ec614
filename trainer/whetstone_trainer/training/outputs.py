"""Builds the forms that a job's `output` requests, once its checkpoint has answered."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from ..checkpoints import CheckpointManifest
from ..spec import Output
from ..trainer_error import Phase
from .control import Control
from .reporter import Reporter


def requests(manifest: CheckpointManifest, output: Output) -> list[dict[str, Any]]:
    """Returns an artifact request for every form; its id is derived from the form, so requesting twice builds once."""
    forms: list[tuple[str, str | None]] = []
    if "gguf" in output.formats:
        forms += [("gguf", quantization) for quantization in output.gguf_quantizations or ["f16"]]
    forms += [("compressed", quantization) for quantization in output.compressed_quantizations]
    return [
        {
            "artifact_id": "art_" + _digest(manifest.checkpoint_id, kind, quantization),
            "checkpoint_id": manifest.checkpoint_id,
            "job_id": manifest.job_id,
            "kind": kind,
            "quantization": quantization,
        }
        for kind, quantization in forms
    ]


def build_outputs(
    home: Path, manifest: CheckpointManifest, output: Output, reporter: Reporter, control: Control
) -> None:
    """Builds each form and reports it. A failed form does not fail the job, whose training is complete and kept."""
    wanted = requests(manifest, output)
    if not wanted:
        return
    # Imported here: artifacts import this package.
    from ..artifacts import build

    for request in wanted:
        control.check()
        phase: Phase = "quantizing" if request["kind"] == "compressed" else "converting"
        with reporter.in_phase(phase, artifact_id=request["artifact_id"], quantization=request["quantization"]):
            result = build(home, request)
        data = {key: request[key] for key in ("artifact_id", "kind", "quantization", "checkpoint_id")}
        warnings = [warning.model_dump(mode="json") for warning in result.warnings]
        if result.status == "ready":
            files = [file.model_dump(mode="json") for file in result.files]
            size = sum(file["size"] for file in files)
            reporter.emit("artifact.ready", {**data, "files": files, "bytes": size, "warnings": warnings})
        else:
            error = result.error.model_dump(mode="json") if result.error else None
            reporter.emit(
                "artifact.failed",
                {**data, "error": error, "warnings": warnings},
                level="error",
                message=result.error.message if result.error else "The artifact could not be built",
            )


def _digest(*parts: str | None) -> str:
    return hashlib.sha256("\0".join(part or "" for part in parts).encode()).hexdigest()[:24]
