"""The options of `npx whetstone trainer`. As a program, prints them with any Python, before there is an environment."""

from __future__ import annotations

import argparse
import os
from pathlib import Path


def options_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="npx whetstone trainer", description="Trains models for Whetstone.")
    default = os.environ.get("TRAINER_HOME", ".trainer")
    parser.add_argument(
        "--home", type=Path, default=Path(default), help="where jobs and checkpoints are (TRAINER_HOME)"
    )
    parser.add_argument("--jobs", type=int, default=1, help="jobs that train at the same time")
    parser.add_argument(
        "--agent",
        metavar="URL",
        help="the Whetstone that it trains for, with its key in WHETSTONE_TRAINER_KEY; default: that of this folder",
    )
    # Handled by `npx whetstone trainer` before this program starts; listed only for --help.
    parser.add_argument(
        "--without-compress", action="store_true", help="leave out the environment for fp8 and int8 (6 GB)"
    )
    return parser


if __name__ == "__main__":
    options_parser().print_help()
