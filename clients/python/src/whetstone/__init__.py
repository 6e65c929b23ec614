"""The client of Whetstone's `/v1`: a method for each operation, `findings.list` as `findings_list`."""

from . import _generated as models
from ._client import AsyncWhetstone, Whetstone
from ._errors import (
    ConflictError,
    ForbiddenError,
    InvalidError,
    NotFoundError,
    RateLimitedError,
    UnauthenticatedError,
    UnavailableError,
    UnprocessableError,
    WhetstoneError,
)
from ._generated import ApiTimeoutError as WhetstoneTimeoutError

__all__ = [
    "AsyncWhetstone",
    "ConflictError",
    "ForbiddenError",
    "InvalidError",
    "NotFoundError",
    "RateLimitedError",
    "UnauthenticatedError",
    "UnavailableError",
    "UnprocessableError",
    "Whetstone",
    "WhetstoneError",
    "WhetstoneTimeoutError",
    "models",
]
