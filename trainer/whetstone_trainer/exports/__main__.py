"""`python -m whetstone_trainer.exports --home H --id ID`: runs the export that request.json requests.

Reads the token that publishes from standard input; the one for downloads is HF_TOKEN. With `--build SOURCE` it only builds the files for such a process. Exits with
0 when the export succeeded, 1 when it did not (result.json says why) and 2 without a request.
"""

from __future__ import annotations

import argparse
import re
import sys
import traceback
from pathlib import Path

from pydantic import ValidationError

from ..artifacts.child import tail
from ..artifacts.request import SAFE_ID
from ..artifacts.tools.parent import die_with_parent
from ..background import LOG, REQUEST, RESULT
from ..compiler import do_without_compiler
from ..files import read_json, write_json
from ..redaction import also_redact, redact, redact_standard_streams
from ..trainer_error import TrainerError, TrainerFailure
from .network import use_network
from .request import ExportRequest, ExportResult


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m whetstone_trainer.exports")
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--id", required=True)
    parser.add_argument("--build", metavar="SOURCE", help="a commit of a hub model, or `checkpoint`")
    arguments = parser.parse_args()
    redact_standard_streams()
    if not re.match(SAFE_ID, arguments.id):
        parser.error("--id is not a valid id")
    folder: Path = arguments.home / "exports" / arguments.id
    try:
        request = ExportRequest.model_validate(read_json(folder / REQUEST))
    except (OSError, ValueError, ValidationError) as error:
        print(f"{REQUEST} cannot be used: {error}", file=sys.stderr)
        return 2
    if arguments.build:
        return build(arguments.home, request, folder, None if arguments.build == "checkpoint" else arguments.build)
    return publish(arguments.home, request, folder)


def publish(home: Path, request: ExportRequest, folder: Path) -> int:
    """Runs the whole export and stores how it ended."""
    secret = sys.stdin.read().strip()
    also_redact(secret)
    environment = use_network()
    try:
        from .publish import Export

        result = Export(home, request, secret, environment).run()
    except Exception as error:
        result = ExportResult(status="failed", error=_error_of(error))
    write_json(folder / RESULT, result.model_dump(mode="json"))
    return 0 if result.status == "succeeded" else 1


def build(home: Path, request: ExportRequest, folder: Path, commit: str | None) -> int:
    """Builds the files of the export into its folder."""
    die_with_parent()
    do_without_compiler()
    # An export downloads the hub model that it names, whatever the value of HF_HUB_OFFLINE.
    environment = {} if commit is None else use_network()
    from .build import build_files
    from .publish import build_outcome

    try:
        build_files(home, request, folder, commit, folder / LOG, environment)
    except Exception as error:
        build_outcome(folder, _error_of(error))
        return 1
    return 0


def _error_of(error: Exception) -> TrainerError:
    if isinstance(error, TrainerFailure):
        return error.error
    trace = tail(redact("".join(traceback.format_exception(error))))
    return TrainerError.of(
        "worker_crashed", redact(f"the export failed: {type(error).__name__}: {error}"), log_tail=trace
    )


if __name__ == "__main__":
    sys.exit(main())
