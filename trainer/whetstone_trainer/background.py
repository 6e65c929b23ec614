"""Work that outlives its request: one folder and one process each, with the state on disk.

`<home>/<kind>/<id>/` has request.json (the request), process.json (the process working on it), state.json (its
progress), result.json (its outcome), cancel.json (a stop was requested) and log.txt. The process inherits the
folder's lock, which the kernel releases however the process ends.
"""

from __future__ import annotations

import fcntl
import time
from pathlib import Path
from typing import Any, TextIO

from .files import read_json

REQUEST, PROCESS, STATE, RESULT, CANCEL = "request.json", "process.json", "state.json", "result.json", "cancel.json"
LOG = "log.txt"
KINDS = ("certificates", "exports")


def take_lock(folder: Path, within_seconds: float = 0) -> TextIO | None:
    """Returns the lock of a folder, held until it is closed in every process; None while a process works there."""
    file = (folder / "lock").open("w")
    until = time.monotonic() + within_seconds
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= until:
                file.close()
                return None
            time.sleep(0.01)
        else:
            return file


def is_running(folder: Path) -> bool:
    """Returns whether a process works on it."""
    if not (folder / "lock").exists():
        return False
    with (folder / "lock").open() as file:
        try:
            # Shared, so that concurrent checks do not mistake each other for the process.
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def checkpoints_in_use(home: Path) -> set[str]:
    """Returns the checkpoints that running certificates and exports read."""
    found: set[str] = set()
    for kind in KINDS:
        for path in home.glob(f"{kind}/*/{REQUEST}"):
            if is_running(path.parent) and (checkpoint_id := checkpoint_of(read_or_none(path))):
                found.add(checkpoint_id)
    return found


def checkpoint_of(request: Any) -> str | None:
    """Returns the checkpoint that a request names."""
    if not isinstance(request, dict):
        return None
    source = request.get("source")
    named = (source if isinstance(source, dict) else request).get("checkpoint_id")
    return named if isinstance(named, str) else None


def read_or_none(path: Path) -> Any:
    """Returns the JSON in `path`; None if it is missing or unreadable."""
    try:
        return read_json(path)
    except (OSError, ValueError):
        return None
