"""`python -m whetstone_trainer.serving --home H --plan FILE --port P`: serves the plan's model on loopback until told to stop.

transformers runs in this process, llama.cpp in a child that ends with it. vLLM replaces it, so that the process that was
started is the one that serves. If it cannot start, start-error.json beside the plan gives the reason.
"""

from __future__ import annotations

import argparse
import errno
import os
import socket
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING

from ..compiler import do_without_compiler
from ..files import read_json, write_json
from ..redaction import redact, redact_standard_streams
from ..trainer_error import TrainerError, TrainerFailure
from .request import EXIT_PORT_TAKEN, TOKEN_VARIABLE, ServePlan
from .sources import Source, find_source

if TYPE_CHECKING:
    from .app import Answers

_EXIT_FAILED = 1


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m whetstone_trainer.serving")
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--plan", type=Path, required=True)
    parser.add_argument("--port", type=int, required=True)
    options = parser.parse_args()
    os.environ.setdefault("HF_HOME", str(options.home / "models"))
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    # Progress bars would fill the end of the log.
    os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")
    redact_standard_streams()
    plan = ServePlan.model_validate(read_json(options.plan))
    try:
        return _serve(options.home, plan, options.plan.parent, options.port)
    except TrainerFailure as failure:
        return _failed(options.plan.parent, failure.error)
    except MemoryError:
        return _failed(options.plan.parent, TrainerError.of("out_of_memory_host", "not enough memory for the model"))
    except Exception as error:
        traceback.print_exc()
        message = f"the model cannot be served: {redact(str(error).strip()) or type(error).__name__}"
        return _failed(options.plan.parent, TrainerError.of("deploy_start_failed", message[:500]))


def _serve(home: Path, plan: ServePlan, folder: Path, port: int) -> int:
    if plan.backend != "vllm":
        return _ours(home, plan, folder, port)
    from .commands import vllm_start

    command, environment = vllm_start(home, find_source(home, plan), folder, port)
    sys.stdout.flush()
    sys.stderr.flush()
    os.execvpe(command[0], command, environment)


def _ours(home: Path, plan: ServePlan, folder: Path, port: int) -> int:
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        # Before the model is loaded, which takes long.
        listener.bind(("127.0.0.1", port))
    except OSError as error:
        if error.errno != errno.EADDRINUSE:
            raise
        print(f"port {port} is in use", flush=True)
        return EXIT_PORT_TAKEN
    _answer(home, find_source(home, plan), folder, listener)
    return 0


def _answer(home: Path, source: Source, folder: Path, listener: socket.socket) -> None:
    import uvicorn

    from .app import Served, create_serving_app

    engine, max_context = _loaded(home, source, folder)
    served = Served(source.plan.served_model_name, source.plan.identity, max_context)
    app = create_serving_app(engine, served, os.environ[TOKEN_VARIABLE])
    config = uvicorn.Config(app, log_level="warning", access_log=False, timeout_graceful_shutdown=5)
    uvicorn.Server(config).run(sockets=[listener])


def _loaded(home: Path, source: Source, folder: Path) -> tuple[Answers, int]:
    """Returns the model ready to answer, and its context."""
    if source.plan.backend == "llama.cpp":
        from .commands import start_llama_cpp

        llama = start_llama_cpp(home, source, folder)
        return llama, llama.max_context
    do_without_compiler()
    from .load import load_engine

    engine, profile = load_engine(home, source)
    return engine, profile.max_context


def _failed(folder: Path, error: TrainerError) -> int:
    print(f"{error.code}: {error.message}", file=sys.stderr, flush=True)
    write_json(folder / "start-error.json", error.model_dump(mode="json"))
    return _EXIT_FAILED


if __name__ == "__main__":
    sys.exit(main())
