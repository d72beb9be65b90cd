"""What analysts ask the owner for, and what the owner answers."""

from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Path
from pydantic import BaseModel, ConfigDict, Field

from dalenius.ledger import Role
from dalenius.server.question import ServedQuestion
from dalenius.server.refusals import named_in_path
from dalenius.server.who import Asker, Holder, Owner, Served
from dalenius.server.wishes import wished
from dalenius.sql import Session

router = APIRouter(tags=["requests"])

RequestId = Annotated[str, Path(pattern="^[0-9a-f]{64}$", description="The name of a request.")]


class Wish(ServedQuestion):
    """A question that the owner is asked to let be run once, beside the asker's share."""

    purpose: Annotated[str | None, Field(max_length=2000)] = None


class MadeRequest(BaseModel):
    """The name of a new request."""

    id: str


class Reason(BaseModel):
    """Why a request was declined."""

    model_config = ConfigDict(extra="forbid")

    reason: Annotated[str | None, Field(max_length=2000)] = None


@router.get("/api/datasets/{table}/requests")
async def list_requests(session: Asker, key: Holder, served: Served) -> list[dict[str, Any]]:
    """Every request, for an owner; the asker's own, for an analyst."""
    every = await served.look(session, lambda: session.ledger.requests(session.dataset))
    owner = key.role(session.dataset) is Role.OWNER
    return [one.to_dict() for one in every if owner or one.analyst == session.analyst]


@router.post("/api/datasets/{table}/requests", status_code=201)
async def make_request(wish: Wish, session: Asker, served: Served) -> MadeRequest:
    """Ask the owner to let a question be run; its price and error go along."""
    if session.analyst is None:
        raise HTTPException(403, "the owner need not ask")
    return MadeRequest(id=await served.long_look(session, lambda: _made(session, wish)))


@router.post("/api/datasets/{table}/requests/{request}/approve", status_code=204)
async def approve(request: RequestId, session: Owner, served: Served) -> None:
    """Grant what was asked for."""
    with named_in_path():
        await served.line.free(lambda: session.ledger.approve(session.dataset, request))


@router.post("/api/datasets/{table}/requests/{request}/decline", status_code=204)
async def decline(request: RequestId, session: Owner, served: Served, why: Reason | None = None) -> None:
    """Refuse what was asked for, with a reason for who asked."""
    reason = None if why is None else why.reason
    with named_in_path():
        await served.line.free(lambda: session.ledger.decline(session.dataset, request, reason))


def _made(session: Session, wish: Wish) -> str:
    terms = {name: value for name, value in wish.terms().items() if name in ("epsilon", "delta", "groups", "min_units")}
    return wished(session, wish.sql, wish.purpose, terms)
