"""A hub on loopback with accounts, repositories, commits, large files and faults, for the hub's own client.

`python tests/support/fake_hub.py --port N [--token hf_… --user NAME]` serves one for a browser test; it needs Python alone.
"""

from __future__ import annotations

import argparse
import base64
import contextlib
import hashlib
import json
import re
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

TOKEN = "hf_" + "aTokenForTheTests" * 2
LARGE = (".safetensors", ".gguf", ".bin", ".model", ".pt")


@dataclass
class Commit:
    oid: str
    title: str
    message: str
    files: dict[str, str]
    at: float = field(default_factory=time.time)


@dataclass
class Repo:
    """`branches` has each branch's commits, oldest first; a file is identified by the sha256 of its content."""

    private: bool
    branches: dict[str, list[Commit]]
    gated: bool = False


@dataclass
class Fault:
    """What happens to the next matching requests: a status, a cut connection, or a wait.

    `after` lets the request take effect first, so that only its response is lost.
    """

    method: str
    path: str
    times: int = 1
    status: int | None = None
    cut: bool = False
    after: bool = False
    hold: threading.Event | None = None


class FakeHub:
    """`log` has (method, path, bytes) of every request. `accounts` maps tokens to what whoami returns."""

    def __init__(self, port: int = 0, token: str = TOKEN, user: str = "tester") -> None:
        self.token, self.user = token, user
        self.repos: dict[str, Repo] = {}
        self.contents: dict[str, bytes] = {}
        self.accounts: dict[str, dict[str, Any]] = {token: account(user)}
        self.faults: list[Fault] = []
        self.log: list[tuple[str, str, int]] = []
        self.lock = threading.RLock()
        self.server = ThreadingHTTPServer(("127.0.0.1", port), _handler(self))
        self.server.daemon_threads = True
        self.port = self.server.server_port

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self) -> None:
        for fault in self.faults:
            if fault.hold is not None:
                fault.hold.set()
        self.server.shutdown()
        self.server.server_close()

    # Set-up by tests.

    def add_repo(
        self, repo_id: str, files: dict[str, bytes], *, private: bool = False, gated: bool = False, message: str = ""
    ) -> str:
        """Adds a repository with one commit to the hub and returns the commit's oid."""
        with self.lock:
            self.create(repo_id, private)
            self.repos[repo_id].gated = gated
            return self.commit(repo_id, "main", "Add files", message, files, [])

    def fail(self, method: str, path: str, **how: Any) -> Fault:
        """Makes the next requests with a matching method and path fail."""
        fault = Fault(method, path, **how)
        self.faults.append(fault)
        return fault

    def hold(self, method: str, path: str, *, after: bool = False) -> threading.Event:
        """Makes the next such request wait until the event is set."""
        event = threading.Event()
        self.fail(method, path, hold=event, after=after)
        return event

    # Queries by tests.

    def commits(self, repo_id: str, branch: str = "main") -> list[Commit]:
        """Returns the commits made by clients, oldest first, without the one that the hub makes itself."""
        return self.repos[repo_id].branches[branch][1:] if repo_id in self.repos else []

    def files(self, repo_id: str, branch: str = "main") -> dict[str, bytes]:
        head = self.repos[repo_id].branches[branch][-1]
        return {path: self.contents[sha256] for path, sha256 in head.files.items()}

    def requests(self, method: str, path: str) -> list[tuple[str, str, int]]:
        return [one for one in self.log if one[0] == method and re.search(path, one[1])]

    # Effects of requests.

    def create(self, repo_id: str, private: bool) -> None:
        first = Commit(_oid(repo_id, "initial"), "initial commit", "", {})
        self._add_file(first.files, ".gitattributes", b"*.safetensors filter=lfs diff=lfs merge=lfs -text\n")
        self.repos[repo_id] = Repo(private, {"main": [first]})

    def commit(
        self, repo_id: str, branch: str, title: str, message: str, files: dict[str, bytes], deleted: list[str]
    ) -> str:
        commits = self.repos[repo_id].branches[branch]
        after = dict(commits[-1].files)
        for path in deleted:
            after.pop(path)
        for path, content in files.items():
            self._add_file(after, path, content)
        made = Commit(_oid(repo_id, branch, commits[-1].oid, str(time.time_ns())), title, message, after)
        commits.append(made)
        return made.oid

    def _add_file(self, files: dict[str, str], path: str, content: bytes) -> None:
        sha256 = hashlib.sha256(content).hexdigest()
        self.contents[sha256] = content
        files[path] = sha256

    def find(self, repo_id: str, revision: str) -> tuple[str, Commit] | None:
        """Returns the branch and the commit that a revision names."""
        for branch, commits in self.repos[repo_id].branches.items():
            if branch == revision:
                return branch, commits[-1]
            for commit in commits:
                if commit.oid == revision:
                    return branch, commit
        return None

    def take_fault(self, method: str, path: str) -> Fault | None:
        with self.lock:
            for fault in self.faults:
                if fault.times > 0 and fault.method == method and re.search(fault.path, path):
                    fault.times -= 1
                    return fault
        return None


def account(user: str, role: str = "write", orgs: list[dict[str, Any]] | None = None, **grants: Any) -> dict[str, Any]:
    """Returns what whoami returns for an account."""
    token = {"displayName": "test", "role": role, **({"fineGrained": grants} if role == "fineGrained" else {})}
    return {"type": "user", "name": user, "orgs": orgs or [], "auth": {"type": "access_token", "accessToken": token}}


def _oid(*parts: str) -> str:
    return hashlib.sha1("\0".join(parts).encode()).hexdigest()


def _handler(hub: FakeHub) -> type[BaseHTTPRequestHandler]:
    class Handler(_Handler):
        pass

    Handler.hub = hub
    return Handler


class _Cut(Exception):
    pass


class _Handler(BaseHTTPRequestHandler):
    hub: FakeHub
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: Any) -> None:
        pass

    def _serve(self) -> None:
        path, query = unquote(urlsplit(self.path).path), parse_qs(urlsplit(self.path).query)
        fault = self.hub.take_fault(self.command, path)
        self._answered = False
        try:
            if fault and fault.cut and not fault.after:
                self.rfile.read(min(1000, int(self.headers.get("content-length") or 0)))
                raise _Cut
            body = self._body()
            self.hub.log.append((self.command, path, len(body)))
            if fault and fault.hold and not fault.after:
                fault.hold.wait()
            if fault and fault.status and not fault.after:
                self._error(fault.status, "asked for by the test")
                return
            self._silent = bool(fault and fault.after)
            self._route(path, query, body)
            if fault and fault.after:
                if fault.hold:
                    fault.hold.wait()
                raise _Cut
        except (_Cut, BrokenPipeError, ConnectionResetError):
            self.close_connection = True
            with contextlib.suppress(OSError):
                self.connection.shutdown(socket.SHUT_RDWR)

    do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = _serve

    def _body(self) -> bytes:
        if "chunked" not in self.headers.get("transfer-encoding", ""):
            return self.rfile.read(int(self.headers.get("content-length") or 0))
        content = b""
        while size := int(self.rfile.readline().strip() or b"0", 16):
            content += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return content

    # Responses.

    def _send(self, status: int, content: bytes, headers: dict[str, str]) -> None:
        if self._silent:
            return
        self.send_response(status)
        for name, value in {"Content-Length": str(len(content)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def _json(self, document: Any, status: int = 200, headers: dict[str, str] | None = None) -> None:
        self._send(status, json.dumps(document).encode(), {"Content-Type": "application/json", **(headers or {})})

    def _error(self, status: int, message: str, code: str | None = None) -> None:
        self._silent = False
        headers = {"X-Error-Message": message, **({"X-Error-Code": code} if code else {})}
        self._json({"error": message}, status, headers)

    # Authentication.

    def _account(self) -> dict[str, Any] | None:
        token = self.headers.get("authorization", "").removeprefix("Bearer ").strip()
        return self.hub.accounts.get(token)

    def _may(self, repo_id: str) -> bool:
        """Returns whether the caller may write; if not, responds with the error that the hub would return."""
        who = self._account()
        if who is None:
            self._error(401, "Invalid credentials in Authorization header")
            return False
        owner = repo_id.partition("/")[0]
        writes = {one["name"] for one in who["orgs"] if one.get("roleInOrg") != "read"} | {who["name"]}
        if who["auth"]["accessToken"]["role"] == "read" or owner not in writes:
            self._error(403, "you have read-only access to this repository")
            return False
        return True

    def _sees(self, repo_id: str) -> bool:
        repo = self.hub.repos.get(repo_id)
        who = self._account()
        owner = repo_id.partition("/")[0]
        if repo and (not repo.private or (who and owner in {who["name"], *(one["name"] for one in who["orgs"])})):
            return True
        self._error(401 if who is None else 404, "Repository not found", "RepoNotFound")
        return False

    # Routes.

    def _route(self, path: str, query: dict[str, list[str]], body: bytes) -> None:
        for method, pattern, handle in _ROUTES:
            match = re.fullmatch(pattern, path)
            if match and (self.command == method or (method == "GET" and self.command == "HEAD")):
                with self.hub.lock:
                    handle(self, query, body, **{name: value for name, value in match.groupdict().items()})
                return
        self._error(404, f"the fake hub has no {self.command} {path}")

    def whoami(self, _q: Any, _b: bytes) -> None:
        who = self._account()
        if who is None:
            self._error(401, "Invalid credentials in Authorization header")
        else:
            self._json(who)

    def create_repo(self, _q: Any, body: bytes) -> None:
        asked = json.loads(body)
        who = self._account()
        repo_id = f"{asked.get('organization') or (who or {}).get('name')}/{asked['name']}"
        if not self._may(repo_id):
            return
        if repo_id in self.hub.repos:
            self._json({"error": "You already created this model repo", "url": f"{self.hub.url}/{repo_id}"}, 409)
            return
        private = asked.get("visibility") == "private" or bool(asked.get("private"))
        self.hub.create(repo_id, private)
        self._json({"url": f"{self.hub.url}/{repo_id}", "name": repo_id, "id": repo_id})

    def create_branch(self, _q: Any, body: bytes, repo_id: str, branch: str) -> None:
        if not self._may(repo_id) or not self._sees(repo_id):
            return
        branches = self.hub.repos[repo_id].branches
        if branch in branches:
            self._json({"error": "Reference already exists"}, 409)
            return
        branches[branch] = list(branches["main"][:1])
        self._json({})

    def validate_yaml(self, _q: Any, body: bytes) -> None:
        content = json.loads(body)["content"]
        if content.startswith("---\n") and "\n---\n" in content:
            self._json({"errors": [], "warnings": []})
        else:
            self._json({"errors": [{"message": "metadata is missing"}], "warnings": []}, 400)

    def info(self, _q: Any, _b: bytes, repo_id: str, revision: str | None = None) -> None:
        if not self._sees(repo_id):
            return
        found = self.hub.find(repo_id, revision or "main")
        if found is None:
            self._error(404, "Invalid rev id", "RevisionNotFound")
            return
        _, commit = found
        self._json(
            {
                "_id": _oid(repo_id),
                "id": repo_id,
                "modelId": repo_id,
                "sha": commit.oid,
                "private": self.hub.repos[repo_id].private,
                "tags": [],
                "downloads": 0,
                "likes": 0,
                "siblings": [{"rfilename": path} for path in sorted(commit.files)],
            }
        )

    def tree(self, _q: Any, _b: bytes, repo_id: str, revision: str) -> None:
        if not self._sees(repo_id):
            return
        found = self.hub.find(repo_id, revision)
        if found is None:
            self._error(404, "Invalid rev id", "RevisionNotFound")
            return
        entries = []
        for path, sha256 in sorted(found[1].files.items()):
            size = len(self.hub.contents[sha256])
            lfs = {"lfs": {"oid": sha256, "size": size, "pointerSize": 134}} if path.endswith(LARGE) else {}
            entries.append({"type": "file", "path": path, "size": size, "oid": _oid(sha256), **lfs})
        self._json(entries)

    def list_commits(self, _q: Any, _b: bytes, repo_id: str, revision: str) -> None:
        if not self._sees(repo_id):
            return
        found = self.hub.find(repo_id, revision)
        if found is None:
            self._error(404, "Invalid rev id", "RevisionNotFound")
            return
        self._json(
            [
                {
                    "id": one.oid,
                    "title": one.title,
                    "message": one.message,
                    "authors": [{"user": self.hub.user}],
                    "date": time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(one.at)),
                }
                for one in reversed(self.hub.repos[repo_id].branches[found[0]])
            ]
        )

    def preupload(self, _q: Any, body: bytes, repo_id: str, revision: str) -> None:
        if not self._may(repo_id) or not self._sees(repo_id):
            return
        found = self.hub.find(repo_id, revision)
        there = found[1].files if found else {}
        self._json(
            {
                "files": [
                    {
                        "path": one["path"],
                        "uploadMode": "lfs" if one["path"].endswith(LARGE) else "regular",
                        "shouldIgnore": False,
                        "oid": self._blob_oid(one["path"], there.get(one["path"])),
                    }
                    for one in json.loads(body)["files"]
                ]
            }
        )

    def _blob_oid(self, path: str, sha256: str | None) -> str | None:
        if sha256 is None or path.endswith(LARGE):
            return sha256
        content = self.hub.contents[sha256]
        return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()

    def lfs_batch(self, _q: Any, body: bytes, repo_id: str) -> None:
        if not self._may(repo_id) or not self._sees(repo_id):
            return
        objects = []
        for one in json.loads(body)["objects"]:
            upload = {"upload": {"href": f"{self.hub.url}/lfs/{one['oid']}"}}
            missing = one["oid"] not in self.hub.contents
            objects.append({"oid": one["oid"], "size": one["size"], **({"actions": upload} if missing else {})})
        self._json({"transfer": "basic", "objects": objects})

    def lfs_put(self, _q: Any, body: bytes, oid: str) -> None:
        if hashlib.sha256(body).hexdigest() != oid:
            self._error(400, "the content has another sha256")
            return
        self.hub.contents[oid] = body
        self._json({})

    def make_commit(self, _q: Any, body: bytes, repo_id: str, revision: str) -> None:
        if not self._may(repo_id) or not self._sees(repo_id):
            return
        lines = [json.loads(line) for line in body.decode().splitlines()]
        header = next(one["value"] for one in lines if one["key"] == "header")
        head = self.hub.repos[repo_id].branches[revision][-1].oid
        if header.get("parentCommit") not in (None, head):
            self._error(412, "A commit has happened since. Please refresh and try again.")
            return
        files: dict[str, bytes] = {}
        for one in lines:
            value = one["value"]
            if one["key"] == "file":
                files[value["path"]] = base64.b64decode(value["content"])
            elif one["key"] == "lfsFile":
                if value["oid"] not in self.hub.contents:
                    self._error(400, f"LFS object {value['oid']} was never uploaded")
                    return
                files[value["path"]] = self.hub.contents[value["oid"]]
        deleted = [one["value"]["path"] for one in lines if one["key"] == "deletedFile"]
        oid = self.hub.commit(repo_id, revision, header["summary"], header.get("description") or "", files, deleted)
        self._json(
            {
                "success": True,
                "commitOid": oid,
                "commitUrl": f"{self.hub.url}/{repo_id}/commit/{oid}",
                "hookOutput": "",
                "pullRequestUrl": None,
            }
        )

    def resolve(self, _q: Any, _b: bytes, repo_id: str, revision: str, file: str) -> None:
        if not self._sees(repo_id):
            return
        if self.hub.repos[repo_id].gated and self._account() is None:
            self._error(401, f"Access to model {repo_id} is restricted. You must be authenticated.", "GatedRepo")
            return
        found = self.hub.find(repo_id, revision)
        if found is None:
            self._error(404, "Invalid rev id", "RevisionNotFound")
            return
        sha256 = found[1].files.get(file)
        if sha256 is None:
            self._error(404, "Entry not found", "EntryNotFound")
            return
        content = self.hub.contents[sha256]
        large = {"X-Linked-Etag": f'"{sha256}"', "X-Linked-Size": str(len(content))} if file.endswith(LARGE) else {}
        headers = {"X-Repo-Commit": found[1].oid, "ETag": f'"{self._blob_oid(file, sha256)}"', **large}
        headers["Accept-Ranges"] = "bytes"
        part = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("range") or "")
        if part is None:
            self._send(200, content, headers)
            return
        first = int(part.group(1))
        headers["Content-Range"] = f"bytes {first}-{len(content) - 1}/{len(content)}"
        self._send(206, content[first:], headers)

    def page(self, _q: Any, _b: bytes, repo_id: str) -> None:
        if self._sees(repo_id):
            self._send(200, f"<h1>{repo_id}</h1>".encode(), {"Content-Type": "text/html"})


_REPO = r"(?P<repo_id>[\w.-]+/[\w.-]+)"
_REVISION = r"(?P<revision>[^/]+)"
_ROUTES: list[tuple[str, str, Callable[..., None]]] = [
    ("GET", "/api/whoami-v2", _Handler.whoami),
    ("POST", "/api/repos/create", _Handler.create_repo),
    ("POST", "/api/validate-yaml", _Handler.validate_yaml),
    ("POST", rf"/api/models/{_REPO}/branch/(?P<branch>.+)", _Handler.create_branch),
    ("POST", rf"/api/models/{_REPO}/preupload/{_REVISION}", _Handler.preupload),
    ("POST", rf"/api/models/{_REPO}/commit/{_REVISION}", _Handler.make_commit),
    ("GET", rf"/api/models/{_REPO}/commits/{_REVISION}", _Handler.list_commits),
    ("GET", rf"/api/models/{_REPO}/tree/{_REVISION}", _Handler.tree),
    ("GET", rf"/api/models/{_REPO}/revision/{_REVISION}", _Handler.info),
    ("GET", rf"/api/models/{_REPO}", _Handler.info),
    ("POST", rf"/{_REPO}\.git/info/lfs/objects/batch", _Handler.lfs_batch),
    ("PUT", r"/lfs/(?P<oid>[0-9a-f]{64})", _Handler.lfs_put),
    ("GET", rf"/{_REPO}/resolve/{_REVISION}/(?P<file>.+)", _Handler.resolve),
    ("GET", rf"/{_REPO}", _Handler.page),
]


def main() -> None:
    parser = argparse.ArgumentParser(description="A hub on this machine, for tests.")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--token", default=TOKEN)
    parser.add_argument("--user", default="tester")
    options = parser.parse_args()
    hub = FakeHub(options.port, options.token, options.user)
    print(json.dumps({"url": hub.url, "token": hub.token, "user": hub.user}), flush=True)
    with contextlib.suppress(KeyboardInterrupt):
        hub.server.serve_forever()


if __name__ == "__main__":
    main()
