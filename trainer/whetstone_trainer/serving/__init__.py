"""Serves one model a process over OpenAI's chat completions, on loopback; service/deployments.py watches the processes."""
