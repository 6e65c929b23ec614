"""Workers as processes: started in their own group, recognised later, ended as a group."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path

import psutil

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
_CGROUP_EVENTS = Path("/sys/fs/cgroup/memory.events")


# The service's own secrets, which code that comes with a model must not find.
_OWN_SECRETS = ("WHETSTONE_TRAINER_KEY",)


def clean_environment() -> dict[str, str]:
    """Returns the environment of a process that the service starts."""
    return {name: value for name, value in os.environ.items() if not name.startswith(_OWN_SECRETS)}


def boot_id() -> str:
    """Returns a string that changes when the machine restarts."""
    try:
        return _BOOT_ID.read_text().strip()
    except OSError:
        return str(int(psutil.boot_time()))


def oom_kills() -> int:
    """Returns the number of out-of-memory kills in this cgroup; 0 if the kernel does not report it."""
    try:
        lines = _CGROUP_EVENTS.read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) for line in lines if line.startswith("oom_kill "))


def start(
    command: Sequence[str],
    log: Path,
    env: dict[str, str],
    *,
    stdin: bytes | None = None,
    pass_fds: Sequence[int] = (),
) -> subprocess.Popen[bytes]:
    """Starts a worker as the leader of its own process group, with its output appended to `log`.

    `stdin` is for data that must not appear in its arguments or environment; it must fit into a pipe's buffer.
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("ab") as output:
        child = subprocess.Popen(
            list(command),
            stdin=subprocess.DEVNULL if stdin is None else subprocess.PIPE,
            stdout=output,
            stderr=output,
            env=env,
            start_new_session=True,
            pass_fds=tuple(pass_fds),
        )
    if stdin is not None and child.stdin is not None:
        with contextlib.suppress(BrokenPipeError), child.stdin as pipe:
            pipe.write(stdin)
    return child


def started_at(pid: int) -> float | None:
    """Returns how many seconds after boot a process started; None if it has ended."""
    try:
        process = psutil.Process(pid)
        if process.status() in (psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD):
            return None
        return _seconds_since_boot(pid) or float(process.create_time())
    except psutil.Error:
        return None


def _seconds_since_boot(pid: int) -> float | None:
    """Returns the kernel's value; psutil adds the boot time, which changes when the machine's clock is set."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    # The second field is the program's name in parentheses, which may contain anything; the start time is the 22nd.
    return int(stat.rpartition(")")[2].split()[19]) / os.sysconf("SC_CLK_TCK")


def is_same(pid: int, started: float) -> bool:
    """Returns whether the process that was started then is still running under this pid."""
    now = started_at(pid)
    return now is not None and abs(now - started) < 0.05


def signal_worker(pid: int, number: signal.Signals) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


def kill_group(pid: int) -> None:
    """Kills a worker and everything it started, immediately."""
    try:
        os.killpg(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def log_tail(path: Path, lines: int = 50) -> list[str]:
    """Returns the last lines of a log."""
    try:
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - 32_768))
            return file.read().decode(errors="replace").splitlines()[-lines:]
    except OSError:
        return []
