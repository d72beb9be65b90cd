"""Errors as HTTP tells them: a status, the error's name and its sentence; all of it is public."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, RedirectResponse
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from dalenius.errors import (
    BudgetExceeded,
    DaleniusError,
    ExecutionFailed,
    LedgerMismatch,
    LedgerUnavailable,
    UnknownName,
)
from dalenius.server.line import Busy, NoAnswer
from dalenius.server.signed_out import SignedOut

NO_ANSWER = (
    "no answer has left; what was charged stays charged; ask again with the same key, and it is sent if it is there"
)
BUSY = "too many questions wait for this data set; try again"


class Refusal(BaseModel):
    """Why a request was refused."""

    error: str
    message: str


class Pending(BaseModel):
    """The one thing that is said when no answer leaves, whatever the reason."""

    state: str = "no answer"
    message: str = NO_ANSWER


STATUSES: tuple[tuple[type[Exception], int], ...] = (
    (BudgetExceeded, 402),
    (LedgerMismatch, 409),
    (LedgerUnavailable, 503),
    (DaleniusError, 400),
)
"""The first that fits counts."""

EVERYWHERE: dict[int | str, dict[str, Any]] = {
    400: {"model": Refusal, "description": "The request breaks a stated rule."},
    401: {"model": Refusal, "description": "No key, or one that opens nothing."},
    402: {"model": Refusal, "description": "The budget, or a share of it, does not cover the price."},
    403: {"model": Refusal, "description": "The key's role does not allow this."},
    404: {"model": Refusal, "description": "There is no such thing, or the key does not open it."},
    408: {"model": Refusal, "description": "The body did not come in time."},
    409: {"model": Refusal, "description": "The ledger holds something else under this key, or of this data set."},
    413: {"model": Refusal, "description": "The body is too long."},
    422: {"model": Refusal, "description": "The body or a parameter is not of the documented form."},
    429: {"model": Refusal, "description": "Too many requests, or too many questions that wait."},
    503: {"model": Refusal, "description": "The ledger cannot be written to now; nothing was charged."},
}


def add_refusals(app: FastAPI) -> None:
    """Answer every error in one form; nothing that was not foreseen is put into words.

    The handlers are coroutines, which run on the loop: a plain function would be given a thread of its own.
    """
    app.add_exception_handler(NoAnswer, _no_answer)
    app.add_exception_handler(ExecutionFailed, _no_answer)
    app.add_exception_handler(Busy, _busy)
    app.add_exception_handler(DaleniusError, _refused)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(SignedOut, _signed_out)
    app.add_exception_handler(Exception, _unforeseen)


@contextmanager
def named_in_path() -> Iterator[None]:
    """A name that nobody declared is a bad question in a body, and something that is not there in a path."""
    try:
        yield
    except UnknownName as unknown:
        raise HTTPException(404, str(unknown)) from None


def refusal(request: Request, status: int, error: str, message: str, headers: dict[str, str] | None = None) -> Response:
    """A refusal: JSON for programs, a page for people."""
    if request.url.path.startswith(("/api/", "/metrics")):
        return JSONResponse({"error": error, "message": message}, status, headers)
    from dalenius.server.console.pages import refusal

    return refusal(status, message)


async def _no_answer(request: Request, error: Exception) -> JSONResponse:
    return JSONResponse(Pending().model_dump(), 202)


async def _busy(request: Request, error: Exception) -> Response:
    return refusal(request, 429, "Busy", BUSY)


async def _signed_out(request: Request, error: Exception) -> Response:
    return RedirectResponse("/login", 303)


async def _refused(request: Request, error: Exception) -> Response:
    status = next(status for kind, status in STATUSES if isinstance(error, kind))
    return refusal(request, status, type(error).__name__, str(error))


async def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return refusal(request, error.status_code, "Refused", str(error.detail), dict(error.headers or {}))


async def _invalid(request: Request, error: Exception) -> Response:
    """Which field is wrong and why, without the value: a password typed in the wrong place is not sent back."""
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"])[:200]
    return refusal(request, 422, "InvalidRequest", f"{place}: {first['msg']}"[:500])


async def _unforeseen(request: Request, error: Exception) -> Response:
    return refusal(
        request, 500, "Failed", "the server itself failed; more is not said, since it could tell of the data"
    )
