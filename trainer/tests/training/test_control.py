"""Cancel, pause and save-now do what they say in every phase, and nothing learned is lost unless requested."""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from jobs import Job, Worker, run, sft_rows, spec_document
from service_fixtures import until

pytest_plugins = ("training_fixtures",)
MakeJob = Callable[..., Job]
PAUSED = 75


def spec(home: Path, base: Path) -> dict[str, object]:
    return spec_document(home, base, validation=sft_rows(4), checkpointing={"save_steps": 100})


def stop(worker: Worker, action: str, mode: str = "save") -> int:
    worker.job.control(action, mode)
    worker.signal(signal.SIGTERM)
    return worker.wait()


def outcome(job: Job) -> tuple[str, str | None]:
    assert job.result is not None
    return job.result["outcome"], job.result["stop_reason"]


def test_cancel_while_the_model_loads_ends_at_once(home: Path, tiny_model: Path, make_job: MakeJob) -> None:
    job = make_job(spec(home, tiny_model))
    worker = Worker(job, patch="slow_loading:60")
    worker.wait_for("phase.started", phase="loading_model")
    assert stop(worker, "cancel") == 0
    assert outcome(job) == ("cancelled", "user")
    assert job.checkpoints == []


def test_cancel_while_training_saves_the_step_it_reached(home: Path, tiny_model: Path, make_job: MakeJob) -> None:
    job = make_job(spec(home, tiny_model))
    worker = Worker(job, patch="slow_steps:0.5")
    worker.wait_for("phase.progress")
    assert stop(worker, "cancel") == 0
    assert outcome(job) == ("cancelled", "user")
    (checkpoint,) = job.checkpoints
    assert 1 <= checkpoint.step_number < 12
    assert job.result is not None
    assert job.result["final_checkpoint_id"] == checkpoint.checkpoint_id


def test_cancel_with_discard_saves_nothing_more(home: Path, tiny_model: Path, make_job: MakeJob) -> None:
    job = make_job(spec(home, tiny_model))
    worker = Worker(job, patch="slow_steps:0.5")
    worker.wait_for("phase.progress")
    assert stop(worker, "cancel", "discard") == 0
    assert outcome(job) == ("cancelled", "user")
    assert job.checkpoints == []


def test_cancel_within_a_save_completes_the_save(home: Path, tiny_model: Path, make_job: MakeJob) -> None:
    job = make_job(spec_document(home, tiny_model, checkpointing={"save_steps": 4}))
    worker = Worker(job, patch="slow_saving:1")
    worker.wait_for("phase.started", phase="saving")
    assert stop(worker, "cancel") == 0
    assert outcome(job) == ("cancelled", "user")
    assert job.checkpoints[0].step_number == 4
    assert job.checkpoints[0].problem(job.dir / "checkpoints" / job.checkpoints[0].checkpoint_id) is None


def test_cancel_within_an_evaluation_keeps_the_step(home: Path, tiny_model: Path, make_job: MakeJob) -> None:
    job = make_job(
        spec_document(home, tiny_model, validation=sft_rows(8), evaluation={"eval_on_start": False, "eval_steps": 4})
    )
    worker = Worker(job, patch="slow_evaluation:1")
    worker.wait_for("phase.started", phase="evaluating")
    assert stop(worker, "cancel") == 0
    assert outcome(job) == ("cancelled", "user")
    assert [checkpoint.step_number for checkpoint in job.checkpoints] == [4]


def test_cancel_while_converting_keeps_the_trained_checkpoint_and_fails_nothing(
    home: Path, tiny_model: Path, make_job: MakeJob
) -> None:
    job = make_job(spec_document(home, tiny_model, output={"formats": ["gguf"], "gguf_quantizations": ["q8_0"]}))
    worker = Worker(job, patch="slow_building:60")
    worker.wait_for("phase.started", phase="converting")
    assert stop(worker, "cancel") == 0
    assert outcome(job) == ("cancelled", "user")
    assert job.result is not None
    assert job.result["final_checkpoint_id"] == job.checkpoints[-1].checkpoint_id
    assert job.checkpoints[-1].step_number == 12
    assert job.events("artifact.failed") == []


def test_pause_exits_75_and_resuming_gives_the_uninterrupted_weights(
    home: Path, tiny_model: Path, make_job: MakeJob
) -> None:
    whole, job = make_job(spec(home, tiny_model)), make_job(spec(home, tiny_model))
    assert run(whole) == 0
    worker = Worker(job, patch="slow_steps:0.5")
    worker.wait_for("phase.progress")
    assert stop(worker, "pause") == PAUSED
    assert outcome(job)[0] == "paused"
    job.next_attempt()
    assert run(job) == 0
    assert outcome(job) == ("completed", "completed")
    assert job.weights() == whole.weights()


def test_a_shutdown_of_the_machine_is_a_pause(home: Path, tiny_model: Path, make_job: MakeJob) -> None:
    job = make_job(spec(home, tiny_model))
    worker = Worker(job, patch="slow_steps:0.5")
    worker.wait_for("phase.progress")
    worker.signal(signal.SIGTERM)
    assert worker.wait() == PAUSED
    assert len(job.checkpoints) == 1


def test_a_checkpoint_can_be_asked_for_at_any_step(home: Path, tiny_model: Path, make_job: MakeJob) -> None:
    job = make_job(spec(home, tiny_model))
    worker = Worker(job, patch="slow_steps:0.3")
    worker.wait_for("phase.progress")
    job.control("checkpoint")
    worker.signal(signal.SIGUSR1)
    assert worker.wait() == 0
    assert len(job.checkpoints) == 2
    assert job.checkpoints[-1].step_number == 12


def test_a_stalled_worker_prints_its_stacks_when_asked(home: Path, tiny_model: Path, make_job: MakeJob) -> None:
    job = make_job(spec(home, tiny_model))
    worker = Worker(job, patch="hang_in_step:2")
    until(lambda: "hanging in step 2" in job.log(), 60)
    worker.signal(signal.SIGUSR2)
    until(lambda: "after_step" in job.log())
    worker.signal(signal.SIGKILL)
    worker.wait()
    assert job.result is None


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ({"limits": {"max_runtime_seconds": 0.001}}, "max_runtime"),
        ({"training": {"max_steps": 3}}, "max_steps"),
    ],
)
def test_limits_end_a_job_with_their_reason_and_a_checkpoint(
    parts: dict[str, object], expected: str, home: Path, tiny_model: Path, make_job: MakeJob
) -> None:
    job = make_job(spec_document(home, tiny_model, **parts))
    assert run(job) == 0
    assert outcome(job) == (expected, expected)
    assert job.result is not None
    assert job.result["final_checkpoint_id"] == job.checkpoints[-1].checkpoint_id


def test_training_stops_early_when_the_validation_loss_no_longer_falls(
    home: Path, tiny_model: Path, make_job: MakeJob
) -> None:
    # The validation rows contradict the training rows, so the loss rises as soon as anything is learned.
    wrong = sft_rows(4, "no no tokenizer")
    evaluation = {"eval_steps": 2, "early_stopping_patience": 2, "eval_on_start": False}
    training = {"num_train_epochs": 10}
    job = make_job(
        spec_document(
            home,
            tiny_model,
            "sft",
            "full",
            validation=wrong,
            evaluation=evaluation,
            training=training,
            checkpointing={"save_steps": 2},
        )
    )
    assert run(job) == 0
    assert outcome(job) == ("early_stopped", "early_stopped")
    assert job.result is not None
    assert job.result["best_checkpoint_id"] != job.result["final_checkpoint_id"]
    assert job.result["best_checkpoint_id"] in {checkpoint.checkpoint_id for checkpoint in job.checkpoints}
