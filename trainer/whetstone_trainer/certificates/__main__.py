"""`python -m whetstone_trainer.certificates --home H --id ID`: creates the certificate that request.json describes.

Exits with 0 when it is ready, whatever its verdict, 1 when it failed (result.json says why) and 2 without a request.
"""

from __future__ import annotations

import argparse
import fcntl
import re
import sys
from pathlib import Path

from pydantic import ValidationError

from ..artifacts.request import SAFE_ID
from ..background import LOG, REQUEST, RESULT, STATE
from ..compiler import do_without_compiler
from ..files import read_json, write_json
from ..redaction import redact_standard_streams
from .certify import certify
from .request import CertificateRequest, Subject


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m whetstone_trainer.certificates")
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--id", required=True)
    arguments = parser.parse_args()
    redact_standard_streams()
    do_without_compiler()
    if not re.match(SAFE_ID, arguments.id):
        parser.error("--id is not a valid id")
    folder: Path = arguments.home / "certificates" / arguments.id
    try:
        request = CertificateRequest.model_validate(read_json(folder / REQUEST))
    except (OSError, ValueError, ValidationError) as error:
        print(f"{REQUEST} cannot be used: {error}", file=sys.stderr)
        return 2

    def tell(subjects: list[Subject]) -> None:
        state = {"status": "running", "subjects": [one.model_dump(mode="json") for one in subjects]}
        write_json(folder / STATE, state)

    # One comparison at a time: each has a whole model in memory.
    with (folder.parent / "turn.lock").open("w") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        tell([])
        result = certify(arguments.home, request, folder / LOG, tell)
    write_json(folder / RESULT, result.model_dump(mode="json"))
    return 0 if result.status == "ready" else 1


if __name__ == "__main__":
    sys.exit(main())
