"""How much of something the tests use: enough for every change, or, with TEST_LONG=1, everything."""

from __future__ import annotations

import os
from typing import TypeVar

T = TypeVar("T")
IS_LONG = os.environ.get("TEST_LONG") == "1"


def amount(usual: T, long: T) -> T:
    """Returns how much of something a test uses; `npm run test:long` sets the variable that chooses."""
    return long if IS_LONG else usual
