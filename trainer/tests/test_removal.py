"""Jobs and checkpoints are removed with everything that was made from them, and nothing that is needed is."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from deployment_fixtures import save_checkpoint
from service_fixtures import FAKE_WORKER, put_manifest, reached, rows, running, spec, submitted

from whetstone_trainer.artifacts.builds import shared_build
from whetstone_trainer.artifacts.request import BuildRecord
from whetstone_trainer.checkpoints import CheckpointManifest
from whetstone_trainer.files import write_json
from whetstone_trainer.service.capabilities import Capabilities
from whetstone_trainer.service.disk import measure
from whetstone_trainer.service.removal import empty_trash


class NoMachine(Capabilities):
    """A machine that is not inspected, which takes seconds."""

    def get(self) -> dict[str, Any]:
        none: dict[str, Any] = {"gguf_quantizations": [], "compressed_quantizations": [], "export_formats": []}
        return {**none, "methods": ["sft"], "adapters": ["lora"], "formats": ["safetensors"], "unavailable": []}


@pytest.fixture
def client(tmp_path: Path) -> Iterator[httpx.Client]:
    with running(tmp_path, NoMachine(tmp_path), worker=FAKE_WORKER) as found:
        yield found


def ended(client: httpx.Client, home: Path, job_id: str, **changes: Any) -> CheckpointManifest:
    """Lets a job end and gives it a checkpoint, with something of every kind made from it."""
    submitted(client, job_id, **changes)
    reached(client, job_id, "succeeded")
    saved = save_checkpoint(home, job_id, job_id.encode(), attempt=1)
    asked = {"checkpoint_id": saved.checkpoint_id, "job_id": job_id}
    for kind, request in (("artifacts", asked), ("certificates", asked), ("exports", {"source": asked})):
        folder = home / kind / f"{kind}-{job_id}"
        folder.mkdir(parents=True)
        write_json(folder / "request.json", request)
        (folder / "weights").write_bytes(b"x" * 1000)

    def make(folder: Path) -> BuildRecord:
        (folder / "merged").write_bytes(b"y")
        return BuildRecord(files=[])

    shared_build(home, f"of-{job_id}", 0, make, saved.checkpoint_id)
    return saved


def made_from(home: Path, job_id: str) -> list[str]:
    """Returns what is on disk of a job."""
    found = [
        path for kind in ("jobs", "artifacts", "certificates", "exports", "builds") for path in home.glob(f"{kind}/*")
    ]
    return sorted(path.relative_to(home).as_posix() for path in found if path.name.endswith(job_id))


def manifests(home: Path) -> list[Path]:
    return list((home / "manifests").glob("*.jsonl"))


def age(path: Path) -> None:
    os.utime(path, (time.time() - 3600,) * 2)


def test_a_job_goes_with_what_was_made_from_it_and_leaves_other_jobs_alone(
    client: httpx.Client, tmp_path: Path
) -> None:
    for job_id in ("job_a", "job_b"):
        ended(client, tmp_path, job_id)
    theirs = made_from(tmp_path, "job_b")
    assert len(theirs) == 5
    assert client.delete("/jobs/job_a").json() == {"ok": True}
    assert made_from(tmp_path, "job_a") == []
    assert made_from(tmp_path, "job_b") == theirs
    assert not (tmp_path / "trash").exists()
    assert [client.delete("/jobs/job_a").status_code, client.get("/jobs/job_a").status_code] == [404, 404]


def test_a_manifest_goes_with_the_last_job_that_trains_on_it(client: httpx.Client, tmp_path: Path) -> None:
    for job_id in ("job_a", "job_b"):
        submitted(client, job_id)
        reached(client, job_id, "succeeded")
    (manifest,) = manifests(tmp_path)
    age(manifest)
    client.delete("/jobs/job_a")
    assert manifests(tmp_path) == [manifest]
    # Somebody is about to send a job with it.
    assert client.head(f"/manifests/{manifest.stem}").status_code == 200
    client.delete("/jobs/job_b")
    assert manifests(tmp_path) == [manifest]
    submitted(client, "job_c")
    reached(client, "job_c", "succeeded")
    age(manifest)
    client.delete("/jobs/job_c")
    assert manifests(tmp_path) == []


def test_a_job_that_has_not_ended_is_not_deleted(client: httpx.Client) -> None:
    submitted(client, "job_a", ["hang"])
    reached(client, "job_a", "running")
    refused = client.delete("/jobs/job_a")
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "in_use")
    client.post("/jobs/job_a/cancel", json={"request_id": "r1"})
    reached(client, "job_a", "cancelled")
    assert client.delete("/jobs/job_a").status_code == 200


def test_a_checkpoint_stays_while_another_job_continues_from_it(client: httpx.Client, tmp_path: Path) -> None:
    saved = ended(client, tmp_path, "job_a")
    continued = {"id": "org/model", "source": "checkpoint", "checkpoint_id": saved.checkpoint_id}
    document = spec(put_manifest(client, rows()), ["hang"], base_model=continued)
    assert client.put("/jobs/job_b", json=document).status_code == 202
    for path in ("/jobs/job_a", f"/checkpoints/{saved.checkpoint_id}"):
        assert client.delete(path).json()["error"]["code"] == "in_use"
    client.post("/jobs/job_b/cancel", json={"request_id": "r1"})
    reached(client, "job_b", "cancelled")
    assert client.delete(f"/checkpoints/{saved.checkpoint_id}").status_code == 200
    # Its job stays, without what was made from the checkpoint.
    assert made_from(tmp_path, "job_a") == ["jobs/job_a"]
    assert client.get(f"/checkpoints/{saved.checkpoint_id}").status_code == 404


def test_what_an_interrupted_removal_left_goes_with_the_next_start(tmp_path: Path) -> None:
    (tmp_path / "trash" / "job_a-1").mkdir(parents=True)
    with running(tmp_path, NoMachine(tmp_path), worker=FAKE_WORKER):
        assert not (tmp_path / "trash").exists()
    empty_trash(tmp_path)


def test_the_disk_use_of_each_job_and_base_model_is_reported(client: httpx.Client, tmp_path: Path) -> None:
    saved = ended(client, tmp_path, "job_a")
    blobs = tmp_path / "models" / "hub" / "models--org--model" / "blobs"
    blobs.mkdir(parents=True)
    (blobs / "0123").write_bytes(b"z" * 500)
    snapshot = blobs.parent / "snapshots" / ("a" * 40)
    snapshot.mkdir(parents=True)
    (snapshot / "model.safetensors").symlink_to("../../blobs/0123")
    (blobs.parent / "refs").mkdir()
    (blobs.parent / "refs" / "main").write_text("a" * 40)
    use = measure(tmp_path)
    assert use["base_models"] == [{"id": "org/model", "bytes": 500}]
    # Its checkpoint and what was built from it are its own.
    assert use["jobs"]["job_a"] > saved.bytes + 1000
    assert use["total"] > use["jobs"]["job_a"] + 500
    assert client.get("/capabilities").json()["disk"]["jobs"].keys() == {"job_a"}
    client.delete("/jobs/job_a")
    assert client.get("/capabilities").json()["disk"]["jobs"] == {}


def test_a_file_with_several_names_counts_once(tmp_path: Path) -> None:
    for name in ("jobs/job_a", "artifacts/art_a"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "jobs/job_a/job.json").write_bytes(b"j" * 100)
    write_json(tmp_path / "artifacts/art_a/request.json", {"job_id": "job_a"})
    asked = (tmp_path / "artifacts/art_a/request.json").stat().st_size
    os.link(tmp_path / "jobs/job_a/job.json", tmp_path / "artifacts/art_a/weights")
    assert measure(tmp_path)["jobs"] == {"job_a": 100 + asked}
