"""A killed worker resumes as if nothing had happened."""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from amounts import amount
from jobs import ROWS, Job, Worker, run, sft_rows, spec_document

# Dropout draws from the random state, so equality shows that it was restored too.
DROPOUT = {"lora_dropout": 0.1}
pytest_plugins = ("training_fixtures",)
MakeJob = Callable[..., Job]
KILLED = -signal.SIGKILL


def resumed(job: Job) -> Job:
    job.next_attempt()
    assert run(job) == 0, job.log()[-2000:]
    return job


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory, tiny_model: Path) -> Job:
    home = tmp_path_factory.mktemp("uninterrupted")
    (home / "models" / "hub").mkdir(parents=True)
    job = Job(home, "job-1", lora_spec(home, tiny_model))
    assert run(job) == 0, job.log()[-2000:]
    return job


def lora_spec(home: Path, base: Path) -> dict[str, object]:
    return spec_document(home, base, "sft", "lora", lora=DROPOUT, validation=sft_rows(4))


# A checkpoint is saved after every fourth step of twelve: before the first, at one, after one, between, and at the end.
@pytest.mark.parametrize("step", amount([1, 4, 5, 7, 12], list(range(1, 13))))
def test_weights_after_a_kill_equal_the_uninterrupted_runs(
    step: int,
    home: Path,
    tiny_model: Path,
    make_job: MakeJob,
    uninterrupted: Job,
) -> None:
    job = make_job(lora_spec(home, tiny_model))
    assert run(job, patch=f"kill_after_step:{step}") == KILLED
    resumed(job)
    assert job.weights() == uninterrupted.weights()


def test_a_kill_within_a_save_resumes_from_the_checkpoint_before(
    home: Path,
    tiny_model: Path,
    make_job: MakeJob,
    uninterrupted: Job,
) -> None:
    job = make_job(lora_spec(home, tiny_model))
    assert run(job, patch="kill_in_save:8") == KILLED
    resumed(job)
    started = [e.data["resumed_from_step"] for e in job.events("phase.started") if e.data["phase"] == "training"]
    assert started == [0, 4]
    assert job.weights() == uninterrupted.weights()
    assert not list((job.dir / "checkpoints").glob("tmp-*"))


@pytest.mark.parametrize(
    ("method", "adapter"), [("sft", "full"), ("sft", "qlora"), ("dpo", "lora"), ("orpo", "lora"), ("kto", "lora")]
)
def test_every_method_resumes_exactly(
    method: str,
    adapter: str,
    home: Path,
    tiny_model: Path,
    make_job: MakeJob,
) -> None:
    spec = spec_document(home, tiny_model, method, adapter, rows=ROWS[method](16))
    whole, killed = make_job(spec), make_job(spec)
    assert run(whole) == 0
    assert run(killed, patch="kill_after_step:6") == KILLED
    assert resumed(killed).weights() == whole.weights()


def test_events_go_on_without_a_gap_and_tokens_are_not_counted_twice(
    home: Path,
    tiny_model: Path,
    make_job: MakeJob,
    uninterrupted: Job,
) -> None:
    job = make_job(lora_spec(home, tiny_model))
    run(job, patch="kill_after_step:6")
    resumed(job)
    assert [event.seq for event in job.events()] == list(range(1, len(job.events()) + 1))
    last, whole = job.events("metrics")[-1].data, uninterrupted.events("metrics")[-1].data
    assert last["tokens_seen"] == whole["tokens_seen"]
    assert last["train_loss"] == whole["train_loss"]


def test_a_truncated_optimizer_state_falls_back_to_the_checkpoint_before(
    home: Path,
    tiny_model: Path,
    make_job: MakeJob,
    uninterrupted: Job,
) -> None:
    job = make_job(lora_spec(home, tiny_model))
    run(job, patch="kill_after_step:9")
    newest = job.checkpoints[-1]
    optimizer = job.dir / "checkpoints" / newest.checkpoint_id / "state" / "optimizer.pt"
    optimizer.write_bytes(optimizer.read_bytes()[:1000])
    resumed(job)
    (invalid,) = job.events("checkpoint.invalid")
    assert invalid.data["checkpoint_id"] == newest.checkpoint_id
    assert "optimizer.pt has 1000 bytes" in invalid.data["reason"]
    assert job.weights() == uninterrupted.weights()


def test_without_an_intact_checkpoint_training_restarts_from_zero(
    home: Path,
    tiny_model: Path,
    make_job: MakeJob,
    uninterrupted: Job,
) -> None:
    job = make_job(lora_spec(home, tiny_model))
    run(job, patch="kill_after_step:9")
    for checkpoint in job.checkpoints:
        (job.dir / "checkpoints" / checkpoint.checkpoint_id / "MANIFEST.json").unlink()
    resumed(job)
    assert job.events("warning")[-1].data["code"] == "restarted_from_zero"
    assert job.weights() == uninterrupted.weights()


def test_without_an_intact_checkpoint_and_restarts_the_job_fails_as_corrupt(
    home: Path,
    tiny_model: Path,
    make_job: MakeJob,
) -> None:
    job = make_job({**lora_spec(home, tiny_model), "limits": {"max_restarts": 0}})
    run(job, patch="kill_after_step:5")
    (job.dir / "checkpoints" / job.checkpoints[0].checkpoint_id / "MANIFEST.json").write_text("{")
    job.next_attempt()
    assert run(job) == 1
    assert job.error_code == "checkpoint_corrupt"


def test_a_changed_spec_is_not_resumed_under_the_old_numbers(
    home: Path,
    tiny_model: Path,
    make_job: MakeJob,
) -> None:
    job = make_job(lora_spec(home, tiny_model))
    run(job, patch="kill_after_step:5")
    path = job.dir / "resolved.json"
    path.write_text(path.read_text().replace('"learning_rate": 0.001', '"learning_rate": 0.002'))
    job.next_attempt()
    assert run(job) == 1
    assert job.error_code == "resume_incompatible"
    assert "Continue as a new job" in str(job.result)


@pytest.mark.parametrize(("change", "named"), [("other_libraries", "versions"), ("two_devices", "device_count")])
def test_other_libraries_or_devices_do_not_resume_a_checkpoint(
    change: str, named: str, home: Path, tiny_model: Path, make_job: MakeJob
) -> None:
    job = make_job(lora_spec(home, tiny_model))
    run(job, patch="kill_after_step:5")
    job.next_attempt()
    assert run(job, patch=f"{change}:") == 1
    assert job.error_code == "resume_incompatible"
    assert job.result is not None
    assert named in job.result["error"]["message"]
    assert "Continue as a new job" in job.result["error"]["hint"]


def test_an_older_attempt_cannot_write_after_a_newer_one_began(
    home: Path,
    tiny_model: Path,
    make_job: MakeJob,
) -> None:
    job = make_job(lora_spec(home, tiny_model))
    worker = Worker(job, patch="slow_steps:0.3")
    worker.wait_for("phase.progress")
    job.next_attempt()
    before = len(job.events())
    assert worker.wait() == 1
    assert len(job.events()) == before
    assert job.result is None
    assert job.checkpoints == []
