"""Deployments over HTTP: running only while they answer, each with a defined end, whatever is killed meanwhile."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from deployment_fixtures import (
    FAKE_SERVER,
    AMachine,
    ask,
    body,
    end_all,
    is_gone,
    save_checkpoint,
    serving,
    settled,
    starts_of,
    use_this_trainer,
)
from service_fixtures import TOKEN, free_port, until

from whetstone_trainer.checkpoints import list_checkpoints, prune
from whetstone_trainer.files import read_json
from whetstone_trainer.service import deployment_run
from whetstone_trainer.service.agent_commands import Command, Commands
from whetstone_trainer.service.app import create_app
from whetstone_trainer.service.settings import Serving, Settings

WAIT = {"prefer": "wait=20"}


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    use_this_trainer(monkeypatch)


@pytest.fixture
def checkpoint(tmp_path: Path) -> str:
    return save_checkpoint(tmp_path).checkpoint_id


@pytest.fixture
def client(tmp_path: Path, checkpoint: str) -> Iterator[httpx.Client]:
    with serving(tmp_path) as found:
        yield found
        end_all(found)
    assert all(
        is_gone(pid) for folder in (tmp_path / "deployments").iterdir() for pid, _ in starts_of(tmp_path, folder.name)
    )


def put(client: httpx.Client, name: str, document: dict[str, Any]) -> httpx.Response:
    return client.put(f"/deployments/{name}", json=document)


# Starting.


def test_it_runs_once_it_has_answered_under_its_name(client: httpx.Client, checkpoint: str) -> None:
    accepted = put(client, "dep_a", body(checkpoint))
    assert accepted.status_code == 202
    assert accepted.json()["deployment"]["status"] in ("pending", "starting")
    found = settled(client, "dep_a")
    assert (found["status"], found["backend"], found["restarts"], found["error"]) == (
        "running",
        "transformers",
        0,
        None,
    )
    assert found["verified_at"] and found["first_token_ms"] >= 0
    models = client.get("/deployments/dep_a/v1/models").json()["data"]
    assert [model["id"] for model in models] == ["fine"]
    answer = ask(client, "dep_a").json()
    assert answer["choices"][0]["message"]["content"] == "sunny"
    assert client.get("/deployments/dep_a").json()["deployment"]["last_called_at"]
    assert [one["deployment_id"] for one in client.get("/deployments").json()["deployments"]] == ["dep_a"]


def test_the_same_request_again_is_the_same_deployment_and_another_is_refused(
    client: httpx.Client, tmp_path: Path, checkpoint: str
) -> None:
    replies = [put(client, "dep_a", body(checkpoint)) for _ in range(3)]
    assert [reply.status_code for reply in replies] == [202, 200, 200]
    settled(client, "dep_a")
    assert put(client, "dep_a", body(checkpoint)).json()["deployment"]["status"] == "running"
    other = put(client, "dep_a", body(checkpoint, timeout_seconds=31))
    assert (other.status_code, other.json()["error"]["code"]) == (409, "idempotency_mismatch")
    assert len(starts_of(tmp_path, "dep_a")) == 1


def test_requests_at_once_start_one_server(client: httpx.Client, tmp_path: Path, checkpoint: str) -> None:
    codes: list[int] = []
    threads = [
        threading.Thread(target=lambda: codes.append(put(client, "dep_a", body(checkpoint)).status_code))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    settled(client, "dep_a")
    assert sorted(codes) == [200] * 7 + [202]
    assert len(starts_of(tmp_path, "dep_a")) == 1


@pytest.mark.parametrize(
    ("behaviour", "code", "words"),
    [
        ("exits", "deploy_start_failed", "code 3"),
        ("unlisted", "deploy_unhealthy", "not in its list of models"),
        ("other-weights", "deploy_unhealthy", "not what was deployed"),
        ("empty", "deploy_unhealthy", "answer is empty"),
        ("garbage", "deploy_unhealthy", "not a chat completion"),
        ("broken", "deploy_unhealthy", "status 500"),
    ],
)
def test_a_server_that_does_not_serve_it_fails_the_deployment(
    client: httpx.Client, tmp_path: Path, checkpoint: str, behaviour: str, code: str, words: str
) -> None:
    put(client, "dep_a", body(checkpoint, behaviour))
    found = settled(client, "dep_a")
    assert (found["status"], found["error"]["code"]) == ("failed", code)
    assert words in found["error"]["message"]
    assert found["error"]["log_tail"][0] == f"{behaviour} starts"
    assert found["verified_at"] is None
    assert [is_gone(pid) for pid, _ in starts_of(tmp_path, "dep_a")] == [True]
    refused = ask(client, "dep_a")
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "wrong_state")


def test_the_password_of_a_server_is_in_no_log_and_no_argument(
    client: httpx.Client, tmp_path: Path, checkpoint: str
) -> None:
    put(client, "dep_a", body(checkpoint, "exits"))
    found = settled(client, "dep_a")
    path = tmp_path / "deployments" / "dep_a" / "token"
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.read_text().strip() not in str(found)
    assert "secret [redacted]" in found["log_tail"]


@pytest.mark.parametrize("behaviour", ["never-healthy", "slow"])
def test_what_does_not_run_in_time_is_ended_and_stays_timed_out(
    client: httpx.Client, tmp_path: Path, checkpoint: str, behaviour: str
) -> None:
    put(client, "dep_a", body(checkpoint, behaviour, timeout_seconds=2.5))
    found = settled(client, "dep_a")
    assert (found["status"], found["error"]["code"]) == ("timeout", "deploy_timeout")
    ((pid, _),) = starts_of(tmp_path, "dep_a")
    assert is_gone(pid)
    # The slow one would have become healthy later, but nothing watches it any more.
    until(lambda: "deployment dep_a" not in [thread.name for thread in threading.enumerate()])
    assert client.get("/deployments/dep_a").json()["deployment"]["status"] == "timeout"
    ended = client.delete("/deployments/dep_a")
    assert (ended.status_code, ended.json()["deployment"]["status"]) == (200, "timeout")


def test_what_is_removed_is_stopped_first_and_leaves_nothing(
    client: httpx.Client, tmp_path: Path, checkpoint: str
) -> None:
    put(client, "dep_a", body(checkpoint))
    settled(client, "dep_a")
    ((pid, _),) = starts_of(tmp_path, "dep_a")
    stopped = client.delete("/deployments/dep_a", params={"remove": 1}, headers=WAIT)
    assert (stopped.status_code, stopped.json()["deployment"]["status"]) == (200, "stopped")
    assert (is_gone(pid), (tmp_path / "deployments" / "dep_a").exists()) == (True, False)
    assert [client.get("/deployments/dep_a").status_code, client.delete("/deployments/dep_a").status_code] == [404, 404]


def test_a_port_that_somebody_took_is_replaced_by_another(
    client: httpx.Client, tmp_path: Path, checkpoint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        ports = iter([taken.getsockname()[1]])
        monkeypatch.setattr(deployment_run, "free_port", lambda: next(ports, None) or free_port())
        # Python's own server exits with a traceback that names the reason.
        put(client, "dep_a", body(checkpoint))
        found = settled(client, "dep_a")
        assert (found["status"], found["restarts"]) == ("running", 0)
        first, second = (port for _, port in starts_of(tmp_path, "dep_a"))
        assert first == taken.getsockname()[1] != second
    put(client, "dep_b", body(checkpoint, "port-taken"))
    assert settled(client, "dep_b")["status"] == "running"


def test_two_deployments_of_one_name_run_beside_each_other(client: httpx.Client, checkpoint: str) -> None:
    for name in ("dep_a", "dep_b"):
        put(client, name, body(checkpoint))
    assert [settled(client, name)["status"] for name in ("dep_a", "dep_b")] == ["running", "running"]
    assert client.delete("/deployments/dep_a", headers=WAIT).json()["deployment"]["status"] == "stopped"
    assert ask(client, "dep_b").status_code == 200


@pytest.mark.parametrize(
    ("changes", "status", "code"),
    [
        ({"backend": "vllm"}, 422, "capability_missing"),
        ({"quantization": "int8"}, 422, "capability_missing"),
        ({"quantization": "q4_0"}, 422, "capability_missing"),
        ({"backend": "transformers", "quantization": "q8_0"}, 422, "unsupported_combination"),
        ({"backend": "llama.cpp"}, 422, "unsupported_combination"),
        ({"base": {"id": "org/model"}}, 422, "invalid_spec"),
        ({"checkpoint_id": None}, 422, "invalid_spec"),
        ({"colour": "red"}, 422, "invalid_spec"),
        ({"served_model_name": "--help"}, 422, "invalid_spec"),
        ({"checkpoint_id": "ckpt_unknown"}, 404, "not_found"),
        ({"checkpoint_id": "../job.json"}, 422, "invalid_spec"),
    ],
)
def test_what_cannot_be_deployed_is_refused_before_anything_starts(
    client: httpx.Client, checkpoint: str, changes: dict[str, Any], status: int, code: str
) -> None:
    reply = put(client, "dep_a", {**body(checkpoint), **changes})
    assert (reply.status_code, reply.json()["error"]["code"]) == (status, code), reply.text
    assert client.get("/deployments").json() == {"deployments": []}


def test_a_refusal_says_what_is_missing_and_what_to_do(client: httpx.Client, checkpoint: str) -> None:
    error = put(client, "dep_a", body(checkpoint, backend="vllm")).json()["error"]
    assert error["message"] == "vllm is not available here: vLLM needs a CUDA GPU"
    assert error["hint"] == "Use another machine."


def test_an_unknown_deployment_is_not_found(client: httpx.Client, checkpoint: str) -> None:
    for reply in (
        client.get("/deployments/dep_a"),
        client.delete("/deployments/dep_a"),
        client.get("/deployments/dep_a/v1/models"),
        ask(client, "dep_a"),
    ):
        assert reply.status_code == 404
    assert put(client, "a b", body(checkpoint)).status_code == 400


# Stopping.


@pytest.mark.parametrize("behaviour", ["never-healthy", "slow", "ignores-term"])
def test_one_that_is_stopped_while_it_starts_never_runs(
    client: httpx.Client, tmp_path: Path, checkpoint: str, behaviour: str
) -> None:
    put(client, "dep_a", body(checkpoint, behaviour))
    until(lambda: starts_of(tmp_path, "dep_a"))
    first = client.delete("/deployments/dep_a")
    assert first.status_code in (200, 202)
    second = client.delete("/deployments/dep_a", headers=WAIT)
    found = second.json()["deployment"]
    assert (second.status_code, found["status"], found["error"]) == (200, "stopped", None)
    assert all(is_gone(pid) for pid, _ in starts_of(tmp_path, "dep_a"))


def test_calls_finish_before_it_stops_and_new_ones_are_refused(client: httpx.Client, checkpoint: str) -> None:
    put(client, "dep_a", body(checkpoint, "patient"))
    settled(client, "dep_a")
    with client.stream(
        "POST", "/deployments/dep_a/v1/chat/completions", json={"messages": [], "stream": True}
    ) as reply:
        lines = reply.iter_lines()
        assert next(lines) == "data: 0"
        assert client.get("/deployments/dep_a").json()["deployment"]["in_flight"] == 1
        stopping = client.delete("/deployments/dep_a")
        assert (stopping.status_code, stopping.json()["deployment"]["status"]) == (202, "stopping")
        assert ask(client, "dep_a").status_code == 409
        assert list(lines)[-2:] == ["data: [DONE]", ""]
    assert settled(client, "dep_a", "stopped")["status"] == "stopped"


def test_a_client_that_goes_away_ends_its_answer(client: httpx.Client, tmp_path: Path, checkpoint: str) -> None:
    put(client, "dep_a", body(checkpoint, "endless"))
    settled(client, "dep_a")
    with client.stream(
        "POST", "/deployments/dep_a/v1/chat/completions", json={"messages": [], "stream": True}
    ) as reply:
        next(reply.iter_lines())
    until(lambda: (tmp_path / "deployments" / "dep_a" / "client-gone").exists())
    until(lambda: client.get("/deployments/dep_a").json()["deployment"]["in_flight"] == 0)


def test_a_client_that_does_not_wait_for_its_whole_answer_is_noticed(client: httpx.Client, checkpoint: str) -> None:
    put(client, "dep_a", body(checkpoint))
    settled(client, "dep_a")
    with pytest.raises(httpx.ReadTimeout):
        document = {"messages": [{"role": "user", "content": "wait"}]}
        client.post("/deployments/dep_a/v1/chat/completions", json=document, timeout=1)
    until(lambda: client.get("/deployments/dep_a").json()["deployment"]["in_flight"] == 0)


def test_one_that_nobody_calls_is_stopped(client: httpx.Client, tmp_path: Path, checkpoint: str) -> None:
    put(client, "dep_a", body(checkpoint, idle_timeout_seconds=0.7))
    settled(client, "dep_a")
    for _ in range(5):
        time.sleep(0.2)
        assert ask(client, "dep_a").status_code == 200
    found = settled(client, "dep_a", "stopped", "failed")
    assert (found["status"], found["stage_detail"]) == ("stopped", "It received no calls for 0.7 s")
    assert is_gone(starts_of(tmp_path, "dep_a")[0][0])


def test_one_that_is_stopped_while_its_form_is_built_ends_the_build(
    client: httpx.Client, tmp_path: Path, checkpoint: str
) -> None:
    found = put(client, "dep_a", body(checkpoint, quantization="q8_0")).json()["deployment"]
    assert found["backend"] == "llama.cpp"
    until(lambda: client.get("/deployments/dep_a").json()["deployment"]["status"] == "preparing")
    until(lambda: list((tmp_path / "artifacts").glob("dep_*/request.json")))
    ended = client.delete("/deployments/dep_a", headers=WAIT).json()["deployment"]
    assert (ended["status"], ended["error"]) == ("stopped", None)
    assert list((tmp_path / "artifacts").iterdir()) == [] and starts_of(tmp_path, "dep_a") == []


def test_a_form_that_cannot_be_built_fails_with_the_reason_of_its_build(
    client: httpx.Client, tmp_path: Path, checkpoint: str
) -> None:
    weights = next((tmp_path / "jobs").glob("*/checkpoints/*/model/model.safetensors"))
    weights.write_bytes(b"other weights")
    put(client, "dep_a", body(checkpoint, quantization="q8_0", timeout_seconds=300))
    found = settled(client, "dep_a")
    assert (found["status"], found["error"]["code"]) == ("failed", "checkpoint_corrupt")
    assert starts_of(tmp_path, "dep_a") == []


# Crashing.


def test_a_server_that_dies_is_started_again_and_it_is_said(
    client: httpx.Client, tmp_path: Path, checkpoint: str
) -> None:
    put(client, "dep_a", body(checkpoint))
    settled(client, "dep_a")
    os.kill(starts_of(tmp_path, "dep_a")[0][0], signal.SIGKILL)
    found = until(lambda: (one := settled(client, "dep_a"))["restarts"] == 1 and one["status"] == "running" and one)
    assert found["error"] is None
    assert len(starts_of(tmp_path, "dep_a")) == 2
    assert ask(client, "dep_a").status_code == 200


def test_a_server_that_hangs_is_replaced(
    client: httpx.Client, tmp_path: Path, checkpoint: str, caplog: pytest.LogCaptureFixture
) -> None:
    put(client, "dep_a", body(checkpoint))
    settled(client, "dep_a")
    hang = tmp_path / "deployments" / "dep_a" / "hang"
    hang.touch()
    until(lambda: client.get("/deployments/dep_a").json()["deployment"]["restarts"] == 1)
    hang.unlink()
    assert "restarting deployment dep_a: the server did not reply 2 times in a row" in caplog.text
    found = settled(client, "dep_a")
    assert (found["status"], found["restarts"]) == ("running", 1)
    assert [is_gone(pid) for pid, _ in starts_of(tmp_path, "dep_a")] == [True, False]


def test_a_server_that_dies_again_and_again_is_given_up(client: httpx.Client, tmp_path: Path, checkpoint: str) -> None:
    put(client, "dep_a", body(checkpoint, "crashes"))
    seen: set[int] = set()
    while (found := settled(client, "dep_a"))["status"] == "running":
        if found["restarts"] not in seen:
            seen.add(found["restarts"])
            ask(client, "dep_a", "crash")
        time.sleep(0.05)
    assert (found["status"], found["restarts"], found["error"]["code"]) == ("failed", 3, "worker_crashed")
    assert "restarted 3 times in a row" in found["error"]["message"]
    assert "signal 9" in found["error"]["message"]
    assert len(starts_of(tmp_path, "dep_a")) == 4


def test_crashes_far_apart_are_not_in_a_row(tmp_path: Path, checkpoint: str) -> None:
    with serving(tmp_path, healthy_again_seconds=0.0, restarts_max=1) as client:
        put(client, "dep_a", body(checkpoint))
        for count in range(3):
            until(lambda count=count: settled(client, "dep_a")["restarts"] == count)
            assert settled(client, "dep_a")["status"] == "running"
            os.kill(starts_of(tmp_path, "dep_a")[count][0], signal.SIGKILL)
        until(lambda: (one := settled(client, "dep_a"))["restarts"] == 3 and one["status"] == "running")
        end_all(client)


def test_a_call_during_a_crash_is_an_error_that_may_be_repeated(
    client: httpx.Client, tmp_path: Path, checkpoint: str
) -> None:
    put(client, "dep_a", body(checkpoint, "endless"))
    settled(client, "dep_a")
    document = {"messages": [{"role": "user", "content": "x"}], "stream": True}
    with client.stream("POST", "/deployments/dep_a/v1/chat/completions", json=document) as reply:
        lines = reply.iter_lines()
        next(lines)
        record = client.get("/deployments/dep_a").json()["deployment"]
        assert record["in_flight"] == 1
        pid = starts_of(tmp_path, "dep_a")[0][0]
        os.kill(pid, signal.SIGKILL)
        rest = "\n".join(lines)
    assert "deploy_unhealthy" in rest and '"retryable": true' in rest


# Restarts of the trainer.


def test_a_server_is_taken_up_by_the_next_trainer(tmp_path: Path, checkpoint: str) -> None:
    with serving(tmp_path) as client:
        put(client, "dep_a", body(checkpoint))
        before = settled(client, "dep_a")
    with serving(tmp_path) as client:
        after = settled(client, "dep_a")
        assert (after["status"], after["restarts"]) == ("running", 0)
        assert after["verified_at"] > before["verified_at"]
        assert ask(client, "dep_a").status_code == 200
        assert len(starts_of(tmp_path, "dep_a")) == 1
        end_all(client)
    assert is_gone(starts_of(tmp_path, "dep_a")[0][0])


def test_a_server_that_died_meanwhile_is_started_again(tmp_path: Path, checkpoint: str) -> None:
    with serving(tmp_path) as client:
        put(client, "dep_a", body(checkpoint))
        settled(client, "dep_a")
    os.kill(starts_of(tmp_path, "dep_a")[0][0], signal.SIGKILL)
    os.waitpid(starts_of(tmp_path, "dep_a")[0][0], 0)
    with serving(tmp_path) as client:
        # The dead server does not count as running, however soon the new one does.
        at_once = client.get("/deployments/dep_a").json()["deployment"]
        assert (at_once["status"], at_once["restarts"]) != ("running", 0)
        after = settled(client, "dep_a")
        assert (after["status"], after["restarts"]) == ("running", 1)
        end_all(client)


SERVICE = """
import sys
from pathlib import Path
import uvicorn
from deployment_fixtures import AMachine, QUICK
from whetstone_trainer.service.app import create_app
from whetstone_trainer.service.settings import Settings
home, port, token = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
settings = Settings(home=home, token=token, serving=QUICK)
uvicorn.run(create_app(settings, AMachine(home)), host="127.0.0.1", port=port, log_level="error")
"""


def killed_service(home: Path, document: dict[str, Any]) -> int:
    """Lets a trainer start a server, kills the trainer outright, and returns the server's process id."""
    port = free_port()
    environment = {**os.environ, "PYTHONPATH": f"{os.environ['PYTHONPATH']}:{Path(__file__).parent / 'support'}"}
    service = subprocess.Popen([sys.executable, "-c", SERVICE, str(home), str(port), TOKEN], env=environment)
    headers = {"authorization": f"Bearer {TOKEN}"}
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}/v1", headers=headers, timeout=60) as client:
            until(lambda: _answers(client), 60)
            put(client, "dep_a", document)
            until(lambda: starts_of(home, "dep_a"))
            if document["served_model_name"] == "fine":
                settled(client, "dep_a")
    finally:
        service.kill()
        service.wait()
    return starts_of(home, "dep_a")[0][0]


def _answers(client: httpx.Client) -> bool:
    try:
        return client.get("/health").status_code == 200
    except httpx.HTTPError:
        return False


def test_a_killed_trainer_leaves_a_server_that_the_next_one_takes_up(tmp_path: Path, checkpoint: str) -> None:
    pid = killed_service(tmp_path, body(checkpoint, "fine"))
    assert not is_gone(pid)
    with serving(tmp_path) as client:
        assert settled(client, "dep_a")["status"] == "running"
        assert starts_of(tmp_path, "dep_a") == starts_of(tmp_path, "dep_a")[:1]
        assert ask(client, "dep_a").status_code == 200
        end_all(client)
    until(lambda: is_gone(pid))


def test_a_server_that_no_record_names_is_ended(tmp_path: Path, checkpoint: str) -> None:
    pid = killed_service(tmp_path, body(checkpoint, "never-healthy"))
    path = tmp_path / "deployments" / "dep_a" / "deployment.json"
    # As if the trainer had been killed between starting the process and storing its pid.
    record = {**read_json(path), "pid": None, "pid_started": None}
    path.write_text(json.dumps(record))
    with serving(tmp_path) as client:
        until(lambda: is_gone(pid))
        assert (path.parent / "told-to-end").exists()
        until(lambda: len(starts_of(tmp_path, "dep_a")) == 2)
        end_all(client)


def test_one_that_was_stopping_is_stopped_by_the_next_trainer(tmp_path: Path, checkpoint: str) -> None:
    pid = killed_service(tmp_path, body(checkpoint, "fine"))
    path = tmp_path / "deployments" / "dep_a" / "deployment.json"
    path.write_text(path.read_text().replace('"status": "running"', '"status": "stopping"'))
    with serving(tmp_path) as client:
        assert settled(client, "dep_a", "stopped")["status"] == "stopped"
    assert is_gone(pid)
    assert len(starts_of(tmp_path, "dep_a")) == 1


# Checkpoints in use cannot be deleted.


def test_a_checkpoint_that_is_served_is_neither_deleted_nor_pruned(
    client: httpx.Client, tmp_path: Path, checkpoint: str
) -> None:
    put(client, "dep_a", body(checkpoint))
    settled(client, "dep_a")
    refused = client.delete(f"/checkpoints/{checkpoint}")
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "in_use")
    assert "dep_a" in refused.json()["error"]["message"]
    save_checkpoint(tmp_path, weights=b"newer")
    job_dir = tmp_path / "jobs" / "job-1"
    assert prune(tmp_path, job_dir, keep_last=1, keep=[]) == []
    client.delete("/deployments/dep_a", headers=WAIT)
    # A rollback would return to it, so it is not pruned; its owner may delete it.
    assert prune(tmp_path, job_dir, keep_last=1, keep=[]) == []
    assert client.delete(f"/checkpoints/{checkpoint}").status_code == 200
    assert checkpoint not in [one.checkpoint_id for one in list_checkpoints(job_dir)]
    assert not (tmp_path / "deployments" / "dep_a").exists()
    gone = put(client, "dep_b", body(checkpoint))
    assert gone.status_code == 404


def test_a_checkpoint_that_failed_to_serve_may_be_pruned(client: httpx.Client, tmp_path: Path, checkpoint: str) -> None:
    put(client, "dep_a", body(checkpoint, "exits"))
    settled(client, "dep_a")
    save_checkpoint(tmp_path, weights=b"newer")
    pruned = prune(tmp_path, tmp_path / "jobs" / "job-1", keep_last=1, keep=[])
    assert [manifest.checkpoint_id for manifest, _ in pruned] == [checkpoint]


# Agent mode.


def test_commands_of_an_agent_deploy_and_ask(tmp_path: Path, checkpoint: str) -> None:
    async def run() -> None:
        settings = Settings(home=tmp_path, token=TOKEN, serving=Serving(server=FAKE_SERVER, poll_seconds=0.05))
        app = create_app(settings, AMachine(tmp_path))
        commands = Commands(app, tmp_path / "agent" / "web", TOKEN)
        count = 0

        async def send(method: str, path: str, document: Any = None, **more: Any) -> dict[str, Any]:
            nonlocal count
            count += 1
            payload = {"method": method, "path": f"/v1/deployments/dep_a{path}", "body": document, **more}
            return await commands.run(Command(command_id=f"cmd_{count}", payload=payload))

        async with app.router.lifespan_context(app):
            assert (await send("PUT", "", body(checkpoint)))["status"] == 202
            waiting = {"query": {"settled": 1}, "headers": {"prefer": "wait=20"}}
            assert (await send("GET", "", **waiting))["body"]["deployment"]["status"] == "running"
            messages = [{"role": "user", "content": "weather"}]
            answer = await send("POST", "/v1/chat/completions", {"messages": messages, "stream": False})
            assert answer["body"]["choices"][0]["message"]["content"] == "sunny"
            # The PUT's result is stored for an hour; questions and answers are not.
            assert len(list((tmp_path / "agent" / "web").glob("*.json"))) == 1
            ended = await send("DELETE", "", headers={"prefer": "wait=20"})
            assert ended["body"]["deployment"]["status"] == "stopped"
        await commands.client.aclose()

    asyncio.run(run())
