"""`python -m whetstone_trainer.spec_schema` prints the spec's JSON Schema and the defaults that depend on method and adapter.

The web app's own description of the settings is tested against what this printed.
"""

from __future__ import annotations

import json
from typing import Any, get_args

from .spec import Adapter, JobSpec, Method
from .training.resolve_spec import EPOCHS, LOSS_TYPES, default_learning_rate


def spec_document() -> dict[str, Any]:
    """Returns the schema of a spec as it is sent, and what "auto" becomes where only method and adapter decide."""
    return {
        "schema": JobSpec.model_json_schema(by_alias=True),
        "defaults": {
            method: {
                "num_train_epochs": EPOCHS[method],
                "learning_rate": {adapter: default_learning_rate(method, adapter) for adapter in get_args(Adapter)},
                "loss_types": list(LOSS_TYPES[method]),
            }
            for method in get_args(Method)
        },
    }


def spec_text() -> str:
    return json.dumps(spec_document(), indent=1, sort_keys=True) + "\n"


if __name__ == "__main__":
    print(spec_text(), end="")
