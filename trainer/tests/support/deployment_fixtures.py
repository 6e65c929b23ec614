"""A service whose deployments are served by scripted processes, and a home with a checkpoint to name."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
from service_fixtures import running

from whetstone_trainer.checkpoints import CheckpointManifest, commit, temporary_folder
from whetstone_trainer.service.capabilities import Capabilities
from whetstone_trainer.service.processes import started_at
from whetstone_trainer.service.settings import Serving

FAKE_SERVER = (sys.executable, str(Path(__file__).with_name("fake_server.py")))
QUICK = Serving(
    server=FAKE_SERVER,
    poll_seconds=0.05,
    health_seconds=0.2,
    health_timeout_seconds=1.0,
    health_failures_max=2,
    verify_tries=2,
    restart_seconds=(0.05,),
    token_seconds=30.0,
    end_seconds=1.0,
    drain_seconds=10.0,
)
FINAL = ("stopped", "failed", "timeout")


class AMachine(Capabilities):
    """Fixed capabilities, which avoid the seconds that inspecting this machine takes."""

    def get(self) -> dict[str, Any]:
        return {
            "serve_backends": ["transformers", "llama.cpp"],
            "gguf_quantizations": ["q8_0"],
            "compressed_quantizations": [],
            "unavailable": [
                {"feature": "serve:vllm", "reason": "vLLM needs a CUDA GPU", "hint": "Use another machine."},
                {"feature": "int8", "reason": "TRAINER_COMPRESS_PYTHON is not set", "hint": "Set it."},
            ],
        }


@contextlib.contextmanager
def serving(home: Path, **changes: Any) -> Iterator[httpx.Client]:
    """Runs the service, and ends its deployments when the test ends."""
    with running(home, AMachine(home), serving=dataclasses.replace(QUICK, **changes)) as client:
        yield client


def end_all(client: httpx.Client) -> None:
    for one in client.get("/deployments").json()["deployments"]:
        client.delete(f"/deployments/{one['deployment_id']}", headers={"prefer": "wait=20"})


def save_checkpoint(
    home: Path, job_id: str = "job-1", weights: bytes = b"weights", attempt: int = 0
) -> CheckpointManifest:
    """Commits a checkpoint of full weights that cannot be loaded."""
    job_dir = home / "jobs" / job_id
    work = temporary_folder(job_dir, "test")
    (work / "model").mkdir()
    (work / "model" / "model.safetensors").write_bytes(weights)
    facts = {
        "step_number": 1,
        "epoch": 1.0,
        "kind": "full",
        "method": "sft",
        "adapter": "full",
        "metrics": {},
        "base_model": {"id": "org/model", "source": "hub"},
        "parent_checkpoint_id": None,
        "resumable": True,
    }
    return commit(work, job_dir, facts, attempt)


def body(checkpoint_id: str, behaviour: str = "fine", **changes: Any) -> dict[str, Any]:
    return {"checkpoint_id": checkpoint_id, "served_model_name": behaviour, "timeout_seconds": 30, **changes}


def settled(client: httpx.Client, deployment_id: str, *statuses: str) -> dict[str, Any]:
    """Returns the deployment once it runs or has ended, or once it has one of the statuses."""
    until = time.monotonic() + 240
    while time.monotonic() < until:
        reply = client.get(f"/deployments/{deployment_id}?settled=1", headers={"prefer": "wait=5"})
        found = dict(reply.json()["deployment"])
        if found["status"] in (statuses or ("running", *FINAL)):
            return found
        time.sleep(0.05)
    raise AssertionError(f"it stays {found['status']}: {json.dumps(found)}")


def starts_of(home: Path, deployment_id: str) -> list[tuple[int, int]]:
    """Returns the process ids and ports of the servers that were started."""
    path = home / "deployments" / deployment_id / "starts"
    lines = path.read_text().splitlines() if path.exists() else []
    return [(int(line.split()[0]), int(line.split()[1])) for line in lines]


def is_gone(pid: int) -> bool:
    return started_at(pid) is None


def ask(client: httpx.Client, deployment_id: str, text: str = "weather 1", **changes: Any) -> httpx.Response:
    document = {"messages": [{"role": "user", "content": text}], "temperature": 0, **changes}
    return client.post(f"/deployments/{deployment_id}/v1/chat/completions", json=document)


def use_this_trainer(monkeypatch: Any) -> None:
    """Lets processes that the service starts import the trainer under test."""
    path = [str(Path(__file__).resolve().parents[2]), os.environ.get("PYTHONPATH", "")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(part for part in path if part))
