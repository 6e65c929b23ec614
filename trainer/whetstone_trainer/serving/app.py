"""Serves one model over HTTP: health, its name, and chat completions, streamed or whole."""

from __future__ import annotations

import asyncio
import hmac
import json
import threading
import time
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Annotated, Any, Protocol

from fastapi import Body, Depends, FastAPI, Request, Response
from fastapi.responses import JSONResponse, StreamingResponse
from pydantic import ValidationError

from .chat import ChatRequest, InvalidMessage, Reply, Token, error_document
from .engine import Finished, OnText, TemplateRefuses, TooLong

# Calls queued behind the one in progress; more would wait for minutes.
WAITING_MAX = 64
_LISTEN_SECONDS = 0.25


class Answers(Protocol):
    """The part of an Engine that generates answers."""

    def encode(self, request: ChatRequest) -> list[int]: ...

    def generate(
        self, request: ChatRequest, ids: list[int], on_text: OnText, cancelled: threading.Event
    ) -> Finished: ...


@dataclass(frozen=True)
class Served:
    """What the server reports about its model. `identity` distinguishes its weights from all others."""

    name: str
    identity: str
    max_context: int


class _Refusal(Exception):
    def __init__(self, status: int, message: str, *, code: str, param: str | None = None) -> None:
        super().__init__(message)
        kind = "invalid_request_error" if status < 500 else "server_error"
        headers = {"retry-after": "1"} if status == 503 else None
        document = error_document(message, code=code, param=param, kind=kind)
        self.response = JSONResponse(document, status, headers=headers)


def create_serving_app(engine: Answers, served: Served, token: str) -> FastAPI:
    """Returns the application; every call requires the token."""
    expected = f"Bearer {token}".encode()

    # Not a middleware, because Starlette's hide a client's disconnect from routes.
    async def guard(request: Request) -> None:
        if not hmac.compare_digest(request.headers.get("authorization", "").encode(), expected):
            raise _Refusal(401, "the token is wrong", code="unauthorized")

    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None, dependencies=[Depends(guard)])
    queue = _Queue(engine)
    created = int(time.time())

    @app.exception_handler(_Refusal)
    async def _refused(_: Request, refusal: _Refusal) -> JSONResponse:
        return refusal.response

    @app.exception_handler(Exception)
    async def _failed(_: Request, error: Exception) -> JSONResponse:
        document = error_document(f"the model failed: {error}", code="model_failed", kind="server_error")
        return JSONResponse(document, 500)

    @app.get("/health")
    async def health() -> dict[str, str]:
        return {"status": "ok"}

    @app.get("/v1/models")
    async def models() -> dict[str, Any]:
        model = {
            "id": served.name,
            "object": "model",
            "created": created,
            "owned_by": "whetstone",
            "root": served.identity,
            "max_model_len": served.max_context,
        }
        return {"object": "list", "data": [model]}

    @app.post("/v1/chat/completions", response_model=None)
    async def complete(request: Request, body: Annotated[dict[str, Any], Body()]) -> Response:
        asked = _checked(body, served)
        try:
            ids = engine.encode(asked)
        except TooLong as error:
            raise _Refusal(400, str(error), code="context_length_exceeded", param="messages") from None
        except (InvalidMessage, TemplateRefuses) as error:
            raise _Refusal(400, str(error), code="invalid_messages", param="messages") from None
        run = queue.enter(asked, ids)
        if asked.stream:
            return StreamingResponse(_stream(run, asked), media_type="text/event-stream")
        return await _whole(request, run, asked)

    return app


def _checked(body: dict[str, Any], served: Served) -> ChatRequest:
    try:
        asked = ChatRequest.model_validate(body)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or None
        message = first["msg"].removeprefix("Value error, ")
        raise _Refusal(400, f"{where}: {message}" if where else message, code="invalid_request", param=where) from None
    if asked.model != served.name:
        raise _Refusal(404, f"this server's model is {served.name}", code="model_not_found", param="model")
    return asked


Part = tuple[str, list[Token]]


class _Run:
    """One answer: its parts as they are generated, then how it ended or what went wrong."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._queue: asyncio.Queue[Part | Finished | Exception] = asyncio.Queue()
        self.cancelled = threading.Event()

    def send(self, item: Part | Finished | Exception) -> None:
        """Called by the thread that generates."""
        self._loop.call_soon_threadsafe(self._queue.put_nowait, item)

    async def next(self) -> Part | Finished:
        item = await self._queue.get()
        if isinstance(item, Exception):
            raise item
        return item


class _Queue:
    """Answers one call at a time, in order, because a model that answers two at the same time is slower at both."""

    def __init__(self, engine: Answers) -> None:
        self._engine = engine
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="generate")
        self._waiting = 0

    def enter(self, asked: ChatRequest, ids: list[int]) -> _Run:
        if self._waiting > WAITING_MAX:
            raise _Refusal(503, "too many calls are waiting for this model", code="queue_full")
        self._waiting += 1
        run = _Run()
        loop = asyncio.get_running_loop()
        loop.run_in_executor(self._thread, self._generate, run, asked, ids).add_done_callback(self._leave)
        return run

    def _leave(self, _: Any) -> None:
        self._waiting -= 1

    def _generate(self, run: _Run, asked: ChatRequest, ids: list[int]) -> None:
        if run.cancelled.is_set():
            return
        try:
            run.send(self._engine.generate(asked, ids, lambda text, tokens: run.send((text, tokens)), run.cancelled))
        except Exception as error:
            # Includes errors of native code; reported to this call, because the next one may succeed.
            print(f"a call failed: {type(error).__name__}: {error}", flush=True)
            run.send(error)


async def _whole(request: Request, run: _Run, asked: ChatRequest) -> Response:
    answer = asyncio.create_task(_collect(run, asked))
    try:
        while not answer.done():
            await asyncio.wait({answer}, timeout=_LISTEN_SECONDS)
            if not answer.done() and await request.is_disconnected():
                return Response(status_code=499)
        return JSONResponse(answer.result())
    finally:
        run.cancelled.set()
        answer.cancel()


async def _collect(run: _Run, asked: ChatRequest) -> dict[str, Any]:
    content: list[str] = []
    tokens: list[Token] = []
    while not isinstance(item := await run.next(), Finished):
        content.append(item[0])
        tokens += item[1]
    return Reply(asked).whole("".join(content), item.reason, item.usage, tokens)


async def _stream(run: _Run, asked: ChatRequest) -> AsyncIterator[str]:
    reply = Reply(asked)
    try:
        yield _event(reply.begin())
        while not isinstance(item := await run.next(), Finished):
            yield _event(reply.part(*item))
        yield _event(reply.end(item.reason))
        if asked.stream_options is not None and asked.stream_options.include_usage:
            yield _event(reply.usage(item.usage))
        yield "data: [DONE]\n\n"
    except Exception as error:
        yield _event(error_document(f"the model failed: {error}", code="model_failed", kind="server_error"))
    finally:
        # Also reached when the client disconnects, which ends this generator.
        run.cancelled.set()


def _event(document: dict[str, Any]) -> str:
    return f"data: {json.dumps(document, ensure_ascii=False)}\n\n"
