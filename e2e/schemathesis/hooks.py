"""What schemathesis cannot know about the API from its OpenAPI document alone."""

import schemathesis


@schemathesis.hook
def before_call(ctx, case, kwargs):
    """Valid cursors only come from earlier responses, so requests that should be accepted are sent without a made-up one."""
    meta = case.meta
    if meta is not None and meta.generation.mode.is_positive and isinstance(case.query, dict):
        case.query.pop("cursor", None)
