"""`python -m whetstone_trainer`: trains for a web app, which it calls until it is told to stop."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import logging
import os
import secrets
import signal
from pathlib import Path
from typing import TextIO

from .options import options_parser
from .service.agent import run_agent
from .service.app import create_app
from .service.settings import Settings


def main() -> None:
    options = options_parser().parse_args()
    home = options.home.resolve()
    key = os.environ.get("WHETSTONE_TRAINER_KEY", "")
    if not key:
        raise SystemExit("Set WHETSTONE_TRAINER_KEY to the key shown on the Trainers page of the web app.")
    web = options.agent or ""
    if not web.startswith(("https://", "http://")):
        raise SystemExit("--agent needs the address of the web app, such as https://whetstone.example")
    home.mkdir(parents=True, exist_ok=True)
    lock = lock_home(home)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    # httpx would log every call.
    logging.getLogger("httpx").setLevel(logging.WARNING)
    print(f"The trainer calls {web}; its home is {home}. It is listed on the Trainers page.", flush=True)
    # Nothing listens: only the agent in this process calls the service.
    settings = Settings(home=home, token=secrets.token_urlsafe(32), max_running_jobs=options.jobs)
    asyncio.run(call_out(settings, web, key))
    lock.close()


def lock_home(home: Path) -> TextIO:
    """Returns the lock of a home, held until closed, because two services would run every job twice."""
    lock = (home / "service.lock").open("w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise SystemExit(f"Another trainer is running in {home}. Give this one its own --home.") from None
    return lock


async def call_out(settings: Settings, web: str, key: str) -> None:
    """Serves a web app until the process is told to stop."""
    task = asyncio.ensure_future(run_agent(create_app(settings), settings.home, settings.token, web, key))
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, task.cancel)
    with contextlib.suppress(asyncio.CancelledError):
        await task


if __name__ == "__main__":
    main()
