"""`python -m whetstone_trainer`: starts the service on this machine, for a web app that calls it."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import logging
import os
import signal
from pathlib import Path
from typing import TextIO

import uvicorn

from .options import options_parser
from .service.agent import run_agent
from .service.app import create_app
from .service.settings import Settings, ensure_token


def main() -> None:
    options = options_parser().parse_args()
    home = options.home.resolve()
    home.mkdir(parents=True, exist_ok=True)
    lock = lock_home(home)
    token = ensure_token(home, os.environ)
    settings = Settings(home=home, token=token, host=options.host, port=options.port, max_running_jobs=options.jobs)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    # httpx would log every call of an agent.
    logging.getLogger("httpx").setLevel(logging.WARNING)
    if options.agent:
        call_out(settings, options.agent)
        return
    address = f"http://{options.host}:{options.port}"
    print(f"The trainer is at {address}; its home is {home}. Start Whetstone with:", flush=True)
    print(f"  TRAINER_URL={address}", flush=True)
    print(f"  TRAINER_TOKEN={token}", flush=True)
    uvicorn.run(create_app(settings), host=options.host, port=options.port, log_level="warning", access_log=False)
    lock.close()


def lock_home(home: Path) -> TextIO:
    """Returns the lock of a home, held until closed, because two services would run every job twice."""
    lock = (home / "service.lock").open("w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise SystemExit(f"Another trainer is running in {home}. Give this one its own --home.") from None
    return lock


def call_out(settings: Settings, web: str) -> None:
    """Serves a web app without a listening port until the process is told to stop."""
    key = os.environ.get("WHETSTONE_TRAINER_KEY", "")
    if not key:
        raise SystemExit("Set WHETSTONE_TRAINER_KEY to the key shown on the Trainers page of the web app.")
    if not web.startswith(("https://", "http://")):
        raise SystemExit("--agent needs the address of the web app, such as https://whetstone.example")
    print(f"The trainer calls {web}; its home is {settings.home}. It is listed on the Trainers page.", flush=True)

    async def run() -> None:
        task = asyncio.ensure_future(run_agent(create_app(settings), settings.home, settings.token, web, key))
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, task.cancel)
        with contextlib.suppress(asyncio.CancelledError):
            await task

    asyncio.run(run())


if __name__ == "__main__":
    main()
