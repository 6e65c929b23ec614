"""Which program serves what: what this machine has, how a program is chosen, and what is refused."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

from ..profile import AdapterFacts
from ..trainer_error import TrainerFailure
from .request import Backend, DeploymentRequest
from .vllm import refuse_adapter

_TRANSFORMERS_PACKAGES = ("torch", "transformers", "peft", "safetensors", "fastapi", "uvicorn")
_PROBE_SECONDS = 60.0
_VLLM_VERSION = "import importlib.metadata as m; print(m.version('vllm'))"


def vllm_python() -> str | None:
    """Returns the interpreter that has vLLM: TRAINER_VLLM_PYTHON, else this one; None without vLLM."""
    if configured := os.environ.get("TRAINER_VLLM_PYTHON"):
        return shutil.which(configured)
    return sys.executable if importlib.util.find_spec("vllm") else None


def vllm_version() -> str | None:
    """Returns the version of the installed vLLM, None without one; does not import it."""
    python = vllm_python()
    if python is None:
        return None
    try:
        done = subprocess.run(
            [python, "-c", _VLLM_VERSION], check=False, capture_output=True, text=True, timeout=_PROBE_SECONDS
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def available_backends(
    devices: list[dict[str, Any]], *, gguf: bool, vllm: str | None
) -> tuple[list[Backend], list[dict[str, str]]]:
    """Returns the programs that can serve here, and for each that cannot, the reason and the remedy."""
    found: list[Backend] = []
    unavailable: list[dict[str, str]] = []

    def lacks(feature: str, reason: str, hint: str) -> None:
        unavailable.append({"feature": f"serve:{feature}", "reason": reason, "hint": hint})

    missing = [name for name in _TRANSFORMERS_PACKAGES if importlib.util.find_spec(name) is None]
    if missing:
        lacks("transformers", f"not installed: {', '.join(missing)}", "Start the trainer with `npx whetstone trainer`.")
    else:
        found.append("transformers")
        if importlib.util.find_spec("compressed_tensors") is None:
            lacks(
                "compressed", "compressed-tensors is not installed", "Start the trainer with `npx whetstone trainer`."
            )
    if gguf:
        found.append("llama.cpp")
    else:
        lacks("llama.cpp", "llama.cpp is not installed", "Run `node install.mjs` in trainer/llama-cpp.")
    if not any(device.get("kind") == "cuda" for device in devices):
        lacks("vllm", "vLLM needs a CUDA GPU", "Run a trainer on a machine with one.")
    elif vllm is None:
        lacks(
            "vllm",
            "vLLM is not installed",
            "Install vllm into a separate environment and set TRAINER_VLLM_PYTHON to its python.",
        )
    else:
        found.append("vllm")
    return found, unavailable


def choose_backend(
    request: DeploymentRequest, capabilities: Mapping[str, Any], adapter: AdapterFacts | None
) -> Backend:
    """Returns the program that serves a request. `adapter` is the checkpoint's; None for full weights and base models.

    Raises TrainerFailure unsupported_combination, capability_missing, adapter_rank_too_large or adapter_not_servable.
    """
    backend = request.backend if request.backend != "auto" else _automatic(request, capabilities, adapter)
    if (request.form == "gguf") != (backend == "llama.cpp"):
        what = f"{request.quantization} is served by llama.cpp" if request.form == "gguf" else "llama.cpp serves GGUF"
        raise TrainerFailure.of(
            "unsupported_combination",
            f"{what}, not {backend}" if request.form == "gguf" else f"{what}, but no GGUF quantization was given",
            param="backend" if request.form == "gguf" else "quantization",
            hint="Leave backend at auto, or name a quantization that it serves.",
        )
    _require(capabilities, backend, request)
    if backend == "vllm" and request.form is None and adapter is not None:
        refuse_adapter(adapter)
    return backend


def _automatic(request: DeploymentRequest, capabilities: Mapping[str, Any], adapter: AdapterFacts | None) -> Backend:
    if request.form == "gguf":
        return "llama.cpp"
    if "vllm" not in capabilities.get("serve_backends", []):
        return "transformers"
    if request.form is None and adapter is not None:
        try:
            refuse_adapter(adapter)
        except TrainerFailure:
            return "transformers"
    return "vllm"


def _require(capabilities: Mapping[str, Any], backend: Backend, request: DeploymentRequest) -> None:
    """Raises capability_missing for what this machine cannot build or serve."""
    known = {one["feature"]: one for one in capabilities.get("unavailable", [])}
    lacking: list[str] = []
    if backend not in capabilities.get("serve_backends", []):
        lacking += [f"serve:{backend}"]
    if request.quantization is not None:
        if request.quantization not in capabilities.get(f"{request.form}_quantizations", []):
            lacking += [request.quantization, str(request.form)]
        if request.form == "compressed" and backend == "transformers" and "serve:compressed" in known:
            lacking += ["serve:compressed"]
    if not lacking:
        return
    reason = next((known[name] for name in lacking if name in known), None)
    what = lacking[0].removeprefix("serve:")
    raise TrainerFailure.of(
        "capability_missing",
        f"{what} is not available here: {reason['reason']}" if reason else f"{what} is not available here",
        param="quantization" if request.quantization in lacking else "backend",
        hint=reason["hint"] if reason else None,
    )


__all__ = ["available_backends", "choose_backend", "vllm_python", "vllm_version"]
