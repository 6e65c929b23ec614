"""Every "auto" of a spec becomes a number that works."""

from __future__ import annotations

from typing import Any

import pytest

from whetstone_trainer.spec import JobSpec
from whetstone_trainer.trainer_error import TrainerFailure
from whetstone_trainer.training.memory import ModelSize
from whetstone_trainer.training.resolve_spec import DataFacts, Machine, default_max_length, resolve_spec, steps_total

SEVEN_BILLION = ModelSize(7_600_000_000, 1_100_000_000, 4_000_000, 3584, 28, 18_944, 152_064)
CPU = Machine("cpu", "CPU", 64_000_000_000, False)
A100 = Machine("cuda", "A100", 80_000_000_000, True)


def spec(method: str = "sft", adapter: str = "lora", **parts: Any) -> JobSpec:
    manifest = {"sha256": "0" * 64, "rows": 100}
    base = {"id": "org/model", "source": "hub"}
    return JobSpec.model_validate(
        {"method": method, "adapter": adapter, "base_model": base, "manifest": manifest, **parts}
    )


def resolve(wanted: JobSpec, machine: Machine = A100, rows: int = 1000, p99: int = 900) -> JobSpec:
    return resolve_spec(wanted, 32_768, SEVEN_BILLION, DataFacts(rows, 50, p99, p99, rows // 2, rows // 2), machine)


@pytest.mark.parametrize(
    ("method", "adapter", "rate"),
    [
        ("sft", "lora", 2e-4),
        ("sft", "qlora", 2e-4),
        ("sft", "full", 2e-5),
        ("dpo", "lora", 5e-6),
        ("dpo", "full", 5e-7),
        ("orpo", "lora", 8e-6),
        ("orpo", "full", 1e-6),
        ("kto", "lora", 5e-6),
        ("kto", "full", 1e-6),
    ],
)
def test_learning_rate_follows_method_and_adapter(method: str, adapter: str, rate: float) -> None:
    assert resolve(spec(method, adapter)).training.learning_rate == rate


def test_nothing_stays_auto() -> None:
    for method in ("sft", "dpo", "orpo", "kto"):
        assert '"auto"' not in resolve(spec(method)).model_dump_json()


@pytest.mark.parametrize(
    ("p99", "limit", "expected"), [(10, 4096, 512), (900, 4096, 960), (900, 700, 700), (9, 256, 256)]
)
def test_max_length_fits_the_data_and_never_exceeds_the_model(p99: int, limit: int, expected: int) -> None:
    assert default_max_length(p99, limit) == expected


def test_a_cpu_neither_uses_bf16_nor_recomputes_activations() -> None:
    small = ModelSize(2_700_000, 80_000, 8_000, 256, 2, 512, 309)
    resolved = resolve_spec(spec(training={"bf16": True}), 512, small, DataFacts(24, 4, 22, 22), CPU)
    assert resolved.training.bf16 is False
    assert resolved.training.gradient_checkpointing is False


def test_the_effective_batch_is_16_and_shrinks_for_small_sets() -> None:
    for rows, expected in ((1000, 16), (24, 2), (3, 1)):
        training = resolve(spec(), rows=rows).training
        assert int(training.per_device_train_batch_size) * int(training.gradient_accumulation_steps) == expected


def test_less_memory_means_smaller_batches_and_more_accumulation() -> None:
    small = Machine("cuda", "24 GB", 24_000_000_000, True)
    training = resolve(spec("dpo"), small).training
    assert int(training.per_device_train_batch_size) < int(resolve(spec("dpo")).training.per_device_train_batch_size)
    assert int(training.per_device_train_batch_size) * int(training.gradient_accumulation_steps) == 16


def test_kto_never_gets_batches_of_one() -> None:
    tiny_gpu = Machine("cuda", "4 GB", 4_000_000_000, True)
    assert int(resolve(spec("kto"), tiny_gpu).training.per_device_train_batch_size) == 2


@pytest.mark.parametrize(
    ("evaluation", "saving", "expected"),
    [("auto", "auto", (19, 19)), (10, "auto", (10, 10)), (10, 25, (10, 30)), ("auto", 40, (40, 40)), (10, 3, (10, 10))],
)
def test_saves_happen_at_evaluations(evaluation: Any, saving: Any, expected: tuple[int, int]) -> None:
    resolved = resolve(spec(evaluation={"eval_steps": evaluation}, checkpointing={"save_steps": saving}))
    assert (resolved.evaluation.eval_steps, resolved.checkpointing.save_steps) == expected


def test_steps_are_counted_as_transformers_counts_them() -> None:
    training = {"num_train_epochs": 2, "per_device_train_batch_size": 4, "gradient_accumulation_steps": 4}
    assert steps_total(spec(training=training), rows=30) == 4


def test_an_unknown_loss_type_names_the_known_ones() -> None:
    with pytest.raises(TrainerFailure) as caught:
        resolve(spec("dpo", training={"loss_type": "kto"}))
    assert caught.value.error.code == "invalid_spec"
    assert "sigmoid" in str(caught.value.error.hint)
