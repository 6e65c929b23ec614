"""Shares builds: one folder per content key, built once however many callers request it at the same time.

`<home>/builds/<key>/` contains the files and BUILD.json; artifacts link to its files. Two requests for the same
content wait for one lock, and the second finds the first one's result.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import os
import shutil
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from ..files import fsync_path, read_json, sha256_file, write_json
from ..spec import canonical_json
from ..trainer_error import TrainerFailure
from .request import ArtifactFile, BuildRecord

RECORD = "BUILD.json"
# Tokenizers, configs, logs and the file system's own needs.
DISK_RESERVE_BYTES = 64 * 2**20
# Raise it when the output of a build changes, so that no earlier build is reused.
FORMAT_VERSION = 1

Maker = Callable[[Path], BuildRecord]


def content_key(parts: Mapping[str, Any]) -> str:
    """Returns the name of a build; equal parts give equal keys."""
    return hashlib.sha256(canonical_json({"format_version": FORMAT_VERSION, **parts})).hexdigest()[:32]


def shared_build(
    home: Path, key: str, needs_bytes: int, make: Maker, checkpoint_id: str | None = None
) -> tuple[Path, BuildRecord]:
    """Returns the build's folder and record, calling `make(tmp_dir)` only if it has not been built.

    A second caller waits for the first. `checkpoint_id` names the checkpoint with which the build is removed. Raises
    TrainerFailure disk_full when `needs_bytes` are not free.
    """
    root = home / "builds"
    root.mkdir(parents=True, exist_ok=True)
    folder = root / key
    with _lock(root / f"{key}.lock"):
        if checkpoint_id is not None:
            (root / f"{key}.checkpoint").write_text(checkpoint_id)
        record = _read(folder)
        if record is not None:
            # Tells prune_builds that this build was used.
            os.utime(folder)
            return folder, record
        for leftover in (folder, *root.glob(f"tmp-{key}-*")):
            # We have the lock, so whatever process was writing here is gone.
            shutil.rmtree(leftover, ignore_errors=True)
        check_disk(home, needs_bytes)
        temporary = root / f"tmp-{key}-{os.getpid()}"
        temporary.mkdir()
        try:
            record = make(temporary)
            write_json(temporary / RECORD, record.model_dump(mode="json"))
            for path in temporary.rglob("*"):
                fsync_path(path)
            os.rename(temporary, folder)
            fsync_path(root)
        except OSError as error:
            if error.errno == errno.ENOSPC:
                raise _disk_full(home, needs_bytes) from error
            raise
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
        return folder, record


def check_disk(home: Path, needs_bytes: int) -> None:
    """Raises TrainerFailure disk_full when fewer than `needs_bytes` plus a reserve are free."""
    if shutil.disk_usage(home).free < needs_bytes + DISK_RESERVE_BYTES:
        raise _disk_full(home, needs_bytes)


def list_files(folder: Path) -> list[ArtifactFile]:
    """Returns every file below a folder with its size and hash, and makes it readable by any server."""
    files = []
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        # PEFT saves adapters as 0600, which another user's server could not open.
        path.chmod(0o644)
        name = path.relative_to(folder).as_posix()
        files.append(ArtifactFile(path=name, size=path.stat().st_size, sha256=sha256_file(path)))
    return files


def link_files(source: Path, files: list[ArtifactFile], target: Path) -> None:
    """Links a build's files into an artifact's folder; copies them where the file system does not allow links."""
    for file in files:
        destination = target / file.path
        destination.parent.mkdir(parents=True, exist_ok=True)
        destination.unlink(missing_ok=True)
        try:
            os.link(source / file.path, destination)
        except OSError as error:
            if error.errno not in (errno.EXDEV, errno.EPERM, errno.EMLINK, errno.ENOTSUP):
                raise
            shutil.copyfile(source / file.path, destination)


def prune_builds(home: Path, unused_seconds: float) -> int:
    """Deletes builds that no artifact links to and that were unused for this long; returns the bytes freed."""
    freed = 0
    for folder in (home / "builds").glob("[0-9a-f]*"):
        if not folder.is_dir() or time.time() - folder.stat().st_mtime < unused_seconds:
            continue
        with _lock(folder.with_name(f"{folder.name}.lock")):
            contents = [path for path in folder.rglob("*") if path.is_file()]
            if all(path.stat().st_nlink == 1 for path in contents):
                freed += sum(path.stat().st_size for path in contents)
                shutil.rmtree(folder)
    return freed


def drop_builds_of(home: Path, checkpoint_ids: Collection[str]) -> None:
    """Deletes the builds that were last made from, or used for, one of these checkpoints; waits for those being made."""
    for owner in (home / "builds").glob("*.checkpoint"):
        key = owner.name.removesuffix(".checkpoint")
        with _lock(owner.with_name(f"{key}.lock")):
            if owner.exists() and owner.read_text() in checkpoint_ids:
                shutil.rmtree(owner.with_name(key), ignore_errors=True)
                owner.unlink()


def _read(folder: Path) -> BuildRecord | None:
    """Returns the record of a finished build whose files all still exist with their recorded size."""
    try:
        record = BuildRecord.model_validate(read_json(folder / RECORD))
    except (OSError, ValueError):
        return None
    intact = all(
        (folder / file.path).is_file() and (folder / file.path).stat().st_size == file.size for file in record.files
    )
    return record if intact else None


@contextlib.contextmanager
def _lock(path: Path) -> Iterator[None]:
    """Holds an exclusive lock that ends with this process, however it ends."""
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _disk_full(home: Path, needs_bytes: int) -> TrainerFailure:
    free = shutil.disk_usage(home).free
    return TrainerFailure.of(
        "disk_full",
        f"the build needs {needs_bytes / 2**30:.1f} GiB, but only {free / 2**30:.1f} GiB are free",
        hint="Delete artifacts or checkpoints you no longer need, or move the trainer's home to a larger disk.",
    )
