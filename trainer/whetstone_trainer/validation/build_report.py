"""Builds the ValidationReport of a spec."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ..spec import JobSpec
from ..trainer_error import TrainerError, TrainerFailure
from ..training.base_model import resolve_base
from ..training.examples import Reader
from ..training.machine import this_machine
from ..training.preparation import Prepared, fit, prepare
from ..training.resolve_spec import Machine
from ..validation_report import RenderedExample, TemplateFacts, Truncation, ValidationReport
from .estimates import job_disk, job_eta, job_memory, job_steps
from .findings import errors, warnings
from .rendered_examples import choose, render
from .row_facts import all_dropped, row_counts, token_counts

LISTED_ROWS = 200
# pydantic adds to a field's path which of its types refused the value.
TYPE_NAME = re.compile(r"(?:float|int|bool|str|constrained-\w+)$|(?:literal|list|nullable)\[|[A-Z]")


def validate_document(home: Path, document: Any, *, token: str | None = None) -> ValidationReport:
    """Returns the report of a spec as it was sent; a malformed one is an error with the field's name."""
    try:
        spec = JobSpec.model_validate(document)
    except ValidationError as invalid:
        # A value that is neither "auto" nor a valid number is reported once for each.
        found = {error.param: error for error in map(spec_error, reversed(invalid.errors()))}
        return ValidationReport(ok=False, errors=list(reversed(found.values())))
    return validate(home, spec, token=token)


def spec_error(problem: Any) -> TrainerError:
    """Returns pydantic's error as an error that names the field."""
    param = ".".join(str(part) for part in problem["loc"] if not TYPE_NAME.match(str(part)))
    return TrainerError.of("invalid_spec", f"{param}: {problem['msg']}", param=param)


def validate(
    home: Path, spec: JobSpec, *, token: str | None = None, machine: Machine | None = None
) -> ValidationReport:
    """Returns everything that can be known without weights. Raises nothing that a user can cause."""
    machine = machine or this_machine()
    try:
        base = resolve_base(home, spec.base_model, weights=False, token=token)
        prepared = prepare(home, spec, base, machine, None)
        return _report(home, prepared, machine)
    except TrainerFailure as failure:
        template = TemplateFacts(has_template=False) if failure.error.code == "template_missing" else None
        error = failure.error.model_copy(update={"phase": "validating"})
        return ValidationReport(ok=False, errors=[error], template=template)


def template_facts(prepared: Prepared) -> TemplateFacts:
    renderer = prepared.renderer
    stops = renderer.stop_token_id() is not None
    return TemplateFacts(
        has_template=True,
        training_compatible=renderer.has_generation_tags or stops,
        stop_token_trained=stops,
        prefix_preserving=renderer.preserves_prefixes(),
        sha256=renderer.template_sha256(),
        source=renderer.source,
        supports_tools=renderer.supports_tools(),
    )


def _report(home: Path, prepared: Prepared, machine: Machine) -> ValidationReport:
    train, validation = fit(prepared.train, prepared.resolved), fit(prepared.validation, prepared.resolved)
    max_length = int(prepared.resolved.training.max_length)
    tokens = token_counts(prepared.train.rows)
    memory = job_memory(prepared, machine, tokens.max)
    disk = job_disk(home, prepared.resolved, prepared.size)
    template = template_facts(prepared)
    counts = row_counts(prepared, train, validation)
    found = errors(prepared, train, memory, disk)
    steps = job_steps(prepared, train, machine)
    return ValidationReport(
        ok=not found,
        errors=[error.model_copy(update={"phase": "validating"}) for error in found],
        warnings=warnings(prepared, train, validation, counts, template, memory, disk),
        rows=counts,
        dropped=all_dropped(prepared, train, validation)[:LISTED_ROWS],
        tokens=tokens,
        truncation=Truncation(max_length=max_length, rows=len(train.cut_rows), tokens_lost=train.tokens_lost),
        template=template,
        rendered_examples=_rendered(prepared, max_length),
        memory=memory,
        steps_total=steps,
        eta_seconds=job_eta(prepared, train, steps, machine),
        disk_needed_bytes=disk[0],
        disk_free_bytes=disk[1],
        resolved_spec=prepared.resolved.document(),
    )


def _rendered(prepared: Prepared, max_length: int) -> list[RenderedExample]:
    if not prepared.train.rows:
        return []
    reader = Reader(prepared.renderer, prepared.spec.method, prepared.spec.training.train_on)
    sources = {str(row["example_id"]): row for row in prepared.train.source}
    return [
        example
        for row, reason in choose(prepared.train.rows)
        for example in render(reader, sources[row.example_id], row, reason, max_length)
    ]
