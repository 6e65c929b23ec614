"""Frozen Examples as files named by their own hash."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import uuid
from collections.abc import AsyncIterator
from pathlib import Path

from ..files import fsync_path
from ..manifest import manifest_path
from ..trainer_error import TrainerFailure
from .problems import Problem

SHA256 = re.compile(r"^[0-9a-f]{64}$")


def path_of(home: Path, sha256: str) -> Path:
    """Returns the path where a manifest is or would be. Raises Problem for an invalid hash."""
    if not SHA256.match(sha256):
        raise Problem(400, "a manifest is named by its sha256: 64 hexadecimal digits in lower case")
    return manifest_path(home, sha256)


async def receive(home: Path, sha256: str, chunks: AsyncIterator[bytes], bytes_max: int) -> int:
    """Stores a manifest if its bytes have the promised hash, and returns their number."""
    target = path_of(home, sha256)
    temporary = target.with_name(f".tmp-{uuid.uuid4().hex}")
    digest, size = hashlib.sha256(), 0
    try:
        with temporary.open("wb") as file:
            async for chunk in chunks:
                size += len(chunk)
                if size > bytes_max:
                    raise Problem(413, f"a manifest may have at most {bytes_max} bytes")
                if shutil.disk_usage(home).free < len(chunk) + 64 * 1024**2:
                    raise TrainerFailure.of("disk_full", "the trainer's disk has no space for this manifest")
                digest.update(chunk)
                file.write(chunk)
            file.flush()
            os.fsync(file.fileno())
        if digest.hexdigest() != sha256:
            raise TrainerFailure.of(
                "manifest_hash_mismatch", f"the content has the hash {digest.hexdigest()}", param="manifest.sha256"
            )
        os.replace(temporary, target)
        fsync_path(target.parent)
    finally:
        temporary.unlink(missing_ok=True)
    return size
