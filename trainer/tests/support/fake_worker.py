"""A worker whose behaviour a test chooses through the job's metadata, for tests of what happens around training.

`metadata.do` lists what each attempt does; the last entry applies to all later ones:
finish, fail, vanish (exit 0 without a result), crash (SIGKILL), hang, ignore-term, oom, tell-hub (finish, and store the
hub that it may download from).
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import time
from pathlib import Path

from whetstone_trainer.events import EventLog
from whetstone_trainer.files import read_json, write_json


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--home", type=Path)
    parser.add_argument("--job-id")
    parser.add_argument("--attempt", type=int)
    options = parser.parse_args()
    folder = options.home / "jobs" / options.job_id
    plan = read_json(folder / "spec.json")["metadata"].get("do", ["finish"])
    act = plan[min(options.attempt, len(plan)) - 1]
    log = EventLog(folder)

    def claim(outcome: str, error: dict[str, object] | None = None) -> None:
        write_json(
            folder / "result.json",
            {
                "attempt": options.attempt,
                "outcome": outcome,
                "stop_reason": None,
                "error": error,
                "final_checkpoint_id": None,
                "best_checkpoint_id": None,
            },
        )

    def stop(*_: object) -> None:
        if act == "ignore-term":
            return
        order = json.loads((folder / "control.json").read_text())
        paused = order["action"] == "pause"
        claim("paused" if paused else "cancelled")
        sys.exit(75 if paused else 0)

    signal.signal(signal.SIGTERM, stop)
    print(f"attempt {options.attempt} will {act}", flush=True)
    log.append("phase.started", {"phase": "loading_model"}, attempt=options.attempt)
    if act == "crash":
        os.kill(os.getpid(), signal.SIGKILL)
    if act == "fail":
        claim("failed", {"code": "diverged", "message": "the loss was not a number"})
        return 1
    if act == "tell-hub":
        seen = {name: os.environ.get(name) for name in ("HF_TOKEN", "HF_ENDPOINT")}
        write_json(options.home / "hub-seen.json", seen)
    if act in ("finish", "tell-hub"):
        claim("completed")
    while act in ("hang", "ignore-term"):
        time.sleep(0.05)
    return 0


if __name__ == "__main__":
    sys.exit(main())
