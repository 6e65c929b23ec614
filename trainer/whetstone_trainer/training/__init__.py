"""Turns a spec and a manifest into trained, committed checkpoints."""
