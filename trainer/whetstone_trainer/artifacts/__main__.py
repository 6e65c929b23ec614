"""`python -m whetstone_trainer.artifacts --home H --artifact-id ID`: builds what the artifact's request.json requests.

Exits with 0 when the artifact is ready, 1 when it failed (result.json says why) and 2 when there is no valid request.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

from pydantic import ValidationError

from ..compiler import do_without_compiler
from ..files import read_json
from ..redaction import redact_standard_streams
from .build import build
from .request import SAFE_ID, ArtifactRequest


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m whetstone_trainer.artifacts")
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--artifact-id", required=True)
    arguments = parser.parse_args()
    redact_standard_streams()
    do_without_compiler()
    if not re.match(SAFE_ID, arguments.artifact_id):
        parser.error("--artifact-id is not a valid id")
    try:
        request = ArtifactRequest.model_validate(
            read_json(arguments.home / "artifacts" / arguments.artifact_id / "request.json")
        )
    except (OSError, ValueError, ValidationError) as error:
        print(f"request.json cannot be used: {error}", file=sys.stderr)
        return 2
    if request.artifact_id != arguments.artifact_id:
        print("request.json belongs to another artifact", file=sys.stderr)
        return 2
    result = build(arguments.home, request, on_phase=lambda phase: print(phase, flush=True))
    return 0 if result.status == "ready" else 1


if __name__ == "__main__":
    sys.exit(main())
