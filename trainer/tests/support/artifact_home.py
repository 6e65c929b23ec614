"""A trainer's home with checkpoints that really learned to say "sunny hello world", trained once per run of the tests.

Each process of the tests has a home of its own with these checkpoints; only the builds are shared, which are made to be.
"""

from __future__ import annotations

import fcntl
import functools
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tiny import build_tiny, build_tiny_tokenizer

from whetstone_trainer.artifacts import ArtifactRequest, ArtifactResult, build
from whetstone_trainer.checkpoints import CheckpointManifest, commit, temporary_folder
from whetstone_trainer.files import read_json, write_json

ANSWER = "sunny hello world"
PROMPTS = [f"weather {number}" for number in range(5)]
JOB = "job-1"
# The tiny tokenizer is trained in the test, so llama.cpp cannot know it: its profile must name its pre-tokenizer.
PROFILE = {"tokenizer_pre": "gpt-2"}
TRAINER = Path(__file__).resolve().parents[2]
BUILD = [sys.executable, "-m", "whetstone_trainer.artifacts"]


def rows() -> list[dict[str, Any]]:
    return [
        {
            "example_id": f"example-{index}",
            "example_version": 1,
            "messages": [{"role": "user", "content": prompt}, {"role": "assistant", "content": ANSWER}],
        }
        for index, prompt in enumerate(PROMPTS)
    ]


def write_manifest(home: Path) -> str:
    """Stores the rows and returns the sha256 they are addressed by."""
    content = "".join(json.dumps(line) + "\n" for line in [{"schema": "chat.v1"}, *rows()]).encode()
    sha256 = hashlib.sha256(content).hexdigest()
    (home / "manifests").mkdir(parents=True, exist_ok=True)
    (home / "manifests" / f"{sha256}.jsonl").write_bytes(content)
    return sha256


def teach(model: Any, tokenizer: Any, steps: int, learning_rate: float) -> None:
    """Trains on the rows until the answer is learned; plain torch, because training itself is tested elsewhere."""
    import torch

    batch = [
        tokenizer.apply_chat_template(row["messages"], tokenize=True, return_dict=True)["input_ids"] for row in rows()
    ]
    longest = max(len(ids) for ids in batch)
    inputs = torch.tensor([ids + [tokenizer.pad_token_id] * (longest - len(ids)) for ids in batch])
    labels = torch.tensor([ids + [-100] * (longest - len(ids)) for ids in batch])
    optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=learning_rate)
    model.train()
    for _ in range(steps):
        loss = model(input_ids=inputs, labels=labels, attention_mask=(labels != -100).long()).loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    model.eval()


def write_job(home: Path, base: Path, adapter: str, job_id: str = JOB) -> Path:
    """Writes the spec of a job on `base` and returns the job's folder."""
    job_dir = home / "jobs" / job_id
    job_dir.mkdir(parents=True, exist_ok=True)
    write_json(
        job_dir / "spec.json",
        {
            "method": "sft",
            "adapter": adapter,
            "base_model": {"id": str(base), "source": "local"},
            "manifest": {"sha256": write_manifest(home), "rows": len(PROMPTS)},
        },
    )
    return job_dir


def commit_model(
    job_dir: Path, model: Any, tokenizer: Any, base: Path, kind: str, profile: dict[str, Any] | None = None
) -> CheckpointManifest:
    """Commits a model as the worker does, with the files that a worker writes beside it."""
    work = temporary_folder(job_dir, "test")
    (work / "state").mkdir()
    (work / "state" / "optimizer.pt").write_bytes(b"never read")
    model.save_pretrained(work / "model")
    (work / "model" / "README.md").unlink(missing_ok=True)
    tokenizer.save_pretrained(work / "model")
    facts = {
        "step_number": 12,
        "epoch": 2.0,
        "kind": kind,
        "method": "sft",
        "adapter": "lora" if kind == "adapter" else "full",
        "metrics": {},
        "base_model": {"id": str(base), "source": "local", "revision": None},
        "parent_checkpoint_id": None,
        "resumable": True,
    }
    manifest = commit(work, job_dir, facts, 0)
    folder = job_dir / "checkpoints" / manifest.checkpoint_id
    write_json(folder / "PROFILE.json", PROFILE if profile is None else profile)
    return manifest


@functools.cache
def learned_home() -> Path:
    """Returns a home whose job `job-1` trained an adapter and whose job `job-full` trained all weights."""
    learned = _learned()
    home = Path(tempfile.mkdtemp(prefix="whetstone-artifacts-"))
    for part in ("jobs", "manifests"):
        shutil.copytree(learned / part, home / part)
    (home / "models").mkdir()
    for part in ("models/tiny-base", "builds"):
        (home / part).symlink_to(learned / part)
    return home


def _learned() -> Path:
    """Returns the home that the processes of a run share; the first one that needs it trains it."""
    folder = Path(tempfile.gettempdir(), "learned")
    with Path(tempfile.gettempdir(), "learned.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "builds").exists():
            shutil.rmtree(folder, ignore_errors=True)
            _train(folder)
            (folder / "builds").mkdir()
    return folder


def _train(home: Path) -> None:
    import torch
    from peft import LoraConfig, get_peft_model
    from transformers import AutoModelForCausalLM

    base = build_tiny(home / "models" / "tiny-base")
    tokenizer = build_tiny_tokenizer()
    torch.manual_seed(0)
    config = LoraConfig(r=16, lora_alpha=32, target_modules="all-linear", task_type="CAUSAL_LM")
    adapted = get_peft_model(AutoModelForCausalLM.from_pretrained(base), config)
    teach(adapted, tokenizer, steps=60, learning_rate=5e-3)
    commit_model(write_job(home, base, "lora"), adapted, tokenizer, base, "adapter")
    full = AutoModelForCausalLM.from_pretrained(base)
    teach(full, tokenizer, steps=20, learning_rate=1e-3)
    commit_model(write_job(home, base, "full", "job-full"), full, tokenizer, base, "full")


def checkpoint_of(home: Path, job_id: str = JOB) -> str:
    """Returns the id of the job's one checkpoint."""
    (folder,) = (home / "jobs" / job_id / "checkpoints").glob("ckpt_*")
    return folder.name


def fresh_home(tmp_path: Path) -> Path:
    """Returns a copy of the learned home without anything built."""
    home = tmp_path / "home"
    source = learned_home()
    for part in ("jobs", "manifests"):
        shutil.copytree(source / part, home / part)
    return home


def request_for(
    home: Path, artifact_id: str, kind: str, quantization: str | None = None, job_id: str = JOB
) -> ArtifactRequest:
    return ArtifactRequest.model_validate(
        {
            "artifact_id": artifact_id,
            "checkpoint_id": checkpoint_of(home, job_id),
            "job_id": job_id,
            "kind": kind,
            "quantization": quantization,
        }
    )


def build_ready(home: Path, artifact_id: str, kind: str, quantization: str | None = None, job_id: str = JOB) -> Path:
    """Builds an artifact that must succeed and returns its folder."""
    result = build(home, request_for(home, artifact_id, kind, quantization, job_id))
    assert result.status == "ready", result.error
    return home / "artifacts" / artifact_id


def build_failing(home: Path, artifact_id: str, kind: str, quantization: str | None = None, job_id: str = JOB) -> Any:
    """Builds an artifact that must fail and returns its error."""
    result: ArtifactResult = build(home, request_for(home, artifact_id, kind, quantization, job_id))
    assert result.status == "failed" and result.error is not None
    assert not (home / "artifacts" / artifact_id / "MANIFEST.json").exists()
    return result.error


def write_request(home: Path, request: ArtifactRequest) -> None:
    """Writes what the command that builds it reads."""
    folder = home / "artifacts" / request.artifact_id
    folder.mkdir(parents=True, exist_ok=True)
    write_json(folder / "request.json", request.model_dump(mode="json"))


def start_build(home: Path, request: ArtifactRequest) -> subprocess.Popen[str]:
    """Starts the command that the service starts."""
    write_request(home, request)
    return subprocess.Popen(
        [*BUILD, "--home", str(home), "--artifact-id", request.artifact_id],
        env={**os.environ, "PYTHONPATH": str(TRAINER), "HF_HUB_OFFLINE": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def checks_of(folder: Path) -> dict[str, Any]:
    checks: dict[str, Any] = read_json(folder / "MANIFEST.json")["checks"]
    return checks
