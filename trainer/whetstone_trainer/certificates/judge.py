"""Judges how close one model's answers are to another's. Pure: no model is loaded here."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

from .request import Subject, SubjectKind, Threshold, Verdict

Token = Hashable


@dataclass(frozen=True)
class Reference:
    """An answer of the checkpoint: its tokens, the log-probability of each, and the likeliest tokens at each position.

    `alternatives` includes the chosen token.
    """

    tokens: Sequence[Token]
    logprobs: Sequence[float]
    alternatives: Sequence[dict[Token, float]]


@dataclass(frozen=True)
class Said:
    """A subject's own answer, and the log-probabilities it gives to the tokens of the reference's answer.

    `logprobs` may end early or be empty if a server does not score given text.
    """

    content: str
    tokens: Sequence[Token]
    logprobs: Sequence[float] = field(default_factory=list)


# Between bfloat16 and float32 arithmetic, logits of a 16-bit model differ by about 2^-8 of their size, which moves a
# log-probability by some hundredths of a nat. Between two tokens closer than this, rounding decides.
NEAR_TIE = 0.1
# Both tokens of a near tie may have moved, towards each other.
_DRIFTS_OF_A_TIE = 2.0
_LOSSLESS = 0.03
# Mean change in nats per token. Measured on the tests' model (README.md, "Certificates"): every form is below a third of
# its threshold, and a merge that omitted one of two layers, at 0.31, is above all of them. Larger models lose less to
# quantization: llama.cpp's tables give 0.01 to 0.1 nats of divergence for these types.
MEAN: dict[tuple[str, str | None], float] = {
    ("merged-16bit", None): _LOSSLESS,
    ("deployment", None): _LOSSLESS,
    ("gguf", "f32"): _LOSSLESS,
    ("gguf", "f16"): _LOSSLESS,
    ("gguf", "bf16"): _LOSSLESS,
    ("gguf", "q8_0"): 0.04,
    ("gguf", "q6_k"): 0.08,
    ("gguf", "q5_k_m"): 0.12,
    ("gguf", "q5_0"): 0.15,
    ("gguf", "q4_k_m"): 0.2,
    ("gguf", "q4_k_s"): 0.25,
    ("gguf", "q4_0"): 0.3,
    ("compressed", "fp8"): 0.15,
    ("compressed", "fp8_dynamic"): 0.15,
    ("compressed", "fp8_static"): 0.2,
    ("compressed", "int8"): 0.15,
}
# One unlikely token may move far without changing the answer.
MAX_OVER_MEAN = 12.0
LOSSLESS = frozenset({("merged-16bit", None), ("deployment", None), ("gguf", "f32"), ("gguf", "f16"), ("gguf", "bf16")})


def threshold_of(kind: SubjectKind, quantization: str | None) -> Threshold:
    """Returns how much a form may differ; a deployment is judged by the quantization it serves."""
    forms: list[tuple[str, str | None]] = [(kind, quantization), ("gguf", quantization), ("compressed", quantization)]
    mean = next((MEAN[form] for form in forms if form in MEAN), _LOSSLESS)
    return Threshold(mean_logprob_distance=mean, max_logprob_distance=MAX_OVER_MEAN * mean, near_tie=NEAR_TIE)


def judge(
    kind: SubjectKind,
    quantization: str | None,
    references: Sequence[Reference],
    said: Sequence[Said],
    deployment_id: str | None = None,
) -> Subject:
    """Returns the figures of the comparison and its verdict.

    `same`: equal token for token, or different only where the checkpoint itself was undecided. `close`: a quantized
    form within its threshold. Everything else is `different`, including a lossless form with other answers.
    """
    threshold = threshold_of(kind, quantization)
    firsts = [_first_difference(reference.tokens, one.tokens) for reference, one in zip(references, said, strict=True)]
    equal = sum(
        len(reference.tokens) if first is None else first for reference, first in zip(references, firsts, strict=True)
    )
    distances = [
        abs(theirs - mine)
        for reference, one in zip(references, said, strict=True)
        for mine, theirs in zip(reference.logprobs, one.logprobs, strict=False)
    ]
    mean = sum(distances) / len(distances) if distances else None
    largest = max(distances) if distances else None
    departed = [first for first in firsts if first is not None]
    if (kind, quantization) in LOSSLESS and largest is not None and math.isfinite(largest):
        # What rounding moved elsewhere in the same answers, it may have moved here.
        near_tie = max(NEAR_TIE, _DRIFTS_OF_A_TIE * min(largest, threshold.max_logprob_distance))
        threshold = threshold.model_copy(update={"near_tie": near_tie})
    says_the_same = all(
        first is None or _is_near_tie(reference, one, first, threshold)
        for reference, one, first in zip(references, said, firsts, strict=True)
    )
    is_near = (
        mean is not None
        and largest is not None
        # Written so that NaN does not count as near.
        and mean <= threshold.mean_logprob_distance
        and largest <= threshold.max_logprob_distance
    )
    return Subject(
        kind=kind,
        quantization=quantization,
        deployment_id=deployment_id,
        verdict=_verdict(kind, quantization, says_the_same, is_near, is_measured=mean is not None, departed=departed),
        prompts=len(references),
        identical_answers=len(references) - len(departed),
        tokens_compared=sum(len(reference.tokens) for reference in references),
        tokens_equal=equal,
        first_difference=min(departed) if departed else None,
        mean_logprob_distance=_finite(mean),
        max_logprob_distance=_finite(largest),
        threshold=threshold,
    )


def of_its_form(subject: Subject, form: Subject, form_said: Sequence[Said], said: Sequence[Said]) -> Subject:
    """Returns the verdict on a deployment without scores: its form's, if it gives the same answers as the form."""
    is_its_form = all(
        mine.content.strip() == theirs.content.strip() for mine, theirs in zip(said, form_said, strict=True)
    )
    if not is_its_form:
        return subject.model_copy(update={"verdict": "different"})
    return subject.model_copy(
        update={
            "verdict": form.verdict,
            "mean_logprob_distance": form.mean_logprob_distance,
            "max_logprob_distance": form.max_logprob_distance,
        }
    )


def _verdict(
    kind: SubjectKind,
    quantization: str | None,
    says_the_same: bool,
    is_near: bool,
    *,
    is_measured: bool,
    departed: Sequence[int],
) -> Verdict:
    if not is_measured:
        # A server without log-probabilities is judged only by the text of its answers.
        return "different" if departed else "same"
    if not is_near:
        return "different"
    if says_the_same:
        return "same"
    return "different" if (kind, quantization) in LOSSLESS else "close"


def _first_difference(expected: Sequence[Token], actual: Sequence[Token]) -> int | None:
    for index, (mine, theirs) in enumerate(zip(expected, actual, strict=False)):
        if mine != theirs:
            return index
    return None if len(expected) == len(actual) else min(len(expected), len(actual))


def _is_near_tie(reference: Reference, said: Said, index: int, threshold: Threshold) -> bool:
    """Returns whether the checkpoint gave the subject's token nearly the probability of its own."""
    if index >= len(reference.tokens) or index >= len(said.tokens):
        return False
    known = reference.alternatives[index]
    theirs = known.get(said.tokens[index])
    return theirs is not None and known[reference.tokens[index]] - theirs <= threshold.near_tie


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None
