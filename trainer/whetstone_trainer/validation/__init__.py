"""A dry run with only tokenizer and configuration: what would be trained, and any reasons not to."""

from .build_report import validate

__all__ = ["validate"]
