"""Jobs over HTTP: accepted once, watched, restarted and stopped, each with a defined end."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import psutil
import pytest
from service_fixtures import (
    FAKE_WORKER,
    events,
    job,
    look_at_jobs,
    put_manifest,
    reached,
    rows,
    running,
    spec,
    submitted,
    until,
)

from whetstone_trainer.files import read_json

LIMITS = {"max_restarts": 2, "stall_timeout_seconds": 60}


@pytest.fixture
def client(tmp_path: Path) -> Iterator[httpx.Client]:
    with running(tmp_path, worker=FAKE_WORKER) as found:
        yield found


def worker_of(home: Path, job_id: str) -> int:
    return int(until(lambda: read_json(home / "jobs" / job_id / "job.json")["pid"]))


def test_a_job_that_is_submitted_twice_runs_once(client: httpx.Client) -> None:
    document = spec(put_manifest(client, rows()))
    first = client.put("/jobs/job_a", json=document)
    second = client.put("/jobs/job_a", json=document)
    assert (first.status_code, second.status_code) == (202, 200)
    assert reached(client, "job_a", "succeeded")["attempt"] == 1
    assert client.put("/jobs/job_a", json=document).json()["job"]["status"] == "succeeded"
    kinds = [event["type"] for event in events(client, "job_a")]
    assert kinds.count("job.accepted") == kinds.count("job.finished") == 1


def test_the_id_of_a_job_with_another_spec_is_refused(client: httpx.Client) -> None:
    submitted(client, "job_a")
    other = client.put("/jobs/job_a", json=spec(put_manifest(client, rows(3))))
    assert (other.status_code, other.json()["error"]["code"]) == (409, "idempotency_mismatch")


def test_events_are_numbered_from_one_without_a_gap_and_wait_for_what_comes(client: httpx.Client) -> None:
    submitted(client, "job_a", ["hang"])
    reached(client, "job_a", "running")
    seen = events(client, "job_a")
    assert [event["seq"] for event in seen] == list(range(1, len(seen) + 1))
    client.post("/jobs/job_a/cancel", json={"request_id": "r1"})
    later = client.get("/jobs/job_a/events", params={"after": seen[-1]["seq"], "wait": 20}).json()
    assert later["events"][0]["seq"] == seen[-1]["seq"] + 1
    assert reached(client, "job_a", "cancelled")["stop_reason"] == "user"


def test_a_worker_that_dies_is_restarted_until_its_restarts_are_used_up(client: httpx.Client) -> None:
    submitted(client, "job_a", ["crash", "finish"], limits=LIMITS)
    assert reached(client, "job_a", "succeeded")["attempt"] == 2
    submitted(client, "job_b", ["crash"], limits=LIMITS)
    ended = reached(client, "job_b", "failed")
    assert ended["error"]["code"] == "attempt_limit"
    assert "attempt 3 will crash" in ended["error"]["log_tail"]
    assert ended["attempt"] == 3


def test_a_worker_that_ends_without_a_result_has_not_succeeded(client: httpx.Client) -> None:
    submitted(client, "job_a", ["vanish"])
    assert reached(client, "job_a", "failed")["error"]["code"] == "worker_vanished"


def test_a_failure_that_the_worker_explains_is_not_tried_again(client: httpx.Client) -> None:
    submitted(client, "job_a", ["fail", "finish"])
    ended = reached(client, "job_a", "failed")
    assert (ended["attempt"], ended["error"]["code"]) == (1, "diverged")


def test_a_worker_that_ignores_a_stop_is_killed_with_its_group(tmp_path: Path) -> None:
    with running(tmp_path, worker=FAKE_WORKER) as client:
        submitted(client, "job_a", ["ignore-term"])
        reached(client, "job_a", "running")
        pid = worker_of(tmp_path, "job_a")
        client.post("/jobs/job_a/cancel", json={"request_id": "r1", "deadline_seconds": 0.3})
        assert reached(client, "job_a", "cancelled")["outcome"] == "cancelled"
        with pytest.raises(ProcessLookupError):
            os.killpg(pid, 0)


def test_a_clock_that_is_set_shortens_no_deadline_and_loses_no_worker(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checked = look_at_jobs(monkeypatch)
    day, now, created = 86_400, time.time, psutil.Process.create_time
    with running(tmp_path, worker=FAKE_WORKER) as client:
        submitted(client, "job_a", ["ignore-term"])
        reached(client, "job_a", "running")
        pid = worker_of(tmp_path, "job_a")
        client.post("/jobs/job_a/cancel", json={"request_id": "r1", "deadline_seconds": 3600})
        monkeypatch.setattr(time, "time", lambda: now() + day)
        # As psutil computes it: the time since boot plus the boot time, which moves with the changed clock.
        monkeypatch.setattr(psutil.Process, "create_time", lambda process: created(process) + day)
        checked()
        assert job(client, "job_a")["status"] == "cancelling"
    with running(tmp_path, worker=FAKE_WORKER) as client:
        checked()
        assert (job(client, "job_a")["status"], job(client, "job_a")["attempt"]) == ("cancelling", 1)
        os.killpg(pid, signal.SIGKILL)
        reached(client, "job_a", "cancelled")


def test_a_cancelled_job_stays_cancelled_however_often_it_is_asked(client: httpx.Client) -> None:
    submitted(client, "job_a", ["hang"])
    submitted(client, "job_b", ["finish"])
    assert client.post("/jobs/job_b/cancel", json={"request_id": "r1"}).json()["job"]["status"] == "cancelled"
    client.post("/jobs/job_a/cancel", json={"request_id": "r1"})
    reached(client, "job_a", "cancelled")
    last = job(client, "job_a")["last_seq"]
    assert client.post("/jobs/job_a/cancel", json={"request_id": "r2"}).status_code == 200
    assert job(client, "job_a")["last_seq"] == last


def test_a_paused_job_goes_on_when_it_is_resumed(client: httpx.Client) -> None:
    submitted(client, "job_a", ["hang", "finish"])
    reached(client, "job_a", "running")
    client.post("/jobs/job_a/pause", json={"request_id": "r1"})
    assert reached(client, "job_a", "paused")["can_resume"] is True
    client.post("/jobs/job_a/resume", json={"request_id": "r2"})
    assert reached(client, "job_a", "succeeded")["attempt"] == 2


def test_jobs_wait_for_their_turn(client: httpx.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    checked = look_at_jobs(monkeypatch)
    submitted(client, "job_a", ["hang"])
    submitted(client, "job_b", ["finish"])
    reached(client, "job_a", "running")
    checked()
    assert job(client, "job_b")["status"] == "queued"
    client.post("/jobs/job_a/cancel", json={"request_id": "r1"})
    reached(client, "job_b", "succeeded")


def test_a_service_that_was_killed_finds_its_worker_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checked = look_at_jobs(monkeypatch)
    with running(tmp_path, worker=FAKE_WORKER) as client:
        submitted(client, "job_a", ["hang"])
        reached(client, "job_a", "running")
        pid, before = worker_of(tmp_path, "job_a"), events(client, "job_a")
    os.kill(pid, 0)
    with running(tmp_path, worker=FAKE_WORKER) as client:
        checked()
        assert job(client, "job_a")["status"] == "running"
        assert worker_of(tmp_path, "job_a") == pid
        client.post("/jobs/job_a/cancel", json={"request_id": "r1"})
        reached(client, "job_a", "cancelled")
        after = events(client, "job_a")
    assert after[: len(before)] == before
    assert [event["seq"] for event in after] == list(range(1, len(after) + 1))


def test_a_worker_that_died_while_no_service_ran_is_restarted(tmp_path: Path) -> None:
    with running(tmp_path, worker=FAKE_WORKER) as client:
        submitted(client, "job_a", ["hang", "finish"])
        reached(client, "job_a", "running")
        pid = worker_of(tmp_path, "job_a")
    os.killpg(pid, signal.SIGKILL)
    with running(tmp_path, worker=FAKE_WORKER) as client:
        assert reached(client, "job_a", "succeeded")["attempt"] == 2


def test_after_a_restart_of_the_machine_a_job_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with running(tmp_path, worker=FAKE_WORKER) as client:
        submitted(client, "job_a", ["hang", "finish"])
        reached(client, "job_a", "running")
        pid = worker_of(tmp_path, "job_a")
    monkeypatch.setattr("whetstone_trainer.service.processes.boot_id", lambda: "another boot")
    try:
        # A process with the worker's pid may exist, but it is a different one.
        with running(tmp_path, worker=FAKE_WORKER) as client:
            assert reached(client, "job_a", "succeeded")["attempt"] == 2
    finally:
        os.killpg(pid, signal.SIGKILL)


def test_a_worker_that_reports_nothing_for_too_long_is_restarted(client: httpx.Client) -> None:
    limits = {"max_restarts": 9, "stall_timeout_seconds": 3}
    submitted(client, "job_a", ["hang", "finish"], limits=limits)
    assert reached(client, "job_a", "succeeded", seconds=90)["attempt"] >= 2
    assert any(event["data"].get("code") == "stalled" for event in events(client, "job_a"))


def test_a_worker_that_the_kernel_killed_for_memory_is_called_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kills = iter([0, *[1] * 100])
    monkeypatch.setattr("whetstone_trainer.service.processes.oom_kills", lambda: next(kills))
    with running(tmp_path, worker=FAKE_WORKER) as client:
        submitted(client, "job_a", ["crash", "finish"], limits=LIMITS)
        reached(client, "job_a", "succeeded")
        restarts = [event["data"]["reason"] for event in events(client, "job_a") if event["type"] == "restart"]
        assert restarts == ["out_of_memory_host"]
