"""What may still be spent."""

from typing import Any

from fastapi import APIRouter
from pydantic import BaseModel

from dalenius.ledger import Role
from dalenius.server.who import Anyone, Holder, Served
from dalenius.sql import Session

router = APIRouter(tags=["budgets"])


class Budget(BaseModel):
    """What was granted and what is left: of the asker's share for an analyst, of the data set for others."""

    granted: dict[str, Any]
    left: dict[str, Any]
    shares: dict[str, dict[str, Any]] | None = None


@router.get("/api/datasets/{table}/budget")
async def show_budget(session: Anyone, key: Holder, served: Served) -> Budget:
    """What the asker may still spend; an owner also sees every share."""
    return await served.look(session, lambda: _budget(session, key.role(session.dataset)))


def _budget(session: Session, role: Role | None) -> Budget:
    book, name = session.ledger, session.dataset
    shares = book.shares(name)
    if role is Role.OWNER:
        granted = {who: share.to_dict() for who, share in shares.items()}
        return Budget(granted=book.limit(name).to_dict(), left=session.budget.to_dict(), shares=granted)
    if role is Role.VIEWER:
        return Budget(granted=book.limit(name).to_dict(), left=book.remaining(name).to_dict())
    own = book.limit(name) if session.analyst not in shares else shares[session.analyst]
    return Budget(granted=own.to_dict(), left=session.budget.to_dict())
