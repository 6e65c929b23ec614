"""Quantizes a merged model with llm-compressor, in the environment that has it.

Usage: compress.py check                 prints {"versions": {...}, "conflicts": [...]} without importing torch
       compress.py run REQUEST RESULT
       compress.py answer REQUEST RESULT     lets a written model answer and score given answers
Request: {source, target, scheme, calibration: [text] | null, max_seq_length, prompts: [[token ids]], max_new_tokens}
Result:  {answers: [[token ids]]}, from the written model loaded again; or {"error": "calibration_failed"}
Request of answer: {model, prompts: [[token ids]], answers: [[token ids]], max_new_tokens}
Result:  {tokens: [[token ids]], logprobs: [[nats, one for each token of an answer]]}
"""

from __future__ import annotations

import json
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

# A tool is started by its path, so its folder is on sys.path.
from parent import die_with_parent  # type: ignore[import-not-found,unused-ignore]

PACKAGE = "llmcompressor"
SHOWN = (PACKAGE, "compressed-tensors", "transformers", "torch")


def check() -> dict[str, Any]:
    """Returns what is installed and which of llm-compressor's own version limits it violates."""
    from packaging.requirements import Requirement

    try:
        requirements = [Requirement(text) for text in metadata.requires(PACKAGE) or []]
    except metadata.PackageNotFoundError:
        return {"versions": {}, "conflicts": [f"{PACKAGE} is not installed"]}
    conflicts = []
    for requirement in requirements:
        if requirement.marker is not None and not requirement.marker.evaluate({"extra": ""}):
            continue
        try:
            installed = metadata.version(requirement.name)
        except metadata.PackageNotFoundError:
            conflicts.append(f"{requirement.name} is not installed")
            continue
        if not requirement.specifier.contains(installed, prereleases=True):
            conflicts.append(f"{requirement.name} {installed} is not {requirement.specifier}")
    return {"versions": {name: metadata.version(name) for name in SHOWN}, "conflicts": conflicts}


def run(request: dict[str, Any]) -> dict[str, Any]:
    from llmcompressor import oneshot
    from llmcompressor.modifiers.quantization import QuantizationModifier
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(request["source"])
    model = AutoModelForCausalLM.from_pretrained(request["source"], dtype="auto", use_safetensors=True)
    # lm_head decides between tokens; quantizing it costs quality and saves little.
    recipe = QuantizationModifier(targets="Linear", scheme=request["scheme"], ignore=["lm_head"])
    calibration = _calibration(request, tokenizer)
    try:
        oneshot(model=model, recipe=recipe, tokenizer=tokenizer, **calibration)
    except (RuntimeError, ValueError):
        if calibration:
            return {"error": "calibration_failed"}
        raise
    model.save_pretrained(request["target"])
    tokenizer.save_pretrained(request["target"])
    del model
    reloaded: Any = AutoModelForCausalLM.from_pretrained(request["target"], use_safetensors=True)
    return {"answers": _answers(reloaded, request)}


def answer(request: dict[str, Any]) -> dict[str, Any]:
    import torch
    from transformers import AutoModelForCausalLM

    model: Any = AutoModelForCausalLM.from_pretrained(request["model"], use_safetensors=True)
    model.eval()
    scores = []
    for prompt, given in zip(request["prompts"], request["answers"], strict=True):
        with torch.inference_mode():
            logits = model(input_ids=torch.tensor([[*prompt, *given]], device=model.device)).logits[0].float()
        distribution = logits[len(prompt) - 1 : -1].log_softmax(dim=-1)
        scores.append([float(distribution[index, token]) for index, token in enumerate(given)])
    return {"tokens": _answers(model, request), "logprobs": scores}


def _answers(model: Any, request: dict[str, Any]) -> list[list[int]]:
    """Returns the token ids of the answers at temperature 0."""
    import torch

    answers = []
    for ids in request["prompts"]:
        inputs = torch.tensor([ids], device=model.device)
        with torch.inference_mode():
            output = model.generate(
                input_ids=inputs,
                attention_mask=torch.ones_like(inputs),
                max_new_tokens=request["max_new_tokens"],
                do_sample=False,
            )
        answers.append(output[0, len(ids) :].tolist())
    return answers


def _calibration(request: dict[str, Any], tokenizer: Any) -> dict[str, Any]:
    texts = request["calibration"]
    if texts is None:
        return {}
    from datasets import Dataset

    length = request["max_seq_length"]
    # The template already wrote the special tokens.
    rows = [tokenizer(text, add_special_tokens=False, truncation=True, max_length=length) for text in texts]
    dataset = Dataset.from_list([{key: row[key] for key in ("input_ids", "attention_mask")} for row in rows])
    return {"dataset": dataset, "max_seq_length": length, "num_calibration_samples": len(rows)}


def main() -> None:
    die_with_parent()
    if sys.argv[1] == "check":
        print(json.dumps(check()))
        return
    program = {"run": run, "answer": answer}[sys.argv[1]]
    result = program(json.loads(Path(sys.argv[2]).read_text()))
    Path(sys.argv[3]).write_text(json.dumps(result))


if __name__ == "__main__":
    main()
