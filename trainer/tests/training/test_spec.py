"""A spec is accepted whole or refused with the field's name, and its hash does not depend on who wrote it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

import pytest
from pydantic import ValidationError

from whetstone_trainer.spec import ERROR_CODES, JobSpec, LossType, TrainerError, spec_hash

SPEC: dict[str, Any] = {
    "method": "sft",
    "adapter": "lora",
    "base_model": {"id": "org/model"},
    "manifest": {"sha256": "0" * 64, "rows": 3, "schema": "chat.v1"},
    "training": {"num_train_epochs": 3},
}


def changed(**parts: Any) -> dict[str, Any]:
    return {**SPEC, **parts}


def test_order_and_spelling_of_numbers_do_not_change_the_hash() -> None:
    reordered = dict(reversed(list(changed(training={"num_train_epochs": 3.0}).items())))
    assert spec_hash(reordered) == spec_hash(SPEC) == spec_hash(JobSpec.model_validate(SPEC))


def test_any_other_value_changes_the_hash() -> None:
    assert spec_hash(changed(adapter="full")) != spec_hash(SPEC)


@pytest.mark.parametrize(
    "parts",
    [
        {"unknown": 1},
        {"training": {"num_epochs": 3}},
        {"training": {"learning_rate": -1}},
        {"training": {"learning_rate": float("nan")}},
        {"method": "ppo"},
        {"spec_version": 3},
        {"output": {"suffix": "../etc"}},
        {"output": {"suffix": "a/b"}},
        {"output": {"suffix": "a..b"}},
        {"base_model": {"id": "x", "source": "checkpoint"}},
        {"base_model": {"id": "x", "checkpoint_id": "ckpt_1"}},
        {"base_model": {"id": "x", "source": "checkpoint", "checkpoint_id": "../../ckpt"}},
        {"manifest": {"sha256": "../x", "rows": 1}},
        {"checkpointing": {"save_total_limit": 0}},
    ],
)
def test_what_makes_no_sense_is_refused(parts: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        JobSpec.model_validate(changed(**parts))


def test_the_web_app_has_the_schema_of_these_models() -> None:
    from whetstone_trainer.spec_schema import spec_text

    # Renewed by: python -m whetstone_trainer.spec_schema > (this file)
    known = Path(__file__).parents[3] / "server/services/training/settings/trainer-spec.generated.json"
    assert known.read_text() == spec_text()


def test_every_loss_type_is_one_of_a_method() -> None:
    from whetstone_trainer.training.resolve_spec import LOSS_TYPES

    assert {name for names in LOSS_TYPES.values() for name in names} == set(get_args(LossType))


def test_every_error_code_says_whose_turn_it_is() -> None:
    for code in ERROR_CODES:
        assert TrainerError.of(code, "x").blame in ("user", "platform", "hardware", "dependency")


def test_a_document_reads_back_as_the_same_spec() -> None:
    spec = JobSpec.model_validate(SPEC)
    assert JobSpec.model_validate(spec.document()) == spec
