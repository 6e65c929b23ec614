"""Homes, manifests and jobs for tests, and workers that start in milliseconds.

Workers are forked from a server that imported torch and TRL once, so a test of a kill or a resume does not pay the
seconds of importing them again. `subprocess_worker` starts the real command where that is what is tested.
"""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from whetstone_trainer.checkpoints import CheckpointManifest, list_checkpoints
from whetstone_trainer.events import Event, EventLog
from whetstone_trainer.files import read_json

TRAINER = Path(__file__).resolve().parents[2]
SENTENCE = "sunny hello world"
ENVIRONMENT = {
    "HF_HUB_OFFLINE": "1",
    "TOKENIZERS_PARALLELISM": "false",
    # A second thread does not speed up a model this small, and on a busy machine the two wait for each other.
    "OMP_NUM_THREADS": "1",
    "OMP_WAIT_POLICY": "PASSIVE",
    "TRL_EXPERIMENTAL_SILENCE": "1",
}


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def assistant(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text}


def sft_rows(count: int = 24, answer: str = SENTENCE) -> list[dict[str, Any]]:
    return [{"messages": [user(f"weather {i % 3}"), assistant(answer)]} for i in range(count)]


def preference_rows(count: int = 24) -> list[dict[str, Any]]:
    return [
        {
            "prompt": [user(f"weather {i % 3}")],
            "chosen": [assistant("sunny hello")],
            "rejected": [assistant("no" + " no" * (i % 4))],
        }
        for i in range(count)
    ]


def kto_rows(count: int = 24) -> list[dict[str, Any]]:
    return [
        {
            "prompt": [user(f"weather {i % 3}")],
            "completion": [assistant("sunny hello" if i % 2 else "no")],
            "label": bool(i % 2),
        }
        for i in range(count)
    ]


ROWS = {"sft": sft_rows, "dpo": preference_rows, "orpo": preference_rows, "kto": kto_rows}


def write_manifest(home: Path, rows: list[dict[str, Any]], prefix: str = "ex") -> str:
    """Freezes rows as the service would and returns the manifest's sha256."""
    header = {"schema": "chat.v1", "created_by": "test", "rows": len(rows)}
    numbered = [{"example_id": f"{prefix}_{i}", "example_version": 1, **row} for i, row in enumerate(rows)]
    text = "".join(json.dumps(line) + "\n" for line in [header, *numbered])
    sha = hashlib.sha256(text.encode()).hexdigest()
    folder = home / "manifests"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{sha}.jsonl").write_text(text)
    return sha


def spec_document(
    home: Path,
    base: Path | None,
    method: str = "sft",
    adapter: str = "lora",
    rows: list[dict[str, Any]] | None = None,
    validation: list[dict[str, Any]] | None = None,
    base_model: dict[str, Any] | None = None,
    **parts: Any,
) -> dict[str, Any]:
    """Returns a spec for the tiny model; `parts` replace or extend its sections."""
    rows = ROWS[method]() if rows is None else rows
    manifest: dict[str, Any] = {"sha256": write_manifest(home, rows), "rows": len(rows), "schema": "chat.v1"}
    if validation is not None:
        manifest["validation"] = {"sha256": write_manifest(home, validation, "val")}
    training = {
        "learning_rate": 1e-3,
        "num_train_epochs": 2,
        "per_device_train_batch_size": 4,
        "gradient_accumulation_steps": 1,
        "lr_scheduler_type": "linear",
        "warmup_ratio": 0,
        **parts.pop("training", {}),
    }
    return {
        "spec_version": 1,
        "engine": "transformers",
        "method": method,
        "adapter": adapter,
        "base_model": base_model or {"id": str(base), "source": "local"},
        "manifest": manifest,
        "training": training,
        "lora": {"r": 8, "lora_alpha": 16, **parts.pop("lora", {})},
        "evaluation": {"samples": {"count": 1, "max_new_tokens": 8}, **parts.pop("evaluation", {})},
        "checkpointing": {"save_steps": 4, **parts.pop("checkpointing", {})},
        **parts,
    }


class Job:
    """One job in a home, with the queries that tests make."""

    def __init__(self, home: Path, job_id: str, spec: dict[str, Any]) -> None:
        self.home, self.job_id = home, job_id
        self.dir = home / "jobs" / job_id
        self.dir.mkdir(parents=True)
        (self.dir / "spec.json").write_text(json.dumps(spec))
        self.attempt = 0
        self.next_attempt()

    def next_attempt(self) -> int:
        self.attempt += 1
        (self.dir / "attempt").write_text(str(self.attempt))
        return self.attempt

    def control(self, action: str, mode: str = "save") -> None:
        (self.dir / "control.json").write_text(json.dumps({"request_id": "r1", "action": action, "mode": mode}))

    @property
    def result(self) -> dict[str, Any] | None:
        path = self.dir / "result.json"
        return read_json(path) if path.exists() else None  # type: ignore[no-any-return]

    @property
    def error_code(self) -> str | None:
        error = (self.result or {}).get("error")
        return error["code"] if error else None

    def events(self, type: str | None = None) -> list[Event]:
        found = EventLog(self.dir).read(0, 100_000)
        return [event for event in found if type is None or event.type == type]

    @property
    def checkpoints(self) -> list[CheckpointManifest]:
        return list_checkpoints(self.dir)

    def log(self) -> str:
        return "\n".join(path.read_text() for path in sorted((self.dir / "logs").glob("*.log")))

    def weights(self) -> dict[str, str]:
        """Returns the sha256 of every file of the final checkpoint's model."""
        assert self.result is not None
        final = next(c for c in self.checkpoints if c.checkpoint_id == self.result["final_checkpoint_id"])
        return {file.path: file.sha256 for file in final.files if file.path.startswith("model/")}


# The fork server ignores an import that fails and takes its path only from the environment.
os.environ["PYTHONPATH"] = os.pathsep.join(
    [str(TRAINER), str(TRAINER / "tests" / "support"), *filter(None, [os.environ.get("PYTHONPATH")])]
)
CONTEXT = multiprocessing.get_context("forkserver")
CONTEXT.set_forkserver_preload(["worker_imports"])


class Worker:
    """A forked worker: the same code as `python -m whetstone_trainer.worker`, in its own process."""

    def __init__(self, job: Job, environment: dict[str, str] | None = None, patch: str | None = None) -> None:
        self.job = job
        arguments = (str(job.home), job.job_id, job.attempt, environment or {}, patch)
        self.process = CONTEXT.Process(target=_work, args=arguments)
        self.process.start()

    def wait(self, seconds: float = 120) -> int:
        self.process.join(seconds)
        if self.process.exitcode is None:
            self.process.kill()
            raise AssertionError(f"the worker did not end within {seconds} s\n{self.job.log()[-3000:]}")
        return self.process.exitcode

    def signal(self, number: int) -> None:
        assert self.process.pid is not None
        os.kill(self.process.pid, number)

    def wait_for(self, type: str, seconds: float = 60, **data: Any) -> Event:
        """Returns the first event of this type whose data has these values."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            for event in self.job.events(type):
                if event.attempt == self.job.attempt and all(event.data.get(k) == v for k, v in data.items()):
                    return event
            if self.process.exitcode is not None:
                break
            time.sleep(0.005)
        raise AssertionError(f"no {type} {data} came\n{self.job.log()[-3000:]}")


def run(job: Job, environment: dict[str, str] | None = None, patch: str | None = None, seconds: float = 120) -> int:
    """Runs the job's current attempt to completion and returns the exit code."""
    return Worker(job, environment, patch).wait(seconds)


def subprocess_worker(job: Job, environment: dict[str, str] | None = None) -> subprocess.Popen[bytes]:
    """Starts the real command, with its output in the attempt's log as under the service."""
    (job.dir / "logs").mkdir(exist_ok=True)
    command = [sys.executable, "-m", "whetstone_trainer.worker", "--home", str(job.home)]
    command += ["--job-id", job.job_id, "--attempt", str(job.attempt)]
    with (job.dir / "logs" / f"attempt-{job.attempt}.log").open("wb") as log:
        return subprocess.Popen(
            command,
            stdout=log,
            stderr=subprocess.STDOUT,
            env={**os.environ, **ENVIRONMENT, "PYTHONPATH": str(TRAINER), **(environment or {})},
        )


def _work(home: str, job_id: str, attempt: int, environment: dict[str, str], patch: str | None) -> None:
    os.environ.update(environment)
    logs = Path(home) / "jobs" / job_id / "logs"
    logs.mkdir(exist_ok=True)
    file = os.open(logs / f"attempt-{attempt}.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    os.dup2(file, 1)
    os.dup2(file, 2)
    if patch is not None:
        import faults

        name, _, argument = patch.partition(":")
        getattr(faults, name)(argument)
    from whetstone_trainer.worker.main import run_attempt

    code = run_attempt(Path(home), job_id, attempt)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
