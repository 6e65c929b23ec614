"""The choice of the serving program, vLLM's command, and how tokens become text."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tiny import build_tiny_tokenizer

from whetstone_trainer.profile import AdapterFacts, serving
from whetstone_trainer.serving.backends import available_backends, choose_backend
from whetstone_trainer.serving.calls.call_format import BARE
from whetstone_trainer.serving.calls.read_calls import Family
from whetstone_trainer.serving.request import DeploymentRequest, ServeProfile
from whetstone_trainer.serving.text import Detokenizer, StopStrings
from whetstone_trainer.serving.vllm import (
    VllmModel,
    lora_rank,
    memory_share,
    root_cause,
    tool_parser,
    vllm_command,
    vllm_environment,
)
from whetstone_trainer.trainer_error import TrainerFailure

GPU = [{"id": "0", "kind": "cuda"}]
CPU = [{"id": "cpu", "kind": "cpu"}]


def adapter(r: int = 16, **changes: Any) -> AdapterFacts:
    facts = {"r": r, "lora_alpha": 32.0, "target_modules": [], "modules_to_save": [], "use_dora": False}
    return AdapterFacts.model_validate({**facts, "use_rslora": False, **changes})


def asked(**changes: Any) -> DeploymentRequest:
    return DeploymentRequest.model_validate({"checkpoint_id": "ckpt_1", "served_model_name": "shop", **changes})


def machine(*backends: str, **changes: Any) -> dict[str, Any]:
    known = {"serve_backends": list(backends), "gguf_quantizations": ["q4_k_m"], "compressed_quantizations": ["int8"]}
    return {**known, "unavailable": [], **changes}


ALL = machine("transformers", "llama.cpp", "vllm")
NO_GPU = machine("transformers", "llama.cpp")


@pytest.mark.parametrize(
    ("request_", "capabilities", "facts", "expected"),
    [
        (asked(), ALL, None, "vllm"),
        (asked(), ALL, adapter(), "vllm"),
        (asked(), ALL, adapter(use_dora=True), "transformers"),
        (asked(), ALL, adapter(modules_to_save=["lm_head"]), "transformers"),
        (asked(), NO_GPU, adapter(), "transformers"),
        (asked(quantization="q4_k_m"), ALL, adapter(), "llama.cpp"),
        (asked(quantization="int8"), ALL, adapter(use_dora=True), "vllm"),
        (asked(quantization="int8"), NO_GPU, adapter(), "transformers"),
        (asked(backend="transformers"), ALL, adapter(), "transformers"),
        (asked(checkpoint_id=None, base={"id": "org/model"}), ALL, None, "vllm"),
    ],
)
def test_what_is_left_open_is_served_by_the_best_that_can(
    request_: DeploymentRequest, capabilities: dict[str, Any], facts: AdapterFacts | None, expected: str
) -> None:
    assert choose_backend(request_, capabilities, facts) == expected


@pytest.mark.parametrize(
    ("request_", "capabilities", "facts", "code"),
    [
        (asked(backend="vllm"), ALL, adapter(use_dora=True), "adapter_not_servable"),
        (asked(backend="vllm"), ALL, adapter(modules_to_save=["embed_tokens"]), "adapter_not_servable"),
        (asked(backend="vllm"), ALL, adapter(r=1024), "adapter_rank_too_large"),
        (asked(backend="vllm"), NO_GPU, adapter(), "capability_missing"),
        (asked(backend="vllm", quantization="q4_k_m"), ALL, None, "unsupported_combination"),
        (asked(backend="llama.cpp"), ALL, None, "unsupported_combination"),
        (asked(backend="llama.cpp", quantization="int8"), ALL, None, "unsupported_combination"),
        (asked(quantization="q8_0"), ALL, None, "capability_missing"),
        (asked(quantization="fp8"), ALL, None, "capability_missing"),
        (asked(quantization="q4_k_m"), machine("transformers"), None, "capability_missing"),
        (
            asked(quantization="int8"),
            machine("transformers", unavailable=[{"feature": "serve:compressed", "reason": "x", "hint": "y"}]),
            None,
            "capability_missing",
        ),
    ],
)
def test_what_cannot_be_served_is_refused_with_its_reason(
    request_: DeploymentRequest, capabilities: dict[str, Any], facts: AdapterFacts | None, code: str
) -> None:
    with pytest.raises(TrainerFailure) as raised:
        choose_backend(request_, capabilities, facts)
    assert raised.value.error.code == code


def test_every_program_is_offered_or_missing_with_its_reason() -> None:
    found, missing = available_backends(GPU, gguf=True, vllm="0.28.0")
    assert found == ["transformers", "llama.cpp", "vllm"]
    found, missing = available_backends(GPU, gguf=False, vllm=None)
    assert found == ["transformers"]
    assert {"serve:llama.cpp", "serve:vllm"} <= {one["feature"] for one in missing}
    _, missing = available_backends(CPU, gguf=True, vllm="0.28.0")
    assert [one["reason"] for one in missing if one["feature"] == "serve:vllm"] == ["vLLM needs a CUDA GPU"]
    assert all(one["reason"] and one["hint"] for one in missing)


@pytest.mark.parametrize(("rank", "expected"), [(1, 1), (2, 8), (8, 8), (12, 16), (16, 16), (200, 256), (512, 512)])
def test_vllm_reserves_the_next_rank_that_it_allows(rank: int, expected: int) -> None:
    assert lora_rank(rank) == expected
    assert serving(adapter(rank))[0] == ["transformers", "vllm"]


def model(**changes: Any) -> VllmModel:
    facts = {
        "served_model_name": "shop-agent",
        "model": Path("/m/base"),
        "tokenizer": Path("/c/model"),
        "adapter": Path("/c/model"),
        "adapter_rank": 12,
        "chat_template": Path("/d/chat_template.jinja"),
        "generation_config": Path("/d"),
        "max_context": 4096,
    }
    return VllmModel(**{**facts, **changes})


def options_of(command: list[str]) -> dict[str, str]:
    return {one: command[index + 1] for index, one in enumerate(command[:-1]) if one.startswith("--")}


def test_vllm_serves_an_adapter_under_its_name_and_the_base_under_none_of_ours() -> None:
    command = vllm_command("/v/bin/python", model(), 9000)
    assert command[:3] == ["/v/bin/python", "-m", "vllm.entrypoints.openai.api_server"]
    options = options_of(command)
    assert (options["--host"], options["--port"], options["--model"]) == ("127.0.0.1", "9000", "/m/base")
    assert (options["--max-lora-rank"], options["--max-loras"]) == ("16", "1")
    assert json.loads(options["--lora-modules"]) == {
        "name": "shop-agent",
        "path": "/c/model",
        "base_model_name": options["--served-model-name"],
    }
    assert options["--served-model-name"] != "shop-agent"
    assert (options["--tokenizer"], options["--chat-template"]) == ("/c/model", "/d/chat_template.jinja")
    assert (options["--generation-config"], options["--max-model-len"]) == ("/d", "4096")
    assert "--enable-lora" in command and "--trust-remote-code" not in command


def test_vllm_serves_full_weights_under_their_name() -> None:
    command = vllm_command("python", model(adapter=None, adapter_rank=None, chat_template=None), 9000)
    options = options_of(command)
    assert options["--served-model-name"] == "shop-agent"
    assert not {"--enable-lora", "--lora-modules", "--chat-template"} & set(command)
    assert "--trust-remote-code" in vllm_command("python", model(trust_remote_code=True), 9000)


@pytest.mark.parametrize(
    ("family", "vocabulary", "expected"),
    [
        ("hermes", (), "hermes"),
        ("json", (), "llama3_json"),
        ("mistral", ("[TOOL_CALLS]",), "mistral"),
        ("mistral", (), None),
        (None, (), None),
    ],
)
def test_vllm_reads_tool_calls_as_the_template_writes_them(
    family: Family | None, vocabulary: tuple[str, ...], expected: str | None
) -> None:
    found = tool_parser(replace(BARE, family=family), vocabulary)
    assert found == expected
    command = vllm_command("python", model(tool_parser=found), 1)
    assert options_of(command).get("--tool-call-parser") == expected
    assert ("--enable-auto-tool-choice" in command) == (expected is not None)


QWEN_7B = {"hidden_size": 3584, "num_hidden_layers": 28, "num_attention_heads": 28, "num_key_value_heads": 4}


def test_vllm_takes_what_the_model_needs_and_leaves_the_rest_of_the_gpu() -> None:
    large_gpu = memory_share(15_000_000_000, QWEN_7B, 8192, 80_000_000_000)
    # Weights, a tenth of the memory for the cache, and the workspace; so two of them run side by side.
    assert large_gpu == pytest.approx((16.5 + 8 + 4) / 80, abs=0.001)
    long_contexts = memory_share(15_000_000_000, QWEN_7B, 131_072, 80_000_000_000)
    assert long_contexts == pytest.approx((16.5 + 4 * 131_072 * 57_344 / 1e9 + 4) / 80, abs=0.001)
    assert memory_share(15_000_000_000, QWEN_7B, 8192, 24_000_000_000) == 0.9
    options = options_of(vllm_command("python", model(memory_share=large_gpu), 1))
    assert options["--gpu-memory-utilization"] == str(large_gpu)
    assert "--gpu-memory-utilization" not in vllm_command("python", model(), 1)


def test_the_reason_why_vllm_did_not_start_is_found_above_its_last_traceback() -> None:
    log = [
        "(EngineCore pid=20) INFO 11-26 12:53:33 [model_runner.py:305] Model loading took 0.69 GiB",
        '(EngineCore pid=20) ERROR 11-26 12:53:33 [core.py:1330]   File "/v/core.py", line 1299, in run_engine_core',
        "(EngineCore pid=20) ERROR 11-26 12:53:33 [core.py:1330] ValueError: Free memory on device is less than desired",
        "(EngineCore pid=20)     raise ValueError(",
        "(EngineCore pid=20) ValueError: Free memory on device is less than desired",
        "(APIServer pid=14)     raise RuntimeError(",
        "(APIServer pid=14) RuntimeError: Engine core initialization failed. See root cause above.",
    ]
    assert root_cause(log) == "ValueError: Free memory on device is less than desired"
    assert root_cause(["ValueError: not vLLM's"]) is None


def test_vllm_can_load_nothing_later_and_its_password_is_no_argument() -> None:
    inherited = {"PATH": "/bin", "PYTHONPATH": "/ours", "HF_TOKEN": "t", "VLLM_ALLOW_RUNTIME_LORA_UPDATING": "True"}
    environment = vllm_environment(inherited, "the-password")
    assert environment["VLLM_API_KEY"] == "the-password"
    assert not {"PYTHONPATH", "HF_TOKEN", "VLLM_ALLOW_RUNTIME_LORA_UPDATING"} & set(environment)
    assert environment["HF_HUB_OFFLINE"] == "1"
    assert "the-password" not in " ".join(vllm_command("python", model(), 1))


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({}, (1.0, 1.0, 0)),
        ({"temperature": 0.6, "top_p": 0.9, "top_k": 20}, (0.6, 0.9, 20)),
        ({"temperature": None, "top_p": True}, (1.0, 1.0, 0)),
    ],
)
def test_sampling_is_the_models_own_where_a_call_does_not_say(
    config: dict[str, Any], expected: tuple[Any, ...]
) -> None:
    profile = ServeProfile(chat_template=None, eos_token_ids=[], max_context=1, generation_config=config)
    found = profile.defaults
    assert (found.temperature, found.top_p, found.top_k) == expected


@pytest.mark.parametrize("text", ["sunny hello world", "Grüße aus Köln, 東京 🙂!", "a  b\n\n c", ""])
def test_text_comes_in_whole_characters_and_is_complete(text: str) -> None:
    tokenizer = build_tiny_tokenizer()
    tokens = tokenizer.encode(text, add_special_tokens=False)
    detokenizer = Detokenizer(tokenizer)
    parts = [detokenizer.push(token) for token in tokens]
    assert "".join(parts) + detokenizer.rest() == text
    assert not any("\ufffd" in part for part in parts)


def test_half_a_character_at_the_end_is_shown_as_such() -> None:
    tokenizer = build_tiny_tokenizer()
    detokenizer = Detokenizer(tokenizer)
    for token in tokenizer.encode("🙂", add_special_tokens=False)[:-1]:
        assert detokenizer.push(token) == ""
    assert detokenizer.rest() == "\ufffd"


@pytest.mark.parametrize(
    ("parts", "stops", "expected", "found"),
    [
        (["hel", "lo wor", "ld"], ["o w"], "hell", True),
        (["hel", "lo"], ["lox"], "hello", False),
        (["a", "b", "a", "b", "c"], ["abc"], "ab", True),
        (["one\n", "\ntwo"], ["\n\n", "two"], "one", True),
        (["abc"], [], "abc", False),
        (["xSTOPy"], ["STOP"], "x", True),
    ],
)
def test_nothing_of_a_stop_string_is_said(parts: list[str], stops: list[str], expected: str, found: bool) -> None:
    matcher = StopStrings(stops)
    assert "".join(matcher.push(part) for part in parts) + matcher.rest() == expected
    assert matcher.found is found
