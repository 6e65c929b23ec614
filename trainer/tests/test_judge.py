"""When two models answer the same, when they are close, and when one is a different model."""

from __future__ import annotations

from typing import get_args

import pytest

from whetstone_trainer.certificates.judge import (
    LOSSLESS,
    MEAN,
    NEAR_TIE,
    Reference,
    Said,
    judge,
    of_its_form,
    threshold_of,
)
from whetstone_trainer.certificates.request import Subject, SubjectKind
from whetstone_trainer.spec import CompressedQuantization, GgufQuantization

REFERENCE = Reference(
    tokens=[1, 2, 3],
    logprobs=[-0.1, -0.2, -0.7],
    alternatives=[{1: -0.1, 9: -3.0}, {2: -0.2, 9: -2.0}, {3: -0.7, 4: -0.7 - NEAR_TIE / 2, 9: -4.0}],
)


def verdict(kind: SubjectKind, quantization: str | None, tokens: list[int], logprobs: list[float]) -> str | None:
    return judge(kind, quantization, [REFERENCE], [Said("", tokens, logprobs)]).verdict


def test_every_form_has_a_threshold_and_smaller_types_a_wider_one() -> None:
    assert {quantization for kind, quantization in MEAN if kind == "gguf"} == set(get_args(GgufQuantization))
    assert {quantization for kind, quantization in MEAN if kind == "compressed"} == set(
        get_args(CompressedQuantization)
    )
    means = [MEAN["gguf", name] for name in ("f16", "q6_k", "q5_k_m", "q4_k_m", "q4_k_s", "q4_0")]
    assert means == sorted(set(means))
    assert threshold_of("deployment", "q4_k_m") == threshold_of("gguf", "q4_k_m")
    assert threshold_of("deployment", "int8") == threshold_of("compressed", "int8")


@pytest.mark.parametrize("form", sorted(MEAN, key=str))
def test_the_same_words_at_the_same_probabilities_are_the_same(form: tuple[SubjectKind, str | None]) -> None:
    subject = judge(*form, [REFERENCE], [Said("", [1, 2, 3], [-0.1, -0.2, -0.7])])
    assert (subject.verdict, subject.first_difference, subject.identical_answers) == ("same", None, 1)
    assert (subject.tokens_compared, subject.tokens_equal, subject.mean_logprob_distance) == (3, 3, 0)


@pytest.mark.parametrize("form", sorted(MEAN, key=str))
def test_the_same_words_of_a_model_that_thinks_otherwise_are_different(form: tuple[SubjectKind, str | None]) -> None:
    far = MEAN[form] * 1.1
    assert verdict(*form, [1, 2, 3], [-0.1 - far, -0.2 - far, -0.7 - far]) == "different"
    assert verdict(*form, [1, 2, 3], [float("nan"), -0.2, -0.7]) == "different"


def test_one_token_that_moved_far_is_enough() -> None:
    long = Reference(tokens=[1] * 100, logprobs=[-0.1] * 100, alternatives=[{1: -0.1}] * 100)
    moved = [-0.1] * 99 + [-3.0]
    subject = judge("gguf", "q8_0", [long], [Said("", [1] * 100, moved)])
    assert subject.mean_logprob_distance == pytest.approx(0.029)
    assert (subject.verdict, subject.max_logprob_distance) == ("different", pytest.approx(2.9))


def test_a_lossless_form_may_differ_only_where_the_checkpoint_was_undecided() -> None:
    for form in LOSSLESS:
        kind, quantization = form
        assert verdict(kind, quantization, [1, 2, 4], [-0.1, -0.2, -0.7]) == "same"  # type: ignore[arg-type]
        assert verdict(kind, quantization, [1, 9, 3], [-0.1, -0.2, -0.7]) == "different"  # type: ignore[arg-type]
        # It did not stop where the checkpoint stopped.
        assert verdict(kind, quantization, [1, 2, 3, 5], [-0.1, -0.2, -0.7]) == "different"  # type: ignore[arg-type]


def drifting(
    drift: float, margin: float, kind: SubjectKind = "merged-16bit", quantization: str | None = None
) -> Subject:
    """Judges a form that says the second likeliest token at the end, and has drifted this far at one other token."""
    answer = Reference(
        tokens=[1] * 40, logprobs=[-0.1] * 40, alternatives=[{1: -0.1}] * 39 + [{1: -0.1, 4: -0.1 - margin}]
    )
    return judge(kind, quantization, [answer], [Said("", [1] * 39 + [4], [-0.1 - drift] + [-0.1] * 39)])


def test_a_flip_within_twice_the_measured_drift_is_no_difference() -> None:
    assert drifting(drift=0.3, margin=0.59).verdict == "same"
    assert drifting(drift=0.3, margin=0.61).verdict == "different"
    assert drifting(drift=0.3, margin=0.59).threshold.near_tie == pytest.approx(0.6)
    # Without any drift, a token that the checkpoint did not choose was no rounding.
    assert drifting(drift=0, margin=0.2).verdict == "different"


def test_a_quantized_forms_own_loss_is_no_near_tie() -> None:
    assert drifting(0.3, 0.59, "gguf", "q4_0").verdict == "close"


def test_a_quantized_form_that_words_it_otherwise_is_close() -> None:
    subject = judge(
        "gguf",
        "q4_0",
        [REFERENCE, REFERENCE],
        [
            Said("", [1, 9, 9], [-0.2, -0.3, -0.8]),
            Said("", [1, 2, 3], [-0.1, -0.2, -0.7]),
        ],
    )
    assert (subject.verdict, subject.first_difference) == ("close", 1)
    assert (subject.identical_answers, subject.tokens_equal, subject.tokens_compared) == (1, 4, 6)


def test_a_server_without_log_probabilities_is_judged_by_its_words() -> None:
    assert verdict("deployment", None, [1, 2, 3], []) == "same"
    assert verdict("deployment", None, [1, 2], []) == "different"


def test_a_quantized_server_without_log_probabilities_is_what_its_form_is() -> None:
    said, other = [Said("other words", [1, 9])], [Said("yet other words", [9])]
    form = judge("gguf", "q4_0", [REFERENCE], [Said("other words", [1, 9], [-0.2, -0.3, -0.8])])
    alone = judge("deployment", "q4_0", [REFERENCE], said)
    assert (form.verdict, alone.verdict) == ("close", "different")
    judged = of_its_form(alone, form, said, said)
    assert (judged.verdict, judged.mean_logprob_distance) == ("close", form.mean_logprob_distance)
    assert of_its_form(alone, form, said, other).verdict == "different"
