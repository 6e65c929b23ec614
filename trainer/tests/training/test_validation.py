"""A dry run reports what would be trained and any reasons not to."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from jobs import TRAINER, assistant, kto_rows, preference_rows, sft_rows, spec_document, user, write_manifest
from tiny import CHATML_WITH_TOOLS, CHATML_WITHOUT_TAGS, TEMPLATE_WITHOUT_STOP, build_tiny

from whetstone_trainer.validation.build_report import validate_document
from whetstone_trainer.validation_report import ValidationReport

pytest_plugins = ("training_fixtures",)


def report(home: Path, base: Path | None, method: str = "sft", **options: Any) -> ValidationReport:
    return validate_document(home, spec_document(home, base, method, **options))


def codes(found: ValidationReport) -> list[str]:
    return [error.code for error in found.errors]


def warned(found: ValidationReport) -> list[str]:
    return [warning.code for warning in found.warnings]


@pytest.fixture(scope="module")
def variant(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Builds the tiny model with another template, once per template."""
    built: dict[str | None, Path] = {}

    def get(template: str | None) -> Path:
        if template not in built:
            built[template] = build_tiny(tmp_path_factory.mktemp("variant") / "tiny", template)
        return built[template]

    return get


def test_rendered_segments_are_the_exact_string_with_the_answer_trained(home: Path, tiny_model: Path) -> None:
    found = report(home, tiny_model, rows=[{"messages": [user("weather"), assistant("sunny")]}])
    (example,) = found.rendered_examples
    assert [(part.text, part.trained) for part in example.segments] == [
        ("<|im_start|>user\nweather<|im_end|>\n<|im_start|>assistant\n", False),
        ("sunny<|im_end|>\n", True),
    ]


@pytest.mark.parametrize(
    ("train_on", "trained"),
    [
        ("all_assistant", "one<|im_end|>\ntwo<|im_end|>\n"),
        ("last_assistant", "two<|im_end|>\n"),
        (
            "all",
            "<|im_start|>user\na<|im_end|>\n<|im_start|>assistant\none<|im_end|>\n"
            "<|im_start|>user\nb<|im_end|>\n<|im_start|>assistant\ntwo<|im_end|>\n",
        ),
    ],
)
@pytest.mark.parametrize("tags", [True, False])
def test_train_on_chooses_the_same_turns_with_and_without_generation_tags(
    train_on: str, trained: str, tags: bool, home: Path, tiny_model: Path, variant: Any
) -> None:
    rows = [{"messages": [user("a"), assistant("one"), user("b"), assistant("two")]}]
    base = tiny_model if tags else variant(CHATML_WITHOUT_TAGS)
    found = report(home, base, rows=rows, training={"train_on": train_on})
    assert "".join(part.text for part in found.rendered_examples[0].segments if part.trained) == trained


@pytest.mark.parametrize(
    ("train_on", "weights", "expected"),
    [
        ("last_assistant", (None, None, None), {}),
        ("last_assistant", (1, None, None), {"one": 1.0}),
        ("last_assistant", (0.25, 0, 0.5), {"one": 0.25, "three": 0.5}),
        ("last_assistant", (1, 1, 0), {"one": 1.0, "two": 1.0, "three": 0.0}),
        ("all_assistant", (0, None, None), {"two": 1.0}),
        ("all_assistant", (None, 0.5, 0), {"one": 1.0, "two": 0.5, "three": 0.0}),
        ("all", (0, None, 0.5), {"a": 1.0, "b": 1.0, "c": 1.0, "two": 1.0, "three": 0.5}),
    ],
)
@pytest.mark.parametrize("tags", [True, False])
def test_a_message_s_own_weight_comes_before_what_the_setting_says(
    train_on: str,
    weights: tuple[Any, ...],
    expected: dict[str, float],
    tags: bool,
    home: Path,
    tiny_model: Path,
    variant: Any,
) -> None:
    answers = [
        {**assistant(text), **({} if weight is None else {"weight": weight})}
        for text, weight in zip(("one", "two", "three"), weights, strict=True)
    ]
    messages = [message for pair in zip(map(user, "abc"), answers, strict=True) for message in pair]
    base = tiny_model if tags else variant(CHATML_WITHOUT_TAGS)
    found = report(home, base, rows=[{"messages": messages}], training={"train_on": train_on}).rendered_examples[0]
    texts = ["a", "one", "b", "two", "c", "three"]
    wanted = {text: float(text == "three") for text in texts} | expected
    for text in texts:
        turn = f"{text}<|im_end|>"
        (segment,) = [part for part in found.segments if turn in part.text]
        assert segment.weight == wanted[text], text
    if train_on != "all":
        assert [(turn.role, turn.weight) for turn in found.turns] == [
            (role, None if role == "user" else wanted[text])
            for text, role in zip(texts, ["user", "assistant"] * 3, strict=True)
        ]


def test_a_row_whose_answers_all_have_the_weight_0_is_dropped(home: Path, tiny_model: Path) -> None:
    rows = [*sft_rows(4), {"messages": [user("x"), {**assistant("y"), "weight": 0}]}]
    assert [(row.example_id, row.code) for row in report(home, tiny_model, rows=rows).dropped] == [
        ("ex_4", "empty_answer")
    ]


def test_a_weight_that_is_no_share_is_refused(home: Path, tiny_model: Path) -> None:
    for weight in (2, -1, "1", True):
        rows = [*sft_rows(4), {"messages": [user("x"), {**assistant("y"), "weight": weight}]}]
        assert [row.code for row in report(home, tiny_model, rows=rows).dropped] == ["bad_row"]


@pytest.mark.parametrize(
    ("method", "training"),
    [("sft", {"packing": True}), ("sft", {"loss_type": "dft"}), ("dpo", {"loss_type": "sft"})],
)
def test_weights_between_0_and_1_are_refused_where_they_would_change_nothing(
    method: str, training: dict[str, Any], home: Path, tiny_model: Path
) -> None:
    rows: list[dict[str, Any]] = sft_rows(8) if method == "sft" else preference_rows(8)
    assert codes(report(home, tiny_model, method, rows=rows, training=training)) == []
    if method == "sft":
        rows[0]["messages"][-1]["weight"] = 0.5
    else:
        rows[0]["weight"] = 0.5
    assert codes(report(home, tiny_model, method, rows=rows, training=training)) == ["unsupported_combination"]


def test_tools_and_arguments_are_rendered_in_the_order_and_with_the_digits_of_their_text(
    home: Path, variant: Any
) -> None:
    tools = '[{"type":"function","function":{"name":"hello","parameters":{"z":1.0,"a":1e3,"10":true,"2":null}}}]'
    call = {"type": "function", "function": {"name": "hello", "arguments": '{"reason": "x", "action": 1.0, "a": 2}'}}
    template = "{{ tools | tojson }}" + CHATML_WITH_TOOLS
    row = {"messages": [user("x"), {"role": "assistant", "content": None, "tool_calls": [call]}], "tools": tools}
    (example,) = report(home, variant(template), rows=[row]).rendered_examples
    text = "".join(part.text for part in example.segments)
    assert json.dumps(json.loads(tools)) in text
    assert '"parameters": {"z": 1.0, "a": 1000.0, "10": true, "2": null}' in text
    assert 'hello{"reason": "x", "action": 1.0, "a": 2}<|im_end|>' in text


def test_rows_that_differ_only_in_the_order_of_keys_are_one_row_repeated(home: Path, variant: Any) -> None:
    def row(tools: str, arguments: str) -> dict[str, Any]:
        call = {"type": "function", "function": {"name": "hello", "arguments": arguments}}
        return {"messages": [user("x"), {"role": "assistant", "content": "", "tool_calls": [call]}], "tools": tools}

    rows = [
        row('[{"type":"function","function":{"name":"hello","parameters":{}}}]', '{"a": 1, "b": 1.0}'),
        row('[{"function":{"parameters":{},"name":"hello"},"type":"function"}]', '{"b": 1, "a": 1}'),
    ]
    assert report(home, variant(CHATML_WITH_TOOLS), rows=rows).rows.duplicate == 1


def test_worst_median_and_shortest_examples_are_shown(home: Path, tiny_model: Path) -> None:
    rows = [{"messages": [user("weather " * n), assistant("sunny")]} for n in (5, 1, 9)]
    found = report(home, tiny_model, rows=rows)
    shown = [(example.reason, example.example_id) for example in found.rendered_examples]
    assert shown == [("worst", "ex_2"), ("median", "ex_0"), ("shortest", "ex_1")]


def test_text_beyond_max_length_is_marked_as_cut(home: Path, tiny_model: Path) -> None:
    rows = [{"messages": [user("weather"), assistant("sunny " * 30)]}]
    found = report(home, tiny_model, rows=rows, training={"max_length": 20, "overflow": "truncate"})
    assert found.rendered_examples[0].segments[-1].cut
    assert found.truncation is not None
    assert found.truncation.rows == 1
    assert found.truncation.tokens_lost == found.rendered_examples[0].cut_tokens
    assert "rows_truncated" in warned(found)


def test_dropped_rows_are_listed_by_example_with_their_code(home: Path, tiny_model: Path) -> None:
    rows = [
        *sft_rows(6),
        {"messages": [user("x"), assistant("")]},
        {"messages": [user("x"), {"role": "narrator", "content": "x"}]},
        {"messages": [user("weather " * 200), assistant("sunny")]},
        {"messages": [user("x"), assistant("y"), {"role": "tool", "content": "z"}]},
    ]
    found = report(home, tiny_model, rows=rows, training={"max_length": 64}, limits={"max_dropped_fraction": 0.5})
    assert {row.example_id: row.code for row in found.dropped} == {
        "ex_6": "empty_answer",
        "ex_7": "bad_roles",
        "ex_8": "example_too_long",
        "ex_9": "tools_unsupported",
    }
    assert found.ok
    assert (found.rows.usable, found.rows.too_long, found.rows.empty_answer, found.rows.bad) == (6, 1, 1, 2)


def test_tool_calls_are_accepted_where_the_template_renders_them(home: Path, variant: Any) -> None:
    call = {"type": "function", "function": {"name": "hello", "arguments": '{"world": 1}'}}
    rows = [
        {
            "messages": [user("x"), {"role": "assistant", "content": None, "tool_calls": [call]}],
            "tools": [{"type": "function", "function": {"name": "hello", "parameters": {}}}],
        }
    ]
    found = report(home, variant(CHATML_WITH_TOOLS), rows=rows)
    assert found.ok
    assert 'hello{"world": 1}<|im_end|>' in "".join(p.text for p in found.rendered_examples[0].segments if p.trained)


def test_more_dropped_rows_than_allowed_is_an_error(home: Path, tiny_model: Path) -> None:
    rows = [*sft_rows(2), *[{"messages": [user("x"), assistant(" ")]}] * 2]
    assert codes(report(home, tiny_model, rows=rows)) == ["too_many_rows_dropped"]


def test_a_manifest_without_examples_is_an_error(home: Path, tiny_model: Path) -> None:
    assert codes(report(home, tiny_model, rows=[])) == ["dataset_empty"]


def test_rows_that_are_all_too_long_are_incompatible(home: Path, tiny_model: Path) -> None:
    rows = [{"messages": [user("weather " * 100), assistant("sunny")]}]
    for overflow in ("drop", "truncate"):
        found = report(home, tiny_model, rows=rows, training={"max_length": 16, "overflow": overflow})
        assert codes(found) == ["dataset_incompatible"]
        assert found.dropped[0].code == "example_too_long"


def test_overflow_error_refuses_any_row_that_is_too_long(home: Path, tiny_model: Path) -> None:
    rows = [*sft_rows(20), {"messages": [user("weather " * 100), assistant("sunny")]}]
    found = report(home, tiny_model, rows=rows, training={"max_length": 64, "overflow": "error"})
    assert codes(found) == ["dataset_incompatible"]
    assert found.errors[0].param == "training.max_length"


def test_identical_pairs_are_dropped(home: Path, tiny_model: Path) -> None:
    same = {"prompt": [user("x")], "chosen": [assistant("y")], "rejected": [assistant("y")]}
    found = report(home, tiny_model, "dpo", rows=[*preference_rows(4), same])
    assert [row.code for row in found.dropped] == ["identical_pair"]
    assert found.rows.identical_pair == 1


def test_both_answers_of_a_pair_are_shown(home: Path, tiny_model: Path) -> None:
    found = report(home, tiny_model, "dpo", rows=preference_rows(1))
    assert [example.part for example in found.rendered_examples] == ["chosen", "rejected"]


def test_kto_without_bad_answers_is_an_error(home: Path, tiny_model: Path) -> None:
    rows = [row for row in kto_rows(8) if row["label"]]
    assert codes(report(home, tiny_model, "kto", rows=rows)) == ["kto_labels_missing"]


def test_kto_labels_are_counted_and_imbalance_is_weighed(home: Path, tiny_model: Path) -> None:
    rows = [{**row, "label": i < 2} for i, row in enumerate(kto_rows(12))]
    found = report(home, tiny_model, "kto", rows=rows)
    assert found.rows.label_counts == {"true": 2, "false": 10}
    assert "kto_labels_unbalanced" in warned(found)
    assert found.resolved_spec is not None
    assert found.resolved_spec["training"]["desirable_weight"] == 5.0


def test_kto_with_batches_of_one_is_refused(home: Path, tiny_model: Path) -> None:
    found = report(home, tiny_model, "kto", training={"per_device_train_batch_size": 1})
    assert codes(found) == ["batch_too_small"]


def test_a_model_without_a_chat_template_is_refused(home: Path, variant: Any) -> None:
    found = report(home, variant(None))
    assert codes(found) == ["template_missing"]
    assert found.template is not None
    assert not found.template.has_template


def test_a_template_that_never_ends_an_answer_is_refused_before_training(home: Path, variant: Any) -> None:
    found = report(home, variant(TEMPLATE_WITHOUT_STOP))
    assert "stop_token_not_trained" in codes(found)
    assert found.template is not None
    assert not found.template.stop_token_trained


def test_leaked_and_repeated_examples_are_counted(home: Path, tiny_model: Path) -> None:
    rows = [{"messages": [user(f"q {i % 4}"), assistant("sunny")]} for i in range(5)]
    found = report(home, tiny_model, rows=rows, validation=[rows[0], {"messages": [user("z"), assistant("y")]}])
    assert (found.rows.duplicate, found.rows.leaked) == (1, 1)
    assert {w.code: w.example_ids for w in found.warnings if w.code != "no_validation_set"} == {
        "duplicate_examples": ["ex_4"],
        "validation_leakage": ["val_0"],
    }


def test_a_row_that_ends_with_the_user_is_pointed_out(home: Path, tiny_model: Path) -> None:
    rows = [{"messages": [user("x"), assistant("y"), user("z")]}]
    found = report(home, tiny_model, rows=rows)
    assert found.ok
    assert "ends_with_user" in warned(found)


def test_an_erased_example_is_left_out_and_reported(home: Path, tiny_model: Path) -> None:
    found = report(home, tiny_model, rows=[*sft_rows(4), {"erased": True}])
    assert found.ok
    assert (found.rows.total, found.rows.usable, found.rows.erased) == (5, 4, 1)
    assert [w.example_ids for w in found.warnings if w.code == "example_erased"] == [["ex_4"]]


def test_a_manifest_with_other_bytes_is_refused(home: Path, tiny_model: Path) -> None:
    spec = spec_document(home, tiny_model)
    path = home / "manifests" / f"{spec['manifest']['sha256']}.jsonl"
    path.write_text(path.read_text() + '{"example_id": "x"}\n')
    assert codes(validate_document(home, spec)) == ["manifest_hash_mismatch"]


def test_an_unknown_manifest_is_refused(home: Path, tiny_model: Path) -> None:
    spec = spec_document(home, tiny_model)
    spec["manifest"]["sha256"] = "0" * 64
    assert codes(validate_document(home, spec)) == ["manifest_not_found"]


def test_an_unknown_field_names_itself(home: Path, tiny_model: Path) -> None:
    found = validate_document(home, {**spec_document(home, tiny_model), "epochs": 3})
    assert [(error.code, error.param) for error in found.errors] == [("invalid_spec", "epochs")]


def test_memory_beyond_the_device_is_refused_with_its_breakdown(home: Path, tiny_model: Path) -> None:
    from whetstone_trainer.spec import JobSpec
    from whetstone_trainer.training.resolve_spec import Machine
    from whetstone_trainer.validation import validate

    spec = JobSpec.model_validate(spec_document(home, tiny_model))
    found = validate(home, spec, machine=Machine("cuda", "Small GPU", 1_000_000_000, True))
    assert codes(found) == ["estimated_oom"]
    assert found.memory is not None
    assert found.memory.fits == "no"
    assert found.memory.estimate_bytes == sum(found.memory.breakdown.model_dump().values())


def test_the_command_writes_a_report_and_prints_nothing(home: Path, tiny_model: Path, tmp_path: Path) -> None:
    spec, out = tmp_path / "spec.json", tmp_path / "report.json"
    spec.write_text(json.dumps(spec_document(home, tiny_model)))
    command = [sys.executable, "-m", "whetstone_trainer.validation", "--home", str(home)]
    done = subprocess.run(
        [*command, "--spec", str(spec), "--out", str(out)], cwd=TRAINER, capture_output=True, text=True, check=True
    )
    assert done.stdout == ""
    assert ValidationReport.model_validate_json(out.read_text()).ok


def test_validation_shows_the_tokens_that_training_uses(home: Path, tiny_model: Path) -> None:
    from whetstone_trainer.spec import JobSpec
    from whetstone_trainer.training.base_model import resolve_base
    from whetstone_trainer.training.machine import this_machine
    from whetstone_trainer.training.preparation import fit, prepare
    from whetstone_trainer.training.token_datasets import token_dataset

    document = spec_document(home, tiny_model, rows=[{"messages": [user("hello"), assistant("sunny world")]}])
    spec = JobSpec.model_validate(document)
    prepared = prepare(home, spec, resolve_base(home, spec.base_model, weights=False), this_machine(), None)
    (row,) = token_dataset(prepared.resolved, fit(prepared.train, prepared.resolved).rows, 1)
    trained = [token for token, label in zip(row["input_ids"], row["labels"], strict=True) if label != -100]
    shown = validate_document(home, document).rendered_examples[0].segments
    tokenizer = prepared.renderer.tokenizer
    assert tokenizer.decode(trained) == "".join(part.text for part in shown if part.trained)
    assert tokenizer.decode(row["input_ids"]) == "".join(part.text for part in shown)


def test_manifest_rows_of_a_fraction_are_held_out_the_same_way_every_time(home: Path, tiny_model: Path) -> None:
    from whetstone_trainer.manifest import read_splits
    from whetstone_trainer.spec import JobSpec

    document = spec_document(home, tiny_model, rows=sft_rows(20))
    document["manifest"]["sha256"] = write_manifest(home, sft_rows(20))
    document["manifest"]["validation"] = {"fraction": 0.2, "seed": 7}
    spec = JobSpec.model_validate(document)
    first, second = read_splits(home, spec), read_splits(home, spec)
    assert [r["example_id"] for r in first.validation] == [r["example_id"] for r in second.validation]
    assert (len(first.train), len(first.validation)) == (16, 4)
