"""Writes the model card of an export: what the trainer knows to be true, and what the caller adds."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from ..artifacts.source import Checkpoint
from ..redaction import redact
from ..spec import canonical_json
from .request import ExportRequest, HubModel

_LIBRARY = {"gguf": "gguf", "merged-16bit": "transformers", "lora-adapter": "peft"}
_LINE_CHARACTERS_MAX = 500


def checkpoint_card(request: ExportRequest, checkpoint: Checkpoint) -> str:
    """Returns the card of a checkpoint: base and revision, method, data, metrics, template."""
    spec, manifest, base = checkpoint.spec, checkpoint.manifest, checkpoint.base
    is_public = base.source != "local" and checkpoint.base_label == base.id
    revision = f" at revision `{base.revision}`" if base.revision else ""
    facts: list[tuple[str, str]] = [
        ("Base model", f"`{checkpoint.base_label}`{revision}"),
        ("Method", f"{manifest.method}, {manifest.adapter}"),
        ("Checkpoint", f"`{manifest.checkpoint_id}`, step {manifest.step_number}"),
        ("Training data", f"manifest with sha256 `{(spec.get('manifest') or {}).get('sha256', 'unknown')}`"),
    ]
    facts += [(f"Metric {name}", f"{value:g}") for name, value in sorted(manifest.metrics.items()) if value is not None]
    template = checkpoint.profile.get("chat_template_sha256")
    if template:
        facts.append(("Chat template", f"sha256 `{template}`, the one it was trained with"))
    return _card(request, facts, base_model=base.id if is_public else None)


def hub_model_card(request: ExportRequest, model: HubModel, commit: str) -> str:
    """Returns the card of a hub model in another format: nothing was trained."""
    facts = [("Base model", f"`{model.id}` at revision `{commit}`"), ("Changes", "only the format of the weights")]
    return _card(request, facts, base_model=model.id)


def _card(request: ExportRequest, facts: list[tuple[str, str]], base_model: str | None) -> str:
    card = request.card
    quantization = f", {request.quantization}" if request.quantization else ""
    form = {
        "gguf": f"GGUF{quantization}",
        "merged-16bit": "safetensors, 16 bit",
        "lora-adapter": "LoRA adapter, safetensors",
    }[request.format]
    front: dict[str, Any] = {"library_name": _LIBRARY[request.format]}
    if base_model:
        front["base_model"] = base_model
        if relation := _relation(request):
            front["base_model_relation"] = relation
    if card.license:
        front["license"] = _line(card.license)
    front["tags"] = list(dict.fromkeys(["whetstone", *(_line(tag) for tag in card.tags if _line(tag))]))
    lines = [f"- {name}: {value}" for name, value in [*facts, ("Format", form)]]
    lines.append(
        f"- License: {_line(card.license) if card.license else 'not stated; the terms of the base model apply'}"
    )
    lines += [f"- {_line(name)}: {_line(_shown(value))}" for name, value in _flat(card.facts)]
    title = _line(card.title or "") or ("Converted model" if request.source.hub_model else "Fine-tuned model")
    head = yaml.safe_dump(front, sort_keys=False, allow_unicode=True)
    return redact("\n".join(["---", f"{head}---", "", f"# {title}", "", *lines, ""]))


def _relation(request: ExportRequest) -> str | None:
    """Returns the relation to the base model that the hub's model tree shows."""
    if request.source.hub_model is not None:
        return "quantized" if request.quantization not in (None, "f16", "bf16", "f32") else None
    return "adapter" if request.format == "lora-adapter" else "finetune"


def _flat(facts: Mapping[str, Any], prefix: str = "") -> list[tuple[str, Any]]:
    found: list[tuple[str, Any]] = []
    for name, value in facts.items():
        if isinstance(value, dict):
            found += _flat(value, f"{prefix}{name} ")
        elif value is not None:
            found.append((f"{prefix}{name}", value))
    return found


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _line(text: str) -> str:
    """Returns text for use within one line, without markup that would start a new element."""
    return " ".join(text.split())[:_LINE_CHARACTERS_MAX].replace("<", "&lt;").lstrip("#-*> ")


def source_key(endpoint: str, model_id: str, commit: str) -> str:
    """Returns a string that identifies a hub model's content."""
    return canonical_json({"endpoint": endpoint, "id": model_id, "commit": commit}).decode()


def private_words(home: Path) -> list[str]:
    """Returns the paths of this machine that must not be published; short ones would match ordinary words."""
    return [path for path in {str(home), str(home.resolve()), str(Path.home())} if len(path) >= 6]
