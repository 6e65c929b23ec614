"""Parity certificates: proves that what is built from a checkpoint answers as the checkpoint does."""
