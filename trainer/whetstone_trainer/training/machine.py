"""Inspects the machine that the worker runs on."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from .resolve_spec import Machine

COMPARED_PACKAGES = ("torch", "transformers", "trl", "peft", "accelerate", "bitsandbytes")


def this_machine() -> Machine:
    """Returns the device that training would use, with its free memory in bytes."""
    import psutil
    import torch

    if torch.cuda.is_available():
        free, _ = torch.cuda.mem_get_info(0)
        return Machine("cuda", torch.cuda.get_device_name(0), int(free), torch.cuda.is_bf16_supported())
    if torch.backends.mps.is_available():
        return Machine("mps", "Apple GPU", int(psutil.virtual_memory().available), False)
    return Machine("cpu", "CPU", int(psutil.virtual_memory().available), False)


def library_versions() -> dict[str, str]:
    """Returns the versions of the libraries that determine the exact bits of the weights."""
    from importlib import metadata

    found = {}
    for package in COMPARED_PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return found


def resources(home: Path) -> dict[str, Any]:
    """Returns the current memory and device usage; None for what the driver does not report."""
    import psutil
    import torch

    process = psutil.Process()
    devices = []
    for index in range(torch.cuda.device_count()):
        free, total = torch.cuda.mem_get_info(index)
        devices.append(
            {
                "id": str(index),
                "name": torch.cuda.get_device_name(index),
                "util": _or_none(torch.cuda.utilization, index),
                "mem_used": int(total - free),
                "mem_total": int(total),
                "temp": _or_none(torch.cuda.temperature, index),
                "power": _watts(index),
            }
        )
    return {
        "devices": devices,
        "rss": process.memory_info().rss,
        "memory_available": psutil.virtual_memory().available,
        "cpu_percent": psutil.cpu_percent(interval=None),
        "disk_free": shutil.disk_usage(home).free,
    }


def _watts(index: int) -> float | None:
    import torch

    milliwatts = _or_none(torch.cuda.power_draw, index)
    return None if milliwatts is None else milliwatts / 1000


def _or_none(read: Any, index: int) -> float | None:
    try:
        return float(read(index))
    except Exception:
        # These need NVML's Python binding, which is optional.
        return None
