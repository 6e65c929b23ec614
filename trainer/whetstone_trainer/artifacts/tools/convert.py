"""Runs a converter of llama.cpp with one change: an unknown pre-tokenizer is resolved, or reported as such.

Usage: convert.py SCRIPT REPORT BASE_TOKENIZER_DIR TOKENIZER_PRE [arguments of SCRIPT]
REPORT receives {"tokenizer_pre", "tokenizer_pre_from"}, or {"error"} with the code of an error known here.
"""

from __future__ import annotations

import importlib
import json
import runpy
import sys
from pathlib import Path
from typing import Any

# A tool is started by its path, so its folder is on sys.path.
from parent import die_with_parent  # type: ignore[import-not-found,unused-ignore]


def main() -> None:
    script, report, base_dir, explicit = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], sys.argv[4]
    die_with_parent()
    sys.path[0] = str(script.parent)
    # The converter needs the gguf of its own release; an installed one may lack its constants.
    sys.path.insert(1, str(script.parent / "gguf-py"))
    conversion: Any = importlib.import_module("conversion")
    TextModel: Any = importlib.import_module("conversion.base").TextModel

    known_to_converter = TextModel.get_vocab_base_pre

    def resolve(model: Any, tokenizer: Any) -> str:
        from transformers import AutoTokenizer

        for candidate, origin in ((_load(AutoTokenizer, base_dir), "base"), (tokenizer, "checkpoint")):
            if candidate is None:
                continue
            try:
                name: str = known_to_converter(model, candidate)
            except NotImplementedError:
                continue
            return reported(name, origin)
        if explicit:
            return reported(explicit, "profile")
        fail("tokenizer_pre_unknown")
        raise SystemExit(1)

    def reported(name: str, origin: str) -> str:
        report.write_text(json.dumps({"tokenizer_pre": name, "tokenizer_pre_from": origin}))
        return name

    def fail(code: str) -> None:
        report.write_text(json.dumps({"error": code}))

    model_class = conversion.get_model_class

    def known_class(name: str, mmproj: bool = False) -> Any:
        try:
            return model_class(name, mmproj)
        except NotImplementedError:
            fail("architecture_unsupported")
            raise

    TextModel.get_vocab_base_pre = resolve
    conversion.get_model_class = known_class
    sys.argv = [str(script), *sys.argv[5:]]
    runpy.run_path(str(script), run_name="__main__")


def _load(tokenizers: Any, folder: str) -> Any:
    if not folder:
        return None
    try:
        return tokenizers.from_pretrained(folder)
    except (OSError, ValueError):
        return None


if __name__ == "__main__":
    main()
