"""The recorded events, which the web app's tests read too, still have the shape of an event."""

from __future__ import annotations

from pathlib import Path

from whetstone_trainer.events import Event

SAMPLES = Path(__file__).with_name("events-sample.jsonl")


def test_every_recorded_event_is_an_event() -> None:
    types = [Event.model_validate_json(line).type for line in SAMPLES.read_text().splitlines()]
    assert {"metrics", "eval", "sample", "checkpoint.saved", "checkpoint.invalid", "restart"} <= set(types)
