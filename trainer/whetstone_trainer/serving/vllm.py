"""vLLM's command, environment and limits on adapters. Nothing here imports vLLM, which runs in its own process."""

from __future__ import annotations

import json
import re
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..profile import VLLM_RANKS, AdapterFacts
from ..trainer_error import TrainerFailure
from .calls.call_format import CallFormat
from .calls.read_calls import MISTRAL_OPEN

# What vLLM needs beside weights and cache: its context, activations of a batch, CUDA graphs.
_WORKSPACE_BYTES = 4_000_000_000
# Weights may be stored in more files than are loaded, and take a little more memory than on disk.
_OVER_WEIGHTS = 1.1
# The cache has room for this many contexts of full length, and at least for this share of the GPU's memory.
_FULL_CONTEXTS, _CACHE_SHARE = 4, 0.1
# vLLM's own default is 0.92; what it may not take is for others, such as the context of another process.
_LARGEST_SHARE = 0.9


# How a traceback of its inner process ends in the log. The outer process then adds a long one that says nothing more.
_ROOT_CAUSE = re.compile(r"^\(EngineCore[^)]*\)\s.*?\b(\w+(?:Error|Exception): .+)$")


@dataclass(frozen=True)
class VllmModel:
    """What vLLM should serve. `model` is the folder of the weights or, with `adapter`, of its base.

    `memory_share` is the share of the GPU's memory that it may take; None leaves that to vLLM. `tool_parser` is its name for
    how the model writes tool calls; None if it has none that fits.
    """

    served_model_name: str
    model: Path
    tokenizer: Path
    adapter: Path | None
    adapter_rank: int | None
    chat_template: Path | None
    generation_config: Path
    max_context: int
    tool_parser: str | None = None
    trust_remote_code: bool = False
    memory_share: float | None = None


def memory_share(weights: int, config: Mapping[str, Any], max_context: int, total: int) -> float:
    """Returns the share of a GPU's memory that a model needs; sizes in bytes.

    vLLM would take all of it, and then neither a new version nor a training job could start beside it.
    """
    text = config.get("text_config") or config
    heads = int(text.get("num_attention_heads") or 1)
    head = int(text.get("head_dim") or int(text.get("hidden_size") or 0) // heads)
    layers = int(text.get("num_hidden_layers") or 0)
    # Keys and values of 16 bits.
    per_token = 2 * 2 * layers * head * int(text.get("num_key_value_heads") or heads)
    cache = max(_FULL_CONTEXTS * max_context * per_token, _CACHE_SHARE * total)
    share = (weights * _OVER_WEIGHTS + cache + _WORKSPACE_BYTES) / total
    return round(min(share, _LARGEST_SHARE), 3)


def lora_rank(rank: int) -> int:
    """Returns the smallest `--max-lora-rank` that fits an adapter. Raises TrainerFailure adapter_rank_too_large."""
    for allowed in VLLM_RANKS:
        if rank <= allowed:
            return allowed
    raise TrainerFailure.of(
        "adapter_rank_too_large",
        f"the adapter has rank {rank} and vLLM serves at most {VLLM_RANKS[-1]}",
        param="backend",
        hint="Serve it with transformers, or train with a smaller rank.",
    )


def refuse_adapter(adapter: AdapterFacts) -> None:
    """Raises TrainerFailure adapter_rank_too_large or adapter_not_servable if vLLM cannot serve the adapter."""
    reason = None
    if adapter.use_dora:
        reason = "vLLM has no DoRA"
    elif adapter.modules_to_save:
        reason = f"it replaces whole modules of the base ({', '.join(adapter.modules_to_save)})"
    if reason is not None:
        raise TrainerFailure.of(
            "adapter_not_servable",
            f"vLLM cannot serve the adapter: {reason}",
            param="backend",
            hint="Serve it with transformers, or deploy a quantization, which is made from the merged model.",
        )
    lora_rank(adapter.r)


def tool_parser(calls: CallFormat, vocabulary: Container[str]) -> str | None:
    """Returns vLLM's name for how a model writes tool calls; None if it has no parser for it."""
    if calls.family == "mistral":
        # vLLM does not start without the token.
        return "mistral" if MISTRAL_OPEN in vocabulary else None
    return {"hermes": "hermes", "json": "llama3_json"}.get(calls.family or "")


def root_cause(log: Sequence[str]) -> str | None:
    """Returns why vLLM did not start, from the lines of its log; None if they do not say."""
    found = [match.group(1).strip() for line in log if (match := _ROOT_CAUSE.match(line))]
    return found[-1] if found else None


def vllm_command(python: str, model: VllmModel, port: int) -> list[str]:
    """Returns the command that serves a model on loopback under its name."""
    command = [
        *(python, "-m", "vllm.entrypoints.openai.api_server"),
        *("--host", "127.0.0.1", "--port", str(port)),
        *("--model", str(model.model)),
        *("--tokenizer", str(model.tokenizer)),
        *("--max-model-len", str(model.max_context)),
        # Stop tokens and sampling come from the profile, not from the base's repository.
        *("--generation-config", str(model.generation_config)),
        *("--uvicorn-log-level", "warning"),
    ]
    if model.memory_share is not None:
        command += ["--gpu-memory-utilization", str(model.memory_share)]
    if model.chat_template is not None:
        command += ["--chat-template", str(model.chat_template)]
    if model.tool_parser is not None:
        command += ["--enable-auto-tool-choice", "--tool-call-parser", model.tool_parser]
    # A client that wants no tools gets the prompt without them, as from the other programs.
    command += ["--exclude-tools-when-tool-choice-none"]
    if model.trust_remote_code:
        command += ["--trust-remote-code"]
    if model.adapter is None or model.adapter_rank is None:
        return [*command, "--served-model-name", model.served_model_name]
    # Under its own name, so that nobody gets the base's answers instead of the adapter's.
    base_name = f"{model.served_model_name}:base"
    module = {"name": model.served_model_name, "path": str(model.adapter), "base_model_name": base_name}
    return [
        *command,
        *("--served-model-name", base_name),
        "--enable-lora",
        *("--max-loras", "1"),
        *("--max-lora-rank", str(lora_rank(model.adapter_rank))),
        *("--lora-modules", json.dumps(module)),
    ]


def vllm_environment(inherited: Mapping[str, str], token: str) -> dict[str, str]:
    """Returns vLLM's environment: everything is already on disk, and nothing may be loaded into it later."""
    environment = {
        name: value
        for name, value in inherited.items()
        # Removes another environment's packages, and what would allow loading other models or adapters.
        if name not in ("PYTHONPATH", "HF_TOKEN", "VLLM_ALLOW_RUNTIME_LORA_UPDATING")
    }
    return {
        **environment,
        "HF_HUB_OFFLINE": "1",
        "VLLM_API_KEY": token,
        "VLLM_NO_USAGE_STATS": "1",
        "DO_NOT_TRACK": "1",
    }
