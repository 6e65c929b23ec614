"""A dry run with tokenizer and configuration alone: what would be trained, and what speaks against it."""

from .build_report import validate

__all__ = ["validate"]
