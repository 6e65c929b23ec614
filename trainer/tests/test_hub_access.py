"""A project's token for gated base models reaches the process that downloads them, and nothing else."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from fake_hub import TOKEN as HUB_TOKEN
from fake_hub import FakeHub
from jobs import ENVIRONMENT
from service_fixtures import FAKE_WORKER, put_manifest, reached, rows, running, spec
from test_removal import NoMachine
from training_fixtures import tiny_model  # noqa: F401

from whetstone_trainer.files import read_json


@pytest.fixture(autouse=True)
def _online(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {**ENVIRONMENT, "HF_HUB_OFFLINE": "0", "HF_HUB_DISABLE_XET": "1"}.items():
        monkeypatch.setenv(name, value)
    for name in ("HF_TOKEN", "HF_HOME", "HF_ENDPOINT"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def hub() -> Iterator[FakeHub]:
    hub = FakeHub()
    hub.start()
    yield hub
    hub.stop()


@pytest.fixture
def client(tmp_path: Path) -> Iterator[httpx.Client]:
    with running(tmp_path, NoMachine(tmp_path), worker=FAKE_WORKER) as found:
        yield found


def access(hub: FakeHub) -> dict[str, str]:
    return {"secret": HUB_TOKEN, "hub_endpoint": hub.url}


def files_with(home: Path, text: str) -> list[str]:
    found = [path for path in home.rglob("*") if path.is_file() and text.encode() in path.read_bytes()]
    return [path.relative_to(home).as_posix() for path in found if path.name != "hub-seen.json"]


def test_a_job_gets_the_token_and_its_hub_which_are_gone_when_it_ends(
    client: httpx.Client, hub: FakeHub, tmp_path: Path
) -> None:
    document = spec(put_manifest(client, rows()), ["crash", "tell-hub"])
    first = client.put("/jobs/job_a", json={**document, **access(hub)})
    assert first.status_code == 202
    reached(client, "job_a", "succeeded")
    # Also after a restart of its process, for which nobody sends the token again.
    assert read_json(tmp_path / "hub-seen.json") == {"HF_TOKEN": HUB_TOKEN, "HF_ENDPOINT": hub.url}
    assert files_with(tmp_path, HUB_TOKEN) == []
    assert HUB_TOKEN not in first.text
    # The token is no part of what identifies the job.
    assert client.put("/jobs/job_a", json=document).status_code == 200


def test_the_token_of_a_running_job_is_replaced_by_a_newer_one_and_readable_by_its_owner_alone(
    client: httpx.Client, hub: FakeHub, tmp_path: Path
) -> None:
    document = spec(put_manifest(client, rows()), ["hang"])
    client.put("/jobs/job_a", json={**document, "secret": "hf_" + "old" * 10, "hub_endpoint": hub.url})
    client.put("/jobs/job_a", json={**document, **access(hub)})
    stored = tmp_path / "jobs" / "job_a" / "hub.json"
    assert read_json(stored)["token"] == HUB_TOKEN
    assert stat.S_IMODE(stored.stat().st_mode) == 0o600
    client.post("/jobs/job_a/cancel", json={"request_id": "r1"})
    reached(client, "job_a", "cancelled")
    assert not stored.exists()


@pytest.mark.parametrize(
    ("given", "param"),
    [
        ({"secret": "short"}, "secret"),
        ({"secret": HUB_TOKEN}, "hub_endpoint"),
        ({"secret": HUB_TOKEN, "hub_endpoint": "http://hub.example.com"}, "hub_endpoint"),
    ],
)
def test_a_token_without_a_safe_hub_is_refused(client: httpx.Client, given: dict[str, str], param: str) -> None:
    refused = client.put("/jobs/job_a", json={**spec(put_manifest(client, rows())), **given})
    assert (refused.status_code, refused.json()["error"]["param"]) == (422, param)
    assert HUB_TOKEN not in refused.text


def test_the_dry_run_downloads_a_gated_model_with_the_token_and_names_the_gate_without(
    client: httpx.Client,
    hub: FakeHub,
    tmp_path: Path,
    tiny_model: Path,  # noqa: F811
) -> None:
    hub.add_repo("acme/gated", {path.name: path.read_bytes() for path in tiny_model.iterdir()}, gated=True)
    document = spec(
        put_manifest(client, rows()), base_model={"id": "acme/gated", "source": "hub", "revision": "main"}, metadata={}
    )

    def report(**given: Any) -> dict[str, Any]:
        reply = client.post("/validate", json={**document, **given}, headers={"prefer": "wait=50"})
        assert reply.status_code == 200, reply.text
        return dict(reply.json()["report"])

    token_less = FakeHub(token="hf_" + "another" * 5)
    token_less.start()
    token_less.add_repo("acme/gated", {"config.json": b"{}"}, gated=True)
    refused = report(secret=HUB_TOKEN, hub_endpoint=token_less.url)
    token_less.stop()
    assert [error["code"] for error in refused["errors"]] == ["base_model_gated"]
    assert report(**access(hub))["ok"] is True
    assert files_with(tmp_path, HUB_TOKEN) == []
