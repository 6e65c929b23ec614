"""Creates one certificate: the checkpoint answers once, and everything built from it is compared with that."""

from __future__ import annotations

import hashlib
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..artifacts.child import tail
from ..artifacts.prompts import comparison_prompts
from ..artifacts.request import QUANTIZATIONS
from ..artifacts.source import read_checkpoint
from ..redaction import redact
from ..spec import canonical_json
from ..trainer_error import TrainerError, TrainerFailure
from .request import (
    PROMPTS,
    Answer,
    CertificateRequest,
    CertificateResult,
    Form,
    Spoken,
    Subject,
    SubjectAnswer,
)

if TYPE_CHECKING:
    from .forms import Forms

OnSubject = Callable[[list[Subject]], None]


def certify(home: Path, request: CertificateRequest, log: Path, on_subject: OnSubject) -> CertificateResult:
    """Returns the certificate; a failure in one subject is that subject's error. `on_subject` gets all so far."""
    try:
        return _Certificate(home, request, log, on_subject).make()
    except Exception as error:
        return CertificateResult(status="failed", error=_error_of(error))


class _Certificate:
    def __init__(self, home: Path, request: CertificateRequest, log: Path, on_subject: OnSubject) -> None:
        self._home = home
        self._request = request
        self._log = log
        self._on_subject = on_subject
        self._subjects: list[Subject] = []
        self._contents: list[list[str] | None] = []

    def make(self) -> CertificateResult:
        from ..artifacts.merge import load_checkpoint_model, load_tokenizer
        from .answers import on_best_device, reference_answers
        from .forms import Forms

        checkpoint = read_checkpoint(self._home, None, self._request.checkpoint_id)
        checkpoint.verify()
        tokenizer = load_tokenizer(checkpoint)
        model = on_best_device(load_checkpoint_model(checkpoint))
        prompts = comparison_prompts(checkpoint.rows(), PROMPTS)
        references = reference_answers(model, tokenizer, prompts, self._request.max_new_tokens)
        # One model in memory at a time.
        del model
        forms = Forms(checkpoint, references, self._request.max_new_tokens, self._log)
        for form in self._request.forms:
            self._compare(form, forms, references)
        if self._request.deployment_id is not None:
            self._compare_deployment(self._request.deployment_id, forms, tokenizer, references)
        return CertificateResult(
            status="ready",
            verdict="passed" if all(one.verdict in ("same", "close") for one in self._subjects) else "failed",
            profile_sha256=hashlib.sha256(canonical_json(checkpoint.profile)).hexdigest(),
            manifest_sha256=(checkpoint.spec.get("manifest") or {}).get("sha256"),
            subjects=self._subjects,
            answers=[
                Answer(
                    messages=reference.messages,
                    reference=Spoken(content=reference.content, tokens=len(reference.token_ids)),
                    subjects=[
                        SubjectAnswer(
                            kind=subject.kind,
                            quantization=subject.quantization,
                            deployment_id=subject.deployment_id,
                            content=None if contents is None else contents[index],
                        )
                        for subject, contents in zip(self._subjects, self._contents, strict=True)
                    ],
                )
                for index, reference in enumerate(references)
            ],
        )

    def _compare(self, form: Form, forms: Forms, references: list[Any]) -> None:
        from .judge import judge, threshold_of

        try:
            said = forms.answers(form)
            subject = judge(form.kind, form.quantization, [one.scored for one in references], said)
            self._add(subject, [one.content for one in said])
        except Exception as error:
            threshold = threshold_of(form.kind, form.quantization)
            failed = Subject(
                kind=form.kind, quantization=form.quantization, threshold=threshold, error=_error_of(error)
            )
            self._add(failed, None)

    def _compare_deployment(self, deployment_id: str, forms: Forms, tokenizer: Any, references: list[Any]) -> None:
        from .deployment import answers_of_deployment, find_deployment
        from .judge import judge, threshold_of

        quantization = None
        try:
            deployed = find_deployment(self._home, deployment_id, self._request.checkpoint_id)
            quantization = deployed.quantization
            expected, said = answers_of_deployment(deployed, tokenizer, references, self._request.max_new_tokens)
            subject = judge("deployment", quantization, expected, said, deployment_id)
            if subject.mean_logprob_distance is None and quantization is not None:
                subject = self._judged_by_its_form(subject, quantization, forms, references, said)
            self._add(subject, [one.content for one in said])
        except Exception as error:
            failed = Subject(
                kind="deployment",
                quantization=quantization,
                deployment_id=deployment_id,
                threshold=threshold_of("deployment", quantization),
                error=_error_of(error),
            )
            self._add(failed, None)

    def _judged_by_its_form(
        self, subject: Subject, quantization: str, forms: Forms, references: list[Any], said: list[Any]
    ) -> Subject:
        """Judges a quantized deployment without log-probabilities by the form it serves, which has them."""
        from .judge import judge, of_its_form

        form = Form(kind="gguf" if quantization in QUANTIZATIONS["gguf"] else "compressed", quantization=quantization)
        theirs = forms.answers(form)
        of_form = judge(form.kind, form.quantization, [one.scored for one in references], theirs)
        return of_its_form(subject, of_form, theirs, said)

    def _add(self, subject: Subject, contents: list[str] | None) -> None:
        self._subjects.append(subject)
        self._contents.append(contents)
        self._on_subject(self._subjects)


def _error_of(error: Exception) -> TrainerError:
    if isinstance(error, TrainerFailure):
        return error.error
    if isinstance(error, MemoryError):
        return TrainerError.of("out_of_memory_host", "not enough memory to compare answers")
    trace = tail(redact("".join(traceback.format_exception(error))))
    message = redact(f"the comparison failed: {type(error).__name__}: {error}")
    return TrainerError.of("worker_crashed", message, log_tail=trace)
