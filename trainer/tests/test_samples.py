"""Samples show the answers to the same prompts before and after training."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from artifact_home import ANSWER, TRAINER, build_ready, checkpoint_of, learned_home

from whetstone_trainer.samples import SamplesRequest, sample


def prompts(*texts: str) -> list[dict[str, object]]:
    return [{"messages": [{"role": "user", "content": text}]} for text in texts]


def test_the_checkpoint_and_the_merged_model_learned_what_the_base_does_not_know(tmp_path: Path) -> None:
    home = learned_home()
    build_ready(home, "merged-samples", "merged-16bit")
    targets = [
        {"base": {"id": str(home / "models" / "tiny-base"), "source": "local"}},
        {"checkpoint_id": checkpoint_of(home)},
        {"artifact_id": "merged-samples"},
    ]
    request = tmp_path / "request.json"
    request.write_text(json.dumps({"targets": targets, "prompts": prompts("weather 1"), "max_new_tokens": 12}))
    command = [sys.executable, "-m", "whetstone_trainer.samples", "--home", str(home)]
    subprocess.run(
        [*command, "--request", str(request), "--out", str(tmp_path / "out.json")],
        check=True,
        cwd=TRAINER,
        capture_output=True,
    )
    result = json.loads((tmp_path / "out.json").read_text())
    assert result["error"] is None
    base, checkpoint, merged = (target["answers"][0] for target in result["answers"])
    assert ANSWER not in base["content"] and base["finish_reason"] == "length" and base["completion_tokens"] == 12
    for answer in (checkpoint, merged):
        assert (answer["content"], answer["finish_reason"]) == (ANSWER, "stop")
        assert 0 < answer["completion_tokens"] < 12 and answer["prompt_tokens"] == base["prompt_tokens"]


def test_a_target_that_is_not_there_keeps_the_answers_before_it() -> None:
    home = learned_home()
    request = {
        "targets": [{"checkpoint_id": checkpoint_of(home, "job-full")}, {"artifact_id": "never-built"}],
        "prompts": prompts("weather 2"),
    }
    result = sample(home, SamplesRequest.model_validate(request))
    assert [answer.content for answer in result.answers[0].answers] == [ANSWER]
    assert result.error is not None and result.error.param == "artifact_id"
