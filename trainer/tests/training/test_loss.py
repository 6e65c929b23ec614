"""The losses that a job trains on and reports, computed again by hand with plain transformers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from jobs import assistant, spec_document, user
from transformers import AutoModelForCausalLM, AutoTokenizer

from whetstone_trainer.spec import JobSpec
from whetstone_trainer.training.base_model import resolve_base
from whetstone_trainer.training.build_trainer import build_trainer
from whetstone_trainer.training.machine import this_machine
from whetstone_trainer.training.preparation import prepare

pytest_plugins = ("training_fixtures",)

LONG = "a tiny tokenizer this is a hello world sunny weather"


@pytest.fixture(autouse=True)
def _any_operation() -> Iterator[None]:
    yield
    torch.use_deterministic_algorithms(False)


class ByHand:
    """Log probabilities of the words of a conversation, without anything of the trainer or TRL."""

    def __init__(self, folder: Path, scale: float = 1.0) -> None:
        self.tokenizer = AutoTokenizer.from_pretrained(folder)
        self.model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
        perturb(self.model, scale)

    def answer(self, prompt: list[dict[str, Any]], text: str) -> torch.Tensor:
        """Returns the log probability of each token of an answer, its end token included."""
        asked = self.tokenizer.apply_chat_template(prompt, add_generation_prompt=True, return_dict=True)["input_ids"]
        whole = self.tokenizer.apply_chat_template([*prompt, assistant(text)], return_dict=True)["input_ids"]
        assert whole[: len(asked)] == asked
        with torch.no_grad():
            logits = self.model(torch.tensor([whole])).logits[0]
        found = torch.log_softmax(logits, -1)[:-1].gather(1, torch.tensor(whole[1:])[:, None])[:, 0]
        return found[len(asked) - 1 :]


def perturb(model: Any, scale: float) -> None:
    """Makes a policy differ from its reference, where TRL's losses are the same for every pair."""
    model.get_output_embeddings().weight.data *= scale


@pytest.fixture
def build(home: Path, tiny_model: Path, tmp_path: Path) -> Callable[..., Any]:
    """Returns a function that builds the trainer of a job with full weights, perturbed after the reference was copied."""

    def make(
        method: str,
        rows: list[dict[str, Any]],
        held_out: Any = None,
        scale: float = 1.0,
        batch: int = 8,
        **training: Any,
    ) -> Any:
        training = {"per_device_train_batch_size": batch, **training}
        document = spec_document(home, tiny_model, method, "full", rows, held_out, training=training)
        spec = JobSpec.model_validate(document)
        machine = this_machine()
        prepared = prepare(home, spec, resolve_base(home, spec.base_model, weights=True), machine, None)
        output = tmp_path / "output"
        trainer = build_trainer(home, prepared, machine, output, baseline=False, repeatable=False)
        trainer.session = SimpleNamespace(evaluation=lambda _, run: run())
        perturb(trainer.model, scale)
        return trainer

    return make


def loss_of(trainer: Any, counts_tokens: bool = False) -> float:
    """Returns the loss of a step whose one batch is all rows."""
    batch = next(iter(trainer.get_train_dataloader()))
    items = (batch["labels"][:, 1:] != -100).sum() if counts_tokens else None
    trainer.model.train()
    return float(trainer.compute_loss(trainer.model, batch, num_items_in_batch=items).detach())


# An earlier answer and a last one, each with its weight.
CONVERSATIONS: list[tuple[tuple[str, float], tuple[str, float]]] = [
    (("no", 0), ("sunny hello", 1)),
    ((LONG, 0.25), ("world", 0.5)),
    (("hello", 1), (LONG, 0)),
]


def conversation_rows() -> list[dict[str, Any]]:
    return [
        {
            "messages": [
                user("weather"),
                {**assistant(first), "weight": first_weight},
                user("is this a world"),
                {**assistant(last), "weight": last_weight},
            ]
        }
        for (first, first_weight), (last, last_weight) in CONVERSATIONS
    ]


def weighted_turns(hand: ByHand) -> Iterator[tuple[torch.Tensor, float]]:
    for (first, first_weight), (last, last_weight) in CONVERSATIONS:
        yield hand.answer([user("weather")], first), first_weight
        asked = [user("weather"), assistant(first), user("is this a world")]
        yield hand.answer(asked, last), last_weight


def test_sft_weighs_each_token_by_its_message(build: Callable[..., Any], tiny_model: Path) -> None:
    turns = list(weighted_turns(ByHand(tiny_model)))
    trained = sum(len(logps) for logps, weight in turns if weight > 0)
    expected = sum(-weight * float(logps.sum()) for logps, weight in turns) / trained
    assert loss_of(build("sft", conversation_rows()), counts_tokens=True) == pytest.approx(expected, rel=1e-5)


def test_half_the_weight_is_half_the_gradient(build: Callable[..., Any]) -> None:
    def gradient(weight: float) -> torch.Tensor:
        trainer = build("sft", [{"messages": [user("weather"), {**assistant("sunny"), "weight": weight}]}])
        batch = next(iter(trainer.get_train_dataloader()))
        trainer.compute_loss(trainer.model, batch).backward()
        found = trainer.model.get_output_embeddings().weight.grad
        assert found is not None
        return found

    assert torch.allclose(gradient(0.5), gradient(1) / 2, rtol=1e-4, atol=1e-7)


PAIRS: list[tuple[str, str, float]] = [("sunny hello", "no no", 1), (LONG, "world", 0.25), ("hello", LONG, 0.5)]
PROMPT = [user("weather"), assistant("a wrong answer"), user("this is a world")]


def pair_rows() -> list[dict[str, Any]]:
    return [
        {
            "prompt": PROMPT,
            "chosen": [assistant(chosen)],
            "rejected": [assistant(rejected)],
            **({} if weight == 1 else {"weight": weight}),
        }
        for chosen, rejected, weight in PAIRS
    ]


@pytest.mark.parametrize("loss_type", ["sigmoid", "ipo"])
def test_dpo_weighs_each_pair(build: Callable[..., Any], tiny_model: Path, loss_type: str) -> None:
    policy, reference = ByHand(tiny_model, 1.5), ByHand(tiny_model)

    def ratio(text: str, per_token: bool) -> float:
        logps = policy.answer(PROMPT, text) - reference.answer(PROMPT, text)
        return float(logps.mean() if per_token else logps.sum())

    losses = []
    for chosen, rejected, weight in PAIRS:
        margin = ratio(chosen, loss_type == "ipo") - ratio(rejected, loss_type == "ipo")
        beta = torch.tensor(0.1)
        loss = (margin - 1 / (2 * beta)) ** 2 if loss_type == "ipo" else -torch.nn.functional.logsigmoid(beta * margin)
        losses.append(weight * float(loss))
    trainer = build("dpo", pair_rows(), scale=1.5, loss_type=loss_type)
    assert loss_of(trainer) == pytest.approx(sum(losses) / len(losses), rel=1e-4)
    assert len(trainer._metrics["train"]["rewards/margins"]) == 1


def orpo_parts(hand: ByHand) -> list[tuple[torch.Tensor, float, float]]:
    """Returns each pair's log probabilities of the chosen answer, its log odds ratio, and its weight."""
    found = []
    for chosen, rejected, weight in PAIRS:
        better, worse = hand.answer(PROMPT, chosen), hand.answer(PROMPT, rejected)
        log_odds = [logps.mean() - torch.log1p(-torch.exp(logps.mean())) for logps in (better, worse)]
        ratio = torch.nn.functional.logsigmoid(log_odds[0] - log_odds[1])
        found.append((better, float(ratio), weight))
    return found


def test_orpo_weighs_each_pair_and_teaches_no_word_of_the_prompt(build: Callable[..., Any], tiny_model: Path) -> None:
    parts = orpo_parts(ByHand(tiny_model))
    tokens = sum(len(logps) for logps, _, _ in parts)
    nll = -sum(weight * float(logps.sum()) for logps, _, weight in parts) / tokens
    odds = sum(weight * 0.1 * ratio for _, ratio, weight in parts) / len(parts)
    assert loss_of(build("orpo", pair_rows())) == pytest.approx(nll - odds, rel=1e-4)


JUDGED: list[tuple[str, bool, float]] = [("sunny hello", True, 0.5), (LONG, False, 1), ("no", False, 1), ("a", True, 1)]


def judged_rows() -> list[dict[str, Any]]:
    return [
        {
            "prompt": PROMPT,
            "completion": [assistant(text)],
            "label": label,
            **({} if weight == 1 else {"weight": weight}),
        }
        for text, label, weight in JUDGED
    ]


def kto_losses(policy: ByHand, reference: ByHand, good: float = 1, bad: float = 1) -> list[float]:
    """Returns each answer's loss by the KTO paper's equation, where all prompts are the same."""
    ratios = {
        text: float((policy.answer(PROMPT, text) - reference.answer(PROMPT, text)).sum()) for text, _, _ in JUDGED
    }
    # Every answer is some other row's mismatched one, so the KL term is the mean of all of them.
    kl = max(0.0, sum(ratios.values()) / len(ratios))
    return [
        weight
        * (good if label else bad)
        * (1 - float(torch.sigmoid(torch.tensor(0.1 * (ratios[text] - kl) * (1 if label else -1)))))
        for text, label, weight in JUDGED
    ]


@pytest.mark.parametrize("scale", [0.8, 1.5])
def test_kto_weighs_each_answer_beside_the_weight_of_its_label(
    build: Callable[..., Any], tiny_model: Path, scale: float
) -> None:
    losses = kto_losses(ByHand(tiny_model, scale), ByHand(tiny_model), good=1.3, bad=0.7)
    trainer = build("kto", judged_rows(), scale=scale, desirable_weight=1.3, undesirable_weight=0.7)
    assert loss_of(trainer) == pytest.approx(sum(losses) / len(losses), rel=1e-4)


def test_kto_pushes_down_an_answer_that_is_only_known_to_be_bad(build: Callable[..., Any], tiny_model: Path) -> None:
    # The bad answers have no better one to the same prompt, as an import of `label: false` leaves them.
    good = [{"prompt": [user(f"weather {n}")], "completion": [assistant("sunny")], "label": True} for n in range(4)]
    bad = [{"prompt": [user(f"world {n}")], "completion": [assistant("no no")], "label": False} for n in range(4)]
    trainer = build("kto", [*good, *bad], learning_rate=1e-3, num_train_epochs=3, max_steps=3)
    before = ByHand(tiny_model)
    batch = next(iter(trainer.get_train_dataloader()))
    optimizer = torch.optim.SGD(trainer.model.parameters(), lr=1.0)
    trainer.compute_loss(trainer.model, batch).backward()
    optimizer.step()
    after = ByHand(tiny_model)
    after.model.load_state_dict(trainer.model.state_dict())

    def change(question: str, answer: str) -> float:
        prompt = [user(question)]
        return float((after.answer(prompt, answer) - before.answer(prompt, answer)).sum())

    assert all(change(f"world {n}", "no no") < 0 for n in range(4))
    assert all(change(f"weather {n}", "sunny") > 0 for n in range(4))


UNEVEN = [("sunny", 1), (LONG, 1), ("no", 1), (f"{LONG} {LONG}", 1), ("hello", 1)]


def held_out(weighted: list[tuple[str, float]]) -> list[dict[str, Any]]:
    return [
        {"messages": [user("weather"), {**assistant(text), **({} if weight == 1 else {"weight": weight})}]}
        for text, weight in weighted
    ]


@pytest.mark.parametrize("weights", [(1, 1, 1, 1, 1), (1, 0.5, 1, 0.25, 1)])
def test_the_validation_loss_of_sft_is_the_mean_over_trained_tokens_whatever_the_batches(
    build: Callable[..., Any], tiny_model: Path, weights: tuple[float, ...]
) -> None:
    rows = [(text, weight) for (text, _), weight in zip(UNEVEN, weights, strict=True)]
    hand = ByHand(tiny_model)
    answers = [(hand.answer([user("weather")], text), weight) for text, weight in rows]
    expected = sum(-weight * float(logps.sum()) for logps, weight in answers) / sum(
        weight * len(logps) for logps, weight in answers
    )
    for batch in (1, 2, 8):
        trainer = build("sft", held_out(UNEVEN), held_out(rows), batch=batch)
        found = trainer.evaluate()
        assert found["eval_loss"] == pytest.approx(expected, rel=1e-5)
        assert found["eval_trained_tokens"] == pytest.approx(sum(weight * len(logps) for logps, weight in answers))


def test_the_validation_loss_of_orpo_is_per_token_and_pair_whatever_the_batches(
    build: Callable[..., Any], tiny_model: Path
) -> None:
    parts = orpo_parts(ByHand(tiny_model))
    nll = -sum(weight * float(logps.sum()) for logps, _, weight in parts) / sum(
        weight * len(logps) for logps, _, weight in parts
    )
    odds = sum(weight * 0.1 * ratio for _, ratio, weight in parts) / sum(weight for _, _, weight in parts)
    for batch in (1, 2, 8):
        found = build("orpo", pair_rows(), pair_rows(), batch=batch).evaluate()
        assert found["eval_loss"] == pytest.approx(nll - odds, rel=1e-4)


@pytest.mark.parametrize(("method", "rows"), [("dpo", pair_rows), ("kto", judged_rows)])
def test_the_validation_loss_of_pairs_and_judged_answers_does_not_depend_on_the_batches_of_training(
    build: Callable[..., Any], method: str, rows: Callable[[], list[dict[str, Any]]]
) -> None:
    losses = [build(method, rows(), rows(), scale=1.5, batch=batch).evaluate()["eval_loss"] for batch in (2, 3, 8)]
    assert losses == [pytest.approx(losses[0], rel=1e-5)] * 3
