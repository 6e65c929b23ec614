"""`python -m whetstone_trainer.validation --home H --spec FILE --out FILE`. Prints nothing; exits 0 with a report."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from ..files import read_json, write_json
from ..redaction import redact_standard_streams
from .build_report import validate_document


def main() -> int:
    """Writes the report. The exit code is 0 for every report, whether or not the job could start."""
    parser = argparse.ArgumentParser(prog="whetstone_trainer.validation")
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--spec", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    home = options.home.resolve()
    os.environ.setdefault("HF_HOME", str(home / "models"))
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    redact_standard_streams()
    report = validate_document(home, read_json(options.spec), token=os.environ.get("HF_TOKEN"))
    write_json(options.out, report.model_dump(mode="json"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
