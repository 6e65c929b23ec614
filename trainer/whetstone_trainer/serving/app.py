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

from .answer import Finished, OnText
from .calls.read_calls import CallStart, Piece
from .chat import ChatRequest, FinishReason, InvalidMessage, Reply, Token, error_document, message_of
from .constraint import BrokenConstraint, Unconstrainable
from .limits import InvalidSchema
from .prompt import Prompt, TemplateRefuses, TooLong, UnsupportedRequest

# Calls queued behind the one in progress; more would wait for minutes.
WAITING_MAX = 64
_LISTEN_SECONDS = 0.25


class Answers(Protocol):
    """The part of an Engine that generates answers."""

    def prepare(self, request: ChatRequest) -> Prompt: ...

    def generate(self, prompt: Prompt, on_text: OnText, cancelled: threading.Event) -> Finished: ...


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

    @app.exception_handler(BrokenConstraint)
    async def _too_complex(_: Request, error: BrokenConstraint) -> JSONResponse:
        return JSONResponse(_failure(error), 400)

    @app.exception_handler(Exception)
    async def _failed(_: Request, error: Exception) -> JSONResponse:
        return JSONResponse(_failure(error), 500)

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
        # In a thread of its own, because a large schema takes up to a second to read.
        prompt = await asyncio.to_thread(_prepared, engine, asked)
        run = queue.enter(prompt)
        if asked.stream:
            return StreamingResponse(_stream(run, prompt), media_type="text/event-stream")
        return await _whole(request, run, prompt)

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


def _prepared(engine: Answers, asked: ChatRequest) -> Prompt:
    try:
        return engine.prepare(asked)
    except TooLong as error:
        raise _Refusal(400, str(error), code="context_length_exceeded", param="messages") from None
    except (InvalidMessage, TemplateRefuses) as error:
        raise _Refusal(400, str(error), code="invalid_messages", param="messages") from None
    except UnsupportedRequest as error:
        raise _Refusal(400, f"{error.param}: {error}", code="unsupported", param=error.param) from None
    except InvalidSchema as error:
        raise _Refusal(400, f"{error.param}: {error}", code="invalid_schema", param=error.param) from None
    except Unconstrainable as error:
        param = "tool_choice" if asked.forced_tools is not None else "response_format"
        raise _Refusal(400, str(error), code="unsupported", param=param) from None


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

    def enter(self, prompt: Prompt) -> _Run:
        if self._waiting > WAITING_MAX:
            raise _Refusal(503, "too many calls are waiting for this model", code="queue_full")
        self._waiting += 1
        run = _Run()
        loop = asyncio.get_running_loop()
        loop.run_in_executor(self._thread, self._generate, run, prompt).add_done_callback(self._leave)
        return run

    def _leave(self, _: Any) -> None:
        self._waiting -= 1

    def _generate(self, run: _Run, prompt: Prompt) -> None:
        if run.cancelled.is_set():
            return
        try:
            run.send(self._engine.generate(prompt, lambda text, tokens: run.send((text, tokens)), run.cancelled))
        except Exception as error:
            # Includes errors of native code; reported to this call, because the next one may succeed.
            print(f"a call failed: {type(error).__name__}: {error}", flush=True)
            run.send(error)


async def _whole(request: Request, run: _Run, prompt: Prompt) -> Response:
    answer = asyncio.create_task(_collect(run, prompt))
    try:
        while not answer.done():
            await asyncio.wait({answer}, timeout=_LISTEN_SECONDS)
            if not answer.done() and await request.is_disconnected():
                return Response(status_code=499)
        return JSONResponse(answer.result())
    finally:
        run.cancelled.set()
        answer.cancel()


async def _collect(run: _Run, prompt: Prompt) -> dict[str, Any]:
    parts: list[str] = []
    tokens: list[Token] = []
    while not isinstance(item := await run.next(), Finished):
        parts.append(item[0])
        tokens += item[1]
    content, calls = message_of(prompt.reader(), parts, cut=item.reason == "length")
    return Reply(prompt.request).whole(content, calls, _finish(prompt, item, has_calls=bool(calls)), item.usage, tokens)


def _finish(prompt: Prompt, finished: Finished, *, has_calls: bool) -> FinishReason:
    """Returns how an answer ended; with a call, unless the client named it, as OpenAI does."""
    if finished.reason == "length" or isinstance(prompt.request.tool_choice, dict):
        return finished.reason
    return "tool_calls" if has_calls else "stop"


async def _stream(run: _Run, prompt: Prompt) -> AsyncIterator[str]:
    reply, reader = Reply(prompt.request), prompt.reader()
    has_calls = False

    def events(pieces: list[Piece], tokens: list[Token]) -> list[str]:
        nonlocal has_calls
        has_calls = has_calls or any(isinstance(piece, CallStart) for piece in pieces)
        return [_event(chunk) for chunk in reply.parts(pieces, tokens)]

    try:
        yield _event(reply.begin())
        while not isinstance(item := await run.next(), Finished):
            for event in events(reader.push(item[0]), item[1]):
                yield event
        for event in events(reader.end(), []):
            yield event
        yield _event(reply.end(_finish(prompt, item, has_calls=has_calls)))
        options = prompt.request.stream_options
        if options is not None and options.include_usage:
            yield _event(reply.usage(item.usage))
        yield "data: [DONE]\n\n"
    except Exception as error:
        yield _event(_failure(error))
    finally:
        # Also reached when the client disconnects, which ends this generator.
        run.cancelled.set()


def _failure(error: Exception) -> dict[str, Any]:
    """Returns the document of an error that ended an answer: the schema's fault, or the model's."""
    if isinstance(error, BrokenConstraint):
        return dict(error_document(str(error), code="schema_too_complex"))
    return dict(error_document(f"the model failed: {error}", code="model_failed", kind="server_error"))


def _event(document: dict[str, Any]) -> str:
    return f"data: {json.dumps(document, ensure_ascii=False)}\n\n"
