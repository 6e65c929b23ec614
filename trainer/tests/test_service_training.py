"""End to end over HTTP: Examples in, a model that learned them out, whatever was killed meanwhile."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest
from forked import forked_processes  # noqa: F401
from jobs import ENVIRONMENT
from service_fixtures import TOKEN, events, free_port, job, put_manifest, reached, rows, running, until
from training_fixtures import tiny_model  # noqa: F401

from whetstone_trainer.files import read_json

SECONDS = 240
SERVICE = """
import sys
from pathlib import Path
import uvicorn
from whetstone_trainer.service.app import create_app
from whetstone_trainer.service.settings import Settings
app = create_app(Settings(home=Path(sys.argv[1]), token=sys.argv[3]))
uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[2]), log_level="error")
"""


pytestmark = pytest.mark.usefixtures("forked_processes")


@pytest.fixture(autouse=True)
def _offline(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)


def full_spec(model: Path, sha256: str, **training: Any) -> dict[str, Any]:
    """Returns the spec from which the tiny model learns its sentence in twelve steps."""
    return {
        "method": "sft",
        "adapter": "full",
        "base_model": {"id": str(model), "source": "local"},
        "manifest": {"sha256": sha256, "rows": 24},
        "training": {
            "num_train_epochs": 2,
            "learning_rate": 1e-3,
            "per_device_train_batch_size": 4,
            "gradient_accumulation_steps": 1,
            **training,
        },
        "checkpointing": {"save_steps": 2, "save_total_limit": 2},
    }


def weights_of(client: httpx.Client, job_id: str) -> dict[str, str]:
    """Returns the hashes of the model files of the job's last checkpoint."""
    final = job(client, job_id)["final_checkpoint_id"]
    files = client.get(f"/checkpoints/{final}").json()["checkpoint"]["files"]
    return {file["path"]: file["sha256"] for file in files if file["path"].startswith("model/")}


def test_a_job_learns_its_sentence_and_says_it(tmp_path: Path, tiny_model: Path) -> None:  # noqa: F811
    with running(tmp_path) as client:
        sha256 = put_manifest(client, rows())
        document = full_spec(tiny_model, sha256)
        report = client.post("/validate", json=document).json()["report"]
        assert report["ok"] is True
        assert any(segment["trained"] for segment in report["rendered_examples"][0]["segments"])
        assert client.put("/jobs/job_a", json=document).status_code == 202
        ended = reached(client, "job_a", "succeeded", "failed", seconds=SECONDS)
        assert ended["status"] == "succeeded", ended["error"]
        seen = events(client, "job_a")
        assert [event["seq"] for event in seen] == list(range(1, len(seen) + 1))
        assert {"metrics", "checkpoint.saved", "dataset.report", "job.finished"} <= {event["type"] for event in seen}
        saved = client.get(f"/checkpoints/{ended['final_checkpoint_id']}").json()["checkpoint"]
        assert saved["inference_profile"]["chat_template"]
        file = next(file for file in saved["files"] if file["path"].endswith(".safetensors"))
        body = client.get(f"/checkpoints/{saved['checkpoint_id']}/files/{file['path']}")
        assert hashlib.sha256(body.content).hexdigest() == file["sha256"]
        assert body.headers["etag"] == f'"{file["sha256"]}"'
        part = client.get(str(body.url), headers={"range": "bytes=0-9"})
        assert (part.status_code, part.content) == (206, body.content[:10])
        asked = {
            "targets": [{"checkpoint_id": saved["checkpoint_id"]}],
            "prompts": [{"messages": [{"role": "user", "content": "weather 1"}]}],
        }
        said = client.post("/samples", json=asked).json()
        assert "sunny hello world" in str(said)
        steps = client.get("/jobs/job_a/metrics").json()["metrics"]["step"]
        assert steps == sorted(steps) and steps[-1] == 12


def test_a_killed_service_leaves_its_worker_training_and_the_next_one_takes_it_over(
    tmp_path: Path,
    tiny_model: Path,  # noqa: F811
) -> None:
    port = free_port()
    command = [sys.executable, "-c", SERVICE, str(tmp_path), str(port), TOKEN]
    service = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    headers = {"authorization": f"Bearer {TOKEN}"}
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}/v1", headers=headers, timeout=120) as client:
            until(lambda: is_up(client), SECONDS)
            document = full_spec(tiny_model, put_manifest(client, rows()), num_train_epochs=20)
            client.put("/jobs/job_a", json=document)
            until(lambda: any(e["type"] == "metrics" for e in events(client, "job_a")), SECONDS)
            before = events(client, "job_a")
    finally:
        service.kill()
        service.wait()
    with running(tmp_path) as client:
        ended = reached(client, "job_a", "succeeded", "failed", seconds=SECONDS)
        assert (ended["status"], ended["attempt"]) == ("succeeded", 1)
        after = events(client, "job_a")
    assert after[: len(before)] == before
    assert [event["seq"] for event in after] == list(range(1, len(after) + 1))


def is_up(client: httpx.Client) -> bool:
    try:
        return client.get("/health").status_code == 200
    except httpx.TransportError:
        return False


def test_a_killed_worker_ends_with_the_weights_of_one_that_was_not(tmp_path: Path, tiny_model: Path) -> None:  # noqa: F811
    with running(tmp_path) as client:
        sha256 = put_manifest(client, rows())
        document = full_spec(tiny_model, sha256)
        client.put("/jobs/job_whole", json=document)
        reached(client, "job_whole", "succeeded", seconds=SECONDS)
        client.put("/jobs/job_killed", json=document)
        until(lambda: any(e["type"] == "checkpoint.saved" for e in events(client, "job_killed")), SECONDS)
        os.kill(int(read_json(tmp_path / "jobs" / "job_killed" / "job.json")["pid"]), signal.SIGKILL)
        ended = reached(client, "job_killed", "succeeded", "failed", seconds=SECONDS)
        assert (ended["status"], ended["attempt"]) == ("succeeded", 2)
        assert weights_of(client, "job_killed") == weights_of(client, "job_whole")
