"""Prepares a process for talking to a hub. Imported and called before the hub's client, which reads its settings once."""

from __future__ import annotations

import os

from ..redaction import also_redact


def use_network() -> dict[str, str]:
    """Lets this process talk to the hub and returns the environment as it was, with the token for downloads.

    An export names its hub, so HF_HUB_OFFLINE, which prevents model downloads, does not apply to it. Contents are sent
    through LFS, which every hub supports and which reports how many bytes were sent.
    """
    before = dict(os.environ)
    os.environ.update(
        HF_HUB_OFFLINE="0", TRANSFORMERS_OFFLINE="0", HF_HUB_DISABLE_XET="1", HF_HUB_DISABLE_TELEMETRY="1"
    )
    os.environ["HF_HUB_DISABLE_PROGRESS_BARS"] = "1"
    for name in ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"):
        also_redact(os.environ.pop(name, ""))
    return before
