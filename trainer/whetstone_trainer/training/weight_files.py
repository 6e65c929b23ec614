"""Finds weights that are truncated, damaged or not numbers, from headers, sizes and samples: no model is loaded here."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np

from ..trainer_error import TrainerFailure

_LENGTH_BYTES = 8
# The format's own limit.
_HEADER_BYTES_MAX = 100_000_000
_DTYPES_OF = {
    8: ("F64", "I64", "U64"),
    4: ("F32", "I32", "U32"),
    2: ("BF16", "F16", "I16", "U16"),
    1: ("I8", "U8", "BOOL", "F8_E4M3", "F8_E5M2"),
}
_BYTES_OF = {dtype: width for width, dtypes in _DTYPES_OF.items() for dtype in dtypes}
# A number whose exponent bits are all ones is NaN or infinite.
_EXPONENT: dict[str, tuple[Any, int]] = {
    "F32": (np.uint32, 0x7F80_0000),
    "BF16": (np.uint16, 0x7F80),
    "F16": (np.uint16, 0x7C00),
}
# A damaged block or a diverged run shows in the first part of a tensor; reading all of a large model takes minutes.
_SAMPLE_BYTES = 1 << 20
_INDEX = "model.safetensors.index.json"
_EMBEDDING = "embed_tokens.weight"

Tensors = dict[str, dict[str, Any]]


def check_weights(name: str, folder: Path, config: dict[str, Any]) -> None:
    """Raises TrainerFailure base_model_corrupt for the first problem in a folder's safetensors."""
    found: Tensors = {}
    for file in sorted(folder.glob("*.safetensors")):
        problem, tensors = _read(file)
        if problem:
            raise _corrupt(name, f"{file.name} {problem}")
        found.update(tensors)
    problem = _missing(folder, found) or _vocabulary(config, found)
    if problem:
        raise _corrupt(name, problem)


def _corrupt(name: str, problem: str) -> TrainerFailure:
    return TrainerFailure.of(
        "base_model_corrupt",
        f"the weights of {name} cannot be used: {problem}",
        param="base_model.id",
        hint="Copy or download the model again, and compare the sizes and hashes of its files with the original's.",
    )


def _read(file: Path) -> tuple[str | None, Tensors]:
    """Returns what is wrong with a file, and its tensors."""
    size = file.stat().st_size
    with file.open("rb") as stream:
        start = stream.read(_LENGTH_BYTES)
        length = int.from_bytes(start, "little") if len(start) == _LENGTH_BYTES else -1
        if not 0 < length <= min(_HEADER_BYTES_MAX, size - _LENGTH_BYTES):
            return "has no header: it is truncated or not a safetensors file", {}
        try:
            header = json.loads(stream.read(length))
            tensors: Tensors = {key: value for key, value in header.items() if key != "__metadata__"}
            end = _end_of(tensors)
        except (ValueError, TypeError, KeyError, AttributeError):
            return "has a damaged header", {}
        if end is None:
            return "has a damaged header: its tensors overlap or have other sizes than their shapes", {}
        if _LENGTH_BYTES + length + end != size:
            return f"has {size:,} bytes where its header says {_LENGTH_BYTES + length + end:,}", {}
        for key, tensor in tensors.items():
            if tensor["dtype"] in _EXPONENT:
                begin, stop = tensor["data_offsets"]
                stream.seek(_LENGTH_BYTES + length + begin)
                if not _is_finite(stream.read(min(stop - begin, _SAMPLE_BYTES)), tensor["dtype"]):
                    return f"contains NaN or infinite weights in {key}", {}
    return None, tensors


def _end_of(tensors: Tensors) -> int | None:
    """Returns where the last tensor ends; `None` unless they follow one another with the sizes of their shapes."""
    end = 0
    for tensor in sorted(tensors.values(), key=lambda one: tuple(one["data_offsets"])):
        begin, stop = tensor["data_offsets"]
        width = _BYTES_OF.get(tensor["dtype"])
        if begin != end or (width is not None and stop - begin != width * math.prod(tensor["shape"])):
            return None
        end = int(stop)
    return end


def _is_finite(read: bytes, dtype: str) -> bool:
    unsigned, exponent = _EXPONENT[dtype]
    numbers = np.frombuffer(read, dtype=unsigned)
    return not bool(((numbers & exponent) == exponent).any())


def _missing(folder: Path, found: Tensors) -> str | None:
    index = folder / _INDEX
    if not index.exists():
        return None
    try:
        files = json.loads(index.read_text())["weight_map"]
        absent = sorted({str(file) for file in files.values() if not (folder / str(file)).exists()})
        lost = sorted(key for key in files if key not in found)
    except (ValueError, TypeError, KeyError, AttributeError):
        return f"{_INDEX} is damaged"
    if absent:
        return f"{', '.join(absent[:3])} of {_INDEX} {'is' if len(absent) == 1 else 'are'} missing"
    return f"{lost[0]} of {_INDEX} is in none of its files" if lost else None


def _vocabulary(config: dict[str, Any], found: Tensors) -> str | None:
    size = config.get("vocab_size") or (config.get("text_config") or {}).get("vocab_size")
    for key, tensor in found.items():
        rows = tensor["shape"][0] if tensor["shape"] else None
        if key.endswith(_EMBEDDING) and size is not None and rows != size:
            return f"{key} has {rows:,} rows, and config.json says vocab_size {size:,}"
    return None
