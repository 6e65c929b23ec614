"""The web app's side of the channel for events and commands, on a real port of this machine."""

from __future__ import annotations

import gzip
import json
import queue
import threading
import time
from collections.abc import Callable
from typing import Any

import uvicorn
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, Response

KEY = "agent-key-0123456789"


def until(holds: Callable[[], Any], seconds: float = 15.0) -> Any:
    """Returns what `holds` returns once it is true; fails after `seconds`."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := holds():
            return found
        time.sleep(0.02)
    raise AssertionError("it did not come true in time")


class FakeWeb:
    """Stores what it is sent. `failing`: how many next requests fail with 503; `refusing_results`: how many results.

    `refused`: how many requests had no key.
    """

    def __init__(self) -> None:
        self.waiting: queue.Queue[dict[str, Any]] = queue.Queue()
        self.handed: dict[str, tuple[dict[str, Any], float]] = {}
        self.hand_outs: dict[str, int] = {}
        self.leases: list[dict[str, Any]] = []
        self.results: dict[str, list[dict[str, Any]]] = {}
        self.parts: dict[str, list[str]] = {}
        # Commands whose answer nobody waits for any more.
        self.abandoned: set[str] = set()
        self.events: dict[str, dict[int, dict[str, Any]]] = {}
        self.batches: list[dict[str, Any]] = []
        self.manifests: dict[str, bytes] = {}
        self.manifest_reads = 0
        self.failing = 0
        self.refusing_results = 0
        self.refused = 0
        self.lease_seconds = 0.2
        self.hand_out_again_seconds = 1.0
        self.forgets_jobs = False
        self.app = FastAPI()
        self._routes()
        self._server: uvicorn.Server | None = None
        self._thread: threading.Thread | None = None
        self.port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        config = uvicorn.Config(self.app, host="127.0.0.1", port=self.port, log_level="error", lifespan="off")
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, daemon=True)
        self._thread.start()
        until(lambda: self._server is not None and self._server.started)
        self.port = self._server.servers[0].sockets[0].getsockname()[1]

    def stop(self) -> None:
        assert self._server is not None and self._thread is not None
        self._server.should_exit = self._server.force_exit = True
        self._thread.join(10)

    def send(self, command_id: str, method: str, path: str, **more: Any) -> None:
        payload = {"method": method, "path": path, "query": {}, "headers": {}, "body": None, **more}
        self.waiting.put({"command_id": command_id, "kind": "request", "payload": payload})

    def result(self, command_id: str, seconds: float = 60.0) -> dict[str, Any]:
        return until(lambda: self.results.get(command_id), seconds)[-1]

    def ask(self, command_id: str, method: str, path: str, **more: Any) -> dict[str, Any]:
        self.send(command_id, method, path, **more)
        return self.result(command_id)

    def _fails(self) -> bool:
        self.failing -= 1
        return self.failing >= 0

    def _routes(self) -> None:
        @self.app.middleware("http")
        async def guard(request: Request, call: Any) -> Response:
            if self._fails():
                return JSONResponse({}, 503)
            needs_key = request.url.path.startswith("/api/trainer/")
            if needs_key and request.headers.get("authorization") != f"Bearer {KEY}":
                self.refused += 1
                return JSONResponse({}, 401)
            return await call(request)

        @self.app.post("/api/trainer/v1/lease")
        def lease(body: dict[str, Any]) -> dict[str, Any]:
            self.leases.append(body)
            try:
                found = [self.waiting.get(timeout=self.lease_seconds)]
            except queue.Empty:
                found = []
            while not self.waiting.empty():
                found.append(self.waiting.get())
            # A command that was handed out and has no result yet may have been sent to a connection that was cut.
            late = [one for one, at in self.handed.values() if time.monotonic() - at > self.hand_out_again_seconds]
            for one in [*found, *late]:
                self.handed[one["command_id"]] = (one, time.monotonic())
                self.hand_outs[one["command_id"]] = self.hand_outs.get(one["command_id"], 0) + 1
            return {"commands": [*found, *late]}

        @self.app.post("/api/trainer/v1/commands/{command_id}", response_model=None)
        def command(command_id: str, body: dict[str, Any]) -> dict[str, Any] | Response:
            self.refusing_results -= 1
            if self.refusing_results >= 0:
                return JSONResponse({}, 503)
            self.handed.pop(command_id, None)
            self.results.setdefault(command_id, []).append(body)
            return {"ok": True}

        @self.app.post("/api/trainer/v1/commands/{command_id}/parts", response_model=None)
        def part(command_id: str, body: dict[str, Any]) -> dict[str, Any] | Response:
            if command_id in self.abandoned:
                return JSONResponse({}, 404)
            if body["text"]:
                known = self.parts.setdefault(command_id, [])
                assert body["seq"] == len(known) + 1
                known.append(body["text"])
            return {"accepted": True}

        @self.app.post("/api/trainer/v1/jobs/{job_id}/events", response_model=None)
        async def events(job_id: str, request: Request) -> Response:
            assert request.headers["content-encoding"] == "gzip"
            batch = json.loads(gzip.decompress(await request.body()))
            self.batches.append(batch)
            if self.forgets_jobs:
                return JSONResponse({}, 404)
            known = self.events.setdefault(job_id, {})
            for event in batch["events"]:
                # An event after a gap is not accepted: the sender is told where to continue.
                if event["seq"] == len(known) + 1 or event["seq"] in known:
                    known[event["seq"]] = event
            return JSONResponse({"acknowledged_seq": len(known)})

        @self.app.get("/api/trainer/v1/manifests/{sha256}", response_model=None)
        def manifest(sha256: str) -> Response:
            self.manifest_reads += 1
            content = self.manifests.get(sha256)
            return Response(status_code=404) if content is None else Response(content)
