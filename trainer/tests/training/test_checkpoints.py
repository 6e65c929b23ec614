"""A checkpoint is committed whole or not at all, and nothing that is needed is pruned."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from whetstone_trainer.checkpoints import (
    CheckpointManifest,
    commit,
    find_checkpoint,
    invalid_folders,
    list_checkpoints,
    prune,
    read_checkpoint,
    temporary_folder,
)
from whetstone_trainer.events import StaleAttempt


@pytest.fixture
def job_dir(tmp_path: Path) -> Path:
    folder = tmp_path / "jobs" / "job-1"
    folder.mkdir(parents=True)
    (folder / "attempt").write_text("1")
    return folder


def save(job_dir: Path, step: int, weights: bytes | None = None, attempt: int = 1) -> CheckpointManifest:
    work = temporary_folder(job_dir, f"work-{step}")
    (work / "model").mkdir()
    (work / "state").mkdir()
    weights = str(step).encode() if weights is None else weights
    (work / "model" / "model.safetensors").write_bytes(weights)
    (work / "state" / "optimizer.pt").write_bytes(b"moments")
    facts: dict[str, Any] = {
        "step_number": step,
        "epoch": step / 10,
        "kind": "full",
        "method": "sft",
        "adapter": "full",
        "metrics": {"train_loss": 1.0, "valid_loss": None},
        "base_model": {"id": "org/model", "revision": "a" * 40, "source": "hub"},
        "parent_checkpoint_id": None,
        "resumable": True,
    }
    return commit(work, job_dir, facts, attempt)


def test_the_same_step_with_the_same_weights_is_one_checkpoint(job_dir: Path) -> None:
    assert save(job_dir, 5) == save(job_dir, 5)
    assert len(list_checkpoints(job_dir)) == 1


def test_a_step_trained_again_with_other_weights_is_another_checkpoint(job_dir: Path) -> None:
    first, second = save(job_dir, 5, b"a"), save(job_dir, 5, b"b")
    assert first.checkpoint_id != second.checkpoint_id


def test_a_checkpoint_is_found_by_its_id_alone(job_dir: Path) -> None:
    manifest = save(job_dir, 5)
    assert find_checkpoint(job_dir.parents[1], manifest.checkpoint_id) == manifest
    assert find_checkpoint(job_dir.parents[1], "ckpt_unknown") is None


@pytest.mark.parametrize("harm", ["truncate", "replace", "remove", "manifest"])
def test_any_harm_to_a_file_is_noticed(harm: str, job_dir: Path) -> None:
    folder = job_dir / "checkpoints" / save(job_dir, 5).checkpoint_id
    optimizer = folder / "state" / "optimizer.pt"
    if harm == "truncate":
        optimizer.write_bytes(b"mom")
    elif harm == "replace":
        optimizer.write_bytes(b"MOMENTS")
    elif harm == "remove":
        optimizer.unlink()
    else:
        (folder / "MANIFEST.json").write_text("{}")
    assert [path for path, _ in invalid_folders(job_dir)] == [folder]


def test_a_broken_checkpoint_is_replaced_when_its_step_is_trained_again(job_dir: Path) -> None:
    folder = job_dir / "checkpoints" / save(job_dir, 5).checkpoint_id
    (folder / "state" / "optimizer.pt").write_bytes(b"")
    save(job_dir, 5)
    assert invalid_folders(job_dir) == []


def test_an_older_attempt_cannot_commit(job_dir: Path) -> None:
    (job_dir / "attempt").write_text("2")
    with pytest.raises(StaleAttempt):
        save(job_dir, 5, attempt=1)
    assert list_checkpoints(job_dir) == []


def test_a_pickle_in_the_servable_part_is_refused(job_dir: Path) -> None:
    work = temporary_folder(job_dir, "work")
    (work / "model").mkdir()
    (work / "model" / "training_args.bin").write_bytes(b"pickle")
    with pytest.raises(ValueError, match="pickle"):
        commit(work, job_dir, {"step_number": 1}, 1)


def test_files_of_a_checkpoint_can_be_read_by_another_user(job_dir: Path) -> None:
    folder = job_dir / "checkpoints" / save(job_dir, 5).checkpoint_id
    assert (folder / "model" / "model.safetensors").stat().st_mode & 0o777 == 0o644


def test_pruning_keeps_the_last_the_best_and_whatever_is_referenced(job_dir: Path) -> None:
    home = job_dir.parents[1]
    saved = [save(job_dir, step) for step in range(1, 9)]
    ids = [manifest.checkpoint_id for manifest in saved]
    references = {
        "artifacts/a1/request.json": {"checkpoint_id": ids[1]},
        "deployments/d1/deployment.json": {"checkpoint_id": ids[2]},
        "exports/e1/export.json": {"checkpoint_id": ids[3]},
        "jobs/job-2/spec.json": {"base_model": {"source": "checkpoint", "checkpoint_id": ids[4]}},
    }
    for name, document in references.items():
        path = home / name
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(document))
    pruned = prune(home, job_dir, keep_last=2, keep=[ids[0]])
    assert [manifest.checkpoint_id for manifest, _ in pruned] == [ids[5]]
    assert [c.checkpoint_id for c in list_checkpoints(job_dir)] == [*ids[:5], *ids[6:]]


def test_a_folder_without_its_manifest_is_no_checkpoint(job_dir: Path) -> None:
    folder = job_dir / "checkpoints" / save(job_dir, 5).checkpoint_id
    (folder / "MANIFEST.json").unlink()
    assert read_checkpoint(folder) is None
    assert list_checkpoints(job_dir) == []
