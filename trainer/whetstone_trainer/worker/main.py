"""Runs an attempt and records its outcome: without result.json, its outcome is unknown."""

from __future__ import annotations

import argparse
import os
import threading
import traceback
from collections.abc import Sequence
from pathlib import Path

from ..checkpoints import remove_temporary
from ..events import StaleAttempt
from ..redaction import redact_standard_streams
from ..training.control import Control, Stopped
from ..training.reporter import Reporter
from ..training.result import JobResult, newest_good

EXIT_OK, EXIT_FAILED, EXIT_PAUSED = 0, 1, 75
RESOURCE_INTERVAL_SECONDS = 15.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the attempt named on the command line and returns the exit code."""
    parser = argparse.ArgumentParser(prog="whetstone_trainer.worker")
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--job-id", required=True)
    parser.add_argument("--attempt", type=int, required=True)
    options = parser.parse_args(arguments)
    return run_attempt(options.home.resolve(), options.job_id, options.attempt)


def run_attempt(home: Path, job_id: str, attempt: int) -> int:
    """Runs one attempt in this process. Never raises for what ends a job; result.json reports it."""
    os.environ.setdefault("HF_HOME", str(home / "models"))
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    # Deterministic matrix products on CUDA need a fixed workspace, set before the first product.
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    # TRL refuses several visible GPUs in one process; the service chooses which one a job gets.
    os.environ.setdefault("CUDA_VISIBLE_DEVICES", "0")
    redact_standard_streams()
    job_dir = home / "jobs" / job_id
    control = Control(job_dir)
    reporter = Reporter(job_dir, attempt)
    try:
        return _run(home, job_id, attempt, control, reporter)
    except StaleAttempt as stale:
        # The newer attempt owns the job, so this one leaves no trace.
        print(f"stopping: {stale}", flush=True)
        return EXIT_FAILED


def _run(home: Path, job_id: str, attempt: int, control: Control, reporter: Reporter) -> int:
    job_dir = home / "jobs" / job_id
    try:
        control.install()
        # Imported here so that a stop request during these seconds is already handled.
        from ..training.run import Job

        watch = _watch_resources(home, reporter)
        try:
            result = Job(home, job_id, attempt, reporter, control).run()
        finally:
            watch.set()
    except StaleAttempt:
        raise
    except Stopped as stopped:
        control.interruptible = False
        result = _stopped(job_dir, attempt, stopped)
    except BaseException as error:
        control.interruptible = False
        traceback.print_exc()
        result = _failed(job_dir, attempt, reporter, error)
    result.write(job_dir)
    return EXIT_PAUSED if result.outcome == "paused" else EXIT_FAILED if result.outcome == "failed" else EXIT_OK


def _stopped(job_dir: Path, attempt: int, stopped: Stopped) -> JobResult:
    remove_temporary(job_dir)
    outcome = "paused" if stopped.request.action == "pause" else "cancelled"
    # "discard" saves nothing more; what was committed earlier stays and is still reported.
    return JobResult(attempt, outcome, "user", None, newest_good(job_dir), None)


def _failed(job_dir: Path, attempt: int, reporter: Reporter, error: BaseException) -> JobResult:
    from ..training.failures import describe

    remove_temporary(job_dir)
    return JobResult(attempt, "failed", None, describe(error, reporter.phase), None, newest_good(job_dir))


def _watch_resources(home: Path, reporter: Reporter) -> threading.Event:
    """Reports memory and device use from a thread until the returned event is set."""
    from ..training.machine import resources

    stop = threading.Event()

    def watch() -> None:
        while not stop.wait(RESOURCE_INTERVAL_SECONDS):
            try:
                reporter.emit("resource", resources(home))
            except (StaleAttempt, OSError):
                # The main thread gets the same error at its next event and handles it.
                return

    threading.Thread(target=watch, name="resources", daemon=True).start()
    return stop
