"""Parity certificates: evidence that what is built from a checkpoint answers as the checkpoint does."""
