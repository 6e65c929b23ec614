"""Reads frozen Examples: one header line, then one line per Example."""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .spec import JobSpec, ValidationFile, canonical_json
from .trainer_error import TrainerFailure

Row = dict[str, Any]
# Fields of a row that identify the Example and do not affect what it teaches.
IDENTITY_FIELDS = ("example_id", "example_version", "sha256")


@dataclass(frozen=True)
class Splits:
    """Rows to train on and rows held out; `fraction` splits depend only on the Example ids and the seed."""

    train: list[Row]
    validation: list[Row]


def manifest_path(home: Path, sha256: str) -> Path:
    return home / "manifests" / f"{sha256}.jsonl"


def read_rows(home: Path, sha256: str) -> Iterator[Row]:
    """Yields the Examples of a manifest after checking that its bytes have this hash.

    Raises TrainerFailure manifest_not_found or manifest_hash_mismatch.
    """
    path = manifest_path(home, sha256)
    if not path.exists():
        raise TrainerFailure.of("manifest_not_found", f"manifest {sha256} is not on this trainer", param="manifest")
    digest = hashlib.sha256()
    with path.open("rb") as file:
        for line in file:
            digest.update(line)
    if digest.hexdigest() != sha256:
        raise TrainerFailure.of("manifest_hash_mismatch", f"manifest {sha256} has other content", param="manifest")
    with path.open("rb") as file:
        for line in file:
            row = json.loads(line)
            if "example_id" in row:
                # Tools are text, so that the template sees their keys and numbers as a client sends them.
                if isinstance(row.get("tools"), str):
                    row["tools"] = json.loads(row["tools"])
                yield row


def content_hash(row: Row) -> str:
    """Returns a hash of what the row teaches, whichever Example it came from, in whatever order its keys are."""
    content = {key: _with_parsed_calls(value) for key, value in row.items() if key not in IDENTITY_FIELDS}
    return hashlib.sha256(canonical_json(content)).hexdigest()


def _with_parsed_calls(value: Any) -> Any:
    if isinstance(value, list):
        return [_with_parsed_calls(item) for item in value]
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        # RFC 8785 has only the numbers of JavaScript.
        return value if abs(value) < 2**53 else str(value)
    if not isinstance(value, dict):
        return value
    parsed = {key: _with_parsed_calls(item) for key, item in value.items()}
    if isinstance(parsed.get("arguments"), str) and isinstance(parsed.get("name"), str):
        with contextlib.suppress(ValueError):
            parsed["arguments"] = _with_parsed_calls(json.loads(parsed["arguments"]))
    return parsed


def is_erased(row: Row) -> bool:
    """Returns whether the Example's content was deleted after the manifest was frozen."""
    return bool(row.get("erased"))


def read_splits(home: Path, spec: JobSpec) -> Splits:
    """Returns the rows of the spec's manifest, erased ones included, split as the spec requests."""
    rows = list(read_rows(home, spec.manifest.sha256))
    validation = spec.manifest.validation
    if validation is None:
        return Splits(rows, [])
    if isinstance(validation, ValidationFile):
        return Splits(rows, list(read_rows(home, validation.sha256)))
    if len(rows) < 2:
        return Splits(rows, [])
    held_out = min(len(rows) - 1, max(1, round(len(rows) * validation.fraction)))

    def draw(row: Row) -> str:
        return hashlib.sha256(f"{validation.seed}:{row['example_id']}".encode()).hexdigest()

    chosen = {str(row["example_id"]) for row in sorted(rows, key=draw)[:held_out]}
    return Splits(
        [row for row in rows if str(row["example_id"]) not in chosen],
        [row for row in rows if str(row["example_id"]) in chosen],
    )
