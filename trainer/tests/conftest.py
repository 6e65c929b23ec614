"""What holds for every test: the longest files start first, and a run, even a stopped one, leaves nothing behind."""

from __future__ import annotations

import gc
import json
import math
import os
import shutil
import signal
import tempfile
import uuid
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# Before anything imports torch, whose threads wait for each other by spinning: small models are faster with one.
os.environ["OMP_NUM_THREADS"] = "1"

import psutil
import pytest

# Seconds of each file, which `npm test` renews: {"tests/training/test_spec.py": 1.5}.
DURATIONS = Path(__file__).with_name("durations.json")
# In the environment of every process of a run, whatever started it.
MARK = "TRAINER_TEST_RUN"


@dataclass(frozen=True)
class Run:
    """`folder`: everything temporary of the run."""

    mark: str
    folder: str


RUN = pytest.StashKey[Run]()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Orders the files by how long they take, unknown ones first: with two processes, a long file at the end is waited for."""
    seconds = json.loads(DURATIONS.read_text()) if DURATIONS.exists() else {}
    items.sort(key=lambda item: seconds.get(item.nodeid.split("::")[0], math.inf), reverse=True)


def pytest_collection_finish() -> None:
    # The imported modules never become garbage, so they need not be searched for it.
    gc.collect()
    gc.freeze()


def pytest_configure(config: pytest.Config) -> None:
    if is_xdist_worker(config):
        return
    # A stop of any kind ends the tests as Ctrl+C does. (A shell's background jobs ignore SIGINT until told otherwise.)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.default_int_handler)
    config.stash[RUN] = Run(uuid.uuid4().hex, tempfile.mkdtemp(prefix="whetstone-trainer-tests-"))
    os.environ[MARK] = config.stash[RUN].mark
    os.environ["TMPDIR"] = tempfile.tempdir = config.stash[RUN].folder


def pytest_keyboard_interrupt() -> None:
    # execnet would let pytest-xdist's workers go on for seconds.
    for child in psutil.Process().children():
        if "execnet" in " ".join(_command(child)):
            child.send_signal(signal.SIGINT)


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    if is_xdist_worker(config):
        # Python waits for its forked workers at its end.
        _kill(psutil.Process().children(recursive=True))
        return
    if (run := config.stash.get(RUN, None)) is None:
        return
    ours = (one for one in psutil.process_iter() if one.pid != os.getpid())
    _kill([one for one in ours if _environment(one).get(MARK) == run.mark])
    shutil.rmtree(run.folder, ignore_errors=True)


def is_xdist_worker(config: Any) -> bool:
    return hasattr(config, "workerinput")


def _kill(processes: list[psutil.Process]) -> None:
    for process in processes:
        with suppress(psutil.Error):
            process.kill()
    psutil.wait_procs(processes, timeout=5)


def _environment(process: psutil.Process) -> dict[str, str]:
    try:
        return process.environ()
    except (psutil.Error, OSError):
        return {}


def _command(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.Error:
        return []
