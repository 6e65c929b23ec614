"""Replaces the Python that has vLLM: takes vLLM's command and serves like it, without a model.

It writes its arguments and the relevant environment variables to a file beside itself, and lists models as vLLM does.
"""

from __future__ import annotations

import json
import os
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any


def main() -> int:
    if sys.argv[1] == "-c":
        print("0.28.0")
        return 0
    arguments = sys.argv[1:]
    options = {one: arguments[index + 1] for index, one in enumerate(arguments[:-1]) if one.startswith("--")}
    seen = {name: os.environ.get(name) for name in ("PYTHONPATH", "HF_HUB_OFFLINE", "VLLM_ALLOW_RUNTIME_LORA_UPDATING")}
    Path(__file__).with_name("seen.json").write_text(json.dumps({"arguments": arguments, "environment": seen}))
    models = [{"id": options["--served-model-name"], "root": options["--model"], "parent": None}]
    if "--lora-modules" in options:
        module = json.loads(options["--lora-modules"])
        models.append({"id": module["name"], "root": module["path"], "parent": module["base_model_name"]})

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: Any) -> None:
            """Logs nothing."""

        def send(self, document: Any, status: int = 200) -> None:
            content = json.dumps(document).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def do_GET(self) -> None:
            self.send({} if self.path == "/health" else {"object": "list", "data": models})

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            if self.headers["authorization"] != f"Bearer {os.environ['VLLM_API_KEY']}":
                self.send({"error": {"message": "Unauthorized"}}, 401)
                return
            message = {"role": "assistant", "content": "sunny"}
            choice = {"index": 0, "message": message, "finish_reason": "length"}
            usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
            self.send({"model": body["model"], "choices": [choice], "usage": usage})

    ThreadingHTTPServer(("127.0.0.1", int(options["--port"])), Handler).serve_forever()
    return 0


if __name__ == "__main__":
    sys.exit(main())
