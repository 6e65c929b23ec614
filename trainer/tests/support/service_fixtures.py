"""A running service on loopback, with the real worker or a scripted one."""

from __future__ import annotations

import contextlib
import hashlib
import json
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar, TypeVar, get_args

import httpx
import pytest
import uvicorn

from whetstone_trainer.service.app import create_app
from whetstone_trainer.service.capabilities import Capabilities
from whetstone_trainer.service.settings import Settings
from whetstone_trainer.service.supervisor import Supervisor
from whetstone_trainer.spec import CompressedQuantization, GgufQuantization

T = TypeVar("T")
TOKEN = "a-token-for-the-tests"
FAKE_WORKER = (sys.executable, str(Path(__file__).with_name("fake_worker.py")))


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


class ThisMachine(Capabilities):
    """This machine, inspected for the first service alone: an inspection takes seconds of several processes."""

    inspected: ClassVar[dict[str, Any]] = {}
    _turn: ClassVar[threading.Lock] = threading.Lock()

    def get(self) -> dict[str, Any]:
        with ThisMachine._turn:
            if not ThisMachine.inspected:
                ThisMachine.inspected = super().get()
        return ThisMachine.inspected


class EveryForm(Capabilities):
    """A machine that can build every form, which avoids the seconds of checking whether this one can."""

    def get(self) -> dict[str, Any]:
        return {
            "gguf_quantizations": list(get_args(GgufQuantization)),
            "compressed_quantizations": list(get_args(CompressedQuantization)),
            "export_formats": ["merged-16bit", "lora-adapter", "gguf"],
            "unavailable": [],
        }


@contextlib.contextmanager
def running(home: Path, capabilities: Capabilities | None = None, **settings: Any) -> Iterator[httpx.Client]:
    """Starts the service and yields a client with its token."""
    # Bound here, so that no other process takes the port before the server does.
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    made = Settings(home=home, token=TOKEN, **{"tick_seconds": 0.05, "stall_dump_seconds": 0.1, **settings})
    app = create_app(made, capabilities or ThisMachine(home))
    server = uvicorn.Server(uvicorn.Config(app, log_level="error"))
    thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
    thread.start()
    headers = {"authorization": f"Bearer {TOKEN}"}
    with httpx.Client(base_url=f"http://127.0.0.1:{port}/v1", headers=headers, timeout=120) as client:
        until(lambda: server.started)
        try:
            yield client
        finally:
            server.should_exit = True
            thread.join(timeout=20)


def look_at_jobs(monkeypatch: pytest.MonkeyPatch, times: int = 3) -> Callable[[], None]:
    """Returns a function that waits until a service has checked its jobs a few more times."""
    checked, tick = 0, Supervisor.tick

    def counted(supervisor: Supervisor) -> None:
        nonlocal checked
        tick(supervisor)
        checked += 1

    def wait() -> None:
        enough = checked + times
        until(lambda: checked >= enough)

    monkeypatch.setattr(Supervisor, "tick", counted)
    return wait


def until(condition: Callable[[], T], seconds: float = 30) -> T:
    """Returns what `condition` returns once that is truthy; asks less and less often, because asking costs time too."""
    began = time.monotonic()
    while (waited := time.monotonic() - began) < seconds:
        if found := condition():
            return found
        time.sleep(min(0.1, max(0.02, waited / 20)))
    raise AssertionError("it did not become true in time")


def put_manifest(client: httpx.Client, rows: list[dict[str, Any]]) -> str:
    """Sends rows as a manifest and returns its hash."""
    lines = [{"schema": "chat.v1", "rows": len(rows)}, *rows]
    content = "".join(json.dumps(line, sort_keys=True, separators=(",", ":")) + "\n" for line in lines).encode()
    digest = hashlib.sha256(content).hexdigest()
    assert client.put(f"/manifests/{digest}", content=content).status_code == 201
    return digest


def rows(count: int = 24) -> list[dict[str, Any]]:
    """Returns Examples from which the tiny model learns one sentence."""
    return [
        {
            "example_id": f"ex_{n}",
            "messages": [
                {"role": "user", "content": f"weather {n % 3}"},
                {"role": "assistant", "content": "sunny hello world"},
            ],
        }
        for n in range(count)
    ]


def spec(sha256: str, do: list[str] | None = None, **changes: Any) -> dict[str, Any]:
    """Returns a job spec; `do` scripts the fake worker."""
    return {
        "method": "sft",
        "adapter": "lora",
        "base_model": {"id": "/models/tiny", "source": "local"},
        "manifest": {"sha256": sha256, "rows": 24},
        "metadata": {"do": do or ["finish"]},
        **changes,
    }


def submitted(client: httpx.Client, job_id: str, do: list[str] | None = None, **changes: Any) -> dict[str, Any]:
    """Submits a job for the fake worker and returns it."""
    reply = client.put(f"/jobs/{job_id}", json=spec(put_manifest(client, rows()), do, **changes))
    assert reply.status_code == 202, reply.text
    return dict(reply.json()["job"])


def job(client: httpx.Client, job_id: str) -> dict[str, Any]:
    return dict(client.get(f"/jobs/{job_id}").json()["job"])


def reached(client: httpx.Client, job_id: str, *statuses: str, seconds: float = 30) -> dict[str, Any]:
    """Returns the job once it has one of the statuses."""
    until(lambda: job(client, job_id)["status"] in statuses, seconds)
    return job(client, job_id)


def events(client: httpx.Client, job_id: str) -> list[dict[str, Any]]:
    return list(client.get(f"/jobs/{job_id}/events", params={"limit": 1000}).json()["events"])
