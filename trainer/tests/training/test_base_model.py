"""A base model is found, or refused with a code that says who can fix it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from huggingface_hub import errors
from safetensors.numpy import save_file
from training_fixtures import tiny_model  # noqa: F401

from whetstone_trainer.base_check import answer
from whetstone_trainer.spec import BaseModelRef
from whetstone_trainer.trainer_error import TrainerFailure
from whetstone_trainer.training.base_model import hub_failure, resolve_base
from whetstone_trainer.training.loading import load_tokenizer

REF = BaseModelRef(id="org/model", revision="a" * 40)


def model_folder(tmp_path: Path, config: dict[str, Any] | None = None, weights: str = "model.safetensors") -> Path:
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(config or {"model_type": "llama"}))
    if weights.endswith(".safetensors"):
        save_file({"model.embed_tokens.weight": np.ones((4, 2), np.float32)}, folder / weights)
    else:
        (folder / weights).write_bytes(b"x")
    return folder


def refusal(home: Path, **ref: Any) -> TrainerFailure:
    with pytest.raises(TrainerFailure) as caught:
        resolve_base(home, BaseModelRef.model_validate(ref), weights=True)
    return caught.value


def code_of(error: Exception) -> str:
    return hub_failure(REF, error).error.code


def response(status: int) -> httpx.Response:
    return httpx.Response(status, request=httpx.Request("GET", "https://huggingface.co"))


def test_pickled_weights_are_refused(tmp_path: Path) -> None:
    folder = model_folder(tmp_path, weights="pytorch_model.bin")
    failure = refusal(tmp_path, id=str(folder), source="local")
    assert failure.error.code == "unsupported_combination"
    assert "pytorch_model.bin" in failure.error.message


def test_a_model_with_code_of_its_own_is_refused_unless_allowed(tmp_path: Path) -> None:
    folder = model_folder(tmp_path, {"model_type": "x", "auto_map": {"AutoModel": "m.M"}})
    assert refusal(tmp_path, id=str(folder), source="local").error.code == "remote_code_refused"
    allowed = BaseModelRef(id=str(folder), source="local", trust_remote_code=True)
    assert resolve_base(tmp_path, allowed, weights=True).folder == folder


@pytest.mark.parametrize("file", ["tokenizer_config.json", "generation_config.json", "processor_config.json"])
def test_code_that_another_file_names_is_refused_in_the_dry_run(tmp_path: Path, file: str) -> None:
    folder = model_folder(tmp_path)
    (folder / file).write_text(json.dumps({"auto_map": {"AutoTokenizer": ["t.T", None]}}))
    with pytest.raises(TrainerFailure) as caught:
        resolve_base(tmp_path, BaseModelRef(id=str(folder), source="local"), weights=False)
    assert (caught.value.error.code, caught.value.error.blame) == ("remote_code_refused", "user")


def truncate(folder: Path) -> None:
    file = folder / "model.safetensors"
    file.write_bytes(file.read_bytes()[:-3])


def cut_header(folder: Path) -> None:
    file = folder / "model.safetensors"
    file.write_bytes(file.read_bytes()[:20])


def damage_header(folder: Path) -> None:
    file = folder / "model.safetensors"
    file.write_bytes(file.read_bytes().replace(b"[4,2]", b"[4,3]"))


def put_nan(folder: Path) -> None:
    numbers = np.ones((4, 2), np.float32)
    numbers[3, 1] = np.nan
    save_file({"model.embed_tokens.weight": numbers}, folder / "model.safetensors")


def put_infinite_half(folder: Path) -> None:
    save_file({"norm.weight": np.array([1, np.inf], np.float16)}, folder / "model.safetensors")


def lose_a_shard(folder: Path) -> None:
    map_ = {"model.embed_tokens.weight": "model.safetensors", "lm_head.weight": "model-2.safetensors"}
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": map_}))


def lose_a_tensor(folder: Path) -> None:
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": {"lm_head": "model.safetensors"}}))


def be_one_off(folder: Path) -> None:
    (folder / "config.json").write_text(json.dumps({"model_type": "llama", "vocab_size": 5}))


def damage_configuration(folder: Path) -> None:
    (folder / "config.json").write_text("{")


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (truncate, "has 125 bytes where its header says 128"),
        (cut_header, "has no header"),
        (damage_header, "damaged header"),
        (put_nan, "NaN or infinite weights in model.embed_tokens.weight"),
        (put_infinite_half, "NaN or infinite weights in norm.weight"),
        (lose_a_shard, "model-2.safetensors of model.safetensors.index.json is missing"),
        (lose_a_tensor, "lm_head of model.safetensors.index.json is in none of its files"),
        (be_one_off, "has 4 rows, and config.json says vocab_size 5"),
        (damage_configuration, "config.json"),
    ],
)
def test_a_damaged_folder_is_refused_in_the_dry_run(tmp_path: Path, damage: Callable[[Path], None], said: str) -> None:
    folder = model_folder(tmp_path)
    damage(folder)
    with pytest.raises(TrainerFailure) as caught:
        resolve_base(tmp_path, BaseModelRef(id=str(folder), source="local"), weights=False)
    error = caught.value.error
    assert (error.code, error.blame, error.param) == ("base_model_corrupt", "user", "base_model.id")
    assert said in error.message


def test_a_damaged_tokenizer_is_refused(tmp_path: Path) -> None:
    folder = model_folder(tmp_path)
    (folder / "tokenizer.json").write_text('{"version": "1.0", "model": {')
    base = resolve_base(tmp_path, BaseModelRef(id=str(folder), source="local"), weights=False)
    with pytest.raises(TrainerFailure) as caught:
        load_tokenizer(tmp_path, base)
    assert (caught.value.error.code, caught.value.error.blame) == ("base_model_corrupt", "user")


def test_code_from_the_hub_runs_only_at_a_pinned_commit() -> None:
    from whetstone_trainer.training.base_model import refuse_remote_code

    config = {"auto_map": {}}
    with pytest.raises(TrainerFailure) as caught:
        refuse_remote_code(BaseModelRef(id="org/model", revision="main", trust_remote_code=True), config)
    assert caught.value.error.param == "base_model.revision"
    refuse_remote_code(BaseModelRef(id="org/model", revision="a" * 40, trust_remote_code=True), config)


def test_a_model_that_is_not_cached_is_not_found_offline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    failure = hub_failure(REF, errors.LocalEntryNotFoundError("not cached"))
    assert failure.error.code == "base_model_not_found"
    assert "HF_HUB_OFFLINE" in failure.error.message


def test_a_cached_model_is_found_offline_and_pinned_to_its_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    commit = "b" * 40
    cached = tmp_path / "models" / "hub" / "models--org--model"
    (cached / "refs").mkdir(parents=True)
    (cached / "refs" / "main").write_text(commit)
    (cached / "snapshots").mkdir()
    model_folder(tmp_path).rename(cached / "snapshots" / commit)
    monkeypatch.setenv("HF_HOME", str(tmp_path / "models"))
    found = resolve_base(tmp_path, BaseModelRef(id="org/model", revision="main"), weights=True)
    assert found.revision == commit


def test_a_relative_path_is_not_a_model(tmp_path: Path) -> None:
    assert refusal(tmp_path, id="../../etc", source="local").error.code == "base_model_not_found"


def test_an_unknown_checkpoint_is_not_found(tmp_path: Path) -> None:
    failure = refusal(tmp_path, id="org/model", source="checkpoint", checkpoint_id="ckpt_0")
    assert failure.error.code == "base_model_not_found"


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (errors.GatedRepoError("gated", response=response(403)), "base_model_gated"),
        (errors.RevisionNotFoundError("moved", response=response(404)), "base_model_revision_changed"),
        (errors.RepositoryNotFoundError("gone", response=response(404)), "base_model_not_found"),
        (errors.HfHubHTTPError("token", response=response(401)), "hub_auth_failed"),
        (errors.HfHubHTTPError("slow down", response=response(429)), "hub_rate_limited"),
        (httpx.ConnectError("no route"), "network_unavailable"),
        (OSError(28, "No space left on device"), "disk_full"),
    ],
)
def test_what_the_hub_says_becomes_a_code(error: Exception, code: str) -> None:
    assert code_of(error) == code


def test_a_folder_is_described_before_anything_is_trained(tmp_path: Path, tiny_model: Path) -> None:  # noqa: F811
    folder = tmp_path / "model"
    shutil.copytree(tiny_model, folder)
    (folder / "README.md").write_text("---\nlicense: apache-2.0\n---\n# Tiny\n")
    found = answer(tmp_path, {"base_model": {"id": str(folder), "source": "local"}})
    assert found["error"] is None
    size = sum(path.stat().st_size for path in folder.rglob("*"))
    assert found["check"] == {
        "template": {
            "has_template": True,
            "training_compatible": True,
            "stop_token_trained": True,
            "supports_tools": False,
        },
        "parameters": 1_339_136,
        "context_length": 512,
        "license": "apache-2.0",
        "bytes": size,
        "weights_bytes": (folder / "model.safetensors").stat().st_size,
    }


def test_a_folder_that_cannot_be_trained_is_refused_with_the_reason(tmp_path: Path) -> None:
    folder = model_folder(tmp_path)
    truncate(folder)
    damaged = answer(tmp_path, {"base_model": {"id": str(folder), "source": "local"}})
    absent = answer(tmp_path, {"base_model": {"id": str(tmp_path / "none"), "source": "local"}})
    assert [one["check"] for one in (damaged, absent)] == [None, None]
    assert [one["error"]["code"] for one in (damaged, absent)] == ["base_model_corrupt", "base_model_not_found"]
    assert answer(tmp_path, {})["error"]["code"] == "invalid_spec"
