"""Programs that run in processes of their own; each is started by its path and imports nothing of this package."""
