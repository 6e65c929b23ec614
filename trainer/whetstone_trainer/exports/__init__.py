"""Exports: publishes a checkpoint, or a hub model in another format, as one commit in a repository of a hub."""
