"""What a request's tools and schemas may have at most, so that none is a burden to the model's server."""

from __future__ import annotations

import json
from typing import Any

# OpenAI's limits: tools, length of their names, properties and text of a schema. The depth counts every level of JSON.
TOOLS_MAX = 128
SCHEMA_CHARACTERS_MAX = 120_000
SCHEMA_PROPERTIES_MAX = 5_000
SCHEMA_DEPTH_MAX = 64


class InvalidSchema(ValueError):
    """A schema that is too large, too deep or not supported. `param` is the request's field."""

    def __init__(self, message: str, param: str) -> None:
        super().__init__(message)
        self.param = param


def check_schema(schema: Any, param: str) -> None:
    """Raises InvalidSchema for one beyond the limits. Takes as long as the schema is large, however deep it is."""
    properties = 0
    pending = [(schema, 1)]
    while pending:
        value, depth = pending.pop()
        if depth > SCHEMA_DEPTH_MAX:
            raise InvalidSchema(f"the schema has more than {SCHEMA_DEPTH_MAX} levels", param)
        children = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
        properties += len(children) if isinstance(value, dict) else 0
        if properties > SCHEMA_PROPERTIES_MAX:
            raise InvalidSchema(f"the schema has more than {SCHEMA_PROPERTIES_MAX} properties and keywords", param)
        pending += [(child, depth + 1) for child in children]
    if len(json.dumps(schema, ensure_ascii=False)) > SCHEMA_CHARACTERS_MAX:
        raise InvalidSchema(f"the schema has more than {SCHEMA_CHARACTERS_MAX} characters", param)
