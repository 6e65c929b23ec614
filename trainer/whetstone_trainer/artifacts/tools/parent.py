"""Ends a tool together with the process that started it."""

from __future__ import annotations

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1
# Names the process that starts a tool, in the tool's environment.
STARTED_BY = "WHETSTONE_STARTED_BY"


def named_as_parent() -> dict[str, str]:
    """Returns the environment variable by which `die_with_parent` recognizes this process."""
    return {STARTED_BY: str(os.getpid())}


def die_with_parent() -> None:
    """Asks Linux to kill this process when its parent is killed; on other systems it runs to completion.

    Exits at once if the parent was killed before it could ask, because it would never be told, and would write where
    the next attempt writes.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.environ.get(STARTED_BY, str(os.getppid())) != str(os.getppid()):
            os._exit(1)
