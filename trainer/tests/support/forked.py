"""Lets the service fork its processes from a server that imported torch, instead of starting Python for each.

They run the same modules with the same arguments, environment, output, input and inherited files. The real
commands are started in test_failures and test_service_training (the worker), test_samples, test_validation,
test_artifact_builds, test_serving and the first test of test_certificates.
"""

from __future__ import annotations

import os
import runpy
import sys
import threading
import traceback
from collections.abc import Sequence
from multiprocessing import reduction
from pathlib import Path
from typing import Any

import pytest
from jobs import CONTEXT

from whetstone_trainer.service import processes

# Python's module reads how a process ended without a lock of its own, and the service asks from several threads.
_LOCK = threading.Lock()


class Forked:
    """The part of subprocess.Popen that the service uses."""

    def __init__(self, process: Any) -> None:
        self._process = process
        self.pid = int(process.pid)

    def poll(self) -> int | None:
        with _LOCK:
            code: int | None = self._process.exitcode
            return code

    def wait(self, timeout: float | None = None) -> int | None:
        with _LOCK:
            self._process.join(timeout)
        return self.poll()


class Inherited:
    """An open file that a forked process gets too."""

    def __init__(self, file: int) -> None:
        self._file = file

    def __reduce__(self) -> Any:
        return _received, (reduction.DupFd(self._file),)


def _received(duplicate: Any) -> int:
    return int(duplicate.detach())


def start(
    command: Sequence[str],
    log: Path,
    env: dict[str, str],
    *,
    stdin: bytes | None = None,
    pass_fds: Sequence[int] = (),
) -> Forked:
    """Does what `processes.start` does."""
    assert list(command[:2]) == [sys.executable, "-m"], command
    log.parent.mkdir(parents=True, exist_ok=True)
    is_ready, ready = os.pipe()
    inherited = [Inherited(file) for file in pass_fds]
    process = CONTEXT.Process(
        target=_run, args=(list(command[2:]), str(log), env, stdin or b"", inherited, Inherited(ready))
    )
    with _LOCK:
        process.start()
    os.close(ready)
    # Until the process is the leader of its group: only then can the service end it.
    os.read(is_ready, 1)
    os.close(is_ready)
    return Forked(process)


def _run(arguments: list[str], log: str, env: dict[str, str], stdin: bytes, _: list[int], ready: int) -> None:
    os.setsid()
    output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    source, sink = os.pipe()
    os.write(sink, stdin)
    os.close(sink)
    for file, standard in ((source, 0), (output, 1), (output, 2)):
        os.dup2(file, standard)
    sys.stdin = open(0)  # noqa: SIM115
    os.environ.clear()
    os.environ.update(env)
    sys.argv = arguments
    os.close(ready)
    code: Any = 0
    try:
        runpy.run_module(arguments[0], run_name="__main__", alter_sys=True)
    except SystemExit as end:
        code = end.code
    except BaseException:
        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code if isinstance(code, int) else 1 if code else 0)


@pytest.fixture
def forked_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "start", start)
