"""What is published answers as its checkpoint does, is one commit, and describes itself truthfully."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from artifact_home import ANSWER, checkpoint_of
from export_fixtures import (  # noqa: F401
    REPO,
    SECONDS,
    _environment,
    body,
    client,
    downloaded,
    exported,
    home,
    hub,
)
from fake_hub import TOKEN, FakeHub
from service_fixtures import until

from whetstone_trainer.artifacts.merge import load_checkpoint_model, load_model, load_tokenizer
from whetstone_trainer.artifacts.prompts import comparison_prompts
from whetstone_trainer.artifacts.source import find_base, read_checkpoint
from whetstone_trainer.certificates.answers import ReferenceAnswer, answers_of, reference_answers
from whetstone_trainer.certificates.forms import answers_of_gguf, answers_of_merged
from whetstone_trainer.certificates.judge import judge
from whetstone_trainer.exports.card import checkpoint_card, hub_model_card
from whetstone_trainer.exports.request import ExportRequest, HubModel
from whetstone_trainer.spec import BaseModelRef


@pytest.fixture(scope="module")
def references(home: Path) -> list[ReferenceAnswer]:  # noqa: F811
    checkpoint = read_checkpoint(home, None, checkpoint_of(home))
    model, tokenizer = load_checkpoint_model(checkpoint), load_tokenizer(checkpoint)
    return reference_answers(model, tokenizer, comparison_prompts(checkpoint.rows(), 8), 16)


def answers_of_adapter(home: Path, folder: Path, references: list[ReferenceAnswer]) -> list[Any]:  # noqa: F811
    from peft import PeftModel
    from transformers import AutoTokenizer

    checkpoint = read_checkpoint(home, None, checkpoint_of(home))
    base = find_base(checkpoint)
    import torch

    model = PeftModel.from_pretrained(load_model(base, torch.bfloat16), str(folder)).eval()
    return answers_of(model, AutoTokenizer.from_pretrained(folder), references, 16)


@pytest.mark.parametrize(
    ("format_", "quantization"), [("gguf", "q8_0"), ("merged-16bit", None), ("lora-adapter", None)]
)
def test_what_is_downloaded_again_answers_as_the_checkpoint(
    client: httpx.Client,  # noqa: F811
    hub: FakeHub,  # noqa: F811
    home: Path,  # noqa: F811
    references: list[ReferenceAnswer],
    tmp_path: Path,
    format_: str,
    quantization: str | None,
) -> None:
    identity = f"exp_{format_}_{hub.port}"
    export = exported(client, identity, body(hub, home, format=format_, quantization=quantization))
    assert (export["status"], export["error"]) == ("succeeded", None)
    (commit,) = hub.commits(REPO)
    assert commit.oid == export["commit_oid"] and f"whetstone-export: {identity}" in commit.message
    assert export["url"] == f"{hub.url}/{REPO}" and hub.repos[REPO].private
    total = sum(file["size"] for file in export["files"])
    assert export["progress"] == {"bytes_done": total, "bytes_total": total}
    folder = downloaded(hub, tmp_path / "downloaded")
    published = {path: content for path, content in hub.files(REPO).items() if path != ".gitattributes"}
    assert {file["path"]: file["size"] for file in export["files"]} == {p: len(c) for p, c in published.items()}
    for path, content in published.items():
        assert (folder / path).read_bytes() == content
        assert str(home).encode() not in content, path
    if format_ == "gguf":
        said = answers_of_gguf(folder / "model-q8_0.gguf", references, 16, tmp_path / "log.txt")
    elif format_ == "merged-16bit":
        said = answers_of_merged(folder, references, 16)
    else:
        said = answers_of_adapter(home, folder, references)
    assert [one.content.strip() for one in said][:5] == [ANSWER] * 5
    kind: Any = "gguf" if format_ == "gguf" else "merged-16bit"
    assert judge(kind, quantization, [one.scored for one in references], said).verdict == "same"


def test_the_card_says_what_it_is_and_what_it_was_made_from(
    client: httpx.Client,  # noqa: F811
    hub: FakeHub,  # noqa: F811
    home: Path,  # noqa: F811
) -> None:
    import yaml

    card = {"title": "Shop\nagent", "license": None, "tags": ["a: b"], "facts": {"replay": {"passed": "9 of 10"}}}
    assert exported(client, f"exp_card_{hub.port}", body(hub, home, card=card))["status"] == "succeeded"
    text = hub.files(REPO)["README.md"].decode()
    front = yaml.safe_load(text.split("---\n")[1])
    assert front == {"library_name": "peft", "tags": ["whetstone", "a: b"]}
    checkpoint = read_checkpoint(home, None, checkpoint_of(home))
    for fact in (
        "# Shop agent",
        "- Base model: `tiny-base`",
        "- Method: sft, lora",
        checkpoint.checkpoint_id,
        checkpoint.spec["manifest"]["sha256"],
        "- Format: LoRA adapter, safetensors",
        "- License: not stated; the terms of the base model apply",
        "- replay passed: 9 of 10",
    ):
        assert fact in text, fact


def test_the_card_places_the_model_below_its_base(home: Path, hub: FakeHub) -> None:  # noqa: F811
    import yaml

    def front(card: str) -> dict[str, Any]:
        return dict(yaml.safe_load(card.split("---\n")[1]))

    checkpoint = read_checkpoint(home, None, checkpoint_of(home))
    commit = "0" * 40
    trained = dataclasses.replace(checkpoint, base=BaseModelRef(id="Qwen/Qwen3-0.6B", source="hub", revision=commit))
    document = {**body(hub, home, format="gguf", quantization="q4_k_m"), "export_id": "exp_1"}
    del document["secret"]
    card = checkpoint_card(ExportRequest.model_validate(document), trained)
    assert f"- Base model: `Qwen/Qwen3-0.6B` at revision `{commit}`" in card and "- Format: GGUF, q4_k_m" in card
    assert front(card)["base_model"] == "Qwen/Qwen3-0.6B" and front(card)["license"] == "apache-2.0"
    # It was trained, so it is a finetune however its weights are stored.
    assert front(card)["base_model_relation"] == "finetune"
    model = HubModel(id="Qwen/Qwen3-0.6B", revision="main", endpoint=hub.url)
    converted = ExportRequest.model_validate({**document, "source": {"hub_model": model.model_dump()}})
    assert front(hub_model_card(converted, model, commit))["base_model_relation"] == "quantized"
    whole = converted.model_copy(update={"format": "merged-16bit", "quantization": None})
    assert "base_model_relation" not in front(hub_model_card(whole, model, commit))


def test_the_same_id_is_one_export(client: httpx.Client, hub: FakeHub, home: Path) -> None:  # noqa: F811
    identity, document = f"exp_once_{hub.port}", body(hub, home)
    first = exported(client, identity, document)
    again = client.put(f"/exports/{identity}", json={**document, "secret": "another-token"})
    assert (again.status_code, again.json()["export"]) == (200, first)
    other = client.put(f"/exports/{identity}", json={**document, "format": "merged-16bit"})
    assert (other.status_code, other.json()["error"]["code"]) == (409, "idempotency_mismatch")
    assert len(hub.commits(REPO)) == 1


def test_a_second_export_replaces_the_weights_of_the_first(
    client: httpx.Client,  # noqa: F811
    hub: FakeHub,  # noqa: F811
    home: Path,  # noqa: F811
) -> None:
    exported(client, f"exp_first_{hub.port}", body(hub, home, format="merged-16bit"))
    second = exported(client, f"exp_second_{hub.port}", body(hub, home))
    assert second["status"] == "succeeded" and len(hub.commits(REPO)) == 2
    assert "adapter_model.safetensors" in hub.files(REPO) and "model.safetensors" not in hub.files(REPO)


def test_a_branch_is_created_and_written_to(client: httpx.Client, hub: FakeHub, home: Path) -> None:  # noqa: F811
    destination = {**body(hub, home)["destination"], "revision": "candidate"}
    export = exported(client, f"exp_branch_{hub.port}", body(hub, home, destination=destination))
    assert export["status"] == "succeeded", export["error"]
    assert export["url"] == f"{hub.url}/{REPO}/tree/candidate"
    assert len(hub.commits(REPO, "candidate")) == 1 and hub.commits(REPO) == []


def test_a_model_of_the_hub_is_converted_at_the_commit_it_had(
    client: httpx.Client,  # noqa: F811
    hub: FakeHub,  # noqa: F811
    home: Path,  # noqa: F811
) -> None:
    base = {path.name: path.read_bytes() for path in (home / "models" / "tiny-base").iterdir()}
    commit = hub.add_repo("public/tiny", {**base, "modeling_evil.py": b"raise SystemExit(1)"})
    release = hub.hold("GET", "/public/tiny/resolve/.*/config.json")
    source = {"hub_model": {"id": "public/tiny", "revision": "main", "endpoint": hub.url}}
    identity = f"exp_hub_{hub.port}"
    client.put(f"/exports/{identity}", json=body(hub, home, source=source, format="merged-16bit", card={}))
    # The branch advances while the model is being fetched.
    until(lambda: hub.requests("GET", "resolve/.*/config.json"), SECONDS)
    hub.commit("public/tiny", "main", "Break it", "", {"config.json": b"{}"}, [])
    release.set()
    export = exported(client, identity, body(hub, home, source=source, format="merged-16bit", card={}))
    assert export["status"] == "succeeded", export["error"]
    files = hub.files(REPO)
    assert f"`public/tiny` at revision `{commit}`" in files["README.md"].decode()
    assert "modeling_evil.py" not in files and json.loads(files["config.json"])["hidden_size"] == 256
    assert TOKEN.encode() not in b"".join(files.values())
