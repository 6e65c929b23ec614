"""Programs that run in their own processes; each is started by its path and imports nothing from this package."""
