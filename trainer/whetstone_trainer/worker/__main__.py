"""`python -m whetstone_trainer.worker --home H --job-id ID --attempt N`. Exits 0, 75 when paused, 1 when failed."""

from __future__ import annotations

import sys

from .main import main

if __name__ == "__main__":
    sys.exit(main())
