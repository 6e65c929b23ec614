"""The event log has no gaps, loses nothing it reported, and reveals no secrets."""

from __future__ import annotations

import multiprocessing
import time
from pathlib import Path

import pytest

from whetstone_trainer.events import EventLog, StaleAttempt


def job_dir(tmp_path: Path, attempt: int = 1) -> Path:
    folder = tmp_path / "job-1"
    folder.mkdir(exist_ok=True)
    (folder / "attempt").write_text(str(attempt))
    return folder


def append_many(folder: Path, count: int) -> None:
    log = EventLog(folder)
    for _ in range(count):
        log.append("resource", {}, attempt=1)


def test_two_processes_share_one_sequence_without_gaps(tmp_path: Path) -> None:
    folder = job_dir(tmp_path)
    context = multiprocessing.get_context("fork")
    writers = [context.Process(target=append_many, args=(folder, 100)) for _ in range(2)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert [event.seq for event in EventLog(folder).read(0, 1000)] == list(range(1, 201))


def test_a_line_torn_by_a_power_loss_is_cut_off(tmp_path: Path) -> None:
    folder = job_dir(tmp_path)
    EventLog(folder).append("metrics", {"step": 1}, attempt=1)
    with (folder / "events.jsonl").open("ab") as file:
        file.write(b'{"seq": 2, "job_id"')
    log = EventLog(folder)
    assert log.last_seq == 1
    assert log.append("metrics", {"step": 2}, attempt=1).seq == 2
    assert [event.data["step"] for event in EventLog(folder).read(0, 10)] == [1, 2]


def test_reading_goes_on_after_a_seq(tmp_path: Path) -> None:
    folder = job_dir(tmp_path)
    append_many(folder, 10)
    log = EventLog(folder)
    assert [event.seq for event in log.read(7, 2)] == [8, 9]
    assert log.read(10, 5) == []
    append_many(folder, 1)
    assert [event.seq for event in log.read(10, 5)] == [11]


def test_an_older_attempt_is_refused(tmp_path: Path) -> None:
    log = EventLog(job_dir(tmp_path, attempt=2))
    with pytest.raises(StaleAttempt):
        log.append("metrics", {}, attempt=1)
    assert log.last_seq == 0


def test_numbers_that_json_has_not_become_null(tmp_path: Path) -> None:
    data = {"loss": float("nan"), "rewards": [float("inf"), 1.0]}
    assert EventLog(job_dir(tmp_path)).append("metrics", data, attempt=1).data == {"loss": None, "rewards": [None, 1.0]}


def test_secrets_do_not_reach_the_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", "a-secret-of-the-user")
    folder = job_dir(tmp_path)
    texts = ["a-secret-of-the-user", "hf_abcdefghijklmnopqrst", "Bearer abcdefghijkl", "https://me:pass@host/x"]
    EventLog(folder).append("warning", {"texts": texts}, attempt=1, message="a-secret-of-the-user")
    written = (folder / "events.jsonl").read_text()
    assert not [secret for secret in ("a-secret", "hf_abc", "abcdefghijkl", "pass@") if secret in written]


def test_an_event_costs_less_than_five_milliseconds_of_our_time(tmp_path: Path) -> None:
    log = EventLog(job_dir(tmp_path))
    append_many(log.job_dir, 500)
    began = time.process_time()
    for step in range(200):
        log.append("metrics", {"step": step, "raw": {str(i): i / 7 for i in range(20)}}, attempt=1)
    assert (time.process_time() - began) / 200 < 0.005
