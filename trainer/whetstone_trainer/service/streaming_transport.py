"""Calls an application in this process and passes its response on as it arrives, which httpx's own transport does not."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Any

import httpx
from starlette.types import ASGIApp, Message


class StreamingTransport(httpx.AsyncBaseTransport):
    """Closing a response tells the application that its client disconnected."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        call = _Call(await request.aread())
        scope: dict[str, Any] = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": request.method,
            "scheme": request.url.scheme,
            "path": request.url.path,
            "raw_path": request.url.raw_path.split(b"?")[0],
            "query_string": request.url.query,
            "root_path": "",
            "headers": [(name.lower(), value) for name, value in request.headers.raw],
            "server": (request.url.host, request.url.port),
            "client": ("127.0.0.1", 0),
        }
        call.begin(self._app, scope)
        try:
            start = await call.next()
        except BaseException:
            await call.aclose()
            raise
        if start is None:
            await call.aclose()
            raise httpx.RemoteProtocolError("The application ended without a response.")
        return httpx.Response(start["status"], headers=start["headers"], stream=_Body(call))


class _Call:
    def __init__(self, body: bytes) -> None:
        self._body: bytes | None = body
        self._gone = asyncio.Event()
        # One message: the application waits until it has been read, like at a socket.
        self._messages: asyncio.Queue[Message | None] = asyncio.Queue(1)
        self._task: asyncio.Task[None] | None = None

    def begin(self, app: ASGIApp, scope: dict[str, Any]) -> None:
        self._task = asyncio.create_task(self._run(app, scope))

    async def _run(self, app: ASGIApp, scope: dict[str, Any]) -> None:
        try:
            await app(scope, self._receive, self._messages.put)
        finally:
            if not self._gone.is_set():
                await self._messages.put(None)

    async def _receive(self) -> Message:
        if self._body is not None:
            body, self._body = self._body, None
            return {"type": "http.request", "body": body, "more_body": False}
        await self._gone.wait()
        return {"type": "http.disconnect"}

    async def next(self) -> Message | None:
        """Returns the next message; None after the last, or the application's error."""
        message = await self._messages.get()
        if message is None and self._task is not None:
            await self._task
        return message

    async def aclose(self) -> None:
        """Waits until the application has ended, which it is asked to do."""
        self._gone.set()
        if self._task is None:
            return
        while not self._task.done():
            with contextlib.suppress(asyncio.QueueEmpty):
                while True:
                    self._messages.get_nowait()
            await asyncio.wait({self._task}, timeout=0.05)
        with contextlib.suppress(Exception, asyncio.CancelledError):
            self._task.result()


class _Body(httpx.AsyncByteStream):
    def __init__(self, call: _Call) -> None:
        self._call = call

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while message := await self._call.next():
            if body := message.get("body", b""):
                yield body
            if not message.get("more_body", False):
                return

    async def aclose(self) -> None:
        await self._call.aclose()
