"""Translates exceptions of the hub client into failures of an export."""

from __future__ import annotations

import errno

from ..redaction import redact
from ..trainer_error import TrainerError, TrainerFailure

TOKEN_HINT = "Connect the hub again with a token that may write to this repository, then retry the export."


def status_of(error: BaseException) -> int | None:
    """Returns the HTTP status behind an exception; the client wraps upload failures."""
    seen: BaseException | None = error
    while seen is not None:
        status = getattr(getattr(seen, "response", None), "status_code", None)
        if isinstance(status, int):
            return status
        seen = seen.__cause__
    return None


def export_failure(error: BaseException, repo_id: str) -> TrainerFailure:
    """Returns the failure of an export; retryable if its cause may be temporary."""
    if isinstance(error, TrainerFailure):
        return error
    status = status_of(error)
    if status == 401:
        return _auth("the hub does not accept the token: it has expired, was revoked, or belongs to another hub")
    if status == 403:
        return _auth(f"the token may not write to {repo_id}")
    if status == 404:
        return _final(f"the hub cannot find {repo_id}", "Check the name of the repository and the token's access.")
    if status == 413:
        return _final(
            "the hub does not accept files of this size", "Choose a smaller quantization, or ask for more storage."
        )
    if status == 429:
        return TrainerFailure.of("hub_rate_limited", "the hub is limiting requests", hint="Retry in a few minutes.")
    if status in (409, 412):
        return TrainerFailure.of(
            "export_failed", f"someone else is changing {repo_id} at the same time", hint="Retry the export."
        )
    if status is not None and status < 500:
        return _final(f"the hub refused the export: {_first_line(error)}", "See the hub's message for what to change.")
    if status is not None:
        return TrainerFailure.of("export_failed", f"the hub failed with status {status}", hint="Retry the export.")
    if _errno_of(error) == errno.ENOSPC:
        return TrainerFailure.of("disk_full", "the disk filled up during the export")
    if isinstance(error, ValueError) and not isinstance(error, UnicodeError):
        return _final(f"the hub refused the export: {_first_line(error)}", "See the hub's message for what to change.")
    return TrainerFailure.of("network_unavailable", f"the connection to the hub failed: {_first_line(error)}")


def _auth(message: str) -> TrainerFailure:
    return TrainerFailure.of("hub_auth_failed", message, param="secret", hint=TOKEN_HINT)


def _final(message: str, hint: str) -> TrainerFailure:
    error = TrainerError.of("export_failed", message, hint=hint)
    return TrainerFailure(error.model_copy(update={"retryable": False, "blame": "user"}))


def refused(message: str, param: str, hint: str) -> TrainerFailure:
    """Returns the failure of an export that repeating the same request cannot fix."""
    failure = _final(message, hint)
    failure.error.param = param
    return failure


def _first_line(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return redact(lines[0] if lines else type(error).__name__)[:300]


def _errno_of(error: BaseException) -> int | None:
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, OSError) and seen.errno == errno.ENOSPC:
            return seen.errno
        seen = seen.__cause__
    return None
