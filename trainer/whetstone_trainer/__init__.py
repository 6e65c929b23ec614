"""Whetstone's trainer: fine-tunes open models on the user's own machine."""

__version__ = "0.1.0"
