"""A trainer behind a router: it calls the web app, which is a real server on another port of this machine."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from fake_web import KEY, FakeWeb, until
from fastapi import Request, Response
from fastapi.responses import StreamingResponse

from whetstone_trainer.events import EventLog
from whetstone_trainer.service import agent, agent_answers, delivery
from whetstone_trainer.service.agent_commands import CHUNK_BYTES, Commands, Payload, ranged
from whetstone_trainer.service.app import create_app
from whetstone_trainer.service.capabilities import Capabilities
from whetstone_trainer.service.job_record import job_dir, read_record
from whetstone_trainer.service.routes import deployment_routes
from whetstone_trainer.service.settings import Settings

TOKEN = "the-token-of-this-trainer"

# Succeeds immediately: how it trains does not matter here.
WORKER = """
import argparse, pathlib
from whetstone_trainer.events import EventLog
from whetstone_trainer.files import write_json
parser = argparse.ArgumentParser()
for name in ("--home", "--job-id", "--attempt"):
    parser.add_argument(name)
given = parser.parse_args()
folder = pathlib.Path(given.home, "jobs", given.job_id)
log = EventLog(folder)
print("trained")
for step in range(5):
    log.append("metrics", {"step": step}, attempt=int(given.attempt))
write_json(folder / "result.json", {"attempt": int(given.attempt), "outcome": "completed", "stop_reason": "completed",
    "error": None, "final_checkpoint_id": None, "best_checkpoint_id": None})
"""


class AMachine(Capabilities):
    """Fixed capabilities, which avoid the seconds that inspecting this machine takes."""

    def get(self) -> dict[str, Any]:
        return {**self.said, "disk_free": next(self.free)}

    def __init__(self, home: Path) -> None:
        super().__init__(home)
        self.free = iter(range(10**6))
        self.said: dict[str, Any] = {
            "trainer_version": "0.1.0",
            "spec_version": 1,
            "methods": ["sft", "dpo", "orpo", "kto"],
            "adapters": ["lora", "qlora", "full"],
            "formats": ["safetensors", "gguf"],
            "gguf_quantizations": ["q8_0"],
            "compressed_quantizations": [],
            "export_formats": ["merged-16bit"],
            "devices": [],
            "unavailable": [],
        }


@pytest.fixture
def web() -> Iterator[FakeWeb]:
    fake = FakeWeb()
    fake.start()
    yield fake
    fake.stop()


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delivery, "LOOK_SECONDS", 0.05)
    monkeypatch.setattr(delivery, "BACK_OFF_FIRST_SECONDS", 0.05)
    monkeypatch.setattr(delivery, "BACK_OFF_MAX_SECONDS", 0.2)


@pytest.fixture
def machine(tmp_path: Path) -> AMachine:
    return AMachine(tmp_path)


Calling = Callable[..., Any]


@pytest.fixture
def calling(tmp_path: Path, web: FakeWeb, machine: AMachine) -> Calling:
    @contextmanager
    def run(key: str = KEY) -> Iterator[None]:
        script = tmp_path / "worker.py"
        script.write_text(WORKER)
        settings = Settings(home=tmp_path, token=TOKEN, tick_seconds=0.05, worker=(sys.executable, str(script)))
        app = create_app(settings, machine)
        loop = asyncio.new_event_loop()
        task = loop.create_task(agent.run_agent(app, tmp_path, TOKEN, web.url, key))

        def follow() -> None:
            with suppress(asyncio.CancelledError):
                loop.run_until_complete(task)

        thread = threading.Thread(target=follow)
        thread.start()
        try:
            yield
        finally:
            loop.call_soon_threadsafe(task.cancel)
            thread.join(20)
            loop.close()

    return run


@pytest.fixture(autouse=True)
def _import_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).resolve().parents[1]))


def manifest() -> tuple[str, bytes]:
    rows = [{"schema": "chat.v1", "rows": 1}, {"example_id": "ex_1", "example_version": 1, "messages": []}]
    content = "".join(json.dumps(row) + "\n" for row in rows).encode()
    return hashlib.sha256(content).hexdigest(), content


def spec(sha256: str) -> dict[str, Any]:
    return {
        "spec_version": 1,
        "method": "sft",
        "adapter": "lora",
        "base_model": {"id": "/models/tiny", "source": "local"},
        "manifest": {"sha256": sha256, "rows": 1},
    }


def submitted(web: FakeWeb, command_id: str = "cmd_put", job_id: str = "job_1") -> dict[str, Any]:
    sha256, content = manifest()
    web.manifests[sha256] = content
    return web.ask(command_id, "PUT", f"/v1/jobs/{job_id}", body=spec(sha256))


def is_finished(web: FakeWeb, job_id: str) -> bool:
    return any(event["type"] == "job.finished" for event in list(web.events.get(job_id, {}).values()))


def test_it_says_what_the_machine_is_once_and_again_when_it_changed(
    web: FakeWeb, calling: Calling, machine: AMachine
) -> None:
    with calling():
        until(lambda: len(web.leases) >= 3)
        first, *others = web.leases[:3]
        assert first["capabilities"]["methods"] == ["sft", "dpo", "orpo", "kto"]
        assert all("capabilities" not in lease for lease in others)
        assert {lease["capabilities_hash"] for lease in web.leases} == {first["capabilities_hash"]}
        machine.said["adapters"] = ["lora"]
        changed = until(lambda: [one for one in web.leases[3:] if "capabilities" in one])[0]
    assert changed["capabilities"]["adapters"] == ["lora"]
    assert changed["capabilities_hash"] != first["capabilities_hash"]
    assert changed["trainer_id"] == first["trainer_id"]


def test_a_job_is_submitted_runs_and_its_events_arrive_in_order(tmp_path: Path, web: FakeWeb, calling: Calling) -> None:
    with calling():
        result = submitted(web)
        assert result["status"] == 202, result
        assert result["body"]["job"]["job_id"] == "job_1"
        until(lambda: is_finished(web, "job_1"))
    log = EventLog(job_dir(tmp_path, "job_1"))
    arrived = web.events["job_1"]
    assert list(arrived) == list(range(1, log.last_seq + 1))
    assert [event.model_dump(mode="json") for event in log.read(0, 100)] == list(arrived.values())
    assert web.manifest_reads == 1


def test_a_manifest_with_other_bytes_is_refused(tmp_path: Path, web: FakeWeb, calling: Calling) -> None:
    sha256, content = manifest()
    web.manifests[sha256] = content + b"{}\n"
    with calling():
        result = web.ask("cmd_1", "PUT", "/v1/jobs/job_1", body=spec(sha256))
    assert (result["status"], result["body"]["error"]["code"]) == (422, "manifest_hash_mismatch")
    assert read_record(tmp_path, "job_1") is None


def test_a_manifest_that_the_web_app_has_not_is_named_as_missing(web: FakeWeb, calling: Calling) -> None:
    with calling():
        result = web.ask("cmd_1", "PUT", "/v1/jobs/job_1", body=spec("0" * 64))
    assert (result["status"], result["body"]["error"]["code"]) == (422, "manifest_not_found")


def test_the_same_command_again_has_the_same_result_and_no_second_effect(
    tmp_path: Path, web: FakeWeb, calling: Calling
) -> None:
    with calling():
        first = submitted(web)
        until(lambda: (record := read_record(tmp_path, "job_1")) and record.status == "succeeded")
        until(lambda: is_finished(web, "job_1"))
    # The same holds for a trainer that was restarted in between.
    pushed = len(web.batches)
    with calling():
        submitted(web)
        again = until(lambda: len(web.results["cmd_put"]) > 1 and web.results["cmd_put"][1])
        current = web.ask("cmd_get", "GET", "/v1/jobs/job_1")
    assert again == first
    # What arrived before the restart is not sent again.
    assert len(web.batches) == pushed
    assert again["body"]["job"]["status"] == "queued"
    assert current["body"]["job"]["status"] == "succeeded"


def test_an_answer_that_takes_longer_than_its_hand_out_is_generated_once(
    web: FakeWeb, calling: Calling, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    web.hand_out_again_seconds = 0.2

    async def answer(_: Commands, payload: Payload) -> dict[str, Any]:
        asked.append(payload.path)
        while web.hand_outs["cmd_1"] < 3:
            await asyncio.sleep(0.01)
        # The web app rejects the next results, so it hands the command out again while the result is undelivered.
        web.refusing_results = 2
        return {"status": 200, "headers": {}, "body": {"choices": []}}

    monkeypatch.setattr(Commands, "_request", answer)
    path = "/v1/deployments/dep_1/v1/chat/completions"
    with calling():
        assert web.ask("cmd_1", "POST", path, body={"messages": []})["status"] == 200
        handed_out = web.hand_outs["cmd_1"]
        # A hand-out that crossed with its result.
        web.send("cmd_1", "POST", path, body={"messages": []})
        until(lambda: web.hand_outs["cmd_1"] > handed_out)
        # Commands begin in the order in which they are handed out.
        web.ask("cmd_2", "POST", path, body={"messages": []})
    assert handed_out > 2
    assert asked == [path, path]


CHAT = "/v1/deployments/dep_1/v1/chat/completions"


@contextmanager
def model(
    monkeypatch: pytest.MonkeyPatch, chunks: Callable[[], AsyncIterator[bytes]]
) -> Iterator[list[dict[str, Any]]]:
    """Replaces the server of a deployment, and yields what it was asked."""
    asked: list[dict[str, Any]] = []

    async def complete(request: Request) -> Response:
        asked.append(await request.json())
        return StreamingResponse(chunks(), media_type="text/event-stream")

    with monkeypatch.context() as patch:
        patch.setattr(deployment_routes.router.routes[-1], "endpoint", complete)
        yield asked


def test_a_models_answer_arrives_in_parts_while_it_is_generated(
    web: FakeWeb, calling: Calling, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def chunks() -> AsyncIterator[bytes]:
        text = "data: é\n\n".encode()
        # A character may be cut by a chunk.
        yield text[:7]
        yield text[7:]
        while not web.parts.get("cmd_1"):
            await asyncio.sleep(0.01)
        yield b"data: [DONE]\n\n"

    with model(monkeypatch, chunks) as asked, calling():
        result = web.ask("cmd_1", "POST", CHAT, body={"stream": True, "messages": []}, streams=True)
    assert result == {"status": 200, "headers": {}, "body": None}
    assert "".join(web.parts["cmd_1"]) == "data: é\n\ndata: [DONE]\n\n"
    assert asked == [{"stream": True, "messages": []}]


def test_an_answer_that_nobody_waits_for_is_ended(
    web: FakeWeb, calling: Calling, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = threading.Event()

    async def chunks() -> AsyncIterator[bytes]:
        try:
            while True:
                yield b"data: x\n\n"
                await asyncio.sleep(0.01)
        finally:
            ended.set()

    with model(monkeypatch, chunks), calling():
        web.send("cmd_1", "POST", CHAT, body={"stream": True, "messages": []}, streams=True)
        until(lambda: web.parts.get("cmd_1"))
        web.abandoned.add("cmd_1")
        assert ended.wait(15)
    assert "cmd_1" not in web.results


def test_an_answer_is_ended_before_its_first_token_once_nobody_waits(
    web: FakeWeb, calling: Calling, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(agent_answers, "SIGN_OF_LIFE_SECONDS", 0.05)
    ended = threading.Event()
    web.abandoned.add("cmd_1")

    async def chunks() -> AsyncIterator[bytes]:
        try:
            await asyncio.sleep(60)
            yield b""
        finally:
            ended.set()

    with model(monkeypatch, chunks), calling():
        web.send("cmd_1", "POST", CHAT, body={"stream": True, "messages": []}, streams=True)
        assert ended.wait(15)
    assert "cmd_1" not in web.results


def test_a_refusal_of_the_model_is_the_whole_result(web: FakeWeb, calling: Calling) -> None:
    with calling():
        result = web.ask("cmd_1", "POST", CHAT, body={"stream": True, "messages": []}, streams=True)
    assert (result["status"], result["body"]["error"]["code"]) == (404, "not_found")


def test_events_that_the_web_app_lost_are_sent_again_from_where_it_is(
    tmp_path: Path, web: FakeWeb, calling: Calling
) -> None:
    with calling():
        submitted(web)
        until(lambda: is_finished(web, "job_1"))
        total = len(web.events["job_1"])
        # The web app is restored from an older backup: it has only the first two, and reports so at the next batch.
        web.events["job_1"] = {seq: web.events["job_1"][seq] for seq in (1, 2)}
        EventLog(job_dir(tmp_path, "job_1")).append("warning", {"code": "note"}, attempt=1)
        until(lambda: len(web.events["job_1"]) == total + 1)
    assert list(web.events["job_1"]) == list(range(1, total + 2))


def test_a_web_app_that_restarts_is_told_everything_again(web: FakeWeb, calling: Calling) -> None:
    with calling():
        until(lambda: web.leases)
        web.stop()
        web.leases.clear()
        web.start()
        # A request that was on its way to the web app of before may still be noted first.
        until(lambda: any("capabilities" in lease for lease in list(web.leases)))
        assert submitted(web)["status"] == 202


def test_failures_of_the_web_app_are_waited_out(web: FakeWeb, calling: Calling) -> None:
    web.failing = 4
    with calling():
        assert web.ask("cmd_1", "GET", "/v1/health")["body"]["status"] == "ok"


def test_a_job_that_the_web_app_deleted_is_not_pushed_for_ever(web: FakeWeb, calling: Calling) -> None:
    web.forgets_jobs = True
    with calling():
        submitted(web)
        until(lambda: web.batches)
        leases = len(web.leases)
        until(lambda: len(web.leases) > leases + 3)
    assert len(web.batches) == 1


def test_another_key_gets_nothing_done(web: FakeWeb, calling: Calling) -> None:
    web.send("cmd_1", "GET", "/v1/health")
    with calling("another-key-0123456789"):
        until(lambda: web.refused > 2)
    assert web.leases == [] and web.results == {}


def test_what_is_no_json_is_base64(web: FakeWeb, calling: Calling) -> None:
    with calling():
        submitted(web)
        until(lambda: is_finished(web, "job_1"))
        result = web.ask("cmd_log", "GET", "/v1/jobs/job_1/logs")
    assert result["status"] == 200
    assert base64.b64decode(result["body"]) == b"trained\n"


def test_an_export_takes_the_hubs_token_through_a_command_and_leaves_it_nowhere(
    tmp_path: Path, web: FakeWeb, calling: Calling
) -> None:
    secret = "hf_theTokenOfSomebodysHub"
    nobody = "http://127.0.0.1:9"
    export = {
        "source": {"hub_model": {"id": "public/tiny", "revision": "main", "endpoint": nobody}},
        "format": "merged-16bit",
        "destination": {"endpoint": nobody, "repo_id": "tester/tiny"},
        "secret": secret,
    }
    with calling():
        begun = web.ask("cmd_put", "PUT", "/v1/exports/exp_1", body=export)
        assert (begun["status"], begun["body"]["export"]["export_id"]) == (202, "exp_1")
        ended = web.ask("cmd_get", "GET", "/v1/exports/exp_1", headers={"Prefer": "wait=50"})
        lacking = web.ask("cmd_cert", "PUT", "/v1/certificates/cert_1", body={"checkpoint_id": "x", "forms": []})
    assert ended["body"]["export"]["error"]["code"] == "network_unavailable"
    assert lacking["body"]["error"]["code"] == "invalid_spec"
    assert secret not in json.dumps([begun, ended])
    for path in (path for path in tmp_path.rglob("*") if path.is_file()):
        assert secret.encode() not in path.read_bytes(), path


@pytest.mark.parametrize(
    "payload",
    [
        {"method": "GET", "path": "http://169.254.169.254/latest"},
        {"method": "GET", "path": "//other/v1/health"},
        {"method": "GET", "path": "/v1/jobs?status=queued"},
        {"method": "CONNECT", "path": "/v1/health"},
        {"method": "GET"},
    ],
)
def test_a_command_that_is_no_request_of_the_contract_is_refused(
    web: FakeWeb, calling: Calling, payload: dict[str, Any]
) -> None:
    with calling():
        web.waiting.put({"command_id": "cmd_1", "kind": "request", "payload": payload})
        assert web.result("cmd_1")["status"] == 400


def test_a_command_cannot_leave_the_folders_of_the_trainer(tmp_path: Path, web: FakeWeb, calling: Calling) -> None:
    with calling():
        for number, path in enumerate(
            ("/v1/jobs/..%2F..%2Ftoken", "/v1/../token", "/v1/checkpoints/x/files/../../job.json")
        ):
            assert web.ask(f"cmd_{number}", "GET", path)["status"] in (400, 404)


def test_its_own_headers_do_not_replace_the_trainers(web: FakeWeb, calling: Calling) -> None:
    with calling():
        headers = {"Authorization": "Bearer wrong", "Accept": "text/event-stream", "X-Request-Id": "req-7"}
        result = web.ask("cmd_1", "GET", "/v1/jobs", headers=headers)
    assert result["status"] == 200
    assert result["headers"]["x-request-id"] == "req-7"


@pytest.mark.parametrize(
    ("path", "asked", "sent"),
    [
        ("/v1/jobs", None, None),
        ("/v1/checkpoints/c/files/model/a", None, f"bytes=0-{CHUNK_BYTES - 1}"),
        ("/v1/checkpoints/c/files/model/a", "bytes=10-19", "bytes=10-19"),
        ("/v1/checkpoints/c/files/model/a", "bytes=10-", f"bytes=10-{CHUNK_BYTES + 9}"),
        ("/v1/artifacts/a/files/m.gguf", f"bytes=5-{10**12}", f"bytes=5-{CHUNK_BYTES + 4}"),
        ("/v1/artifacts/a/files/m.gguf", "bytes=0-1,5-9", f"bytes=0-{CHUNK_BYTES - 1}"),
    ],
)
def test_a_file_is_read_in_chunks(path: str, asked: str | None, sent: str | None) -> None:
    assert ranged(path, asked) == sent
