from __future__ import annotations

from typing import Any

from ._generated import ApiError


class WhetstoneError(ApiError):
    """A request that the server refused or failed. `code` is the kind of problem, for programs."""

    def __init__(self, url: str, status: int, status_text: str, body: Any) -> None:
        super().__init__(url, status, status_text, body)
        problem: dict[str, Any] = body if isinstance(body, dict) else {}
        self.code: str = problem.get("code", "unknown")
        self.detail: str = problem.get("detail", f"The server returned {status}.")
        self.errors: list[dict[str, str]] = problem.get("errors", [])
        """What is wrong with the input, by JSON pointer."""
        self.request_id: str | None = problem.get("requestId")
        """Identifies the request in the server's log."""
        self.retry_after: float | None = problem.get("retryAfter")
        """Seconds after which a retry makes sense, where the server says so."""

    def __str__(self) -> str:
        return self.detail


class InvalidError(WhetstoneError):
    """400: the input breaks the schema; `errors` says where."""


class UnauthenticatedError(WhetstoneError):
    """401: the API key is missing, wrong or revoked."""


class ForbiddenError(WhetstoneError):
    """403: the API key lacks the capability."""


class NotFoundError(WhetstoneError):
    """404: it does not exist, or belongs to another project."""


class ConflictError(WhetstoneError):
    """409: it conflicts with the current state."""


class UnprocessableError(WhetstoneError):
    """422: understood, but it can't be done."""


class RateLimitedError(WhetstoneError):
    """429: too many requests, even after the retries."""


class UnavailableError(WhetstoneError):
    """503: temporarily unavailable, even after the retries."""


_BY_STATUS: dict[int, type[WhetstoneError]] = {
    400: InvalidError,
    401: UnauthenticatedError,
    403: ForbiddenError,
    404: NotFoundError,
    409: ConflictError,
    422: UnprocessableError,
    429: RateLimitedError,
    503: UnavailableError,
}


def error_of(url: str, status: int, status_text: str, body: Any) -> WhetstoneError:
    """Returns the error for a status and the body that came with it."""
    return _BY_STATUS.get(status, WhetstoneError)(url, status, status_text, body)
