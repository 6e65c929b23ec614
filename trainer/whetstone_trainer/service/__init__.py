"""The trainer's HTTP service. It starts workers and never imports torch itself."""
