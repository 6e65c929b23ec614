"""Every GGUF file answers through llama.cpp as its checkpoint does, or the build reports why it cannot."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args

import pytest
from amounts import amount
from artifact_home import (
    ANSWER,
    PROMPTS,
    build_failing,
    build_ready,
    checkpoint_of,
    checks_of,
    commit_model,
    fresh_home,
    learned_home,
    request_for,
    write_job,
)
from tiny import build_tiny_tokenizer
from transformers import Qwen2Config, Qwen2ForCausalLM

from whetstone_trainer.artifacts import build
from whetstone_trainer.artifacts.gguf import ask, convert
from whetstone_trainer.artifacts.llama_cpp import find_llama_cpp
from whetstone_trainer.artifacts.merge import answer_hash
from whetstone_trainer.artifacts.source import find_base, read_checkpoint
from whetstone_trainer.spec import GgufQuantization
from whetstone_trainer.trainer_error import TrainerFailure


def answers_of(model: Path, tmp_path: Path, lora: Path | None = None) -> list[str]:
    prompts = [[{"role": "user", "content": prompt}] for prompt in PROMPTS[:2]]
    result = ask(find_llama_cpp(), model, prompts, None, 16, tmp_path / "log.txt", lora)
    return [answer["content"].strip() for answer in result["answers"]]


@pytest.mark.parametrize("quantization", get_args(GgufQuantization))
def test_every_quantization_says_what_was_learned(quantization: str, tmp_path: Path) -> None:
    folder = build_ready(learned_home(), f"gguf-{quantization}", "gguf", quantization)
    manifest = json.loads((folder / "MANIFEST.json").read_text())
    # The build has asked the file five questions: its answers are those of the merged model, which says what it learned.
    merged = build_ready(learned_home(), "merged-for-gguf", "merged-16bit")
    assert checks_of(merged)["answer_sha256"] == [answer_hash(ANSWER)] * 5
    if quantization in amount(["q4_0", "q8_0"], get_args(GgufQuantization)):
        assert answers_of(folder / f"model-{quantization}.gguf", tmp_path) == [ANSWER, ANSWER]
    smoke = manifest["checks"]["smoke"]
    assert (smoke["same_as_merged"], smoke["same_tokens"]) == (5, 5)
    assert smoke["log_likelihood_change"] == pytest.approx(0, abs=0.2)
    assert manifest["checks"]["tokenizer_pre_from"] == "profile"
    assert manifest["warnings"] == []
    assert manifest["tools"]["node-llama-cpp"] == "3.22.1"


def test_smaller_types_make_smaller_files() -> None:
    sizes = [
        sum(file["size"] for file in json.loads((folder / "MANIFEST.json").read_text())["files"])
        for folder in (
            build_ready(learned_home(), f"gguf-{quantization}", "gguf", quantization)
            for quantization in ("q4_0", "q4_k_m", "q5_k_m", "q6_k", "q8_0", "bf16", "f32")
        )
    ]
    assert sizes == sorted(sizes) and sizes[0] < sizes[-1] / 5


def test_a_gguf_adapter_speaks_on_a_gguf_of_the_base(tmp_path: Path) -> None:
    home = learned_home()
    folder = build_ready(home, "gguf-adapter", "gguf-lora")
    llama = find_llama_cpp()
    checkpoint = read_checkpoint(home, None, checkpoint_of(home))
    convert(llama, checkpoint, find_base(checkpoint), "f16", tmp_path, tmp_path / "log.txt")
    base = tmp_path / "model-f16.gguf"
    assert ANSWER not in answers_of(base, tmp_path)
    assert answers_of(base, tmp_path, folder / "adapter-f16.gguf") == [ANSWER, ANSWER]


@pytest.mark.parametrize(
    "setting", [{"use_dora": True}, {"modules_to_save": ["lm_head"]}, {"alpha_pattern": {"q_proj": 4}}]
)
def test_an_adapter_that_gguf_cannot_hold_is_refused_before_conversion(setting: dict[str, Any], tmp_path: Path) -> None:
    from whetstone_trainer.artifacts.adapter import llama_cpp_adapter

    home = fresh_home(tmp_path)
    checkpoint = read_checkpoint(home, None, checkpoint_of(home))
    config = checkpoint.model_dir / "adapter_config.json"
    config.write_text(json.dumps({**json.loads(config.read_text()), **setting}))
    with pytest.raises(TrainerFailure, match="adapter_not_servable"):
        llama_cpp_adapter(checkpoint, tmp_path)


def test_a_rank_stabilized_adapter_keeps_its_scale(tmp_path: Path) -> None:
    from whetstone_trainer.artifacts.adapter import llama_cpp_adapter

    home = fresh_home(tmp_path)
    checkpoint = read_checkpoint(home, None, checkpoint_of(home))
    config = checkpoint.model_dir / "adapter_config.json"
    config.write_text(json.dumps({**json.loads(config.read_text()), "use_rslora": True}))
    llama_cpp_adapter(checkpoint, tmp_path)
    written = json.loads((tmp_path / "adapter_config.json").read_text())
    # PEFT scales by 32 / sqrt(16) = 8 and llama.cpp by alpha / 16.
    assert written["lora_alpha"] / written["r"] == 8


def test_an_unknown_pre_tokenizer_is_an_error_that_says_what_to_set(tmp_path: Path) -> None:
    home = fresh_home(tmp_path)
    next((home / "jobs" / "job-1" / "checkpoints").glob("*/PROFILE.json")).write_text("{}")
    error = build_failing(home, "unknown-pre", "gguf", "q8_0")
    assert (error.code, error.phase) == ("tokenizer_pre_unknown", "converting")
    assert "tokenizerPre" in error.hint
    assert any("BPE pre-tokenizer was not recognized" in line for line in error.log_tail)


def test_an_architecture_llama_cpp_lacks_is_named_as_such(tmp_path: Path) -> None:
    home = fresh_home(tmp_path)
    checkpoint = read_checkpoint(home, None, checkpoint_of(home))
    merged = build_ready(home, "merged", "merged-16bit")
    unknown = tmp_path / "unknown"
    unknown.mkdir()
    for file in merged.iterdir():
        (unknown / file.name).write_bytes(file.read_bytes())
    config = json.loads((unknown / "config.json").read_text())
    (unknown / "config.json").write_text(json.dumps({**config, "architectures": ["NobodyKnowsForCausalLM"]}))
    with pytest.raises(TrainerFailure) as raised:
        convert(find_llama_cpp(), checkpoint, unknown, "bf16", tmp_path, tmp_path / "log.txt")
    assert raised.value.error.code == "architecture_unsupported"
    assert raised.value.error.log_tail


def test_a_width_that_does_not_fit_is_built_with_a_warning(tmp_path: Path) -> None:
    home, base = tmp_path / "home", tmp_path / "base"
    tokenizer = build_tiny_tokenizer()
    config = Qwen2Config(
        vocab_size=len(tokenizer),
        hidden_size=192,
        intermediate_size=320,
        num_hidden_layers=1,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=512,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    model = Qwen2ForCausalLM(config)
    commit_model(write_job(home, base, "full"), model, tokenizer, base, "full")
    result = build(home, request_for(home, "narrow", "gguf", "q4_k_m"))
    assert result.status == "ready", result.error
    (warning,) = result.warnings
    assert warning.code == "quantization_fallback"
    assert warning.log_tail


def test_a_file_that_does_not_load_ends_the_build_and_nothing_else(tmp_path: Path) -> None:
    broken = tmp_path / "model-q8_0.gguf"
    broken.write_bytes(b"GGUF" + b"\0" * 64)
    with pytest.raises(TrainerFailure) as raised:
        answers_of(broken, tmp_path)
    assert raised.value.error.code == "quantization_failed"
    assert raised.value.error.log_tail


def test_without_node_packages_the_build_fails_before_merging(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = fresh_home(tmp_path)
    monkeypatch.setenv("TRAINER_LLAMA_CPP", str(tmp_path / "nowhere"))
    error = build_failing(home, "no-node", "gguf", "q8_0")
    assert (error.code, error.blame) == ("engine_dependency_missing", "dependency")
    assert "install.mjs" in error.hint
    assert not (home / "builds").exists()
