from __future__ import annotations

from typing import Any

import httpx

from . import _generated
from ._errors import error_of
from ._keyed import KEYED

MAX_WAIT_SECONDS = 60
"""A longer wait is the caller's to decide: the error says how long it is."""

_REPEATABLE = {"GET", "PUT", "DELETE"}
_TRANSIENT = {408, 429, 500, 502, 503, 504}


def _may_retry(method: str, headers: dict[str, str], response: httpx.Response | None) -> bool:
    """Whether a request is repeated: only if repeating has no second effect, after a failure that may pass."""
    is_safe = method in _REPEATABLE or "Idempotency-Key" in headers
    # A 429 had no effect, whatever it was for.
    if not is_safe and (response is None or response.status_code != 429):
        return False
    if response is None:
        return True
    wait = response.headers.get("retry-after")
    # The first try of this key is still running, which only its own caller can get.
    is_running = response.status_code == 409 and wait is not None and method == "POST"
    return (is_running or response.status_code in _TRANSIENT) and float(wait or 0) <= MAX_WAIT_SECONDS


# The generated client has no setting for these: its policy does not see the method, and its error is one class.
vars(_generated).update(_default_retry_on=_may_retry, ApiError=error_of)


class _Middleware:
    def on_request(self, context: dict[str, Any]) -> None:
        """Takes the key from requests that the server does not remember, so that they are not repeated."""
        if context["operation"]["id"] not in KEYED:
            context["headers"].pop("Idempotency-Key", None)

    def on_response(self, response: httpx.Response, _: dict[str, Any]) -> httpx.Response | None:
        """Puts `Retry-After` into the problem, which is all that the error keeps of a response."""
        wait = response.headers.get("retry-after")
        if response.is_success or wait is None:
            return None
        try:
            problem = response.json()
        except ValueError:
            problem = {}
        replaced = httpx.Response(
            response.status_code, json={**problem, "retryAfter": float(wait)}, request=response.request
        )
        replaced.headers["retry-after"] = wait
        return replaced


def _options(url: str, api_key: str, retries: int, timeout: float) -> dict[str, Any]:
    return {
        "server_url": f"{url.rstrip('/')}/v1",
        "auth": {"bearer": api_key},
        "retry": {"retries": retries, "retry_delay": 0.5},
        "timeout": timeout,
        "middleware": [_Middleware()],
        "idempotency_key": True,
    }


class Whetstone(_generated.Client):
    """A client of one installation. As a context manager it closes its connections.

    `url`: such as `https://whetstone.example.com`. `api_key`: `whet_…`. `retries`: how often a request is repeated.
    `timeout`: seconds for each try.
    """

    def __init__(
        self,
        url: str,
        api_key: str,
        *,
        retries: int = 3,
        timeout: float = 60,
        http_client: httpx.Client | None = None,
    ) -> None:
        super().__init__(**_options(url, api_key, retries, timeout), http_client=http_client)

    def close(self) -> None:
        self._http.close()

    def __enter__(self) -> Whetstone:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class AsyncWhetstone(_generated.AsyncClient):
    """The same for `async` code."""

    def __init__(
        self,
        url: str,
        api_key: str,
        *,
        retries: int = 3,
        timeout: float = 60,
        http_client: httpx.AsyncClient | None = None,
    ) -> None:
        super().__init__(**_options(url, api_key, retries, timeout), http_client=http_client)

    async def close(self) -> None:
        await self._http.aclose()

    async def __aenter__(self) -> AsyncWhetstone:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()
