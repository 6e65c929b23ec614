"""A certificate states whether everything built from a checkpoint answers as the checkpoint does."""

from __future__ import annotations

import json
import os
import shutil
import signal
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, get_args

import forked
import httpx
import pytest
from amounts import amount
from artifact_home import ANSWER, PROMPTS, checkpoint_of, fresh_home, learned_home
from forked import forked_processes  # noqa: F401
from jobs import ENVIRONMENT
from service_fixtures import EveryForm, running, until

from whetstone_trainer.certificates.certify import certify
from whetstone_trainer.certificates.request import CertificateRequest, CertificateResult
from whetstone_trainer.files import read_json, write_json
from whetstone_trainer.service import processes
from whetstone_trainer.spec import CompressedQuantization, GgufQuantization

COMPRESS_PYTHON = os.environ.get("TRAINER_COMPRESS_PYTHON", "/work/envs/compress/bin/python")
# Time for fifteen forms on a busy machine.
SECONDS = 1000
MERGED = {"kind": "merged-16bit", "quantization": None}
Q8 = {"kind": "gguf", "quantization": "q8_0"}
# Each kind of type; test_gguf and test_compressed build the others. fp8 and fp8_dynamic are two names of one build.
GGUF = amount(["q4_k_m", "q8_0", "bf16"], list(get_args(GgufQuantization)))
COMPRESSED = amount(["fp8", "fp8_dynamic"], list(get_args(CompressedQuantization)))


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    trainer = str(Path(__file__).resolve().parents[2])
    settings = {**ENVIRONMENT, "PYTHONPATH": trainer, "TRAINER_COMPRESS_PYTHON": COMPRESS_PYTHON}
    for name, value in settings.items():
        monkeypatch.setenv(name, value)


def certified(home: Path, forms: list[dict[str, Any]], deployment_id: str | None = None) -> CertificateResult:
    """Creates a certificate in this process."""
    request = {
        "certificate_id": "cert",
        "checkpoint_id": checkpoint_of(home),
        "forms": forms,
        "deployment_id": deployment_id,
        "max_new_tokens": 16,
    }
    return certify(home, CertificateRequest.model_validate(request), home / "log.txt", lambda _: None)


def made(client: httpx.Client, identity: str) -> dict[str, Any]:
    """Returns the certificate once it is finished."""

    def ready() -> Any:
        reply = client.get(f"/certificates/{identity}", headers={"prefer": "wait=50"})
        assert reply.status_code == 200, reply.text
        document = reply.json()["certificate"]
        return document["status"] in ("ready", "failed") and document

    return dict(until(ready, SECONDS))


@pytest.mark.timeout(1200)
def test_every_form_of_a_checkpoint_answers_as_it_does() -> None:
    home = learned_home()
    forms = [MERGED, *({"kind": "gguf", "quantization": name} for name in GGUF)]
    if shutil.which(COMPRESS_PYTHON):
        forms += [{"kind": "compressed", "quantization": name} for name in COMPRESSED]
    body = {"checkpoint_id": checkpoint_of(home), "forms": forms, "deployment_id": None, "max_new_tokens": 16}
    with running(home, EveryForm(home)) as client:
        reply = client.put("/certificates/cert_all", json=body)
        assert (reply.status_code, reply.json()["certificate"]["verdict"]) == (202, None)
        certificate = made(client, "cert_all")
        assert client.put("/certificates/cert_all", json=body).status_code == 200
        other = client.put("/certificates/cert_all", json={**body, "max_new_tokens": 17})
        assert (other.status_code, other.json()["error"]["code"]) == (409, "idempotency_mismatch")
    assert (certificate["status"], certificate["verdict"], certificate["error"]) == ("ready", "passed", None)
    assert [{"kind": one["kind"], "quantization": one["quantization"]} for one in certificate["subjects"]] == forms
    for subject in certificate["subjects"]:
        assert subject["error"] is None and subject["verdict"] in ("same", "close")
        assert subject["prompts"] == 8 and subject["tokens_equal"] >= 5 * 4
        # Well below the threshold, so that another seed or release of llama.cpp does not fail by chance.
        assert 0 <= subject["mean_logprob_distance"] < subject["threshold"]["mean_logprob_distance"] / 3, subject
        assert subject["max_logprob_distance"] < subject["threshold"]["max_logprob_distance"] / 2, subject
    assert len(certificate["profile_sha256"]) == 64
    assert [answer["messages"][-1]["content"] for answer in certificate["answers"]][:5] == PROMPTS
    for answer in certificate["answers"][:5]:
        assert answer["reference"]["content"] == ANSWER and answer["reference"]["tokens"] > 3
        assert [one["content"].strip() for one in answer["subjects"]] == [ANSWER] * len(forms)


def test_a_merge_that_forgot_one_layer_is_different_and_so_is_what_is_made_from_it(tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    home = fresh_home(tmp_path)
    assert certified(home, [MERGED]).verdict == "passed"
    (file,) = (home / "builds").glob("*/model.safetensors")
    weights, base = load_file(file), load_file(learned_home() / "models" / "tiny-base" / "model.safetensors")
    for name, weight in weights.items():
        if "layers.1." in name and name.endswith("proj.weight"):
            weights[name] = base[name].to(weight.dtype)
    save_file(weights, file, {"format": "pt"})
    result = certified(home, [MERGED, Q8])
    assert (result.status, result.verdict) == ("ready", "failed")
    for subject in result.subjects:
        assert (subject.verdict, subject.error) == ("different", None)
        assert (subject.mean_logprob_distance or 0) > 2 * subject.threshold.mean_logprob_distance, subject


def test_a_form_with_another_chat_template_is_different(tmp_path: Path) -> None:
    home = fresh_home(tmp_path)
    certified(home, [MERGED])
    (template,) = (home / "builds").glob("*/chat_template.jinja")
    other = "{% for m in messages %}[INST] {{ m['content'] }} [/INST]{% endfor %}"
    # A build with a file of a different size would be rebuilt.
    template.write_text(other.ljust(template.stat().st_size))
    (subject,) = certified(home, [MERGED]).subjects
    assert (subject.verdict, subject.error) == ("different", None)


def test_what_cannot_be_built_is_said_of_that_form_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = fresh_home(tmp_path)
    monkeypatch.setenv("TRAINER_LLAMA_CPP", str(tmp_path))
    result = certified(home, [Q8, MERGED])
    gguf, merged = result.subjects
    assert gguf.verdict is None and gguf.error is not None and gguf.error.code == "engine_dependency_missing"
    assert (merged.verdict, result.status, result.verdict) == ("same", "ready", "failed")
    assert [one.content is None for one in result.answers[0].subjects] == [True, False]


@pytest.mark.usefixtures("forked_processes")
def test_two_certificates_of_one_checkpoint_at_once_share_the_builds(tmp_path: Path) -> None:
    home = fresh_home(tmp_path)
    with running(home, EveryForm(home)) as client:
        for identity in ("cert_a", "cert_b"):
            body = {"checkpoint_id": checkpoint_of(home), "forms": [MERGED]}
            assert client.put(f"/certificates/{identity}", json=body).status_code == 202
        # One compares while the other waits for its turn; on a busy machine the first may be done when both are asked for.
        states = [client.get(f"/certificates/{one}").json()["certificate"]["status"] for one in ("cert_a", "cert_b")]
        assert set(states) <= {"queued", "running", "ready"}
        first, second = made(client, "cert_a"), made(client, "cert_b")
    assert first["verdict"] == second["verdict"] == "passed"
    assert first["subjects"] == second["subjects"] and first["answers"] == second["answers"]
    assert len([path for path in (home / "builds").iterdir() if path.is_dir()]) == 1


def test_a_certificate_that_lost_its_process_is_started_by_asking_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = fresh_home(tmp_path)
    body = {"checkpoint_id": checkpoint_of(home), "forms": [MERGED]}
    folder = home / "certificates" / "cert_killed"
    with running(home, EveryForm(home)) as client:
        client.put("/certificates/cert_killed", json=body)
        until(lambda: (folder / "state.json").exists(), SECONDS)
        refused = client.delete(f"/checkpoints/{body['checkpoint_id']}")
        assert (refused.status_code, refused.json()["error"]["code"]) == (409, "in_use")
        os.kill(read_json(folder / "process.json")["pid"], signal.SIGKILL)
        vanished = made(client, "cert_killed")
        assert (vanished["status"], vanished["error"]["code"]) == ("failed", "worker_vanished")
        assert vanished["error"]["retryable"] and vanished["verdict"] is None
    monkeypatch.setattr(processes, "start", forked.start)
    with running(home, EveryForm(home)) as client:
        assert client.put("/certificates/cert_killed", json=body).status_code == 200
        again = made(client, "cert_killed")
        assert (again["status"], again["verdict"], again["error"]) == ("ready", "passed", None)
        # Text of Examples is deleted with its manifest; the figures reveal none of it.
        manifest = read_json(home / "jobs" / "job-1" / "spec.json")["manifest"]["sha256"]
        assert client.delete(f"/manifests/{manifest}").status_code == 200
        forgotten = made(client, "cert_killed")
        assert forgotten["answers"] == [] and forgotten["subjects"] == again["subjects"]
        assert PROMPTS[0] not in (folder / "result.json").read_text()


@pytest.mark.parametrize(
    ("changes", "status", "code"),
    [
        ({"checkpoint_id": "ckpt_nowhere"}, 404, "not_found"),
        ({"forms": []}, 422, "invalid_spec"),
        ({"forms": [MERGED, MERGED]}, 422, "invalid_spec"),
        ({"forms": [{"kind": "gguf", "quantization": "int8"}]}, 422, "invalid_spec"),
        ({"deployment_id": "../x"}, 422, "invalid_spec"),
        ({"max_new_tokens": 0}, 422, "invalid_spec"),
        ({"extra": 1}, 422, "invalid_spec"),
    ],
)
def test_a_request_that_is_none_is_refused(changes: dict[str, Any], status: int, code: str) -> None:
    home = learned_home()
    with running(home, EveryForm(home)) as client:
        body = {"checkpoint_id": checkpoint_of(home), "forms": [MERGED], **changes}
        reply = client.put("/certificates/cert_none", json=body)
        assert (reply.status_code, reply.json()["error"]["code"]) == (status, code)
        assert client.get("/certificates/cert_none").status_code == 404


class ADeployment:
    """A process of a deployment: chat completions of the merged model on loopback, with log-probabilities."""

    def __init__(self, home: Path, says: str | None = None) -> None:
        from transformers import AutoTokenizer

        from whetstone_trainer.artifacts.merge import load_model, sixteen_bit_dtype

        (folder,) = (path.parent for path in (home / "builds").glob("*/model.safetensors"))
        self.model = load_model(folder, sixteen_bit_dtype(folder))
        self.tokenizer = AutoTokenizer.from_pretrained(folder)
        self.says = says
        self.asked: list[dict[str, Any]] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_: Any) -> None:
                pass

            def do_POST(self) -> None:
                document = json.loads(self.rfile.read(int(self.headers["content-length"])))
                is_allowed = self.headers.get("authorization") == "Bearer its-own-token"
                content = json.dumps(outer.answer(document)).encode()
                lacks = outer.says is not None and document.get("logprobs")
                self.send_response(401 if not is_allowed else 400 if lacks else 200)
                self.send_header("content-length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def answer(self, document: dict[str, Any]) -> dict[str, Any]:
        from whetstone_trainer.certificates.answers import reference_answers

        self.asked.append(document)
        if self.says is not None:
            return {"choices": [{"message": {"role": "assistant", "content": self.says}, "logprobs": None}]}
        (said,) = reference_answers(self.model, self.tokenizer, [document["messages"]], document["max_tokens"])
        listed = [
            {"token": self.tokenizer.decode([token]), "logprob": logprob}
            for token, logprob in zip(said.token_ids, said.scored.logprobs, strict=True)
            if token not in said.stops
        ]
        return {"choices": [{"message": {"content": said.content}, "logprobs": {"content": listed}}]}


@pytest.fixture(scope="module")
def served_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    home = fresh_home(tmp_path_factory.mktemp("served"))
    assert certified(home, [MERGED]).verdict == "passed"
    yield home


def deployed(home: Path, deployment: ADeployment | None, status: str = "running") -> None:
    port = deployment.server.server_port if deployment else 9
    folder = home / "deployments" / "dep_1"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "token").write_text("its-own-token\n")
    request = {"checkpoint_id": checkpoint_of(home), "served_model_name": "shop-agent", "quantization": None}
    write_json(folder / "deployment.json", {"port": port, "request": request, "status": status})


def test_a_running_deployment_is_compared_over_http(served_home: Path) -> None:
    deployment = ADeployment(served_home)
    deployed(served_home, deployment)
    result = certified(served_home, [], "dep_1")
    deployment.server.shutdown()
    (subject,) = result.subjects
    assert (result.verdict, subject.verdict, subject.deployment_id) == ("passed", "same", "dep_1")
    assert subject.identical_answers == 8 and 0 < (subject.mean_logprob_distance or 0) < 0.02
    asked = deployment.asked[0]
    assert (asked["model"], asked["temperature"], asked["logprobs"]) == ("shop-agent", 0, True)


def test_a_deployment_that_says_something_else_is_different(served_home: Path) -> None:
    deployment = ADeployment(served_home, says="I am another model.")
    deployed(served_home, deployment)
    result = certified(served_home, [], "dep_1")
    deployment.server.shutdown()
    assert (result.verdict, result.subjects[0].verdict) == ("failed", "different")
    assert result.answers[0].subjects[0].content == "I am another model."


@pytest.mark.parametrize(("status", "code"), [("running", "deploy_unhealthy"), ("stopped", "invalid_spec")])
def test_a_deployment_that_does_not_answer_fails_its_comparison(served_home: Path, status: str, code: str) -> None:
    deployed(served_home, None, status)
    result = certified(served_home, [], "dep_1")
    (subject,) = result.subjects
    assert (result.status, result.verdict, subject.verdict) == ("ready", "failed", None)
    assert subject.error is not None and subject.error.code == code
