"""Faults inside a worker, switched on by name in the forked process."""

from __future__ import annotations

import dataclasses
import errno
import os
import signal
import time
from typing import Any


def _after_step(act: Any) -> None:
    from whetstone_trainer.training.session import TrainingSession

    original = TrainingSession.after_step

    def after_step(self: Any, step: int, *args: Any) -> None:
        original(self, step, *args)
        act(self, step)

    TrainingSession.after_step = after_step  # type: ignore[method-assign]


def kill_after_step(step: str) -> None:
    """Dies as in a power failure, between a step and whatever would follow it."""

    def act(session: Any, now: int) -> None:
        if now == int(step):
            os.kill(os.getpid(), signal.SIGKILL)

    _after_step(act)


def kill_in_save(step: str) -> None:
    """Dies after a checkpoint's files are written and before they are committed."""
    from whetstone_trainer.training import saving

    original = saving.commit

    def commit(work: Any, job_dir: Any, facts: Any, attempt: int) -> Any:
        if facts["step_number"] == int(step):
            os.kill(os.getpid(), signal.SIGKILL)
        return original(work, job_dir, facts, attempt)

    saving.commit = commit


def disk_full_at_step(step: str) -> None:
    from whetstone_trainer.training import saving

    original = saving.commit

    def commit(work: Any, job_dir: Any, facts: Any, attempt: int) -> Any:
        if facts["step_number"] == int(step):
            raise OSError(errno.ENOSPC, "No space left on device")
        return original(work, job_dir, facts, attempt)

    saving.commit = commit


def slow_steps(seconds: str) -> None:
    _after_step(lambda session, step: time.sleep(float(seconds)))


def slow_loading(seconds: str) -> None:
    from whetstone_trainer.training import build_trainer

    original = build_trainer.load_for_training

    def load(*args: Any) -> Any:
        time.sleep(float(seconds))
        return original(*args)

    build_trainer.load_for_training = load


def slow_saving(seconds: str) -> None:
    from whetstone_trainer.training import saving

    original = saving.commit

    def commit(*args: Any) -> Any:
        time.sleep(float(seconds))
        return original(*args)

    saving.commit = commit


def slow_evaluation(seconds: str) -> None:
    from whetstone_trainer.training.session import TrainingSession

    original = TrainingSession.during_evaluation

    def during(self: Any, control: Any) -> None:
        time.sleep(float(seconds))
        original(self, control)

    TrainingSession.during_evaluation = during  # type: ignore[method-assign]


def slow_building(seconds: str) -> None:
    from whetstone_trainer.artifacts.build import _Builder

    def run(self: Any) -> Any:
        time.sleep(float(seconds))
        raise AssertionError("it was to be interrupted")

    _Builder.run = run  # type: ignore[method-assign]


def other_libraries(_: str) -> None:
    """Runs with a different version of every library than before."""
    from whetstone_trainer.training import resuming

    versions = resuming.library_versions
    resuming.library_versions = lambda: {name: f"{version}+1" for name, version in versions().items()}


def two_devices(_: str) -> None:
    from whetstone_trainer.training import run

    machine = run.this_machine
    run.this_machine = lambda: dataclasses.replace(machine(), device_count=machine().device_count + 1)


def nan_from_step(step: str) -> None:
    """Makes the loss NaN from this step on."""
    from whetstone_trainer.training.session import TrainingSession

    original = TrainingSession.on_log

    def on_log(self: Any, logs: Any, now: int, epoch: float) -> None:
        if "loss" in logs and now >= int(step):
            logs = {**logs, "loss": float("nan")}
        original(self, logs, now, epoch)

    TrainingSession.on_log = on_log  # type: ignore[method-assign]


def gpu_out_of_memory_above(batch: str) -> None:
    """Runs out of GPU memory whenever a batch has more rows than this."""
    import torch

    from whetstone_trainer.training.session import TrainingSession

    def before_step(self: Any, trainer: Any, inputs: Any) -> None:
        if len(inputs["input_ids"]) > int(batch):
            raise torch.OutOfMemoryError("CUDA out of memory")

    TrainingSession.before_step = before_step  # type: ignore[method-assign]


def needs_a_deterministic_operation(_: str) -> None:
    """Trains on a GPU that lacks a deterministic form of an operation, as far as torch's settings show it."""
    import torch

    from whetstone_trainer.training import run
    from whetstone_trainer.training.session import TrainingSession

    def begin(self: Any, *args: Any) -> None:
        original(self, *args)
        self.repeatable = True

    def before_step(self: Any, trainer: Any, inputs: Any) -> None:
        if not torch.is_deterministic_algorithms_warn_only_enabled():
            raise RuntimeError("op does not have a deterministic form, but 'torch.use_deterministic_algorithms(True)'")

    original = run.Job.__init__
    run.Job.__init__ = begin  # type: ignore[method-assign]
    TrainingSession.before_step = before_step  # type: ignore[method-assign]


def print_token(_: str) -> None:
    """Prints the hub token and fails with it in the message, as a careless library would."""
    from whetstone_trainer.training import run

    def prepare(*args: Any) -> Any:
        print("token is", os.environ["HF_TOKEN"], flush=True)
        raise RuntimeError(f"401 for Bearer {os.environ['HF_TOKEN']}")

    run.prepare = prepare


def exit_without_result(_: str) -> None:
    from whetstone_trainer.training import run

    def prepare(*args: Any) -> Any:
        os._exit(0)

    run.prepare = prepare


def hang_in_step(step: str) -> None:
    """Stops making progress without dying, and says so in its log."""

    def act(session: Any, now: int) -> None:
        if now == int(step):
            print(f"hanging in step {now}", flush=True)
            time.sleep(300)

    _after_step(act)
