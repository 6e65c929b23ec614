"""Equal builds are made once, a killed build leaves nothing incomplete, and nothing private leaves the machine."""

from __future__ import annotations

import json
import os
import shutil
import signal
import time
from pathlib import Path

import forked
import pytest
from artifact_home import (
    BUILD,
    PROMPTS,
    build_failing,
    build_ready,
    fresh_home,
    learned_home,
    request_for,
    start_build,
    write_request,
)
from pydantic import ValidationError

from whetstone_trainer.artifacts import ArtifactRequest, build
from whetstone_trainer.artifacts.builds import prune_builds
from whetstone_trainer.artifacts.capabilities import artifact_capabilities


def test_two_requests_at_once_share_one_build(tmp_path: Path) -> None:
    home = fresh_home(tmp_path)
    logs, processes = [tmp_path / "first.txt", tmp_path / "second.txt"], []
    for log in logs:
        write_request(home, request_for(home, log.stem, "merged-16bit"))
        processes.append(forked.start([*BUILD, "--home", str(home), "--artifact-id", log.stem], log, dict(os.environ)))
    assert [process.wait(280) for process in processes] == [0, 0], [log.read_text() for log in logs]
    (folder,) = (path for path in (home / "builds").iterdir() if path.is_dir())
    first, second = (home / "artifacts" / name / "model.safetensors" for name in ("first", "second"))
    assert first.samefile(second) and first.samefile(folder / "model.safetensors")
    # A third, later request finds it without building.
    before = folder.joinpath("BUILD.json").stat().st_mtime_ns
    assert (build_ready(home, "third", "merged-16bit") / "model.safetensors").samefile(first)
    assert folder.joinpath("BUILD.json").stat().st_mtime_ns == before


def test_a_build_killed_at_any_moment_leaves_nothing_half(tmp_path: Path) -> None:
    home = fresh_home(tmp_path)
    request = request_for(home, "killed", "gguf", "q4_k_m")
    process = start_build(home, request)
    # The converter is running: the merge is committed and the GGUF file is not.
    _wait_until(lambda: any((home / "builds").glob("tmp-*/*.gguf")) or process.poll() is not None)
    process.send_signal(signal.SIGKILL)
    process.wait()
    folder = home / "artifacts" / "killed"
    assert not (folder / "MANIFEST.json").exists() and not (folder / "result.json").exists()
    assert not list(folder.glob("*.gguf"))
    finished = [path for path in (home / "builds").iterdir() if path.is_dir() and not path.name.startswith("tmp-")]
    assert [(path / "model.safetensors").exists() for path in finished] == [True]
    result = build(home, request)
    assert result.status == "ready", result.error
    assert not list((home / "builds").glob("tmp-*"))


def test_what_is_written_has_no_pickle_no_path_and_no_secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = "hf_" + "s3cret" * 4
    monkeypatch.setenv("HF_TOKEN", secret)
    home = fresh_home(tmp_path)
    for kind in ("merged-16bit", "lora-adapter", "gguf-lora"):
        build_ready(home, kind, kind)
    build_ready(home, "gguf", "gguf", "q8_0")
    paths = [str(home), str(learned_home()), str(Path.home()) + "/", "/tmp/"]
    for path in (path for path in (home / "artifacts").rglob("*") if path.is_file()):
        assert path.suffix not in (".bin", ".pt", ".pth", ".pkl")
        content = path.read_bytes()
        assert secret.encode() not in content, path
        if path.name == "log.txt":
            continue
        assert not [name for name in paths if name.encode() in content], path
        # Answers and prompts come from users' data.
        assert path.suffix in (".jinja", ".gguf") or not [p for p in PROMPTS if p.encode() in content], path


def test_a_full_disk_is_refused_before_anything_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = fresh_home(tmp_path)
    usage = shutil.disk_usage(home)
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: usage._replace(free=2**20))
    error = build_failing(home, "no-room", "merged-16bit")
    assert (error.code, error.retryable, error.phase) == ("disk_full", True, "merging")
    assert not [path for path in (home / "builds").iterdir() if path.is_dir()]


def test_builds_that_no_artifact_uses_are_pruned(tmp_path: Path) -> None:
    home = fresh_home(tmp_path)
    folder = build_ready(home, "short-lived", "merged-16bit")
    assert prune_builds(home, 0) == 0
    shutil.rmtree(folder)
    assert prune_builds(home, 3600) == 0
    assert prune_builds(home, 0) > 1_000_000
    assert not [path for path in (home / "builds").iterdir() if path.is_dir()]


@pytest.mark.parametrize(
    "change",
    [{"quantization": "q8_0"}, {"kind": "gguf"}, {"kind": "gguf", "quantization": "fp8"}, {"artifact_id": "../x"}],
)
def test_a_request_that_is_none_is_refused(change: dict[str, str]) -> None:
    valid = {"artifact_id": "a", "checkpoint_id": "ckpt_1", "job_id": "j", "kind": "merged-16bit"}
    ArtifactRequest.model_validate(valid)
    with pytest.raises(ValidationError):
        ArtifactRequest.model_validate({**valid, **change})


def test_capabilities_give_a_reason_and_a_remedy_for_each_missing_form(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = artifact_capabilities()
    assert whole.formats == ["safetensors", "gguf"] and len(whole.gguf_quantizations) == 10
    monkeypatch.setenv("TRAINER_LLAMA_CPP", str(tmp_path))
    monkeypatch.delenv("TRAINER_COMPRESS_PYTHON", raising=False)
    less = artifact_capabilities()
    assert less.formats == ["safetensors"] and less.export_formats == ["merged-16bit", "lora-adapter"]
    assert less.gguf_quantizations == less.compressed_quantizations == []
    assert {item.feature for item in less.unavailable} == {"gguf", "fp8", "fp8_dynamic", "fp8_static", "int8"}
    assert all(item.reason and item.hint for item in less.unavailable)
    monkeypatch.setenv("PATH", os.fspath(tmp_path))
    assert "node" in artifact_capabilities().unavailable[0].reason


def test_the_result_is_what_the_command_wrote(tmp_path: Path) -> None:
    home = fresh_home(tmp_path)
    process = start_build(home, request_for(home, "commanded", "lora-adapter"))
    output, _ = process.communicate(timeout=280)
    assert process.returncode == 0, output
    folder = home / "artifacts" / "commanded"
    result = json.loads((folder / "result.json").read_text())
    assert result["status"] == "ready" and result["error"] is None
    assert {file["path"] for file in result["files"]} >= {"adapter_config.json", "adapter_model.safetensors"}
    assert all((folder / file["path"]).stat().st_size == file["size"] for file in result["files"])


def _wait_until(condition: object, seconds: float = 200) -> None:
    assert callable(condition)
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)
