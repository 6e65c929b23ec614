"""Exports of checkpoints that learned a sentence, to a hub on loopback."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from artifact_home import checkpoint_of, learned_home
from fake_hub import TOKEN, FakeHub
from jobs import ENVIRONMENT
from service_fixtures import EveryForm, running, until

SECONDS = 200
REPO = "tester/shop-agent"


@pytest.fixture
def hub() -> Iterator[FakeHub]:
    made = FakeHub()
    made.start()
    yield made
    made.stop()


@pytest.fixture(scope="session")
def home() -> Path:
    """The home shared by the whole run: each test finds what earlier ones built."""
    return learned_home()


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {**ENVIRONMENT, "PYTHONPATH": str(Path(__file__).resolve().parents[2])}.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def client(home: Path) -> Iterator[httpx.Client]:
    with running(home, EveryForm(home)) as made:
        yield made


def body(hub: FakeHub, home: Path, **changes: Any) -> dict[str, Any]:
    """Returns the request of an export; by default of the adapter, whose finished build is found without torch."""
    return {
        "source": {"checkpoint_id": checkpoint_of(home)},
        "format": "lora-adapter",
        "quantization": None,
        "destination": {"endpoint": hub.url, "repo_id": REPO, "private": True, "revision": "main"},
        "card": {"title": "Shop agent", "license": "apache-2.0", "tags": ["support"], "facts": {"examples": 5}},
        "secret": TOKEN,
        **changes,
    }


def read(client: httpx.Client, export_id: str, wait: int = 0) -> dict[str, Any]:
    reply = client.get(f"/exports/{export_id}", headers={"prefer": f"wait={wait}"})
    assert reply.status_code == 200, reply.text
    return dict(reply.json()["export"])


def ended(client: httpx.Client, export_id: str) -> dict[str, Any]:
    """Returns the export once it has ended."""
    return until(
        lambda: (one := read(client, export_id, 50))["status"] in ("succeeded", "failed", "cancelled") and one, SECONDS
    )


def exported(client: httpx.Client, export_id: str, document: dict[str, Any]) -> dict[str, Any]:
    """Requests an export and returns it once it has ended."""
    reply = client.put(f"/exports/{export_id}", json=document)
    assert reply.status_code in (200, 202), reply.text
    return ended(client, export_id)


def downloaded(hub: FakeHub, target: Path, repo_id: str = REPO, token: str | None = TOKEN) -> Path:
    """Downloads the repository as any user would, in a process that may use the network, and returns its folder."""
    script = "import sys; from huggingface_hub import snapshot_download as get; "
    script += "print(get(sys.argv[1], endpoint=sys.argv[2], token=sys.argv[3] or False, local_dir=sys.argv[4]))"
    environment = {**os.environ, "HF_HUB_OFFLINE": "0", "HF_HUB_DISABLE_XET": "1"}
    command = [sys.executable, "-c", script, repo_id, hub.url, token or "", str(target)]
    subprocess.run(command, check=True, env=environment, capture_output=True)
    return target


def process_of(home: Path, export_id: str) -> int:
    """Returns the id of the process that works on an export."""
    from whetstone_trainer.files import read_json

    return int(until(lambda: read_json(home / "exports" / export_id / "process.json"))["pid"])
