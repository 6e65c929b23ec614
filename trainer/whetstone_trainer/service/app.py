"""The service as an application: authentication, limits, life cycle, and its routes."""

from __future__ import annotations

import contextlib
import hmac
import uuid
from collections.abc import AsyncIterator

import httpx
from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..trainer_error import TrainerError
from . import problems
from .builds import Builds
from .capabilities import Capabilities
from .deployments import Deployments
from .disk import DiskUse
from .problems import Problem, error_response
from .removal import empty_trash
from .routes import (
    certificate_routes,
    checkpoint_routes,
    deployment_routes,
    export_routes,
    job_routes,
    other_routes,
)
from .settings import Settings
from .supervisor import Supervisor
from .works import Works

BODY_BYTES_MAX = 4 * 1024**2
# An answer may take any time, but a server that does not even accept a connection is gone.
SERVER_TIMEOUT = httpx.Timeout(None, connect=5.0)
SERVER_LIMITS = httpx.Limits(max_connections=None, max_keepalive_connections=100)
_OPEN = {"/v1/health"}


def create_app(settings: Settings, capabilities: Capabilities | None = None) -> FastAPI:
    """Returns the service. Its supervisor runs while the application does."""
    supervisor = Supervisor(settings)
    builds = Builds(settings.home)
    deployments = Deployments(settings, builds)

    @contextlib.asynccontextmanager
    async def life(_: FastAPI) -> AsyncIterator[None]:
        empty_trash(settings.home)
        builds.forget_old()
        supervisor.start()
        deployments.start()
        try:
            async with httpx.AsyncClient(timeout=SERVER_TIMEOUT, limits=SERVER_LIMITS, trust_env=False) as client:
                app.state.servers = client
                yield
        finally:
            deployments.stop()
            supervisor.stop()

    app = FastAPI(title="Whetstone trainer", lifespan=life, docs_url=None, redoc_url=None, openapi_url=None)
    app.state.settings = settings
    app.state.supervisor = supervisor
    app.state.capabilities = capabilities or Capabilities(settings.home)
    app.state.disk = DiskUse(settings.home)
    app.state.builds = builds
    app.state.deployments = deployments
    app.state.certificates = Works(settings.home, "certificates", "whetstone_trainer.certificates")
    app.state.exports = Works(settings.home, "exports", "whetstone_trainer.exports")
    problems.install(app)
    for routes in (
        job_routes,
        checkpoint_routes,
        certificate_routes,
        deployment_routes,
        export_routes,
        other_routes,
    ):
        app.include_router(routes.router, prefix="/v1")

    app.add_middleware(Guard, token=settings.token)
    return app


class Guard:
    """Admits callers with the token, and no body larger than a request of the contract may be.

    Plain ASGI, because Starlette's function middlewares hide a client's disconnect from routes.
    """

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        identity = (request.headers.get("x-request-id") or uuid.uuid4().hex)[:100]

        async def send_identified(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message)["x-request-id"] = identity
            await send(message)

        await (refused(request, self._token) or self._app)(scope, receive, send_identified)


def refused(request: Request, token: str) -> Response | None:
    """Returns the response that rejects a request; None if it is admitted."""
    if request.url.path in _OPEN:
        return None
    scheme, _, given = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not hmac.compare_digest(given.strip().encode(), token.encode()):
        return error_response(TrainerError.of("unauthorized", "send the trainer's token as a bearer token"))
    if request.method == "PUT" and request.url.path.startswith("/v1/manifests/"):
        return None
    length = request.headers.get("content-length")
    if "transfer-encoding" in request.headers or (length is not None and not length.isdigit()):
        return _problem(Problem(411, "send the body with a content-length header", code="length_required"))
    if length is not None and int(length) > BODY_BYTES_MAX:
        return _problem(Problem(413, f"a request may have at most {BODY_BYTES_MAX} bytes"))
    return None


def _problem(problem: Problem) -> JSONResponse:
    return JSONResponse({"error": problem.document}, problem.status)
