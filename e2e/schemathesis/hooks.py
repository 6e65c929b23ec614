"""What schemathesis cannot know of the interface from its OpenAPI document alone."""

import schemathesis


@schemathesis.hook
def before_call(ctx, case, kwargs):
    """A valid cursor comes from an earlier answer only: a request that should be accepted goes without a made-up one."""
    meta = case.meta
    if meta is not None and meta.generation.mode.is_positive and isinstance(case.query, dict):
        case.query.pop("cursor", None)
