"""A base model is found, or refused with a code that says who can fix it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from huggingface_hub import errors

from whetstone_trainer.spec import BaseModelRef
from whetstone_trainer.trainer_error import TrainerFailure
from whetstone_trainer.training.base_model import hub_failure, resolve_base

REF = BaseModelRef(id="org/model", revision="a" * 40)


def model_folder(tmp_path: Path, config: dict[str, Any] | None = None, weights: str = "model.safetensors") -> Path:
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(config or {"model_type": "llama"}))
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
