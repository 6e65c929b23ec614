"""Removes secrets from text before it reaches an event, a log or an error."""

from __future__ import annotations

import os
import re
import sys
from typing import TextIO

REDACTED = "[redacted]"
SECRET_NAMES = re.compile(r"(TOKEN|SECRET|PASSWORD|API_KEY|CREDENTIAL)S?$")
# Switches such as TOKENIZERS_PARALLELISM do not match the names above; short values would blank ordinary words.
SHORTEST_SECRET = 8
HUB_TOKEN = re.compile(r"\bhf_[A-Za-z0-9]{16,}\b")
BEARER = re.compile(r"(?i)(bearer\s+)[A-Za-z0-9._~+/-]{8,}=*")
URL_PASSWORD = re.compile(r"(://[^/\s:@]+:)[^/\s@]+(@)")


# Secrets that this process received by other means than its environment.
_HANDED: set[str] = set()


def also_redact(secret: str) -> None:
    """Redacts a secret from now on, whatever it looks like."""
    if len(secret) >= SHORTEST_SECRET:
        _HANDED.add(secret)


def environment_secrets() -> list[str]:
    """Returns the values of secret-looking environment variables, longest first."""
    values = {
        value for name, value in os.environ.items() if SECRET_NAMES.search(name) and len(value) >= SHORTEST_SECRET
    }
    return sorted(values, key=len, reverse=True)


def redact(text: str) -> str:
    """Returns `text` without known secrets and without anything that looks like a hub or bearer token."""
    for secret in (*_HANDED, *environment_secrets()):
        text = text.replace(secret, REDACTED)
    text = HUB_TOKEN.sub(REDACTED, text)
    text = BEARER.sub(rf"\g<1>{REDACTED}", text)
    return URL_PASSWORD.sub(rf"\g<1>{REDACTED}\g<2>", text)


class RedactingStream:
    """Wraps a text stream and redacts whole lines, so a secret split over two writes is still found."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._pending = ""

    def write(self, text: str) -> int:
        self._pending += text
        complete, newline, self._pending = self._pending.rpartition("\n")
        if newline:
            self._stream.write(redact(complete + newline))
        return len(text)

    def flush(self) -> None:
        if self._pending:
            self._stream.write(redact(self._pending))
            self._pending = ""
        self._stream.flush()

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)


def redact_standard_streams() -> None:
    """Redacts everything that Python code in this process prints from now on."""
    sys.stdout = RedactingStream(sys.stdout)
    sys.stderr = RedactingStream(sys.stderr)
