"""Runs tools in processes of their own: a crash in native code ends the tool, not the trainer."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from ..redaction import redact
from .tools.parent import named_as_parent

LOG_LINES = 50
# Only what tools need: a converter must not see a hub token or a connection string.
INHERITED = (
    "PATH",
    "HOME",
    "LANG",
    "LC_ALL",
    "TMPDIR",
    "LD_LIBRARY_PATH",
    "OMP_NUM_THREADS",
    "SYSTEMROOT",
    "VIRTUAL_ENV",
)


class ToolFailed(Exception):
    """A tool exited with a code other than 0. `log_tail` is the end of its output."""

    def __init__(self, name: str, returncode: int, log_tail: list[str]) -> None:
        cause = f"was killed by signal {-returncode}" if returncode < 0 else f"exited with {returncode}"
        super().__init__(f"{name} {cause}")
        self.returncode = returncode
        self.log_tail = log_tail


def run_tool(name: str, argv: Sequence[str | Path], log: Path, env: Mapping[str, str] | None = None) -> str:
    """Runs a command to completion, appends its output to `log`, and returns the output.

    Raises ToolFailed.
    """
    environment = {key: os.environ[key] for key in INHERITED if key in os.environ}
    environment |= {"HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false", "PYTHONUNBUFFERED": "1"}
    environment |= {**named_as_parent(), **(env or {})}
    # A closed standard input tells tools that this process is gone, where they cannot ask the kernel for a signal.
    with subprocess.Popen(
        [str(part) for part in argv],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=environment,
    ) as process:
        assert process.stdout is not None
        try:
            output = redact(process.stdout.read().decode(errors="replace"))
            returncode = process.wait()
        except BaseException:
            process.kill()
            raise
    with log.open("a") as file:
        file.write(f"--- {name}\n{output}")
    if returncode != 0:
        raise ToolFailed(name, returncode, tail(output))
    return output


def tail(output: str) -> list[str]:
    """Returns the last lines of a tool's output, without empty ones."""
    return [line for line in output.splitlines() if line.strip()][-LOG_LINES:]
