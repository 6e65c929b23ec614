"""Runs one attempt of a job from its spec to its result."""

from __future__ import annotations

import gc
import os
from pathlib import Path
from typing import Any

from ..checkpoints import CheckpointManifest, remove_temporary, temporary_folder
from ..events import StaleAttempt
from ..files import read_json
from ..profile import make_profile, write_profile
from ..spec import JobSpec
from ..trainer_error import TrainerFailure
from .base_model import ResolvedBase, resolve_base
from .control import Control, Stopped
from .failures import is_gpu_out_of_memory, is_not_deterministic
from .machine import this_machine
from .outputs import build_outputs
from .preparation import Prepared, fit, prepare, write_resolved
from .progress import Progress
from .reporter import Reporter
from .resolve_spec import Machine
from .result import JobResult
from .resuming import ResumePoint, compatibility, find_resume_point
from .sampling import question_of, report_samples
from .saving import resumable_folder
from .session import TrainingSession, session_callback
from .usability import require_usable

OUT_OF_MEMORY_RETRIES = 2


class Job:
    """One attempt. `run` returns its result or raises what ended it."""

    def __init__(self, home: Path, job_id: str, attempt: int, reporter: Reporter, control: Control) -> None:
        self.home, self.attempt, self.reporter, self.control = home, attempt, reporter, control
        self.job_dir = home / "jobs" / job_id
        self.spec = JobSpec.model_validate(read_json(self.job_dir / "spec.json"))
        self.machine: Machine = this_machine()
        self.progress = Progress(attempt, self._elapsed_before())
        # With warnings only, attention's kernels on a GPU would differ from run to run.
        self.repeatable = self.machine.kind == "cuda"

    def run(self) -> JobResult:
        token = os.environ.get("HF_TOKEN")
        with self.reporter.in_phase("downloading_model", model=self.spec.base_model.id):
            base = resolve_base(self.home, self.spec.base_model, weights=True, token=token)
        with self.reporter.in_phase("preparing_dataset"):
            prepared = self._prepare(base)
        session = self._train_within_memory(prepared)
        return self._finish(prepared, session)

    # Before training.

    def _prepare(self, base: ResolvedBase) -> Prepared:
        path = self.job_dir / "resolved.json"
        earlier = JobSpec.model_validate(read_json(path)) if path.exists() else None
        prepared = prepare(self.home, self.spec, base, self.machine, earlier)
        if earlier is None:
            write_resolved(self.job_dir, prepared.resolved)
        train, validation = fit(prepared.train, prepared.resolved), fit(prepared.validation, prepared.resolved)
        dropped = prepared.train.dropped + train.dropped
        self.reporter.emit(
            "dataset.report",
            {
                "rows": {
                    "total": len(prepared.train.source),
                    "usable": len(train.rows),
                    "validation_total": len(prepared.validation.source),
                    "validation_usable": len(validation.rows),
                    "erased": len(prepared.train.erased) + len(prepared.validation.erased),
                },
                "dropped": [row.model_dump(mode="json") for row in dropped[:200]],
                "truncation": {
                    "max_length": prepared.resolved.training.max_length,
                    "rows": len(train.cut_rows),
                    "tokens_lost": train.tokens_lost,
                },
                "tokens": {
                    "total": sum(row.tokens for row in train.rows),
                    "trained": sum(row.trained_tokens for row in train.rows),
                },
                "resolved_spec": prepared.resolved.document(),
            },
        )
        require_usable(prepared, train)
        return prepared

    # Training.

    def _train_within_memory(self, prepared: Prepared) -> TrainingSession:
        """Trains; if the GPU runs out of memory, halves the batch and doubles the accumulation, at most twice."""
        for retry in range(OUT_OF_MEMORY_RETRIES + 1):
            try:
                return self._train_repeatably(prepared)
            except Exception as error:
                training = prepared.resolved.training
                batch = int(training.per_device_train_batch_size)
                smallest = 2 if self.spec.method == "kto" else 1
                if not is_gpu_out_of_memory(error) or retry == OUT_OF_MEMORY_RETRIES or batch // 2 < smallest:
                    raise
                accumulation = int(training.gradient_accumulation_steps) * 2
            # Outside the handler, where the traceback no longer references the tensors.
            free_memory()
            changes = {"per_device_train_batch_size": batch // 2, "gradient_accumulation_steps": accumulation}
            prepared.resolved = prepared.resolved.model_copy(update={"training": training.model_copy(update=changes)})
            write_resolved(self.job_dir, prepared.resolved)
            self.reporter.emit(
                "restart",
                {"reason": "out_of_memory_gpu", "attempt": self.attempt, **changes},
                level="warn",
                message=f"The GPU ran out of memory: continuing with batches of {batch // 2}",
            )
        raise AssertionError("the last retry raises")

    def _train_repeatably(self, prepared: Prepared) -> TrainingSession:
        """Trains with operations that compute the same bits each time, and without if the model needs another one."""
        try:
            return self._train(prepared)
        except RuntimeError as error:
            if not self.repeatable or not is_not_deterministic(error):
                raise
            reason = str(error).split(",")[0]
        self.repeatable = False
        free_memory()
        self.reporter.warn(
            "not_deterministic", f"The weights of another run will differ in their last bits: {reason[:200]}"
        )
        return self._train(prepared)

    def _train(self, prepared: Prepared) -> TrainingSession:
        from .build_trainer import build_trainer

        spec = prepared.resolved
        self.control.interruptible = True
        self.control.check()
        restarts_left = spec.limits.max_restarts - (self.attempt - 1)
        point = find_resume_point(self.job_dir, spec, self.machine, self.reporter, restarts_left)
        if point is None and self.attempt > 1:
            self.reporter.warn("restarted_from_zero", "No checkpoint could be resumed from: starting at step 0")
        session = self._session(prepared)
        session.last_saved = point.manifest if point else None
        self.progress.tokens_seen = point.tokens_seen if point else 0
        output = temporary_folder(self.job_dir, "output")
        with self.reporter.in_phase("loading_model"):
            trainer = build_trainer(
                self.home,
                prepared,
                self.machine,
                output,
                baseline=point is None,
                repeatable=self.repeatable,
            )
        trainer.session = session
        trainer.add_callback(session_callback(session))
        self._loop(trainer, session, point)
        remove_temporary(self.job_dir)
        return session

    def _loop(self, trainer: Any, session: TrainingSession, point: ResumePoint | None) -> None:
        resume = str(resumable_folder(point.folder, self.job_dir)) if point else None
        with self.reporter.in_phase("training", resumed_from_step=point.manifest.step_number if point else 0):
            # From here on, a stop request is handled between steps, where the work can be saved.
            self.control.interruptible = False
            self.control.check()
            try:
                trainer.train(resume_from_checkpoint=resume)
            finally:
                session.flush()
        state = trainer.state
        if session.stop_reason is None and state.global_step < state.max_steps:
            raise TrainerFailure.of(
                "worker_crashed", f"training ended at step {state.global_step} of {state.max_steps} without a reason"
            )

    def _session(self, prepared: Prepared) -> TrainingSession:
        return TrainingSession(
            self.home,
            self.job_dir,
            prepared.resolved,
            prepared.base,
            self.reporter,
            self.control,
            self.progress,
            compatibility(prepared.resolved, self.machine),
            lambda trainer, step: report_samples(prepared, self.reporter, trainer, step),
        )

    # After training.

    def _finish(self, prepared: Prepared, session: TrainingSession) -> JobResult:
        import torch

        free_memory()
        # Only training must compute the same bits each time.
        torch.use_deterministic_algorithms(False)
        final, best = session.last_saved, session.best()
        request = self.control.stop
        if session.stop_reason == "user" and request is not None:
            outcome = "paused" if request.action == "pause" else "cancelled"
        elif session.stop_reason is not None:
            outcome = session.stop_reason
        else:
            outcome = "max_steps" if self.spec.training.max_steps is not None else "completed"
        if outcome != "paused" and final is not None:
            # Everything is saved, so a stop request may end the rest immediately.
            self.control.interruptible = request is None
            with self.reporter.in_phase("finalizing"):
                self._register_profiles(prepared, session, final, best)
            if outcome != "cancelled":
                chosen = best if best is not None and self.spec.checkpointing.keep_best else final
                build_outputs(self.home, chosen, self.spec.output, self.reporter, self.control)
        reason = {"cancelled": "user", "paused": "user"}.get(outcome, outcome)
        return JobResult(
            self.attempt,
            outcome,
            reason,
            None,
            final.checkpoint_id if final else None,
            best.checkpoint_id if best else None,
        )

    def _register_profiles(
        self,
        prepared: Prepared,
        session: TrainingSession,
        final: CheckpointManifest,
        best: CheckpointManifest | None,
    ) -> None:
        # The shortest Example leaves the most room for an answer, and erased or broken ones have no prompt.
        shortest = min(prepared.train.rows, key=lambda candidate: candidate.length).example_id
        row = next(source for source in prepared.train.source if str(source["example_id"]) == shortest)
        prompt = prepared.renderer.prompt_text(question_of(row)[0], row.get("tools") or None)
        stop = prepared.renderer.stop_token_id()
        for manifest in {m.checkpoint_id: m for m in (best, final) if m is not None}.values():
            try:
                profile = make_profile(self.home, manifest, prompt, stop_token_id=stop)
            except (Stopped, StaleAttempt):
                raise
            except Exception as error:
                # The weights are committed and verified: a checkpoint that cannot answer here is still worth keeping.
                message = f"Checkpoint {manifest.checkpoint_id} did not answer: {error}"
                self.reporter.warn("profile_failed", message, checkpoint_id=manifest.checkpoint_id)
                continue
            # llama.cpp's name of the pre-tokenizer, for tokenizers that its converter does not recognize.
            profile = profile.model_copy(update={"tokenizer_pre": self.spec.metadata.get("tokenizer_pre")})
            write_profile(self.home, manifest, profile)
            document = session.checkpoint_document(
                manifest,
                is_final=manifest.checkpoint_id == final.checkpoint_id,
                inference_profile=profile.model_dump(mode="json"),
            )
            message = f"Checkpoint {manifest.checkpoint_id} answered and can be served"
            self.reporter.emit("checkpoint.saved", document, message=message)

    def _elapsed_before(self) -> float:
        """Returns the seconds that earlier attempts reported."""
        log = self.reporter.log
        last: dict[int, float] = {}
        after = 0
        while events := log.read(after, 1000):
            after = events[-1].seq
            for event in events:
                seconds = event.data.get("elapsed_seconds")
                if event.type == "phase.progress" and isinstance(seconds, (int, float)):
                    last[event.attempt] = float(seconds)
        return max(last.values(), default=0.0)


def free_memory() -> None:
    import torch

    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
