"""Exports: publishes a checkpoint, or a hub model in another format, as one commit in a hub repository."""
