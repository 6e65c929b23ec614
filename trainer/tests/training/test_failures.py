"""Every failure has a code and a hint, and leaves the last good checkpoint."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from jobs import Job, run, sft_rows, spec_document, subprocess_worker

pytest_plugins = ("training_fixtures",)
MakeJob = Callable[..., Job]
TOKEN = "hf_abcdefghijklmnopqrstuvwxyz"


def test_three_losses_that_are_not_numbers_end_the_job_and_keep_the_last_good_checkpoint(
    home: Path, tiny_model: Path, make_job: MakeJob
) -> None:
    job = make_job(spec_document(home, tiny_model))
    assert run(job, patch="nan_from_step:6") == 1
    assert job.error_code == "diverged"
    bad = [event.data["step"] for event in job.events("metrics") if event.data.get("nonfinite")]
    assert bad == [6, 7, 8]
    assert all(event.data["train_loss"] is None for event in job.events("metrics") if event.data.get("nonfinite"))
    assert job.result is not None
    assert [checkpoint.step_number for checkpoint in job.checkpoints] == [4]
    assert job.result["best_checkpoint_id"] == job.checkpoints[0].checkpoint_id


def test_an_exploding_learning_rate_never_succeeds(home: Path, tiny_model: Path, make_job: MakeJob) -> None:
    training = {"learning_rate": 1e30, "max_grad_norm": 0}
    job = make_job(spec_document(home, tiny_model, "sft", "full", training=training))
    assert run(job) == 1
    assert job.error_code == "diverged"
    assert job.checkpoints == []


def test_a_full_disk_keeps_what_was_committed_and_the_job_can_resume(
    home: Path, tiny_model: Path, make_job: MakeJob
) -> None:
    job = make_job(spec_document(home, tiny_model))
    assert run(job, patch="disk_full_at_step:8") == 1
    assert job.result is not None
    assert (job.error_code, job.result["error"]["retryable"]) == ("disk_full", True)
    assert not list((job.dir / "checkpoints").glob("tmp-*"))
    job.next_attempt()
    assert run(job) == 0
    assert job.error_code is None


def test_a_gpu_that_runs_out_of_memory_gets_half_the_batch_and_twice_the_accumulation(
    home: Path, tiny_model: Path, make_job: MakeJob
) -> None:
    job = make_job(spec_document(home, tiny_model))
    assert run(job, patch="gpu_out_of_memory_above:2") == 0
    (restart,) = job.events("restart")
    assert restart.data["per_device_train_batch_size"] == 2
    assert restart.data["gradient_accumulation_steps"] == 2
    assert job.events("metrics")[-1].data["step"] == 12


def test_a_model_without_deterministic_operations_trains_and_says_so(
    home: Path, tiny_model: Path, make_job: MakeJob
) -> None:
    job = make_job(spec_document(home, tiny_model))
    assert run(job, patch="needs_a_deterministic_operation") == 0
    (warning,) = job.events("warning")
    assert warning.data["code"] == "not_deterministic" and "does not have" in warning.message
    assert job.events("metrics")[-1].data["step"] == 12


def test_memory_that_no_batch_fits_into_is_an_error_with_remedies(
    home: Path, tiny_model: Path, make_job: MakeJob
) -> None:
    job = make_job(spec_document(home, tiny_model))
    assert run(job, patch="gpu_out_of_memory_above:0") == 1
    assert job.error_code == "out_of_memory_gpu"
    assert "max_length" in str(job.result)


def test_an_exit_without_a_result_claims_nothing(home: Path, tiny_model: Path, make_job: MakeJob) -> None:
    job = make_job(spec_document(home, tiny_model))
    assert run(job, patch="exit_without_result") == 0
    assert job.result is None


def test_the_hub_token_is_in_no_event_log_or_result(home: Path, tiny_model: Path, make_job: MakeJob) -> None:
    job = make_job(spec_document(home, tiny_model))
    assert run(job, {"HF_TOKEN": TOKEN}, patch="print_token") == 1
    assert job.error_code == "worker_crashed"
    written = job.log() + "".join(path.read_text() for path in job.dir.glob("*.json*"))
    assert TOKEN not in written
    assert "token is [redacted]" in job.log()


def test_rows_that_teach_nothing_fail_before_the_model_is_loaded(
    home: Path, tiny_model: Path, make_job: MakeJob
) -> None:
    job = make_job(spec_document(home, tiny_model, training={"max_length": 4}))
    assert run(job) == 1
    assert job.error_code == "dataset_incompatible"
    assert "loading_model" not in [event.data["phase"] for event in job.events("phase.started")]


def test_the_real_command_trains_and_says_so(home: Path, tiny_model: Path, make_job: MakeJob) -> None:
    job = make_job(spec_document(home, tiny_model, training={"max_steps": 2}, rows=sft_rows(4)))
    process = subprocess_worker(job, {"HF_TOKEN": TOKEN})
    assert process.wait(180) == 0, job.log()[-2000:]
    assert TOKEN not in str(process.args)
    assert job.result is not None
    assert job.result["outcome"] == "max_steps"


def test_a_missing_model_names_the_parameter(home: Path, make_job: MakeJob) -> None:
    job = make_job(spec_document(home, None, base_model={"id": "/nowhere/model", "source": "local"}))
    assert run(job) == 1
    assert job.result is not None
    assert (job.error_code, job.result["error"]["param"]) == ("base_model_not_found", "base_model.id")


@pytest.mark.parametrize("name", ["result.json", "events.jsonl"])
def test_what_the_worker_writes_is_json_without_nan(name: str, home: Path, tiny_model: Path, make_job: MakeJob) -> None:
    job = make_job(spec_document(home, tiny_model))
    run(job, patch="nan_from_step:2")

    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is not JSON")

    text = (job.dir / name).read_text()
    for document in text.splitlines() if name.endswith("l") else [text]:
        json.loads(document, parse_constant=refuse)
