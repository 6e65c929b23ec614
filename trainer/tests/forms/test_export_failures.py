"""Whatever goes wrong during an export to a hub, there is one commit or none, and the error says what to do."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest
from artifact_home import checkpoint_of
from export_fixtures import (  # noqa: F401
    REPO,
    SECONDS,
    _environment,
    body,
    client,
    ended,
    exported,
    home,
    hub,
    process_of,
    read,
)
from fake_hub import TOKEN, FakeHub, account
from service_fixtures import EveryForm, running, until

from whetstone_trainer.artifacts.tools.parent import STARTED_BY
from whetstone_trainer.background import is_running
from whetstone_trainer.checkpoints import referenced_ids
from whetstone_trainer.exports.build import refuse_unsafe
from whetstone_trainer.files import write_json
from whetstone_trainer.trainer_error import TrainerFailure

READS_ONLY = account("tester", "read")
OTHER_SCOPE = account(
    "tester",
    "fineGrained",
    scoped=[{"entity": {"type": "model", "name": "tester/other"}, "permissions": ["repo.write"]}],
)
READER_OF_ORG = account("somebody", orgs=[{"name": "tester", "roleInOrg": "read"}])


@pytest.mark.parametrize(
    ("token", "said", "param"),
    [
        (TOKEN, None, "secret"),
        (TOKEN, READS_ONLY, "secret"),
        (TOKEN, OTHER_SCOPE, "secret"),
        (TOKEN, READER_OF_ORG, "destination.repo_id"),
        (TOKEN, account("somebody"), "destination.repo_id"),
    ],
)
def test_a_token_that_may_not_write_is_refused_before_anything_is_built(
    client: httpx.Client,  # noqa: F811
    hub: FakeHub,  # noqa: F811
    home: Path,  # noqa: F811
    token: str,
    said: dict[str, Any] | None,
    param: str,
) -> None:
    hub.accounts = {} if said is None else {token: said}
    export = exported(client, f"exp_auth_{hub.port}", body(hub, home))
    error = export["error"]
    assert (export["status"], error["code"], error["param"]) == ("failed", "hub_auth_failed", param)
    assert "token" in error["hint"] and REPO not in hub.repos


def test_an_expired_token_is_replaced_without_building_again(
    client: httpx.Client,  # noqa: F811
    hub: FakeHub,  # noqa: F811
    home: Path,  # noqa: F811
) -> None:
    """It expires between the start and the upload: the second preflight notices, and a new token lets it continue."""
    release = hub.hold("GET", f"/api/models/{REPO}$")
    identity = f"exp_expired_{hub.port}"
    client.put(f"/exports/{identity}", json=body(hub, home))
    until(lambda: hub.requests("GET", f"/api/models/{REPO}$"), SECONDS)
    hub.accounts = {"hf_aNewTokenOfTheSameAccount": account("tester")}
    release.set()
    assert ended(client, identity)["error"]["code"] == "hub_auth_failed"
    export = exported(client, identity, body(hub, home, secret="hf_aNewTokenOfTheSameAccount"))
    assert export["status"] == "succeeded" and len(hub.commits(REPO)) == 1


def test_a_repository_with_other_content_is_left_alone(
    client: httpx.Client,  # noqa: F811
    hub: FakeHub,  # noqa: F811
    home: Path,  # noqa: F811
) -> None:
    hub.add_repo(REPO, {"model.safetensors": b"somebody's model"}, private=True)
    export = exported(client, f"exp_other_{hub.port}", body(hub, home))
    error = export["error"]
    assert (error["code"], error["param"], error["retryable"]) == ("export_failed", "destination.repo_id", False)
    assert "model.safetensors" in error["message"] and len(hub.commits(REPO)) == 1


def test_a_private_export_does_not_go_into_a_public_repository(
    client: httpx.Client,  # noqa: F811
    hub: FakeHub,  # noqa: F811
    home: Path,  # noqa: F811
) -> None:
    hub.add_repo(REPO, {"README.md": b"---\n---\n"}, private=False)
    export = exported(client, f"exp_public_{hub.port}", body(hub, home))
    assert (export["error"]["param"], export["error"]["retryable"]) == ("destination.private", False)
    assert len(hub.commits(REPO)) == 1


def test_what_passes_by_itself_is_waited_out(client: httpx.Client, hub: FakeHub, home: Path) -> None:  # noqa: F811
    hub.fail("POST", "/commit/", status=409)
    hub.fail("POST", "/commit/", status=412)
    hub.fail("PUT", "/lfs/", cut=True)
    hub.fail("POST", "/preupload/", status=503)
    export = exported(client, f"exp_bumpy_{hub.port}", body(hub, home))
    assert export["status"] == "succeeded", export["error"]
    assert len(hub.commits(REPO)) == 1


def test_a_commit_whose_answer_was_lost_is_found(client: httpx.Client, hub: FakeHub, home: Path) -> None:  # noqa: F811
    hub.fail("POST", "/commit/", cut=True, after=True)
    export = exported(client, f"exp_ambiguous_{hub.port}", body(hub, home))
    assert export["status"] == "succeeded", export["error"]
    (commit,) = hub.commits(REPO)
    assert export["commit_oid"] == commit.oid


@pytest.mark.parametrize(
    ("method", "path", "status", "code", "retryable"),
    [
        ("PUT", "/lfs/", 413, "export_failed", False),
        ("POST", "/commit/", 403, "hub_auth_failed", False),
        ("POST", "/repos/create", 403, "hub_auth_failed", False),
        ("POST", "/commit/", 400, "export_failed", False),
    ],
)
def test_a_refusal_of_the_hub_ends_the_export_and_leaves_no_commit(
    client: httpx.Client,  # noqa: F811
    hub: FakeHub,  # noqa: F811
    home: Path,  # noqa: F811
    method: str,
    path: str,
    status: int,
    code: str,
    retryable: bool,
) -> None:
    hub.fail(method, path, status=status, times=9)
    export = exported(client, f"exp_refused_{hub.port}", body(hub, home))
    assert (export["status"], export["error"]["code"]) == ("failed", code)
    assert export["error"]["retryable"] is retryable and export["error"]["hint"]
    assert hub.commits(REPO) == []


def test_a_hub_that_is_away_can_be_tried_again(client: httpx.Client, hub: FakeHub, home: Path) -> None:  # noqa: F811
    fault = hub.fail("GET", "/whoami", cut=True, times=99)
    identity = f"exp_away_{hub.port}"
    export = exported(client, identity, body(hub, home))
    assert (export["error"]["code"], export["error"]["retryable"]) == ("network_unavailable", True)
    fault.times = 0
    assert exported(client, identity, body(hub, home))["status"] == "succeeded"


# The request at which an export is held, and whether only after the request took effect.
PHASES = {
    "preflight": ("GET", "/whoami", False),
    "building": None,
    "uploading": ("PUT", "/lfs/", False),
    "before the commit": ("POST", "/commit/", False),
    "after the commit": ("POST", "/commit/", True),
}


def started_and_held(client: httpx.Client, hub: FakeHub, home: Path, identity: str, phase: str) -> Any:  # noqa: F811
    """Starts an export, waits until it is in the phase, and returns the event that lets it continue, if any."""
    where = PHASES[phase]
    if where is None:
        # Its build waits for a lock, as if another build held it.
        client.put(f"/exports/{identity}", json=body(hub, home, format="merged-16bit"))
        until(lambda: read(client, identity)["status"] in ("building", "failed"), SECONDS)
        assert read(client, identity)["status"] == "building"
        return None
    method, path, after = where
    release = hub.hold(method, path, after=after)
    client.put(f"/exports/{identity}", json=body(hub, home))
    until(lambda: hub.requests(method, path), SECONDS)
    return release


@pytest.mark.parametrize("phase", PHASES)
def test_killed_in_any_phase_and_asked_again_it_makes_one_commit(
    client: httpx.Client,  # noqa: F811
    hub: FakeHub,  # noqa: F811
    home: Path,  # noqa: F811
    phase: str,
) -> None:
    identity = f"exp_killed_{hub.port}"
    release = started_and_held(client, hub, home, identity, phase)
    os.kill(process_of(home, identity), signal.SIGKILL)
    vanished = ended(client, identity)
    assert (vanished["status"], vanished["error"]["code"]) == ("failed", "worker_vanished")
    assert vanished["error"]["retryable"]
    if release is not None:
        release.set()
    made = len(hub.commits(REPO))
    assert made == (1 if phase == "after the commit" else 0)
    document = body(hub, home, **({"format": "merged-16bit"} if phase == "building" else {}))
    export = exported(client, identity, document)
    assert export["status"] == "succeeded", export["error"]
    (commit,) = hub.commits(REPO)
    assert export["commit_oid"] == commit.oid and len(export["files"]) > 2


def test_a_build_whose_export_was_killed_as_it_started_leaves_the_folder_alone(home: Path, hub: FakeHub) -> None:  # noqa: F811
    """The kernel tells only those who asked; the next attempt works in the same folder."""
    identity = f"exp_orphan_{hub.port}"
    folder = home / "exports" / identity
    of_next_attempt = folder / "files" / "of-the-next-attempt"
    of_next_attempt.parent.mkdir(parents=True)
    request = {key: value for key, value in body(hub, home).items() if key != "secret"}
    write_json(folder / "request.json", {**request, "export_id": identity})
    of_next_attempt.touch()
    command = [sys.executable, "-m", "whetstone_trainer.exports", "--home", str(home), "--id", identity]
    dead = subprocess.Popen(["true"])
    dead.wait()
    environment = {**os.environ, STARTED_BY: str(dead.pid)}
    ended = subprocess.run([*command, "--build", "checkpoint"], env=environment, capture_output=True, check=False)
    assert (ended.returncode, ended.stderr, of_next_attempt.exists()) == (1, b"", True)
    assert not (folder / "build.json").exists()
    # The same command builds for the process that is its parent.
    environment = {**os.environ, STARTED_BY: str(os.getpid())}
    built = subprocess.run([*command, "--build", "checkpoint"], env=environment, capture_output=True, check=False)
    assert (built.returncode, of_next_attempt.exists()) == (0, False), built.stderr


@pytest.mark.parametrize("phase", PHASES)
def test_cancelled_in_any_phase_it_publishes_all_or_nothing(
    client: httpx.Client,  # noqa: F811
    hub: FakeHub,  # noqa: F811
    home: Path,  # noqa: F811
    phase: str,
) -> None:
    identity = f"exp_cancelled_{hub.port}"
    release = started_and_held(client, hub, home, identity, phase)
    assert client.post(f"/exports/{identity}/cancel", headers={"prefer": "wait=0"}).status_code == 200
    if release is not None and phase in ("before the commit", "after the commit"):
        release.set()
    export = ended(client, identity)
    if "commit" in phase:
        # The commit was already sent, and what is public must not be reported as cancelled.
        assert export["status"] == "succeeded" and len(hub.commits(REPO)) == 1
    else:
        assert (export["status"], hub.commits(REPO)) == ("cancelled", [])
    again = client.put(f"/exports/{identity}", json=body(hub, home, **_format_of(phase)))
    assert again.json()["export"]["status"] == export["status"]
    if release is not None:
        release.set()


def _format_of(phase: str) -> dict[str, str]:
    return {"format": "merged-16bit"} if phase == "building" else {}


def test_an_export_goes_on_while_the_service_restarts(hub: FakeHub, home: Path) -> None:  # noqa: F811
    identity = f"exp_restart_{hub.port}"
    release = hub.hold("PUT", "/lfs/")
    with running(home, EveryForm(home)) as first:
        first.put(f"/exports/{identity}", json=body(hub, home))
        until(lambda: hub.requests("PUT", "/lfs/"), SECONDS)
    with running(home, EveryForm(home)) as second:
        now = read(second, identity)
        assert now["status"] == "uploading" and now["progress"]["bytes_total"] > 1000
        # Requested again meanwhile, it is not started a second time.
        second.put(f"/exports/{identity}", json=body(hub, home))
        release.set()
        assert ended(second, identity)["status"] == "succeeded"
    assert len(hub.commits(REPO)) == 1


def test_a_checkpoint_is_not_deleted_while_it_is_exported(
    client: httpx.Client,  # noqa: F811
    hub: FakeHub,  # noqa: F811
    home: Path,  # noqa: F811
) -> None:
    identity, checkpoint_id = f"exp_in_use_{hub.port}", checkpoint_of(home)
    release = hub.hold("GET", "/whoami")
    client.put(f"/exports/{identity}", json=body(hub, home))
    until(lambda: hub.requests("GET", "/whoami"), SECONDS)
    refused = client.delete(f"/checkpoints/{checkpoint_id}")
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "in_use")
    assert checkpoint_id in referenced_ids(home)
    release.set()
    ended(client, identity)
    assert not is_running(home / "exports" / identity)


@pytest.mark.parametrize(
    ("changes", "status", "code"),
    [
        ({"source": {"checkpoint_id": "ckpt_nowhere"}}, 404, "not_found"),
        ({"source": {}}, 422, "invalid_spec"),
        ({"format": "gguf"}, 422, "invalid_spec"),
        ({"quantization": "q8_0"}, 422, "invalid_spec"),
        ({"destination": {"endpoint": "http://hub.example", "repo_id": REPO}}, 422, "invalid_spec"),
        ({"destination": {"endpoint": "https://u:p@hub.example", "repo_id": REPO}}, 422, "invalid_spec"),
        ({"destination": {"endpoint": "https://hub.example", "repo_id": "../x"}}, 422, "invalid_spec"),
        ({"destination": {"endpoint": "https://hub.example", "repo_id": REPO, "revision": "-x"}}, 422, "invalid_spec"),
        ({"secret": None}, 422, "invalid_spec"),
        ({"secret": "two words\r\nX-Header: 1"}, 422, "invalid_spec"),
    ],
)
def test_a_request_that_is_none_is_refused(
    client: httpx.Client,  # noqa: F811
    hub: FakeHub,  # noqa: F811
    home: Path,  # noqa: F811
    changes: dict[str, Any],
    status: int,
    code: str,
) -> None:
    reply = client.put(f"/exports/exp_none_{hub.port}", json=body(hub, home, **changes))
    assert (reply.status_code, reply.json()["error"]["code"]) == (status, code)
    assert TOKEN not in reply.text
    assert client.get(f"/exports/exp_none_{hub.port}").status_code == 404


@pytest.mark.parametrize("is_of_hub", [False, True])
def test_full_weights_have_no_adapter_to_publish(
    client: httpx.Client,  # noqa: F811
    hub: FakeHub,  # noqa: F811
    home: Path,  # noqa: F811
    is_of_hub: bool,
) -> None:
    of_hub = {"hub_model": {"id": "public/tiny", "revision": "main", "endpoint": hub.url}}
    source = of_hub if is_of_hub else {"checkpoint_id": checkpoint_of(home, "job-full")}
    reply = client.put(f"/exports/exp_full_{hub.port}", json=body(hub, home, source=source))
    assert (reply.status_code, reply.json()["error"]["code"]) == (422, "format_not_possible")


def test_what_the_machine_cannot_build_is_refused_at_once(home: Path, hub: FakeHub) -> None:  # noqa: F811
    class WithoutLlamaCpp(EveryForm):
        def get(self) -> dict[str, Any]:
            lacking = {"feature": "gguf", "reason": "node is not on the PATH", "hint": "Install Node.js."}
            return {**super().get(), "gguf_quantizations": [], "unavailable": [lacking]}

    with running(home, WithoutLlamaCpp(home)) as without:
        document = body(hub, home, format="gguf", quantization="q8_0")
        error = without.put(f"/exports/exp_lacking_{hub.port}", json=document).json()["error"]
    assert (error["code"], error["hint"]) == ("capability_missing", "Install Node.js.")


@pytest.mark.parametrize(
    ("files", "code"),
    [
        ({"config.json": b"{}", "pytorch_model.bin": b"\x80\x04"}, "unsupported_combination"),
        ({"config.json": b'{"auto_map": {"AutoModel": "x.Y"}}', "model.safetensors": b"0"}, "remote_code_refused"),
        (
            {
                "config.json": b"{}",
                "tokenizer_config.json": b'{"auto_map": {"AutoTokenizer": ["x.Y", null]}}',
                "model.safetensors": b"0",
            },
            "remote_code_refused",
        ),
    ],
)
def test_a_model_that_could_run_code_is_not_converted(
    client: httpx.Client,  # noqa: F811
    hub: FakeHub,  # noqa: F811
    home: Path,  # noqa: F811
    files: dict[str, bytes],
    code: str,
) -> None:
    hub.add_repo("public/unsafe", files)
    source = {"hub_model": {"id": "public/unsafe", "revision": "main", "endpoint": hub.url}}
    export = exported(client, f"exp_unsafe_{hub.port}", body(hub, home, source=source, format="merged-16bit"))
    assert (export["status"], export["error"]["code"]) == ("failed", code)
    assert export["error"]["param"] == "source.hub_model"
    assert REPO not in hub.repos


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("optimizer.pt", "x"),
        ("config.json", '{"_name_or_path": "HOME/models/tiny"}'),
        ("README.md", f"token {TOKEN}"),
    ],
)
def test_files_that_must_not_leave_the_machine_are_found(tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / "home").mkdir()
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "model.safetensors").write_bytes(b"weights")
    refuse_unsafe(folder, tmp_path / "home")
    (folder / name).write_text(content.replace("HOME", str(tmp_path / "home")))
    with pytest.raises(TrainerFailure, match="export_failed"):
        refuse_unsafe(folder, tmp_path / "home")


def test_the_token_is_in_no_file_no_argument_and_no_environment(hub: FakeHub, home: Path) -> None:  # noqa: F811
    """Even if it does not look like a token, and even if the hub's message repeats it."""
    secret = "plain.secret/of+a.private-hub"
    hub.accounts = {secret: account("tester")}
    hub.fail("POST", "/commit/", status=400)
    release = hub.hold("PUT", "/lfs/")
    identity = f"exp_secret_{hub.port}"
    with running(home, EveryForm(home)) as client:  # noqa: F811
        client.put(f"/exports/{identity}", json=body(hub, home, secret=secret))
        until(lambda: hub.requests("PUT", "/lfs/"), SECONDS)
        seen = [
            Path("/proc", process, name).read_bytes()
            for process in _family(process_of(home, identity))
            for name in ("cmdline", "environ")
        ]
        assert seen and not any(secret.encode() in one for one in seen)
        release.set()
        assert ended(client, identity)["status"] == "failed"
        hub.faults.clear()
        assert exported(client, f"{identity}_again", body(hub, home, secret=secret))["status"] == "succeeded"
        assert secret not in client.get(f"/exports/{identity}").text
    for path in (path for path in home.rglob("*") if path.is_file()):
        assert secret.encode() not in path.read_bytes(), path
    assert all(secret.encode() not in content for content in hub.files(REPO).values())


def _family(pid: int) -> list[str]:
    children = Path("/proc", str(pid), "task", str(pid), "children").read_text().split()
    return [str(pid), *children]


def test_the_fake_hub_serves_a_browser_test(tmp_path: Path) -> None:
    script = Path(__file__).parents[1] / "support" / "fake_hub.py"
    process = subprocess.Popen([sys.executable, str(script), "--port", "0"], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        import json

        said = json.loads(process.stdout.readline())
        headers = {"authorization": f"Bearer {said['token']}"}
        assert httpx.get(f"{said['url']}/api/whoami-v2", headers=headers).json()["name"] == said["user"]
    finally:
        process.kill()
        process.wait()
