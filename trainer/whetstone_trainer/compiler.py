"""torch's compiler, which processes that train nothing do without."""

from __future__ import annotations

import os


def do_without_compiler() -> None:
    """Keeps torch from loading its compiler; called before anything imports torch.

    PEFT imports bitsandbytes, which compiles functions for 4 and 8 bits at its import: a third of the time that the import
    takes, for functions that merging and answering never call.
    """
    os.environ.setdefault("TORCHDYNAMO_DISABLE", "1")
