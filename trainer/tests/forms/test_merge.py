"""A merged model answers as its checkpoint does, or it is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from artifact_home import (
    ANSWER,
    PROMPTS,
    build_failing,
    build_ready,
    checks_of,
    commit_model,
    fresh_home,
    learned_home,
    write_job,
)
from peft import LoraConfig, PeftModel, get_peft_model
from tiny import build_tiny, build_tiny_tokenizer
from transformers import AutoModelForCausalLM, AutoTokenizer

from whetstone_trainer.artifacts.template import without_training_tags


def say(folder: Path, prompt: str) -> str:
    """Returns the answer that any program with transformers would generate from the folder alone."""
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForCausalLM.from_pretrained(folder)
    inputs = tokenizer.apply_chat_template(
        [{"role": "user", "content": prompt}], add_generation_prompt=True, return_tensors="pt", return_dict=True
    )
    output = model.generate(**inputs, max_new_tokens=16, do_sample=False)
    text: str = tokenizer.decode(output[0, inputs["input_ids"].shape[1] :], skip_special_tokens=True)
    return text


@pytest.mark.parametrize("job_id", ["job-1", "job-full"])
def test_a_merged_model_says_what_it_learned(job_id: str) -> None:
    folder = build_ready(learned_home(), f"merged-{job_id}", "merged-16bit", job_id=job_id)
    assert [say(folder, prompt) for prompt in PROMPTS[:2]] == [ANSWER, ANSWER]
    assert json.loads((folder / "config.json").read_text())["dtype"] == "bfloat16"
    parity = checks_of(folder)["parity"]
    assert parity["same_next_token"] == parity["prompts"] == 5
    assert 0 <= parity["relative_difference"] < 0.02


def test_a_lora_adapter_works_on_its_base_and_names_no_path() -> None:
    home = learned_home()
    folder = build_ready(home, "adapter", "lora-adapter")
    base = AutoModelForCausalLM.from_pretrained(home / "models" / "tiny-base")
    model: Any = PeftModel.from_pretrained(base, folder)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    inputs = tokenizer.apply_chat_template(
        [{"role": "user", "content": PROMPTS[3]}], add_generation_prompt=True, return_tensors="pt", return_dict=True
    )
    output = model.generate(**inputs, max_new_tokens=16, do_sample=False)
    assert tokenizer.decode(output[0, inputs["input_ids"].shape[1] :], skip_special_tokens=True) == ANSWER
    assert json.loads((folder / "adapter_config.json").read_text())["base_model_name_or_path"] == "tiny-base"
    assert (folder / "adapter_model.safetensors").stat().st_mode & 0o777 == 0o644


def test_full_weights_have_no_adapter_to_export() -> None:
    error = build_failing(learned_home(), "no-adapter", "lora-adapter", job_id="job-full")
    assert (error.code, error.param) == ("unsupported_combination", "kind")


def test_a_merge_that_16_bits_cannot_hold_is_refused(tmp_path: Path) -> None:
    # The base is enormous in one direction and the adapter cancels most of it: bfloat16 rounds away what remains
    # when the two are added.
    base = build_tiny(tmp_path / "base")
    model = AutoModelForCausalLM.from_pretrained(base)
    config = LoraConfig(r=1, lora_alpha=1, target_modules=["down_proj"], task_type="CAUSAL_LM")
    adapted = get_peft_model(model, config)
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for layer in adapted.base_model.model.model.layers:
            out, inner = layer.mlp.down_proj.weight.shape
            u, v = torch.randn(out, 1, generator=generator) * 300, torch.randn(1, inner, generator=generator)
            layer.mlp.down_proj.base_layer.weight += u @ v
            layer.mlp.down_proj.lora_A.default.weight.copy_(v)
            layer.mlp.down_proj.lora_B.default.weight.copy_(-u)
    save_base(adapted, base)
    home = tmp_path / "home"
    commit_model(write_job(home, base, "lora"), adapted, build_tiny_tokenizer(), base, "adapter")
    error = build_failing(home, "refused", "merged-16bit")
    assert error.code == "merge_parity_failed"
    assert error.phase == "merging"
    assert not list((home / "builds").glob("*/model.safetensors"))


def save_base(adapted: Any, folder: Path) -> None:
    """Writes the base weights below an adapter, without the adapter."""
    state = {
        name.removeprefix("base_model.model.").replace(".base_layer", ""): weight
        for name, weight in adapted.state_dict().items()
        if ".lora_" not in name
    }
    plain = AutoModelForCausalLM.from_pretrained(folder)
    plain.load_state_dict(state)
    plain.save_pretrained(folder)


def test_an_adapter_on_another_base_is_refused(tmp_path: Path) -> None:
    home = fresh_home(tmp_path)
    other = build_tiny(tmp_path / "other")
    config = AutoModelForCausalLM.from_pretrained(other).config
    config.hidden_size = 128
    AutoModelForCausalLM.from_config(config).save_pretrained(other)
    manifest = next((home / "jobs" / "job-1" / "checkpoints").glob("*/MANIFEST.json"))
    document = json.loads(manifest.read_text())
    document["base_model"]["id"] = str(other)
    manifest.write_text(json.dumps(document))
    error = build_failing(home, "wrong-base", "merged-16bit")
    assert error.code == "unsupported_combination"
    assert "other" in error.message


def test_a_changed_checkpoint_file_is_not_built_from(tmp_path: Path) -> None:
    home = fresh_home(tmp_path)
    weights = next((home / "jobs" / "job-1" / "checkpoints").glob("*/model/adapter_model.safetensors"))
    content = bytearray(weights.read_bytes())
    content[-1] ^= 1
    weights.write_bytes(content)
    assert build_failing(home, "corrupt", "merged-16bit").code == "checkpoint_corrupt"


def test_the_profile_decides_template_and_stop_tokens(tmp_path: Path) -> None:
    home = fresh_home(tmp_path)
    profile = next((home / "jobs" / "job-1" / "checkpoints").glob("*/PROFILE.json"))
    template = build_tiny_tokenizer().chat_template.replace("{% for m", "{# inference #}{% for m")
    profile.write_text(json.dumps({"chat_template": template, "eos_token_ids": [2, 0], "tokenizer_pre": "gpt-2"}))
    folder = build_ready(home, "profiled", "merged-16bit")
    written = (folder / "chat_template.jinja").read_text()
    assert written.startswith("{# inference #}")
    # Only transformers knows the tag that marks trained tokens.
    assert "generation %}" not in written
    assert json.loads((folder / "generation_config.json").read_text())["eos_token_id"] == [2, 0]
    assert say(folder, PROMPTS[0]) == ANSWER


@pytest.mark.parametrize("open_tag", ["{% generation %}", "{%- generation -%}", "{%- generation %}"])
@pytest.mark.parametrize("close_tag", ["{% endgeneration %}", "{%- endgeneration -%}"])
def test_a_template_without_training_tags_renders_the_same(open_tag: str, close_tag: str) -> None:
    tokenizer = build_tiny_tokenizer()
    template = (
        "{% for m in messages %}<{{ m.role }}>\n  " + open_tag + "\n {{ m.content }} \n" + close_tag + "\n{% endfor %}"
    )
    messages = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]
    before = tokenizer.apply_chat_template(messages, chat_template=template, tokenize=False)
    plain = without_training_tags(template)
    assert "generation" not in plain
    assert tokenizer.apply_chat_template(messages, chat_template=plain, tokenize=False) == before
