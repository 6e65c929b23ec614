"""Starts the programs that are not ours: llama.cpp and vLLM."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from ..artifacts.child import INHERITED
from ..artifacts.llama_cpp import find_llama_cpp
from ..artifacts.source import weights_bytes
from ..files import read_json, write_atomic, write_json
from ..profile import adapter_facts
from ..trainer_error import TrainerFailure
from .backends import vllm_python
from .llama_cpp import LlamaCppEngine, LlamaProcess
from .prompt import Prompter
from .request import TOKEN_VARIABLE, ServeProfile
from .sources import Source, base_folder, serve_profile, trusts_remote_code
from .vllm import VllmModel, memory_share, tool_parser, vllm_command, vllm_environment

Started = tuple[list[str], dict[str, str]]


def start_llama_cpp(home: Path, source: Source, folder: Path) -> LlamaCppEngine:
    """Returns the model in a running llama.cpp. `folder` is the deployment's."""
    llama = find_llama_cpp()
    tokenizer, config = _tokenizer(source.tokenizer_folder(home))
    profile = serve_profile(home, source, tokenizer, config)
    tokenizer.chat_template = profile.chat_template
    write_json(
        folder / "llama-cpp.json",
        {
            "model": str(source.gguf_file),
            "eos_token_ids": profile.eos_token_ids,
            "max_context": profile.max_context,
        },
    )
    # Without the variable that identifies a deployment's server, which is this process.
    environment = {name: os.environ[name] for name in INHERITED if name in os.environ}
    process = LlamaProcess([llama.node, str(llama.serve_script), str(folder / "llama-cpp.json")], environment)
    process.exit_with_it()
    vocabulary = max(int(config.get("vocab_size") or 0), len(tokenizer))
    return LlamaCppEngine(process, tokenizer, profile, vocabulary)


def vllm_start(home: Path, source: Source, folder: Path, port: int) -> Started:
    """Returns the command and environment of vLLM. Raises TrainerFailure adapter_not_servable and the like."""
    python = vllm_python()
    if python is None:
        raise TrainerFailure.of("engine_dependency_missing", "vLLM is not installed", hint="Set TRAINER_VLLM_PYTHON.")
    model = _vllm_model(home, source, folder)
    # vLLM cannot be told how to identify its weights; it reports their path.
    write_json(folder / "served.json", {"root": str(model.adapter or model.model)})
    return vllm_command(python, model, port), vllm_environment(os.environ, os.environ[TOKEN_VARIABLE])


def _vllm_model(home: Path, source: Source, folder: Path) -> VllmModel:
    own = source.artifact or (source.checkpoint.model_dir if source.checkpoint else None)
    facts = adapter_facts(own) if own is not None and source.artifact is None else None
    weights = base_folder(source) if own is None or facts is not None else own
    tokenizer_folder = source.tokenizer_folder(home)
    tokenizer, _ = _tokenizer(tokenizer_folder)
    profile = serve_profile(home, source, tokenizer, read_json(weights / "config.json"))
    tokenizer.chat_template = profile.chat_template
    template = _write_profile(folder, profile)
    return VllmModel(
        served_model_name=source.plan.served_model_name,
        model=weights,
        tokenizer=tokenizer_folder,
        adapter=own if facts is not None else None,
        adapter_rank=facts.r if facts is not None else None,
        chat_template=template,
        generation_config=folder,
        max_context=profile.max_context,
        tool_parser=tool_parser(Prompter(tokenizer, profile).calls, tokenizer.get_vocab()),
        trust_remote_code=trusts_remote_code(source),
        memory_share=_memory_share(weights, profile.max_context),
    )


def _memory_share(weights: Path, max_context: int) -> float | None:
    """Returns the share of the GPU's memory to give to vLLM, None without a GPU."""
    import torch

    if not torch.cuda.is_available():
        return None
    total = torch.cuda.get_device_properties(0).total_memory
    return memory_share(weights_bytes(weights), read_json(weights / "config.json"), max_context, total)


def _write_profile(folder: Path, profile: ServeProfile) -> Path | None:
    """Writes what vLLM reads from files: the generation config, and the template if there is one."""
    write_json(folder / "generation_config.json", {**profile.generation_config, "eos_token_id": profile.eos_token_ids})
    if profile.chat_template is None:
        return None
    write_atomic(folder / "chat_template.jinja", profile.chat_template.encode())
    return folder / "chat_template.jinja"


def _tokenizer(folder: Path) -> tuple[Any, dict[str, Any]]:
    from transformers import AutoTokenizer

    config = folder / "config.json"
    return AutoTokenizer.from_pretrained(folder), read_json(config) if config.exists() else {}
