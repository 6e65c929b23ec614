"""`python serve_tiny.py TEMPLATE`: serves a tiny model with random weights until standard input ends, for tests of clients.

TEMPLATE names one of TRL's chat templates. The token is in WHETSTONE_SERVE_TOKEN, the port is printed.
"""

from __future__ import annotations

import os
import socket
import sys
import tempfile
import threading
from pathlib import Path

from tiny import build_tiny

NAME, MAX_CONTEXT = "shop-agent", 8192


def main() -> None:
    import trl
    import uvicorn
    from transformers import AutoModelForCausalLM, AutoTokenizer

    from whetstone_trainer.serving.app import Served, create_serving_app
    from whetstone_trainer.serving.engine import Engine
    from whetstone_trainer.serving.request import TOKEN_VARIABLE, ServeProfile

    template = (Path(trl.__file__).parent / "chat_templates" / f"{sys.argv[1]}.jinja").read_text()
    with tempfile.TemporaryDirectory() as scratch:
        folder = build_tiny(Path(scratch), template, max_position_embeddings=MAX_CONTEXT)
        model, tokenizer = AutoModelForCausalLM.from_pretrained(folder).eval(), AutoTokenizer.from_pretrained(folder)
    profile = ServeProfile(
        chat_template=template,
        eos_token_ids=[tokenizer.eos_token_id],
        max_context=MAX_CONTEXT,
        generation_config={},
    )
    engine = Engine(model, tokenizer, profile)
    app = create_serving_app(engine, Served(NAME, "tiny", MAX_CONTEXT), os.environ[TOKEN_VARIABLE])
    listener = socket.create_server(("127.0.0.1", 0))
    # Whoever started this holds its standard input open.
    threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
    print(listener.getsockname()[1], flush=True)
    uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listener])


if __name__ == "__main__":
    main()
