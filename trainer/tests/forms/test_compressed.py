"""Compressed models are built in llm-compressor's own environment and answer there after loading."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path

import pytest
from artifact_home import ANSWER, build_failing, build_ready, fresh_home, learned_home

from whetstone_trainer.artifacts.merge import answer_hash

COMPRESS_PYTHON = os.environ.get("TRAINER_COMPRESS_PYTHON", "/work/envs/compress/bin/python")


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRAINER_COMPRESS_PYTHON", COMPRESS_PYTHON)


@pytest.mark.skipif(shutil.which(COMPRESS_PYTHON) is None, reason="the compress environment is not installed")
@pytest.mark.parametrize(
    ("quantization", "scheme", "calibration_rows"),
    [("fp8", "FP8_DYNAMIC", 0), ("fp8_dynamic", "FP8_DYNAMIC", 0), ("fp8_static", "FP8", 5), ("int8", "INT8", 0)],
)
def test_every_compressed_form_says_what_was_learned(quantization: str, scheme: str, calibration_rows: int) -> None:
    home = learned_home()
    folder = build_ready(home, f"compressed-{quantization}", "compressed", quantization)
    manifest = json.loads((folder / "MANIFEST.json").read_text())
    # The answers come from the written files, loaded again in the other environment.
    assert manifest["checks"] == {
        "scheme": scheme,
        "calibration_rows": calibration_rows,
        "prompts": 5,
        "same_as_merged": 5,
    }
    merged = build_ready(home, "merged-for-compressed", "merged-16bit")
    answers = json.loads((merged / "MANIFEST.json").read_text())["checks"]["answer_sha256"]
    assert answers == [answer_hash(ANSWER)] * 5
    config = json.loads((folder / "config.json").read_text())["quantization_config"]
    assert config["quant_method"] == "compressed-tensors"
    assert config["ignore"] == ["lm_head"]
    assert manifest["bytes"] < 0.9 * json.loads((merged / "MANIFEST.json").read_text())["bytes"]


@pytest.mark.parametrize("python", ["", "/nowhere/bin/python", sys.executable])
def test_a_missing_environment_is_named_before_anything_is_merged(
    python: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRAINER_COMPRESS_PYTHON", python)
    home = fresh_home(tmp_path)
    error = build_failing(home, "no-compress", "compressed", "int8")
    assert (error.code, error.blame) == ("engine_dependency_missing", "dependency")
    assert "TRAINER_COMPRESS_PYTHON" in error.hint
    assert not (home / "builds").exists()


@pytest.mark.skipif(shutil.which(COMPRESS_PYTHON) is None, reason="the compress environment is not installed")
def test_static_activations_need_rows_to_measure(tmp_path: Path) -> None:
    home = fresh_home(tmp_path)
    shutil.rmtree(home / "manifests")
    error = build_failing(home, "no-rows", "compressed", "fp8_static")
    assert error.code == "calibration_failed"
    assert "fp8_dynamic" in error.hint
