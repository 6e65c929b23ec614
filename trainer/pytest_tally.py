"""Writes what `npm test` counts: `python -m pytest -p pytest_tally` with TALLY naming the file."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any


class Tally:
    def __init__(self, file: Path) -> None:
        self._file = file
        self._outcomes: dict[str, str] = {}
        self._messages: dict[str, str] = {}
        self._seconds: dict[str, float] = {}

    def pytest_runtest_logreport(self, report: Any) -> None:
        # Set-up, call and clean-up: a test's fixtures take most of the time of some files.
        self._seconds[report.nodeid] = self._seconds.get(report.nodeid, 0.0) + report.duration
        # A test whose set-up or clean-up failed has failed, whatever its own outcome.
        worse = report.outcome != "passed" or report.when == "call"
        if worse and self._outcomes.get(report.nodeid) != "failed":
            self._outcomes[report.nodeid] = report.outcome
            if report.outcome == "failed":
                self._messages[report.nodeid] = message_of(report)

    def pytest_sessionfinish(self) -> None:
        tests = [
            {
                "name": name,
                "outcome": outcome,
                "message": self._messages.get(name, ""),
                "seconds": round(self._seconds[name], 3),
            }
            for name, outcome in self._outcomes.items()
        ]
        self._file.write_text(json.dumps({"tests": tests}))


def message_of(report: Any) -> str:
    """Returns the message of the error, or what pytest shows where there is none, as for a timeout."""
    crash = getattr(report.longrepr, "reprcrash", None)
    return str(crash.message if crash else report.longrepr)


def pytest_configure(config: Any) -> None:
    # pytest-xdist's workers report to the process that started them, which writes for all.
    if (file := os.environ.get("TALLY")) and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Tally(Path(file)), "tally")
