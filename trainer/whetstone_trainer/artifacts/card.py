"""Writes model cards, and removes what identifies this machine from the files beside them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from .source import Checkpoint

PATH_KEYS = ("_name_or_path", "name_or_path", "base_model_name_or_path")


def write_card(folder: Path, checkpoint: Checkpoint, built: str) -> None:
    """Writes README.md: base, method, data, and what was built."""
    spec = checkpoint.spec
    label = checkpoint.base_label
    on_hub = label == checkpoint.base.id
    front = ["---", "library_name: transformers", "tags:", "- whetstone"]
    front += [f"base_model: {label}"] if on_hub else []
    revision = f" at revision `{checkpoint.base.revision}`" if checkpoint.base.revision else ""
    facts = [
        f"- Base model: `{label}`{revision}",
        f"- Method: {spec.get('method', 'unknown')}, {spec.get('adapter', checkpoint.kind)}",
        f"- Checkpoint: `{checkpoint.checkpoint_id}`",
        f"- Training data (sha256 of the manifest): `{(spec.get('manifest') or {}).get('sha256', 'unknown')}`",
        f"- Format: {built}",
    ]
    (folder / "README.md").write_text("\n".join([*front, "---", "", "# Fine-tuned model", "", *facts, ""]))


def scrub(folder: Path, checkpoint: Checkpoint) -> None:
    """Replaces local paths in a folder's JSON files: the base's by its published name, others by nothing."""
    for path in folder.glob("*.json"):
        document = json.loads(path.read_text())
        if isinstance(document, dict) and _scrub(document, checkpoint):
            path.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n")


def _scrub(document: dict[str, Any], checkpoint: Checkpoint) -> bool:
    changed = False
    for key in PATH_KEYS:
        if key not in document:
            continue
        changed = True
        if key == "base_model_name_or_path":
            document[key] = checkpoint.base_label
        else:
            del document[key]
    return changed
