"""A Llama small enough to train in seconds, with ChatML and every shape a test needs.

hidden_size and intermediate_size are divisible by 256 so that every GGUF quantization applies without a fallback.
"""

from __future__ import annotations

from pathlib import Path

CHATML = (
    "{% for m in messages %}{{ '<|im_start|>' + m['role'] + '\\n' }}"
    "{% if m['role'] == 'assistant' %}{% generation %}{{ m['content'] + '<|im_end|>\\n' }}{% endgeneration %}"
    "{% else %}{{ m['content'] + '<|im_end|>\\n' }}{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"
)
CHATML_WITHOUT_TAGS = CHATML.replace("{% generation %}", "").replace("{% endgeneration %}", "")
# Ends an answer without any token that could stop the model.
TEMPLATE_WITHOUT_STOP = CHATML_WITHOUT_TAGS.replace("<|im_end|>", "")
CHATML_WITH_TOOLS = CHATML.replace(
    "{{ m['content'] + '<|im_end|>\\n' }}{% endgeneration %}",
    "{{ m['content'] }}{% for c in m.get('tool_calls', []) %}{{ c.function.name }}{{ c.function.arguments | tojson }}"
    "{% endfor %}{{ '<|im_end|>\\n' }}{% endgeneration %}",
)
WORDS = "hello world this is a tiny tokenizer user assistant system weather sunny"


def build_tiny_tokenizer(template: str | None = CHATML):  # type: ignore[no-untyped-def]
    """Returns the tokenizer: byte-level BPE over a dozen words, `<|im_end|>` as eos."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=512,
        special_tokens=["<|endoftext|>", "<|im_start|>", "<|im_end|>"],
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    tokenizer.train_from_iterator([WORDS] * 10, trainer)
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, eos_token="<|im_end|>", pad_token="<|endoftext|>", bos_token=None
    )
    fast.chat_template = template
    return fast


def build_tiny(
    folder: Path, template: str | None = CHATML, max_position_embeddings: int = 512, *, attention_bias: bool = False
) -> Path:
    """Writes the model (2.7 million weights, seed 0) and its tokenizer to `folder` and returns it."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    tokenizer = build_tiny_tokenizer(template)
    torch.manual_seed(0)
    model = LlamaForCausalLM(
        LlamaConfig(
            vocab_size=len(tokenizer),
            hidden_size=256,
            intermediate_size=512,
            num_hidden_layers=2,
            num_attention_heads=4,
            num_key_value_heads=2,
            max_position_embeddings=max_position_embeddings,
            attention_bias=attention_bias,
            eos_token_id=tokenizer.eos_token_id,
            pad_token_id=tokenizer.pad_token_id,
            bos_token_id=None,
        )
    )
    model.generation_config.eos_token_id = tokenizer.eos_token_id
    model.generation_config.pad_token_id = tokenizer.pad_token_id
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
