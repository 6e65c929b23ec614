"""A project's token for gated base models reaches the process that downloads them, and nothing else."""

from __future__ import annotations

import json
import os
import signal
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from artifact_home import checkpoint_of, fresh_home
from deployment_fixtures import AMachine, ask, end_all, is_gone, serving, settled, use_this_trainer
from fake_hub import TOKEN as HUB_TOKEN
from fake_hub import FakeHub, account
from jobs import ENVIRONMENT
from service_fixtures import FAKE_WORKER, EveryForm, put_manifest, reached, rows, running, spec, until
from test_deployments import killed_service
from test_removal import NoMachine
from training_fixtures import tiny_model  # noqa: F401

from whetstone_trainer.exports.hub_model import token_for
from whetstone_trainer.exports.request import HubModel
from whetstone_trainer.files import read_json, write_json


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


@pytest.fixture
def gated(hub: FakeHub, tiny_model: Path) -> dict[str, Any]:  # noqa: F811
    """Adds a gated model to the hub and returns how a request names it."""
    hub.add_repo("acme/gated", {path.name: path.read_bytes() for path in tiny_model.iterdir()}, gated=True)
    return {"id": "acme/gated", "source": "hub", "revision": "main"}


WAIT = {"prefer": "wait=50"}
NOT_THEIRS = "hf_" + "another" * 5
# Of an account that may read gated models, and does not publish.
READS = "hf_" + "reader" * 5


def access(hub: FakeHub, token: str = HUB_TOKEN) -> dict[str, str]:
    return {"secret": token, "hub_endpoint": hub.url}


def finished(client: httpx.Client, path: str, document: dict[str, Any]) -> dict[str, Any]:
    """Returns the reply to a request, however long it takes."""
    reply = client.post(path, json=document, headers=WAIT)
    while reply.status_code == 202:
        reply = client.get(reply.json()["location"].removeprefix("/v1"), headers=WAIT)
    assert reply.status_code == 200, reply.text
    return dict(reply.json())


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
    client.put("/jobs/job_a", json={**document, **access(hub, "hf_" + "old" * 10)})
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
    gated: dict[str, Any],
) -> None:
    document = spec(put_manifest(client, rows()), base_model=gated, metadata={})

    def report(**given: Any) -> dict[str, Any]:
        return dict(finished(client, "/validate", {**document, **given})["report"])

    token_less = FakeHub(token=NOT_THEIRS)
    token_less.start()
    token_less.add_repo("acme/gated", {"config.json": b"{}"}, gated=True)
    refused = report(secret=HUB_TOKEN, hub_endpoint=token_less.url)
    token_less.stop()
    assert [error["code"] for error in refused["errors"]] == ["base_model_gated"]
    assert report(**access(hub))["ok"] is True
    assert files_with(tmp_path, HUB_TOKEN) == []


def served(name: str, **changes: Any) -> dict[str, Any]:
    """Returns the request for a deployment of a gated base model."""
    base = {"id": "acme/gated", "source": "hub", "revision": "main"}
    return {"base": base, "served_model_name": name, "backend": "transformers", "timeout_seconds": 120, **changes}


def seen(home: Path) -> list[list[str | None]]:
    return [json.loads(line) for line in (home / "hub-seen.json").read_text().splitlines()]


def test_a_deployment_gets_the_token_also_when_it_is_restarted_and_stores_it_nowhere(
    hub: FakeHub, tmp_path: Path
) -> None:
    with serving(tmp_path) as client:
        first = client.put("/deployments/dep_a", json={**served("tells-hub"), **access(hub)})
        assert (first.status_code, HUB_TOKEN in first.text) == (202, False)
        settled(client, "dep_a")
        assert client.put("/deployments/dep_a", json=served("tells-hub")).status_code == 200
        newer = "hf_" + "newer" * 6
        client.put("/deployments/dep_a", json={**served("tells-hub"), **access(hub, newer)})
        ask(client, "dep_a", "crash")
        until(lambda: len(seen(tmp_path)) == 2)
        assert seen(tmp_path) == [[HUB_TOKEN, hub.url], [newer, hub.url]]
        assert [files_with(tmp_path, token) for token in (HUB_TOKEN, newer)] == [[], []]
        end_all(client)


def rebooted(home: Path, hub: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    """Kills a trainer and everything it started while a deployment downloads its model."""
    use_this_trainer(monkeypatch)
    server = killed_service(home, {**served("downloads"), **access(hub)})
    until((home / "hub-seen.json").exists)
    until(lambda: seen(home) == [[HUB_TOKEN, hub.url]])
    os.killpg(server, signal.SIGKILL)
    until(lambda: is_gone(server))
    assert files_with(home, HUB_TOKEN) == []


def test_a_killed_trainer_waits_for_the_token_of_a_deployment_whose_model_it_was_downloading(
    hub: FakeHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rebooted(tmp_path, hub, monkeypatch)
    with serving(tmp_path) as client:
        waiting = settled(client, "dep_a", "starting")
        assert (waiting["lacks_hub_token"], len(seen(tmp_path))) == (True, 1)
        sent = client.put("/deployments/dep_a", json={**served("downloads"), **access(hub, READS)})
        assert (sent.status_code, sent.json()["deployment"]["lacks_hub_token"]) == (200, False)
        assert settled(client, "dep_a")["status"] == "running"
        assert seen(tmp_path)[1:] == [[READS, hub.url]]
        assert files_with(tmp_path, READS) == []
        end_all(client)


def test_a_killed_trainer_goes_on_without_a_token_that_the_project_no_longer_has(
    hub: FakeHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rebooted(tmp_path, hub, monkeypatch)
    with serving(tmp_path) as client:
        client.put("/deployments/dep_a", json=served("downloads"))
        running = settled(client, "dep_a")
        assert (running["status"], running["lacks_hub_token"]) == ("running", False)
        assert seen(tmp_path)[1:] == [[None, None]]
        end_all(client)


def test_a_killed_trainer_does_not_wait_for_a_token_for_ever(
    hub: FakeHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rebooted(tmp_path, hub, monkeypatch)
    with serving(tmp_path, token_seconds=0.5) as client:
        assert settled(client, "dep_a")["status"] == "running"
        end_all(client)


def test_a_deployments_token_without_a_safe_hub_is_refused(tmp_path: Path) -> None:
    with serving(tmp_path) as client:
        refused = client.put("/deployments/dep_a", json={**served("fine"), "secret": HUB_TOKEN})
    assert (refused.status_code, refused.json()["error"]["param"]) == (422, "hub_endpoint")


def test_a_gated_base_model_is_served_with_the_token_and_the_gate_is_named_for_another(
    hub: FakeHub, tmp_path: Path, gated: dict[str, Any]
) -> None:
    with running(tmp_path, AMachine(tmp_path)) as client:
        client.put("/deployments/dep_a", json={**served("base", base=gated), **access(hub, NOT_THEIRS)})
        refused = settled(client, "dep_a")
        assert (refused["status"], refused["error"]["code"]) == ("failed", "base_model_gated")
        client.put("/deployments/dep_b", json={**served("base", base=gated), **access(hub)})
        assert settled(client, "dep_b")["status"] == "running"
        end_all(client)


def test_a_gated_base_model_answers_samples_with_the_token(hub: FakeHub, tmp_path: Path, gated: dict[str, Any]) -> None:
    prompt = {"messages": [{"role": "user", "content": "weather 1"}]}
    asked = {"targets": [{"base": gated}], "prompts": [prompt], "max_new_tokens": 1}
    with running(tmp_path, AMachine(tmp_path)) as client:
        reply = finished(client, "/samples", {**asked, **access(hub)})
        assert (reply["error"], len(reply["answers"])) == (None, 1)
        (asked_in,) = (tmp_path / "requests").iterdir()
        for _ in range(2):
            assert client.delete(f"/samples/{asked_in.name}").json() == {"ok": True}
        assert not asked_in.exists()
        assert client.delete("/samples/val_1").status_code == 404
    assert files_with(tmp_path, HUB_TOKEN) == []


@pytest.fixture
def on_gated(tmp_path: Path, gated: dict[str, Any], hub: FakeHub) -> Path:
    """Returns a home with a checkpoint of a gated base model that its cache does not have."""
    home = fresh_home(tmp_path)
    (manifest,) = home.glob("jobs/job-1/checkpoints/ckpt_*/MANIFEST.json")
    write_json(manifest, {**read_json(manifest), "base_model": gated})
    hub.accounts[READS] = account("reader")
    return home


def ended(client: httpx.Client, path: str, document: dict[str, Any]) -> dict[str, Any]:
    """Requests a certificate or an export and returns it once it has ended."""
    assert client.put(path, json=document).status_code in (200, 202)
    kind = path.split("/")[1].removesuffix("s")

    def found() -> Any:
        one = client.get(path, headers=WAIT).json()[kind]
        return one["status"] in ("ready", "succeeded", "failed") and one

    return dict(until(found, 240))


def test_a_checkpoint_of_a_gated_model_is_compared_with_the_token_and_the_gate_is_named_for_another(
    hub: FakeHub, on_gated: Path
) -> None:
    document = {
        "checkpoint_id": checkpoint_of(on_gated),
        "forms": [{"kind": "merged-16bit", "quantization": None}],
        "max_new_tokens": 1,
    }
    with running(on_gated, EveryForm(on_gated)) as client:
        refused = ended(client, "/certificates/cert_a", {**document, **access(hub, NOT_THEIRS)})
        assert (refused["status"], refused["error"]["code"]) == ("failed", "base_model_gated")
        made = ended(client, "/certificates/cert_b", {**document, **access(hub, READS)})
        assert (made["status"], made["verdict"]) == ("ready", "passed")
        # The token is no part of what identifies the certificate.
        assert client.put("/certificates/cert_b", json=document).status_code == 200
    assert [files_with(on_gated, token) for token in (READS, NOT_THEIRS)] == [[], []]


def test_a_checkpoint_of_a_gated_model_and_a_gated_model_itself_are_published_with_a_token_for_downloads(
    hub: FakeHub, on_gated: Path, gated: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    # The service's own token must open nothing that is published as it is.
    monkeypatch.setenv("HF_TOKEN", READS)

    def export(name: str, source: dict[str, Any], **given: str) -> dict[str, Any]:
        document = {
            "source": source,
            "format": "merged-16bit",
            "quantization": None,
            "destination": {"endpoint": hub.url, "repo_id": f"tester/{name}", "private": True, "revision": "main"},
            "card": {},
            "secret": HUB_TOKEN,
            **given,
        }
        return ended(client, f"/exports/{name}", document)

    checkpoint = {"checkpoint_id": checkpoint_of(on_gated)}
    model = {"hub_model": {"id": gated["id"], "revision": "main", "endpoint": hub.url}}
    ours = {"download_secret": READS, "hub_endpoint": hub.url}
    with running(on_gated, EveryForm(on_gated)) as client:
        theirs = export("theirs", checkpoint, download_secret=NOT_THEIRS, hub_endpoint=hub.url)
        assert [one["error"]["code"] for one in (theirs, export("public", model))] == ["base_model_gated"] * 2
        for name, source in (("trained", checkpoint), ("converted", model)):
            assert export(name, source, **ours)["status"] == "succeeded", name
            assert READS.encode() not in b"".join(hub.files(f"tester/{name}").values())
    assert [files_with(on_gated, token) for token in (READS, NOT_THEIRS, HUB_TOKEN)] == [[], [], []]


def test_a_token_for_downloads_is_sent_to_no_hub_but_its_own() -> None:
    model = HubModel(id="acme/gated", revision="main", endpoint="https://hub.example.com/")
    assert token_for(model, {"HF_TOKEN": READS, "HF_ENDPOINT": "https://hub.example.com"}) == READS
    assert token_for(model, {"HF_TOKEN": READS, "HF_ENDPOINT": "https://huggingface.co"}) is None
    assert token_for(model, {"HF_TOKEN": READS}) is None


def test_an_exports_token_for_downloads_without_a_safe_hub_is_refused(client: httpx.Client) -> None:
    refused = client.put("/exports/exp_a", json={"secret": HUB_TOKEN, "download_secret": READS})
    assert (refused.status_code, refused.json()["error"]["param"]) == (422, "hub_endpoint")
    assert READS not in refused.text
