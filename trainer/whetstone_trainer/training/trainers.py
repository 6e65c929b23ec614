"""TRL's trainers with five changes: token counts, evaluations that can be interrupted, committed checkpoints, weights of
tokens and pairs in the loss, and losses of an evaluation that do not depend on its batches.
"""

from __future__ import annotations

from typing import Any, Protocol

from ..spec import Method
from .token_datasets import IGNORED, WEIGHT, WEIGHTS
from .weighing import UNITS, Measured, joined_metrics, rows_measured, tokens_measured, weighed


class Session(Protocol):
    """What a trainer reports to the job."""

    def count_tokens(self, tokens: int) -> None: ...

    def before_step(self, trainer: Any, inputs: Any) -> None: ...

    def save(self, trainer: Any, write: Any) -> None: ...

    def evaluation(self, trainer: Any, run: Any) -> dict[str, float]: ...


def trainer_class(method: Method) -> Any:
    """Returns the trainer of a method. Imports TRL, which takes seconds."""
    return {"sft": _sft, "dpo": _dpo, "orpo": _orpo, "kto": _kto}[method]()


def tokens_in(inputs: Any) -> int:
    """Returns the tokens of a batch that are not padding."""
    masks = [
        inputs[name]
        for name in ("attention_mask", "chosen_attention_mask", "rejected_attention_mask")
        if name in inputs
    ]
    if masks:
        return int(sum(int(mask.sum()) for mask in masks))
    return int(inputs["input_ids"].numel()) if "input_ids" in inputs else 0


def _with_session(base: Any, method: Method) -> Any:
    from transformers import Trainer

    class SessionTrainer(base):  # type: ignore[misc]
        session: Session
        measured: Measured

        def training_step(self, model: Any, inputs: Any, *args: Any, **kwargs: Any) -> Any:
            self.session.before_step(self, inputs)
            loss = super().training_step(model, inputs, *args, **kwargs)
            self.session.count_tokens(tokens_in(inputs))
            return loss

        def evaluate(self, *args: Any, **kwargs: Any) -> dict[str, float]:
            return self.session.evaluation(self, lambda: super(SessionTrainer, self).evaluate(*args, **kwargs))

        def evaluation_loop(self, *args: Any, **kwargs: Any) -> Any:
            # transformers averages the losses of batches, so a token of a short batch would count more than another.
            self.measured = Measured()
            output = super().evaluation_loop(*args, **kwargs)
            if self.measured.batch_items:
                prefix = kwargs.get("metric_key_prefix", "eval")
                output.metrics[f"{prefix}_loss"] = self.measured.loss()
                output.metrics[f"{prefix}_{UNITS[method]}"] = self.measured.items()
                for metrics in (getattr(self, "_metrics", {}), getattr(self, "_stored_metrics", {})):
                    for name, values in metrics.get("eval", {}).items():
                        if len(values) == len(self.measured.batch_items):
                            metrics["eval"][name] = [self.measured.mean(values)]
            return output

        def prediction_step(self, model: Any, inputs: Any, *args: Any, **kwargs: Any) -> Any:
            items, weight = self.measures(inputs)
            result = super().prediction_step(model, inputs, *args, **kwargs)
            if items:
                self.measured.add((float(result[0]) * items, weight))
            return result

        def measures(self, inputs: Any) -> tuple[float, float]:
            """Returns how many tokens or rows the loss of a batch is a mean of, and their weight."""
            return tokens_measured(inputs)

        def _set_signature_columns_if_needed(self) -> None:
            super()._set_signature_columns_if_needed()
            self._signature_columns += [name for name in (WEIGHTS, WEIGHT) if name not in self._signature_columns]

        def _load_from_checkpoint(self, *args: Any, **kwargs: Any) -> None:
            # PEFT loads an adapter as float32 even if it is trained in bfloat16; other arithmetic gives other weights.
            types = {name: parameter.dtype for name, parameter in self.model.named_parameters()}
            super()._load_from_checkpoint(*args, **kwargs)
            for name, parameter in self.model.named_parameters():
                parameter.data = parameter.data.to(types[name])

        def _save_checkpoint(self, model: Any, trial: Any) -> None:
            # Bypasses TRL's own override, whose model card contains local paths.
            self.session.save(self, lambda: Trainer._save_checkpoint(self, model, trial))

    return SessionTrainer


def _sft() -> Any:
    from trl.trainer.sft_trainer import SFTTrainer

    class WeighingSFTTrainer(_with_session(SFTTrainer, "sft")):  # type: ignore[misc]
        def compute_loss(self, model: Any, inputs: Any, *args: Any, **kwargs: Any) -> Any:
            weights = inputs.pop(WEIGHTS, None)
            return super().compute_loss(model if weights is None else weighed(model, weights), inputs, *args, **kwargs)

    return WeighingSFTTrainer


def _dpo() -> Any:
    from trl.trainer.dpo_trainer import DPOTrainer

    class TokenizedDPOTrainer(_with_session(DPOTrainer, "dpo")):  # type: ignore[misc]
        def _prepare_dataset(self, dataset: Any, *_: Any, **__: Any) -> Any:
            return dataset

        def measures(self, inputs: Any) -> tuple[float, float]:
            return rows_measured(inputs, len(inputs["input_ids"]) // 2)

        def compute_loss(self, model: Any, inputs: Any, *args: Any, **kwargs: Any) -> Any:
            """Returns the mean of the pairs' losses times their weights: TRL's own mean, taken of each weight's pairs."""
            import torch

            weights = inputs.pop(WEIGHT, None)
            if weights is None:
                return super().compute_loss(model, inputs, *args, **kwargs)
            pairs, total = len(weights), 0.0
            groups = [(weights == value).nonzero().flatten() for value in weights.unique()]
            mode = "train" if self.model.training else "eval"
            with joined_metrics(self._metrics[mode], [len(group) for group in groups]):
                for group in groups:
                    rows = torch.cat([group, group + pairs])
                    part = {
                        name: value[rows] if len(value) == 2 * pairs else value[group] for name, value in inputs.items()
                    }
                    share = weights[group[0]] * len(group) / pairs
                    total = total + share * super().compute_loss(model, part)
            return total

    return TokenizedDPOTrainer


def _kto() -> Any:
    from trl.trainer.kto_trainer import KTOTrainer

    class TokenizedKTOTrainer(_with_session(KTOTrainer, "kto")):  # type: ignore[misc]
        desirable_weight: Any
        undesirable_weight: Any

        def _prepare_dataset(self, dataset: Any, *_: Any, **__: Any) -> Any:
            return dataset

        def measures(self, inputs: Any) -> tuple[float, float]:
            return rows_measured(inputs, len(inputs["label"]))

        def compute_loss(self, model: Any, inputs: Any, *args: Any, **kwargs: Any) -> Any:
            weights = inputs.pop(WEIGHT, None)
            if weights is None:
                return super().compute_loss(model, inputs, *args, **kwargs)
            # TRL multiplies the losses of good and of bad answers by these, whether they are numbers or one a row.
            usual = self.desirable_weight, self.undesirable_weight
            good = inputs["label"].bool()
            self.desirable_weight, self.undesirable_weight = usual[0] * weights[good], usual[1] * weights[~good]
            try:
                return super().compute_loss(model, inputs, *args, **kwargs)
            finally:
                self.desirable_weight, self.undesirable_weight = usual

    return TokenizedKTOTrainer


def _orpo() -> Any:
    import torch
    from trl.experimental.orpo import ORPOTrainer

    class TokenizedORPOTrainer(_with_session(ORPOTrainer, "orpo")):  # type: ignore[misc]
        def tokenize_row(self, feature: Any, model: Any = None) -> dict[str, Any]:
            return {}

        def prediction_step(self, *args: Any, **kwargs: Any) -> Any:
            # Its loss has two parts, of tokens and of pairs: the forward pass measures both.
            return ORPOTrainer.prediction_step(self, *args, **kwargs)

        def get_batch_loss_metrics(self, model: Any, batch: Any, train_eval: str = "train") -> Any:
            weights = batch.pop(WEIGHT, None)
            self._weights = torch.ones(len(batch["chosen_labels"])) if weights is None else weights
            self._weights = self._weights.to(self.accelerator.device)
            found = super().get_batch_loss_metrics(model, batch, train_eval)
            if train_eval == "eval":
                self.measured.add(*((float(total), float(weight)) for total, weight in (self._tokens, self._pairs)))
            return found

        def concatenated_forward(self, model: Any, batch: Any) -> Any:
            """Returns TRL's values with a loss of the chosen answers' own tokens: TRL's includes the prompts."""
            chosen, rejected, chosen_logits, rejected_logits, _, *rest = super().concatenated_forward(model, batch)
            labels = torch.full(chosen_logits.shape[:2], IGNORED, device=chosen_logits.device)
            given = batch["chosen_labels"][:, 1:].to(labels)
            labels[:, : given.shape[1]] = given
            trained = labels != IGNORED
            losses = torch.nn.functional.cross_entropy(
                chosen_logits.transpose(1, 2).float(), labels, ignore_index=IGNORED, reduction="none"
            )
            total = (losses * self._weights[:, None]).sum()
            self._tokens = (total.detach(), (trained * self._weights[:, None]).sum())
            return (chosen, rejected, chosen_logits, rejected_logits, total / trained.sum().clamp(min=1), *rest)

        def odds_ratio_loss(self, *args: Any) -> Any:
            losses, *rest = super().odds_ratio_loss(*args)
            losses = losses * self._weights
            self._pairs = (-losses.detach().sum(), self._weights.sum())
            return (losses, *rest)

    return TokenizedORPOTrainer
