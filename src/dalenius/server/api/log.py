"""All that was written about a data set, for its owner."""

from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import BaseModel

from dalenius.server.who import Owner, Served

router = APIRouter(tags=["log"])

Word = Annotated[str | None, Query(max_length=200)]


class Logged(BaseModel):
    """One entry of the chain."""

    number: int
    kind: str
    analyst: str | None
    by: str | None
    origin: str | None
    time: str
    hash: str
    words: dict[str, Any]


@router.get("/api/datasets/{table}/log")
async def show_log(
    session: Owner,
    served: Served,
    kind: Word = None,
    analyst: Word = None,
    since: Word = None,
    until: Word = None,
    containing: Word = None,
) -> list[Logged]:
    """Charges and decisions, in order; filtered by kind, analyst, time and words."""
    entries = await served.line.free(
        lambda: session.ledger.log(
            session.dataset, kind=kind, analyst=analyst, since=since, until=until, containing=containing
        )
    )
    return [
        Logged(
            number=one.number,
            kind=one.kind,
            analyst=one.analyst,
            by=one.by,
            origin=one.origin,
            time=one.time,
            hash=one.hash,
            words=one.words,
        )
        for one in entries
    ]
