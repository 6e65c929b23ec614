"""`python base_model.py --chats FILE --out FOLDER`: trains the sample's base model from scratch, in some ten minutes.

A Llama of 0.7 million weights whose tokenizer and weights are trained only on the chats of FILE, one JSON object
`{"messages": […]}` per line. The same chats give the same model on the same machine.
"""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path
from typing import Any

# The tokens of a chat, and the number of those before its answer.
Chat = tuple[list[int], int]

SEED = 7
STEPS = 1600
BATCH = 16
LEARNING_RATE = 3e-3
WARMUP = 128
VOCABULARY = 1024
CONTEXT = 512
CHATML = (
    "{% for m in messages %}{{ '<|im_start|>' + m['role'] + '\\n' }}"
    "{% if m['role'] == 'assistant' %}{% generation %}{{ m['content'] + '<|im_end|>\\n' }}{% endgeneration %}"
    "{% else %}{{ m['content'] + '<|im_end|>\\n' }}{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"
)


def build_tokenizer(texts: list[str]) -> Any:
    """Returns a byte-level BPE tokenizer trained on these texts, with ChatML."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE())
    # Single digits, so that a price is spelled and not remembered as one word.
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY,
        special_tokens=["<|endoftext|>", "<|im_start|>", "<|im_end|>"],
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, eos_token="<|im_end|>", pad_token="<|endoftext|>", bos_token=None
    )
    fast.chat_template = CHATML
    return fast


def build_model(tokenizer: Any) -> Any:
    """Returns an untrained model for the tokenizer."""
    from transformers import LlamaConfig, LlamaForCausalLM

    model = LlamaForCausalLM(
        LlamaConfig(
            vocab_size=len(tokenizer),
            hidden_size=128,
            intermediate_size=341,
            num_hidden_layers=3,
            num_attention_heads=4,
            num_key_value_heads=4,
            max_position_embeddings=CONTEXT,
            tie_word_embeddings=True,
            eos_token_id=tokenizer.eos_token_id,
            pad_token_id=tokenizer.pad_token_id,
            bos_token_id=None,
        )
    )
    model.generation_config.eos_token_id = tokenizer.eos_token_id
    model.generation_config.pad_token_id = tokenizer.pad_token_id
    return model


def train(model: Any, chats: list[Chat], pad: int) -> None:
    """Trains the model on the answers. What all chats begin with is computed once a step and shared by the batch."""
    import torch

    shared = os.path.commonprefix([ids for ids, _ in chats])
    beginning = torch.tensor([shared])
    optimizer = torch.optim.AdamW(model.parameters(), lr=LEARNING_RATE, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, LEARNING_RATE, total_steps=STEPS, pct_start=WARMUP / STEPS
    )
    for step in range(STEPS):
        chosen = [chats[int(at)] for at in torch.randint(len(chats), (BATCH,))]
        longest = max(len(ids) for ids, _ in chosen)
        ids = torch.tensor([ids + [pad] * (longest - len(ids)) for ids, _ in chosen])[:, len(shared) :]
        mask = torch.tensor([[1] * len(ids) + [0] * (longest - len(ids)) for ids, _ in chosen])
        is_answer = torch.tensor([[start <= at < len(ids) for at in range(longest)] for ids, start in chosen])
        cache = model(input_ids=beginning, use_cache=True).past_key_values
        cache.batch_repeat_interleave(BATCH)
        labels = ids.masked_fill(~is_answer[:, len(shared) :], -100)
        loss = model(input_ids=ids, attention_mask=mask, past_key_values=cache, labels=labels).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        optimizer.zero_grad()
        if step % 100 == 99:
            print(f"step {step + 1}: loss {loss.item():.3f}", flush=True)


def tokenized(tokenizer: Any, messages: list[dict[str, str]]) -> Chat:
    """Returns a chat's tokens, and where its answer begins."""
    question = tokenizer.apply_chat_template(messages[:-1], tokenize=False, add_generation_prompt=True)
    chat = tokenizer.apply_chat_template(messages, tokenize=False)
    return tokenizer(chat)["input_ids"], len(tokenizer(question)["input_ids"])


def main() -> None:
    parser = argparse.ArgumentParser(prog="python base_model.py")
    parser.add_argument("--chats", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    import torch

    torch.manual_seed(SEED)
    torch.use_deterministic_algorithms(True)
    chats = [json.loads(line)["messages"] for line in arguments.chats.read_text().splitlines()]
    tokenizer = build_tokenizer([message["content"] for chat in chats for message in chat])
    rows = [tokenized(tokenizer, chat) for chat in chats]
    model = build_model(tokenizer)
    print(f"{sum(p.numel() for p in model.parameters())} weights, {len(rows)} chats")
    train(model, rows, tokenizer.pad_token_id)
    model.to(torch.bfloat16).save_pretrained(arguments.out)
    tokenizer.save_pretrained(arguments.out)


if __name__ == "__main__":
    main()
