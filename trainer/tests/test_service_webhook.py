"""Pushed events are signed, in order and sent at least once, and never make a job wait."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from fake_web import FakeWeb, until

from whetstone_trainer.events import EventLog, utc_now
from whetstone_trainer.service import delivery
from whetstone_trainer.service.job_record import JobRecord, job_dir, write_record
from whetstone_trainer.service.webhook import Webhooks, secret_of, signature

TOKEN = "the-token-of-this-trainer"


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


def job_with_events(home: Path, job_id: str, count: int, url: str | None = None) -> EventLog:
    folder = job_dir(home, job_id)
    folder.mkdir(parents=True)
    write_record(home, JobRecord(job_id=job_id, spec_hash="0" * 64, created_at=utc_now(), queued_at=0, webhook_url=url))
    log = EventLog(folder)
    for number in range(count):
        log.append("phase.progress", {"done": number}, attempt=0)
    return log


@contextmanager
def pushing(home: Path, **environment: str) -> Iterator[None]:
    stop = threading.Event()

    async def run() -> None:
        async with Webhooks(home, TOKEN, environment).running():
            await asyncio.to_thread(stop.wait)

    thread = threading.Thread(target=lambda: asyncio.run(run()))
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join(10)


def sequence(web: FakeWeb) -> list[int]:
    return [event["seq"] for _, body in web.webhooks for event in json.loads(body)["events"]]


def test_a_push_is_signed_over_its_time_and_its_exact_bytes(tmp_path: Path, web: FakeWeb) -> None:
    job_with_events(tmp_path, "job_1", 3)
    with pushing(tmp_path, TRAINER_WEBHOOK_URL=f"{web.url}/hook"):
        until(lambda: web.webhooks)
    headers, body = web.webhooks[0]
    parts = dict(part.split("=", 1) for part in headers["whetstone-signature"].split(","))
    expected = hmac.new(TOKEN.encode(), f"{parts['t']}.".encode() + body, hashlib.sha256).hexdigest()
    assert parts["v1"] == expected
    assert json.loads(body)["job_id"] == "job_1"
    assert sequence(web) == [1, 2, 3]


def test_pushes_that_fail_are_sent_again_and_none_is_left_out(tmp_path: Path, web: FakeWeb) -> None:
    log = job_with_events(tmp_path, "job_1", 2, f"{web.url}/hook")
    web.failing = 3
    with pushing(tmp_path):
        until(lambda: sequence(web) == [1, 2])
        log.append("phase.progress", {"done": 2}, attempt=0)
        until(lambda: sequence(web) == [1, 2, 3])


def test_a_restarted_service_continues_after_what_was_taken(tmp_path: Path, web: FakeWeb) -> None:
    log = job_with_events(tmp_path, "job_1", 2, f"{web.url}/hook")
    with pushing(tmp_path):
        until(lambda: (job_dir(tmp_path, "job_1") / "delivered-webhook").exists())
    log.append("phase.progress", {"done": 2}, attempt=0)
    with pushing(tmp_path):
        until(lambda: len(sequence(web)) >= 3)
    assert sequence(web) == [1, 2, 3]


def test_a_receiver_that_is_away_holds_up_neither_the_job_nor_another_receiver(tmp_path: Path, web: FakeWeb) -> None:
    slow = job_with_events(tmp_path, "job_1", 1, "http://127.0.0.1:9/hook")
    job_with_events(tmp_path, "job_2", 1, f"{web.url}/hook")
    with pushing(tmp_path):
        until(lambda: web.webhooks)
        slow.append("phase.progress", {"done": 1}, attempt=0)
        assert slow.last_seq == 2


@pytest.mark.parametrize(
    ("reference", "environment", "secret"),
    [
        (None, {}, TOKEN),
        (None, {"TRAINER_WEBHOOK_SECRET": "own"}, "own"),
        ("env:TRAINER_WEBHOOK_SECRET_STAGING", {"TRAINER_WEBHOOK_SECRET_STAGING": "staging"}, "staging"),
        ("env:TRAINER_WEBHOOK_SECRET_ABSENT", {}, None),
        ("env:HF_TOKEN", {"HF_TOKEN": "hub"}, None),
    ],
)
def test_a_reference_names_only_secrets_of_webhooks(
    reference: str | None, environment: dict[str, str], secret: str | None
) -> None:
    assert secret_of(reference, TOKEN, environment) == secret


def test_the_secret_is_in_no_file_of_the_job(tmp_path: Path, web: FakeWeb) -> None:
    job_with_events(tmp_path, "job_1", 1, f"{web.url}/hook")
    with pushing(tmp_path, TRAINER_WEBHOOK_SECRET="a-secret-of-its-own"):
        until(lambda: web.webhooks)
    written: list[Any] = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert written and not any(b"a-secret-of-its-own" in content for content in written)
    assert b"a-secret-of-its-own" not in web.webhooks[0][1]


def test_another_time_or_body_has_another_signature() -> None:
    one = signature("s", b"{}", 1)
    assert one.startswith("t=1,v1=")
    assert len({one, signature("s", b"{}", 2), signature("s", b"{ }", 1), signature("x", b"{}", 1)}) == 4
