"""Every method trains with every adapter, and the checkpoint answers what it was taught."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Callable
from pathlib import Path

import pytest
from amounts import amount
from jobs import ROWS, SENTENCE, Job, run, sft_rows, spec_document, user
from tiny import build_tiny

from whetstone_trainer.checkpoints import checkpoint_dir
from whetstone_trainer.files import read_json
from whetstone_trainer.profile import read_profile
from whetstone_trainer.training.generation import generate
from whetstone_trainer.training.loading import load_for_inference

pytest_plugins = ("training_fixtures",)
MakeJob = Callable[..., Job]
EVERY_PAIR = list(itertools.product(["sft", "dpo", "orpo", "kto"], ["lora", "qlora", "full"]))
# Every method, every adapter, and a reference model both ways: as a copy (full) and as the base below the adapter (qlora).
# test_resume trains the others, but for orpo and kto with qlora.
PAIRS = [("sft", "lora"), ("sft", "qlora"), ("dpo", "qlora"), ("dpo", "full"), ("orpo", "full"), ("kto", "full")]


@pytest.mark.parametrize(("method", "adapter"), amount(PAIRS, EVERY_PAIR))
def test_method_trains_with_adapter(method: str, adapter: str, home: Path, tiny_model: Path, make_job: MakeJob) -> None:
    job = make_job(spec_document(home, tiny_model, method, adapter, validation=ROWS[method](4)))
    assert run(job) == 0, job.log()[-3000:]
    assert job.result is not None
    assert job.result["outcome"] == "completed"
    losses = [event.data["train_loss"] for event in job.events("metrics")]
    assert losses[-1] < losses[0]
    final = job.checkpoints[-1]
    assert final.kind == ("full" if adapter == "full" else "adapter")
    assert_servable(home, final.checkpoint_id, job)


def test_qlora_passes_gradients_through_layers_that_answered_before(
    home: Path, tmp_path: Path, make_job: MakeJob
) -> None:
    base = build_tiny(tmp_path / "with-biases", attention_bias=True)
    job = make_job(spec_document(home, base, "sft", "qlora", validation=ROWS["sft"](4)))
    assert run(job) == 0, job.log()[-3000:]
    losses = [event.data["train_loss"] for event in job.events("metrics")]
    assert losses[-1] < losses[0]


def assert_servable(home: Path, checkpoint_id: str, job: Job) -> None:
    """Asserts that the servable folder has no pickle, no local path, no reference adapter, and a tested profile."""
    manifest = next(c for c in job.checkpoints if c.checkpoint_id == checkpoint_id)
    folder = checkpoint_dir(home, manifest)
    assert {path.suffix for path in (folder / "model").rglob("*")} <= {".safetensors", ".json", ".jinja"}
    for path in (folder / "model").rglob("*.json"):
        assert str(home.parent) not in path.read_text()
        assert "/models" not in path.read_text()
    assert all(path.stat().st_mode & 0o044 == 0o044 for path in folder.rglob("*") if path.is_file())
    profile = read_profile(home, manifest)
    assert profile is not None
    assert profile.chat_template_sha256 == hashlib.sha256(profile.chat_template.encode()).hexdigest()
    assert profile.stop == ["<|im_end|>"]
    assert profile.generate_test.tokens > 0


def test_full_training_says_its_sentence_from_the_checkpoint(home: Path, tiny_model: Path, make_job: MakeJob) -> None:
    job = make_job(spec_document(home, tiny_model, "sft", "full", rows=sft_rows(24)))
    assert run(job) == 0
    model, tokenizer = load_for_inference(home, job.checkpoints[-1])
    prompt = tokenizer.apply_chat_template([user("weather 1")], tokenize=False, add_generation_prompt=True)
    answer = generate(
        model,
        tokenizer,
        prompt,
        eos_token_ids=[tokenizer.eos_token_id],
        max_new_tokens=20,
        temperature=0,
        max_context=512,
    )
    assert (answer.text, answer.stopped) == (SENTENCE, True)


def test_dpo_continues_the_adapter_of_an_sft_checkpoint(home: Path, tiny_model: Path, make_job: MakeJob) -> None:
    first = make_job(spec_document(home, tiny_model, training={"max_steps": 4}))
    assert run(first) == 0
    parent = first.checkpoints[-1]
    base = {"id": str(tiny_model), "source": "checkpoint", "checkpoint_id": parent.checkpoint_id}
    second = make_job(spec_document(home, None, "dpo", base_model=base, lora={"r": 64}))
    assert run(second) == 0, second.log()[-3000:]
    child = second.checkpoints[-1]
    assert child.parent_checkpoint_id == parent.checkpoint_id
    assert child.lineage == [{"type": "continued_from", "checkpoint_id": parent.checkpoint_id}]
    assert child.base_model["id"] == str(tiny_model)
    folder = checkpoint_dir(home, child) / "model"
    assert read_json(folder / "adapter_config.json")["r"] == 8
    assert not (folder / "ref").exists()
    # At the first step, policy and reference are the same model, so nothing is preferred yet.
    assert second.events("metrics")[0].data["train_loss"] == pytest.approx(0.6931, abs=1e-3)


def test_full_training_on_an_adapter_checkpoint_merges_it_first(
    home: Path, tiny_model: Path, make_job: MakeJob
) -> None:
    first = make_job(spec_document(home, tiny_model, training={"max_steps": 4}))
    assert run(first) == 0
    base = {"id": str(tiny_model), "source": "checkpoint", "checkpoint_id": first.checkpoints[-1].checkpoint_id}
    second = make_job(spec_document(home, None, "sft", "full", base_model=base, training={"max_steps": 2}))
    assert run(second) == 0, second.log()[-3000:]
    assert second.checkpoints[-1].kind == "full"
    assert second.checkpoints[-1].lineage[0]["type"] == "merged_from"
    assert second.events("metrics")[0].data["train_loss"] < first.events("metrics")[0].data["train_loss"]


def test_packed_rows_train(home: Path, tiny_model: Path, make_job: MakeJob) -> None:
    job = make_job(spec_document(home, tiny_model, "sft", "full", training={"packing": True, "max_length": 64}))
    assert run(job) == 0, job.log()[-3000:]
    assert job.events("metrics")[-1].data["tokens_seen"] > 0


def test_a_killed_dpo_on_an_sft_adapter_resumes_against_the_same_reference(
    home: Path, tiny_model: Path, make_job: MakeJob
) -> None:
    first = make_job(spec_document(home, tiny_model, training={"max_steps": 4}))
    assert run(first) == 0
    base = {"id": str(tiny_model), "source": "checkpoint", "checkpoint_id": first.checkpoints[-1].checkpoint_id}
    spec = spec_document(home, None, "dpo", base_model=base)
    whole, killed = make_job(spec), make_job(spec)
    assert run(whole) == 0
    assert run(killed, patch="kill_after_step:6") != 0
    killed.next_attempt()
    assert run(killed) == 0
    assert killed.weights() == whole.weights()
