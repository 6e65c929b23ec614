"""Serves one model per process over OpenAI's chat completions, on loopback; service/deployments.py watches it."""
