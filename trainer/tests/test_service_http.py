"""The service's HTTP boundary: who is let in, what is refused, and that nothing outside its home is ever read."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from fastapi import Request
from service_fixtures import FAKE_WORKER, put_manifest, reached, rows, running, spec, submitted

from whetstone_trainer.service.agent import LEASE_SECONDS
from whetstone_trainer.service.capabilities import refuse_unavailable
from whetstone_trainer.service.routes.context import WAIT_SECONDS_MAX, wait_of


@pytest.fixture
def client(tmp_path: Path) -> Iterator[httpx.Client]:
    with running(tmp_path, worker=FAKE_WORKER, manifest_bytes_max=100_000) as found:
        yield found


def test_only_health_is_open(client: httpx.Client) -> None:
    assert client.get("/health", headers={"authorization": ""}).json()["status"] == "ok"
    for path in ("/ready", "/capabilities", "/jobs", "/jobs/job_a", "/checkpoints/ckpt_a"):
        for given in ("", "Bearer wrong", "Basic a-token-for-the-tests"):
            reply = client.get(path, headers={"authorization": given})
            assert (reply.status_code, reply.json()["error"]["code"]) == (401, "unauthorized")


def test_a_manifest_is_stored_only_under_the_hash_of_its_bytes(client: httpx.Client, tmp_path: Path) -> None:
    sha256 = put_manifest(client, rows())
    assert client.head(f"/manifests/{sha256}").status_code == 200
    wrong = hashlib.sha256(b"other").hexdigest()
    reply = client.put(f"/manifests/{wrong}", content=b"content")
    assert (reply.status_code, reply.json()["error"]["code"]) == (422, "manifest_hash_mismatch")
    assert client.head(f"/manifests/{wrong}").status_code == 404
    assert client.put(f"/manifests/{wrong}", content=b"x" * 100_001).status_code == 413
    assert [path.name for path in (tmp_path / "manifests").iterdir()] == [f"{sha256}.jsonl"]
    client.delete(f"/manifests/{sha256}")
    assert client.head(f"/manifests/{sha256}").status_code == 404


def test_a_job_without_its_manifest_or_with_an_unknown_field_is_refused(client: httpx.Client) -> None:
    missing = client.put("/jobs/job_a", json=spec("0" * 64))
    assert (missing.status_code, missing.json()["error"]["code"]) == (422, "manifest_not_found")
    sha256 = put_manifest(client, rows())
    unknown = client.put("/jobs/job_a", json=spec(sha256, colour="red"))
    assert (unknown.status_code, unknown.json()["error"]["param"]) == (422, "colour")
    assert client.put("/jobs/job_a", content=b"{").status_code == 422
    assert client.get("/jobs").json() == {"jobs": []}


@pytest.mark.parametrize(
    "path", ["..", "../token", "%2e%2e/token", "..%2f..%2ftoken", "model/../../token", "/etc/passwd"]
)
def test_no_path_of_a_caller_reaches_a_file_that_no_manifest_lists(client: httpx.Client, path: str) -> None:
    for below in ("/checkpoints/ckpt_a/files/", "/artifacts/art_a/files/", "/jobs/", "/manifests/", "/checkpoints/"):
        assert client.get(below + path).status_code in (400, 404, 405)


@pytest.mark.parametrize("name", ["a b", "a.b", "x" * 129, "_x", "ä"])
def test_an_id_that_is_no_plain_name_is_refused(client: httpx.Client, name: str) -> None:
    reply = client.put(f"/jobs/{name}", json=spec(put_manifest(client, rows())))
    assert reply.status_code == 400


def test_a_suffix_cannot_leave_its_folder(client: httpx.Client) -> None:
    output = {"formats": ["safetensors"], "suffix": "../x"}
    reply = client.put("/jobs/job_a", json=spec(put_manifest(client, rows()), output=output))
    assert reply.status_code == 422


@pytest.mark.parametrize("version", [0, 3])
def test_a_spec_of_another_version_of_the_contract_is_refused(client: httpx.Client, version: int) -> None:
    assert client.get("/capabilities").json()["spec_version"] == 2
    reply = client.put("/jobs/job_a", json=spec(put_manifest(client, rows()), spec_version=version))
    assert (reply.status_code, reply.json()["error"]["param"]) == (422, "spec_version")


def test_no_request_waits_longer_than_a_proxy_does(client: httpx.Client) -> None:
    submitted(client, "job_a", ["hang"])
    assert client.get("/jobs/job_a/events", params={"wait": 51}).status_code == 422
    asked = Request({"type": "http", "headers": [(b"prefer", b"respond-async, wait=600")]})
    assert wait_of(asked, 0) == WAIT_SECONDS_MAX == 50
    assert LEASE_SECONDS <= 50
    client.post("/jobs/job_a/cancel", json={"request_id": "r1"})


def test_what_the_machine_cannot_do_is_refused_with_the_remedy(client: httpx.Client) -> None:
    known = client.get("/capabilities").json()
    assert known["methods"] == ["sft", "dpo", "orpo", "kto"]
    assert known["devices"] and known["packages"]["torch"]
    without = {
        **known,
        "adapters": ["lora", "full"],
        "unavailable": [{"feature": "qlora", "reason": "bitsandbytes is not installed", "hint": "install it"}],
    }
    refused = refuse_unavailable(without, {"method": "sft", "adapter": "qlora"})
    assert refused == ("qlora is not available here: bitsandbytes is not installed", "install it")
    assert refuse_unavailable(known, {"method": "sft", "adapter": "lora"}) is None


def test_a_secret_in_a_workers_output_is_not_in_the_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WHETSTONE_TRAINER_KEY", "the-key-of-this-trainer")
    with running(tmp_path, worker=("sh", "-c", "echo token=$WHETSTONE_TRAINER_KEY; exit 3", "sh")) as client:
        submitted(client, "job_a", limits={"max_restarts": 0})
        ended = reached(client, "job_a", "failed")
    assert "the-key-of-this-trainer" not in str(ended)
    assert ended["error"]["code"] == "attempt_limit"


def test_server_sent_events_resume_after_the_last_one_seen(client: httpx.Client) -> None:
    submitted(client, "job_a")
    last = reached(client, "job_a", "succeeded")["last_seq"]
    headers = {"accept": "text/event-stream", "last-event-id": "1"}
    with client.stream("GET", "/jobs/job_a/events", headers=headers) as reply:
        text = "".join(reply.iter_text())
    assert [line for line in text.splitlines() if line.startswith("id: ")] == [f"id: {n}" for n in range(2, last + 1)]


def test_a_large_body_is_refused_before_it_is_read(client: httpx.Client) -> None:
    assert client.put("/jobs/job_a", content=b"x" * (4 * 1024**2 + 1)).status_code == 413
