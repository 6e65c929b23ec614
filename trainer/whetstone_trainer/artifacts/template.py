"""Prepares the chat template that is served with a model."""

from __future__ import annotations

import re
from typing import Any

# `{% generation %}` marks trained tokens. Only transformers knows the tag; other engines refuse the template.
_TAG = re.compile(r"\{%(-?)\s*(end)?generation\s*(-?)%\}")


def without_training_tags(template: str) -> str:
    """Returns the template for inference, which renders the same text and which every Jinja engine can read.

    Replaces the tag with an `if true`, because the tag's dashes trim the text around it.
    """
    return _TAG.sub(lambda tag: f"{{%{tag[1]} {'endif' if tag[2] else 'if true'} {tag[3]}%}}", template)


def inference_template(profile: dict[str, Any], trained: str | None) -> str | None:
    """Returns the profile's template, or else the one used in training; never the base repository's."""
    template = profile.get("chat_template") or trained
    return without_training_tags(template) if template else None
