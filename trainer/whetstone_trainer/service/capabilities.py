"""What this machine can do, and for what it cannot do, the reason and the remedy."""

from __future__ import annotations

import importlib.metadata
import json
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any, get_args

import psutil

from .. import __version__
from ..spec import Adapter, Method
from .processes import boot_id

SPEC_VERSION = 2
# What this version understands beyond the contract's first form; an older web app ignores the list.
FEATURES = (
    "build_hub_token",
    "check_base_model",
    "delete_job",
    "deployment_hub_token",
    "hub_token",
    "tokenizer_pre",
)
_PACKAGES = ("torch", "transformers", "trl", "peft", "accelerate", "datasets", "bitsandbytes", "tokenizers")
_NEEDED = ("torch", "transformers", "trl", "peft", "accelerate", "datasets")
_REFRESH_SECONDS = 60.0
_PROBE_SECONDS = 120.0
_CGROUP = Path("/sys/fs/cgroup")

# Runs in its own process, because the service never imports torch, which would take memory and occupy the GPU.
_PROBE = """
import json, torch
found = []
for index in range(torch.cuda.device_count()):
    free, total = torch.cuda.mem_get_info(index)
    major, minor = torch.cuda.get_device_capability(index)
    found.append({"id": str(index), "name": torch.cuda.get_device_name(index), "kind": "cuda", "memory_total": total,
        "memory_free": free, "compute_capability": f"{major}.{minor}"})
if not found and getattr(torch.backends, "mps", None) and torch.backends.mps.is_available():
    found.append({"id": "0", "name": "Apple GPU", "kind": "mps", "memory_total": None, "memory_free": None,
        "compute_capability": None})
print(json.dumps(found))
"""


class Capabilities:
    """Inspects the machine on request, at most once a minute."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._lock = threading.Lock()
        self._at = float("-inf")
        self._known: dict[str, Any] = {}

    def get(self) -> dict[str, Any]:
        """Returns the document of GET /v1/capabilities."""
        with self._lock:
            if time.monotonic() - self._at > _REFRESH_SECONDS:
                self._known, self._at = _look(), time.monotonic()
            return {**self._known, "disk_free": shutil.disk_usage(self._home).free}


def _look() -> dict[str, Any]:
    from ..artifacts.capabilities import artifact_capabilities
    from ..serving.backends import available_backends, vllm_version

    packages = {name: version for name in _PACKAGES if (version := _version(name))}
    unavailable: list[dict[str, Any]] = []
    missing = [name for name in _NEEDED if name not in packages]
    devices, problem = _devices() if not missing else ([], None)
    adapters = list(get_args(Adapter))
    if "bitsandbytes" not in packages:
        adapters.remove("qlora")
        unavailable.append(
            {
                "feature": "qlora",
                "reason": "bitsandbytes is not installed",
                "hint": "Start the trainer with `npx whetstone trainer`.",
            }
        )
    if problem:
        unavailable.append(
            {"feature": "gpu", "reason": problem, "hint": "Check the driver; jobs run on the CPU until then."}
        )
    elif all(device["kind"] == "cpu" for device in devices):
        unavailable.append(
            {
                "feature": "gpu",
                "reason": "no GPU was found",
                "hint": "Jobs run on the CPU: fine for tiny models, slow for others. Run a trainer on a machine with a GPU.",
            }
        )
    for name in missing:
        unavailable.append(
            {"feature": "training", "reason": f"{name} is not installed", "hint": "Use `npx whetstone trainer`."}
        )
    built = artifact_capabilities()
    unavailable.extend(one.model_dump() for one in built.unavailable)
    vllm = vllm_version()
    backends, cannot_serve = available_backends(devices, gguf="gguf" in built.formats, vllm=vllm)
    unavailable.extend(cannot_serve)
    return {
        "trainer_version": __version__,
        "spec_version": SPEC_VERSION,
        "features": list(FEATURES),
        "boot_id": boot_id(),
        "engine": ["transformers"],
        "methods": [] if missing else list(get_args(Method)),
        "adapters": [] if missing else adapters,
        "formats": built.formats,
        "gguf_quantizations": built.gguf_quantizations,
        "compressed_quantizations": built.compressed_quantizations,
        "export_formats": built.export_formats,
        "serve_backends": backends,
        "devices": devices,
        "packages": {**packages, **({"vllm": vllm} if vllm else {}), **built.tools, "python": sys.version.split()[0]},
        "unavailable": unavailable,
    }


def refuse_unavailable(capabilities: dict[str, Any], spec: dict[str, Any]) -> tuple[str, str | None] | None:
    """Returns which part of a job this machine cannot do and the remedy; None if it can do all of it."""
    output = spec.get("output") or {}
    wanted = [
        *((value, "methods") for value in [spec.get("method")]),
        *((value, "adapters") for value in [spec.get("adapter")]),
        *((value, "formats") for value in output.get("formats") or []),
        *((value, "gguf_quantizations") for value in output.get("gguf_quantizations") or []),
        *((value, "compressed_quantizations") for value in output.get("compressed_quantizations") or []),
    ]
    for value, kind in wanted:
        if value in capabilities[kind]:
            continue
        names = {
            value,
            "gguf" if kind == "gguf_quantizations" else "compressed" if kind.startswith("compressed") else value,
        }
        for known in capabilities["unavailable"]:
            if known["feature"] in names or known["feature"] == "training":
                return f"{value} is not available here: {known['reason']}", known["hint"]
        return f"{value} is not available here", None
    return None


def refuse_form(capabilities: dict[str, Any], kind: str, quantization: str | None) -> tuple[str, str | None] | None:
    """Returns why this machine cannot build a form of a checkpoint and the remedy; None if it can."""
    if kind == "gguf":
        wanted, known = quantization, capabilities["gguf_quantizations"]
    elif kind == "compressed":
        wanted, known = quantization, capabilities["compressed_quantizations"]
    else:
        wanted, known = kind, capabilities["export_formats"]
    if wanted in known:
        return None
    for lacking in capabilities["unavailable"]:
        if lacking["feature"] in (kind, wanted, "safetensors"):
            return f"{wanted} is not available here: {lacking['reason']}", lacking["hint"]
    return f"{wanted} is not available here", None


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _devices() -> tuple[list[dict[str, Any]], str | None]:
    """Returns the GPUs, or the CPU if there are none, and what went wrong."""
    try:
        done = subprocess.run(
            [sys.executable, "-c", _PROBE], check=False, capture_output=True, text=True, timeout=_PROBE_SECONDS
        )
        found: list[dict[str, Any]] = json.loads(done.stdout) if done.returncode == 0 else []
        problem = None if done.returncode == 0 else (done.stderr.strip().splitlines() or ["torch failed"])[-1]
    except (subprocess.TimeoutExpired, ValueError) as error:
        found, problem = [], str(error)
    return found or [_cpu()], problem


def _cpu() -> dict[str, Any]:
    memory = psutil.virtual_memory()
    limit = _cgroup_number("memory.max")
    total = min(memory.total, limit) if limit else memory.total
    used = _cgroup_number("memory.current") if limit else None
    free = min(memory.available, limit - used) if limit and used is not None else memory.available
    return {
        "id": "cpu",
        "name": f"CPU, {psutil.cpu_count() or 1} cores",
        "kind": "cpu",
        "memory_total": total,
        "memory_free": max(0, free),
        "compute_capability": None,
    }


def _cgroup_number(name: str) -> int | None:
    try:
        return int((_CGROUP / name).read_text())
    except (OSError, ValueError):
        return None
