"""What an owner decides besides shares, keys and requests: policy in words, pace, and who asks without a key."""

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel, ConfigDict

from dalenius.ledger import EVERYBODY, decimal
from dalenius.server.console.pace import pace_now, spending_of
from dalenius.server.question import Amount
from dalenius.server.refusals import named_in_path
from dalenius.server.who import Owner, Served
from dalenius.sql import check_policy

router = APIRouter(tags=["governing"])

Whose = Annotated[str | None, Query(max_length=200, description="Of whose share, or of which block; else of all.")]


class PolicyWords(BaseModel):
    """A policy read back: who is protected, one question of each kind, what is doubtful, and what keeps it from use."""

    words: list[str]
    questions: list[str]
    doubts: list[str]
    faults: list[str]
    ready: bool


class PaceFacts(BaseModel):
    """How fast the budget is spent, in a sentence and in numbers: ε of the last days, and of a year of such days."""

    text: str
    days: int
    spent: str
    year: str
    ends: str | None


class SpendingPoint(BaseModel):
    """A charge in ε, null for one that has no plain ε, and what is left after it."""

    time: str
    charged: str | None
    left: str


class SpendingFacts(BaseModel):
    """What was granted of ε, and what is left after each charge; the first point is when the budget was given."""

    granted: str
    points: list[SpendingPoint]


class OpenToAll(BaseModel):
    """What everybody together may draw without a key: in all, and a day."""

    model_config = ConfigDict(extra="forbid")

    epsilon: Amount
    daily: Amount
    delta: Amount = 0
    until: Annotated[str | None, "When it ends, such as 2027-01-01."] = None


@router.get("/api/datasets/{table}/policy")
async def show_policy(session: Owner, served: Served) -> PolicyWords:
    """The policy in words; the table is checked against it."""
    check = await served.line.free(lambda: check_policy(session.policy))
    lists = {name: list(getattr(check, name)) for name in ("words", "questions", "doubts", "faults")}
    return PolicyWords(**lists, ready=check.ready)


@router.get("/api/datasets/{table}/pace")
async def show_pace(session: Owner, served: Served) -> PaceFacts:
    """What was spent lately, and what the next year costs at this pace."""
    pace = await served.line.free(lambda: pace_now(session.ledger, session.dataset))
    return PaceFacts(text=str(pace), days=pace.days, spent=str(pace.spent), year=str(pace.year), ends=pace.ends)


@router.get("/api/datasets/{table}/spending")
async def show_spending(session: Owner, served: Served, analyst: Whose = None, block: Whose = None) -> SpendingFacts:
    """How the budget, an analyst's share or a block was spent: the figures of the burn-down pictures."""
    with named_in_path():
        spending = await served.line.free(lambda: spending_of(session.ledger, session.dataset, analyst, block))
    points = [
        SpendingPoint(time=time, charged=None if cost is None else decimal(cost), left=decimal(left))
        for (time, cost), left in zip(spending.charges, spending.left(), strict=True)
    ]
    return SpendingFacts(granted=decimal(spending.granted), points=points)


@router.put("/api/datasets/{table}/public", status_code=204)
async def open_to_all(terms: OpenToAll, session: Owner, served: Served) -> None:
    """Let everybody ask, of a share of their own, so much a day. Strangers can drain it."""
    given = (terms.epsilon, terms.daily, terms.delta)
    await served.line.free(lambda: session.ledger.open_to_everybody(session.dataset, *given, until=terms.until))


@router.delete("/api/datasets/{table}/public", status_code=204)
async def close_to_all(session: Owner, served: Served) -> None:
    """Let nobody ask without a key any more."""
    with named_in_path():
        await served.line.free(lambda: session.ledger.revoke(session.dataset, EVERYBODY))
