"""Samples show the answers to the same prompts before and after training."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from artifact_home import ANSWER, TRAINER, build_ready, checkpoint_of, learned_home

from whetstone_trainer.samples import SamplesRequest, sample
from whetstone_trainer.serving.answer import Finished
from whetstone_trainer.serving.chat import Usage
from whetstone_trainer.serving.engine import Engine

FINISHED = Finished("stop", Usage(1, 1))


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


def test_a_prompt_with_tools_is_answered_as_a_deployment_answers_it(monkeypatch: pytest.MonkeyPatch) -> None:
    parameters = {"type": "object", "properties": {"city": {"type": "string"}}}
    tools = [{"type": "function", "function": {"name": "weather", "parameters": parameters}}]
    call = {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": '{"city": "Ulm"}'}}
    history = [
        {"role": "user", "content": "weather 1"},
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "content": "sunny", "tool_call_id": "c1"},
    ]
    request = SamplesRequest.model_validate(
        {
            "targets": [{"checkpoint_id": checkpoint_of(learned_home())}],
            "prompts": [{"messages": history[:1], "tools": tools}, {"messages": history, "tools": tools}],
            "max_new_tokens": 12,
        }
    )
    first, second = sample(learned_home(), request).answers[0].answers
    # The template of this model ignores tools, so that the first prompt is one that it was taught.
    assert (first.content, first.tool_calls, first.finish_reason) == (ANSWER, [], "stop")
    assert second.prompt_tokens > first.prompt_tokens

    written = '{"name": "weather", "arguments": {"city": "Ulm"}}'
    monkeypatch.setattr(Engine, "generate", lambda _, prompt, say, __: (say(written, []), FINISHED)[1])
    (answer, _) = sample(learned_home(), request).answers[0].answers
    assert (answer.content, [one.model_dump() for one in answer.tool_calls]) == (
        "",
        [{"name": "weather", "arguments": '{"city": "Ulm"}'}],
    )
