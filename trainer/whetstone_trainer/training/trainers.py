"""TRL's trainers with three changes: token counts, evaluations that can be interrupted, committed checkpoints."""

from __future__ import annotations

from typing import Any, Protocol

from ..spec import Method


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


def _with_session(base: Any) -> Any:
    from transformers import Trainer

    class SessionTrainer(base):  # type: ignore[misc]
        session: Session

        def training_step(self, model: Any, inputs: Any, *args: Any, **kwargs: Any) -> Any:
            self.session.before_step(self, inputs)
            loss = super().training_step(model, inputs, *args, **kwargs)
            self.session.count_tokens(tokens_in(inputs))
            return loss

        def evaluate(self, *args: Any, **kwargs: Any) -> dict[str, float]:
            return self.session.evaluation(self, lambda: super(SessionTrainer, self).evaluate(*args, **kwargs))

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

    return _with_session(SFTTrainer)


def _dpo() -> Any:
    from trl.trainer.dpo_trainer import DPOTrainer

    class TokenizedDPOTrainer(_with_session(DPOTrainer)):  # type: ignore[misc]
        def _prepare_dataset(self, dataset: Any, *_: Any, **__: Any) -> Any:
            return dataset

    return TokenizedDPOTrainer


def _kto() -> Any:
    from trl.trainer.kto_trainer import KTOTrainer

    class TokenizedKTOTrainer(_with_session(KTOTrainer)):  # type: ignore[misc]
        def _prepare_dataset(self, dataset: Any, *_: Any, **__: Any) -> Any:
            return dataset

    return TokenizedKTOTrainer


def _orpo() -> Any:
    from trl.experimental.orpo import ORPOTrainer

    class TokenizedORPOTrainer(_with_session(ORPOTrainer)):  # type: ignore[misc]
        def tokenize_row(self, feature: Any, model: Any = None) -> dict[str, Any]:
            return {}

    return TokenizedORPOTrainer
