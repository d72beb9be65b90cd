"""Whether the ledger's chain is whole, for an owner."""

from typing import Annotated

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from dalenius.server.who import Owner, Served

router = APIRouter(tags=["log"])


class Kept(BaseModel):
    """A head that the owner kept elsewhere."""

    model_config = ConfigDict(extra="forbid")

    head: Annotated[str | None, Field(max_length=64)] = None


class Verified(BaseModel):
    """How many entries there are, and the head to keep."""

    entries: int
    head: str


@router.post("/api/datasets/{table}/verify")
async def verify(session: Owner, served: Served, kept: Kept | None = None) -> Verified:
    """Replay the chain."""
    head = None if kept is None else kept.head
    entries, last = await served.line.free(lambda: session.ledger.verify(head))
    return Verified(entries=entries, head=last)
