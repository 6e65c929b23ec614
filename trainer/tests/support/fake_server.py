"""A server whose behaviour is chosen by its model's name, for tests of what happens around serving.

The name is `<behaviour>` or `<behaviour>--<anything>`:
fine, exits (code 3 immediately), port-taken (the first time), never-healthy (records that it was told to end),
slow (healthy after four seconds), unlisted, other-weights, empty, garbage, broken (500), crashes (once it has run, every
time it is asked to), tells-hub (as crashes, and records the hub that it may download from), downloads (the same, and
healthy only when it is started again), ignores-term, endless (streams until its client disconnects, and records that), patient (streams
for a second).
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

# Imports none of our code, so that it starts quickly.
EXIT_PORT_TAKEN = 98
TOKEN_VARIABLE = "WHETSTONE_SERVE_TOKEN"
SLOW_SECONDS = 4


def main() -> int:
    parser = argparse.ArgumentParser()
    for name in ("--home", "--plan"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--port", type=int)
    options = parser.parse_args()
    plan = json.loads(options.plan.read_text())
    name = plan["served_model_name"]
    act = name.split("--")[0]
    folder = options.plan.parent
    starts = folder / "starts"
    with starts.open("a") as file:
        file.write(f"{os.getpid()} {options.port}\n")
    print(f"{name} starts", flush=True)
    if act in ("tells-hub", "downloads"):
        with (options.home / "hub-seen.json").open("a") as file:
            file.write(json.dumps([os.environ.get(name) for name in ("HF_TOKEN", "HF_ENDPOINT")]) + "\n")
    if act == "exits":
        print(f"secret {os.environ[TOKEN_VARIABLE]}", flush=True)
        return 3
    if act == "port-taken" and len(starts.read_text().splitlines()) == 1:
        return EXIT_PORT_TAKEN
    if act == "ignores-term":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if act == "never-healthy":
        signal.signal(signal.SIGTERM, lambda *_: ((folder / "told-to-end").touch(), os._exit(0)))
    begun = time.monotonic()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: Any) -> None:
            """Logs nothing."""

        def send(self, status: int, document: Any) -> None:
            body = json.dumps(document).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_GET(self) -> None:
            if self.headers["authorization"] != f"Bearer {os.environ[TOKEN_VARIABLE]}":
                self.send(401, {})
            elif self.path == "/health":
                is_first = len(starts.read_text().splitlines()) == 1
                waiting = act == "never-healthy" or (act == "slow" and time.monotonic() < begun + SLOW_SECONDS)
                waiting = waiting or (act == "downloads" and is_first)
                if (folder / "hang").exists():
                    time.sleep(30)
                self.send(503 if waiting else 200, {})
            else:
                root = "another" if act == "other-weights" else plan["identity"]
                self.send(200, {"data": [] if act == "unlisted" else [{"id": name, "root": root}]})

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            if body.get("stream"):
                self.stream()
                return
            if act == "broken":
                self.send(500, {"error": {"message": "the model failed"}})
                return
            if act == "garbage":
                self.send(200, {"answer": "hello"})
                return
            if body["messages"][0]["content"] == "wait":
                time.sleep(60)
            content = "" if act == "empty" else "sunny"
            choice = {"message": {"role": "assistant", "content": content}, "finish_reason": "length"}
            usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
            self.send(200, {"model": name, "choices": [choice], "usage": usage})
            if act in ("crashes", "tells-hub") and body["messages"][0]["content"] == "crash":
                os.kill(os.getpid(), signal.SIGKILL)

        def chunk(self, text: str) -> None:
            self.wfile.write(f"{len(text):x}\r\n{text}\r\n".encode())
            self.wfile.flush()

        def stream(self) -> None:
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.send_header("transfer-encoding", "chunked")
            self.end_headers()
            try:
                for number in range(10 if act == "patient" else 10**6):
                    self.chunk(f"data: {number}\n\n")
                    time.sleep(0.1)
                self.chunk("data: [DONE]\n\n")
                self.chunk("")
            except OSError:
                (folder / "client-gone").touch()

    ThreadingHTTPServer(("127.0.0.1", options.port), Handler).serve_forever()
    return 0


if __name__ == "__main__":
    sys.exit(main())
