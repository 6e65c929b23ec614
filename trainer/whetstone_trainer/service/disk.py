"""How much disk space jobs and base models take."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path
from typing import Any

from ..background import REQUEST, read_or_none

_FRESH_SECONDS = 60.0


class DiskUse:
    """Measures a home on request, at most once a minute."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._lock = threading.Lock()
        self._at = float("-inf")
        self._known: dict[str, Any] = {}

    def get(self) -> dict[str, Any]:
        """Returns the bytes of each job with what was built from it, and of each base model that was downloaded."""
        with self._lock:
            if time.monotonic() - self._at > _FRESH_SECONDS:
                self._known, self._at = measure(self._home), time.monotonic()
            return self._known

    def forget(self) -> None:
        """Measures anew on the next request."""
        with self._lock:
            self._at = float("-inf")


def measure(home: Path) -> dict[str, Any]:
    """Returns the bytes of each job's files, and of each base model in the cache. A file with several names counts once."""
    seen: set[tuple[int, int]] = set()
    jobs: dict[str, int] = {}
    for record in sorted(home.glob("jobs/*/job.json")):
        jobs[record.parent.name] = _bytes_below(record.parent, seen)
    for request in sorted(home.glob(f"artifacts/*/{REQUEST}")):
        asked = read_or_none(request)
        job_id = asked.get("job_id") if isinstance(asked, dict) else None
        size = _bytes_below(request.parent, seen)
        if job_id in jobs:
            jobs[job_id] += size
    return {"jobs": jobs, "base_models": _base_models(home), "total": _bytes_below(home, set())}


def _base_models(home: Path) -> list[dict[str, Any]]:
    from huggingface_hub import scan_cache_dir
    from huggingface_hub.errors import CacheNotFound

    cache = Path(os.environ.get("HF_HOME", home / "models")) / "hub"
    try:
        repositories = scan_cache_dir(cache).repos
    except (CacheNotFound, ValueError, OSError):
        return []
    found = [{"id": one.repo_id, "bytes": one.size_on_disk} for one in repositories if one.repo_type == "model"]
    return sorted(found, key=lambda one: str(one["id"]))


def _bytes_below(folder: Path, seen: set[tuple[int, int]]) -> int:
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            try:
                stat = os.lstat(os.path.join(place, name))
            except OSError:
                # It was removed meanwhile.
                continue
            if (stat.st_dev, stat.st_ino) not in seen:
                seen.add((stat.st_dev, stat.st_ino))
                total += stat.st_size
    return total
