"""What happens around each step of a training run: events, saves, evaluations, and the reasons to stop."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..checkpoints import CheckpointManifest, list_checkpoints, prune
from ..spec import JobSpec
from ..trainer_error import TrainerFailure
from .base_model import ResolvedBase
from .control import Control, Stopped
from .failures import Diverged
from .metrics import eval_metrics, evaluations_without_improvement, higher_is_better, is_nonfinite, train_metrics
from .progress import Progress
from .reporter import Reporter, Throttle
from .saving import commit_saved

# One bad number may be a hardware glitch; three in a row are not.
BAD_STEPS = 3


class EvaluationInterrupted(Exception):
    """A stop was requested during an evaluation; the training done so far must still be saved."""


@dataclass
class TrainingSession:
    """State of one run of one attempt. `stop_reason` is None while training continues or if it ran to its last step."""

    home: Path
    job_dir: Path
    spec: JobSpec
    base: ResolvedBase
    reporter: Reporter
    control: Control
    progress: Progress
    compatibility: dict[str, Any]
    sample: Callable[[Any, int], None]
    stop_reason: str | None = None
    last_saved: CheckpointManifest | None = None
    _metrics: Throttle = field(default_factory=Throttle)
    _steps: Throttle = field(default_factory=Throttle)
    _bad_steps: int = 0
    _zero_steps: int = 0
    _learned: bool = False
    _train_loss: float | None = None
    _evaluated: tuple[int, dict[str, Any]] = (-1, {})

    # Called by the trainer.

    def count_tokens(self, tokens: int) -> None:
        self.progress.tokens_seen += tokens

    def before_step(self, trainer: Any, inputs: Any) -> None:
        if self.control.stop is not None and self.control.stop.mode == "discard":
            raise Stopped(self.control.stop)

    def evaluation(self, trainer: Any, run: Callable[[], dict[str, float]]) -> dict[str, float]:
        """Runs an evaluation and its samples; a stop request ends it early, without losing the step."""
        self.flush()
        step = trainer.state.global_step
        try:
            with self.reporter.in_phase("baseline_eval" if step == 0 else "evaluating", step=step):
                logs = run()
                self.sample(trainer, step)
                return logs
        except EvaluationInterrupted:
            self.reporter.phase = "training"
            return {}

    def save(self, trainer: Any, write: Callable[[], None]) -> None:
        """Writes and commits a checkpoint, reports it and prunes old ones. Raises Diverged, disk_full."""
        self.flush()
        refuse_nonfinite_weights(trainer.model)
        state = trainer.state
        # A resume needs only the evaluations; keeping every step's log would make each save slower.
        state.log_history = [entry for entry in state.log_history if "eval_loss" in entry]
        self._require_space()
        with self.reporter.in_phase("saving", step=state.global_step):
            try:
                write()
                manifest = self._commit(trainer, Path(trainer.args.output_dir) / f"checkpoint-{state.global_step}")
            except BaseException:
                shutil.rmtree(trainer.args.output_dir, ignore_errors=True)
                raise
            self.last_saved = manifest
            message = f"Saved checkpoint {manifest.checkpoint_id} at step {manifest.step_number}"
            self.reporter.emit("checkpoint.saved", self.checkpoint_document(manifest), message=message)
            self._prune(manifest)

    # Called by the callback.

    def on_log(self, logs: dict[str, Any], step: int, epoch: float) -> None:
        """Reports one line of TRL's log. Raises Diverged after three losses in a row that are not numbers."""
        if any(key.startswith("eval_") for key in logs):
            document = eval_metrics(logs, step, epoch)
            document["baseline"] = step == 0
            self._evaluated = (step, document)
            document["is_best"] = step > 0 and self._would_be_best(self._metric_of(document))
            self.reporter.emit(
                "eval", document, message=f"Validation loss {_short(document['eval_loss'])} at step {step}"
            )
            return
        if "loss" not in logs:
            return
        document = train_metrics(logs, step, epoch, self.progress.tokens_seen)
        self._train_loss = document["train_loss"]
        if ready := self._metrics.offer(document, force="nonfinite" in document):
            self.reporter.emit("metrics", ready)
        self._watch(logs)

    def after_step(self, step: int, total: int, epoch: float, control: Any) -> None:
        """Reports progress and decides whether to save or stop."""
        self.progress.step_ends()
        if ready := self._steps.offer(self.progress.document(step, total, epoch)):
            self.reporter.emit("phase.progress", ready)
        if self.control.stop is not None:
            if self.control.stop.mode == "discard":
                raise Stopped(self.control.stop)
            self._finish_with("user", control)
        elif self._out_of_time() and step < total:
            self._finish_with("max_runtime", control)
        if self.control.save_requested:
            self.control.save_requested = False
            control.should_save = True

    def after_evaluation(self, history: list[dict[str, Any]], control: Any) -> None:
        patience = self.spec.evaluation.early_stopping_patience
        if patience and evaluations_without_improvement(history, self.spec.evaluation.metric) >= patience:
            self._finish_with("early_stopped", control)

    def during_evaluation(self, control: Any) -> None:
        if self.control.stop is None:
            return
        if self.control.stop.mode == "discard":
            raise Stopped(self.control.stop)
        self._finish_with("user", control)
        raise EvaluationInterrupted

    def flush(self) -> None:
        """Reports the newest metrics and progress that the throttle held back."""
        if held := self._metrics.flush():
            self.reporter.emit("metrics", held)
        if held := self._steps.flush():
            self.reporter.emit("phase.progress", held)

    # Checkpoints.

    def best(self) -> CheckpointManifest | None:
        """Returns the committed checkpoint with the best metric, None when none was evaluated."""
        name = self._metric_name()
        scored = [(value, c) for c in list_checkpoints(self.job_dir) if (value := c.metrics.get(name)) is not None]
        if not scored:
            return None
        return (max if higher_is_better(name) else min)(scored, key=lambda pair: pair[0])[1]

    def checkpoint_document(self, manifest: CheckpointManifest, **changes: Any) -> dict[str, Any]:
        """Returns a checkpoint as sent over the wire."""
        best = self.best()
        return {
            **manifest.model_dump(mode="json"),
            "is_best": best is not None and best.checkpoint_id == manifest.checkpoint_id,
            "is_final": False,
            "inference_profile": None,
            **changes,
        }

    def _commit(self, trainer: Any, saved: Path) -> CheckpointManifest:
        step, document = self._evaluated
        metrics: dict[str, float | None] = {"train_loss": self._train_loss, "valid_loss": None}
        if step == trainer.state.global_step:
            metrics["valid_loss"] = document["eval_loss"]
            metrics |= {key: value for key, value in document["raw"].items() if key.startswith("eval_")}
        return commit_saved(
            saved,
            self.job_dir,
            self.reporter.attempt,
            self.base,
            self.spec,
            step=trainer.state.global_step,
            epoch=round(float(trainer.state.epoch or 0), 6),
            metrics=metrics,
            resume={"compatibility": self.compatibility, "tokens_seen": self.progress.tokens_seen},
        )

    def _prune(self, newest: CheckpointManifest) -> None:
        best = self.best() if self.spec.checkpointing.keep_best else None
        keep = {newest.checkpoint_id} | ({best.checkpoint_id} if best else set())
        limit = self.spec.checkpointing.save_total_limit
        for manifest, freed in prune(self.home, self.job_dir, keep_last=limit, keep=keep):
            data = {"checkpoint_id": manifest.checkpoint_id, "step_number": manifest.step_number, "bytes_freed": freed}
            message = f"Deleted checkpoint {manifest.checkpoint_id} of step {manifest.step_number}"
            self.reporter.emit("checkpoint.pruned", data, message=message)

    def _require_space(self) -> None:
        needed = self.spec.limits.min_free_disk_bytes or 0
        if self.last_saved is not None:
            needed = max(needed, self.last_saved.bytes)
        free = shutil.disk_usage(self.home).free
        if free < needed:
            raise TrainerFailure.of(
                "disk_full",
                f"a checkpoint needs {needed:,} bytes, but only {free:,} are free",
                hint="Free space or keep fewer checkpoints, then resume: nothing committed was lost.",
            )

    # Decisions.

    def _watch(self, logs: dict[str, Any]) -> None:
        bad = is_nonfinite(logs.get("loss")) or is_nonfinite(logs.get("grad_norm"))
        self._bad_steps = self._bad_steps + 1 if bad else 0
        if self._bad_steps >= BAD_STEPS:
            self.flush()
            raise Diverged(f"the loss was not a number for {BAD_STEPS} steps in a row")
        if logs.get("grad_norm") == 0.0:
            self._zero_steps += 1
            if self._zero_steps >= BAD_STEPS and not self._learned:
                self.flush()
                raise Diverged(f"the gradient was 0 in the first {BAD_STEPS} steps, so nothing is being learned")
        elif not bad:
            self._learned = True

    def _metric_name(self) -> str:
        return "valid_loss" if self.spec.evaluation.metric == "eval_loss" else self.spec.evaluation.metric

    def _metric_of(self, document: dict[str, Any]) -> float | None:
        value = document["raw"].get(self.spec.evaluation.metric)
        return value if isinstance(value, (int, float)) else None

    def _would_be_best(self, value: float | None) -> bool:
        best = self.best()
        if value is None or best is None:
            return value is not None
        known = best.metrics[self._metric_name()]
        assert known is not None
        return value > known if higher_is_better(self.spec.evaluation.metric) else value < known

    def _finish_with(self, reason: str, control: Any) -> None:
        self.stop_reason = self.stop_reason or reason
        control.should_save = True
        control.should_training_stop = True

    def _out_of_time(self) -> bool:
        limit = self.spec.limits.max_runtime_seconds
        return limit is not None and self.progress.elapsed_seconds >= limit


def _short(value: float | None) -> str:
    return "is not a number" if value is None else f"{value:.4g}"


def refuse_nonfinite_weights(model: Any) -> None:
    """Raises Diverged if a trained weight is NaN or infinite: such a checkpoint must never be the newest good one."""
    import torch

    for name, parameter in model.named_parameters():
        if parameter.requires_grad and not bool(torch.isfinite(parameter).all()):
            raise Diverged(f"the weight {name} is no longer a number")


def session_callback(session: TrainingSession) -> Any:
    """Returns the transformers callback that drives a session."""
    from transformers import TrainerCallback

    class SessionCallback(TrainerCallback):
        def on_step_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            session.progress.step_begins()

        def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            session.after_step(state.global_step, state.max_steps, float(state.epoch or 0), control)

        def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **_: Any) -> None:
            session.on_log(dict(logs or {}), state.global_step, float(state.epoch or 0))

        def on_evaluate(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            if state.global_step > 0:
                session.after_evaluation(state.log_history, control)

        def on_prediction_step(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            session.during_evaluation(control)

    return SessionCallback()
