"""What the fork server imports once. Nothing here may start a thread: a forked worker would inherit its locks."""

import gc

import accelerate  # noqa: F401
import bitsandbytes  # noqa: F401
import datasets  # noqa: F401
import peft  # noqa: F401
import torch  # noqa: F401
import transformers  # noqa: F401
import trl.experimental.orpo
import trl.trainer.dpo_trainer
import trl.trainer.kto_trainer
import trl.trainer.sft_trainer  # noqa: F401
from transformers import AutoModelForCausalLM, AutoTokenizer, LlamaForCausalLM  # noqa: F401

import whetstone_trainer.certificates.answers
import whetstone_trainer.certificates.forms
import whetstone_trainer.training.build_trainer
import whetstone_trainer.training.run
import whetstone_trainer.worker.main  # noqa: F401

# A worker collects garbage by itself; without the modules above, which never become garbage, that takes no time.
gc.collect()
gc.freeze()
