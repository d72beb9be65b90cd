"""Shares of a data set's budget, which its owner gives."""

from typing import Annotated, Any

from fastapi import APIRouter, Path
from pydantic import BaseModel, ConfigDict

from dalenius.server.question import Amount
from dalenius.server.refusals import named_in_path
from dalenius.server.who import Owner, Served

router = APIRouter(tags=["shares"])

Analyst = Annotated[str, Path(max_length=200, description="Whose share it is.")]


class Share(BaseModel):
    """What an analyst, or a team, may draw in all."""

    model_config = ConfigDict(extra="forbid")

    epsilon: Amount
    delta: Amount = 0
    until: Annotated[str | None, "When it ends, such as 2027-01-01."] = None


@router.get("/api/datasets/{table}/shares")
async def list_shares(session: Owner, served: Served) -> dict[str, dict[str, Any]]:
    """Every share that was ever given."""
    shares = await served.line.free(lambda: session.ledger.all_shares(session.dataset))
    return {
        who: share.limit.to_dict() | {"until": share.until, "revoked": share.revoked} for who, share in shares.items()
    }


@router.put("/api/datasets/{table}/shares/{analyst}", status_code=204)
async def give_share(analyst: Analyst, share: Share, session: Owner, served: Served) -> None:
    """Give, raise or lower a share."""
    book, dataset = session.ledger, session.dataset
    await served.line.free(lambda: book.share(dataset, analyst, share.epsilon, share.delta, until=share.until))


@router.delete("/api/datasets/{table}/shares/{analyst}", status_code=204)
async def revoke_share(analyst: Analyst, session: Owner, served: Served) -> None:
    """End a share now; what was spent stays with the name."""
    with named_in_path():
        await served.line.free(lambda: session.ledger.revoke(session.dataset, analyst))
