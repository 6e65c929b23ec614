"""Reports which artifacts this machine can build, and for each that it cannot, why and what to do."""

from __future__ import annotations

import importlib.util
import os
import tempfile
from pathlib import Path
from typing import get_args

from pydantic import BaseModel, ConfigDict

from ..spec import CompressedQuantization, GgufQuantization
from ..trainer_error import TrainerFailure
from .compressed import check_compressor
from .llama_cpp import find_llama_cpp

# Their converters for some model families import these; a trainer's environment has them.
CONVERTER_PACKAGES = ("torch", "transformers", "safetensors", "sentencepiece")
MERGE_PACKAGES = ("torch", "transformers", "peft", "safetensors")


class Unavailable(BaseModel):
    """A feature this machine lacks. `feature` is a format or a quantization as requests name it."""

    model_config = ConfigDict(extra="forbid")

    feature: str
    reason: str
    hint: str


class ArtifactCapabilities(BaseModel):
    """What can be built here. `tools` maps programs to versions."""

    model_config = ConfigDict(extra="forbid")

    formats: list[str]
    gguf_quantizations: list[str]
    compressed_quantizations: list[str]
    export_formats: list[str]
    tools: dict[str, str]
    unavailable: list[Unavailable]


def artifact_capabilities() -> ArtifactCapabilities:
    """Checks what is installed; starts one short process (0.1 s) and does not import torch."""
    unavailable: list[Unavailable] = []
    tools: dict[str, str] = {}
    mergeable = _packages("safetensors", MERGE_PACKAGES, unavailable)
    gguf = mergeable and _gguf(unavailable, tools)
    compressed = mergeable and _compressed(unavailable, tools)
    exports: list[str] = (["merged-16bit", "lora-adapter"] if mergeable else []) + (["gguf"] if gguf else [])
    return ArtifactCapabilities(
        formats=(["safetensors"] if mergeable else []) + (["gguf"] if gguf else []),
        gguf_quantizations=list(get_args(GgufQuantization)) if gguf else [],
        compressed_quantizations=list(get_args(CompressedQuantization)) if compressed else [],
        export_formats=exports,
        tools=tools,
        unavailable=unavailable,
    )


def _gguf(unavailable: list[Unavailable], tools: dict[str, str]) -> bool:
    try:
        tools.update(find_llama_cpp().tools)
    except TrainerFailure as failure:
        unavailable.append(_because("gguf", failure))
        return False
    return _packages("gguf", CONVERTER_PACKAGES, unavailable)


def _compressed(unavailable: list[Unavailable], tools: dict[str, str]) -> bool:
    with tempfile.TemporaryDirectory() as scratch:
        try:
            python, versions = check_compressor(Path(scratch, "log.txt"))
        except TrainerFailure as failure:
            unavailable += [_because(name, failure) for name in get_args(CompressedQuantization)]
            return False
    tools.update({f"compress/{name}": version for name, version in versions.items()})
    tools["compress/python"] = os.path.basename(python)
    return True


def _packages(feature: str, names: tuple[str, ...], unavailable: list[Unavailable]) -> bool:
    missing = [name for name in names if importlib.util.find_spec(name) is None]
    if missing:
        hint = (
            f"Install {' '.join(missing)} into the trainer's environment, or run `npx whetstone trainer`, which does."
        )
        unavailable.append(Unavailable(feature=feature, reason=f"not installed: {', '.join(missing)}", hint=hint))
    return not missing


def _because(feature: str, failure: TrainerFailure) -> Unavailable:
    return Unavailable(feature=feature, reason=failure.error.message, hint=failure.error.hint or "")
