"""Errors as HTTP responses: always `{"error": {…}}` with the fields of a TrainerError."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from ..trainer_error import TrainerError, TrainerFailure

STATUS: dict[str, int] = {
    "unauthorized": 401,
    "idempotency_mismatch": 409,
    "in_use": 409,
    "manifest_not_found": 422,
    "manifest_hash_mismatch": 422,
    "disk_full": 507,
    "engine_dependency_missing": 422,
}
_CODES = {
    404: "not_found",
    405: "method_not_allowed",
    413: "too_large",
    409: "wrong_state",
    416: "range_not_satisfiable",
}


class Problem(Exception):
    """An error in a request that is not a training failure."""

    def __init__(self, status: int, message: str, *, code: str | None = None, hint: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.document: dict[str, Any] = {
            "code": code or _CODES.get(status, "invalid_request"),
            "message": message,
            "param": None,
            "retryable": status >= 500,
            "blame": "user" if status < 500 else "platform",
            "phase": None,
            "hint": hint,
            "log_tail": [],
        }


def not_found(what: str) -> Problem:
    return Problem(404, f"{what} was not found")


def error_response(error: TrainerError) -> JSONResponse:
    return JSONResponse({"error": error.model_dump(mode="json")}, STATUS.get(error.code, 422))


def install(app: FastAPI) -> None:
    """Answers every exception with the same shape, and reveals nothing about an unexpected one to the caller."""

    @app.exception_handler(Problem)
    async def _problem(_: Request, raised: Problem) -> JSONResponse:
        return JSONResponse({"error": raised.document}, raised.status)

    @app.exception_handler(TrainerFailure)
    async def _failure(_: Request, raised: TrainerFailure) -> JSONResponse:
        return error_response(raised.error)

    @app.exception_handler(RequestValidationError)
    async def _invalid(_: Request, raised: RequestValidationError) -> JSONResponse:
        first = raised.errors()[0]
        where = ".".join(str(part) for part in first["loc"] if part != "body")
        return error_response(
            TrainerError.of("invalid_spec", f"{where}: {first['msg']}".strip(": "), param=where or None)
        )

    @app.exception_handler(HTTPException)
    async def _http(_: Request, raised: HTTPException) -> JSONResponse:
        problem = Problem(raised.status_code, str(raised.detail))
        return JSONResponse({"error": problem.document}, raised.status_code, headers=dict(raised.headers or {}))

    @app.exception_handler(Exception)
    async def _unexpected(_: Request, __: Exception) -> JSONResponse:
        return JSONResponse({"error": Problem(500, "The trainer failed; see its log").document}, 500)
