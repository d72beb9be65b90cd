"""What the asker was charged for, and the answers to it, for nothing."""

from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Path
from pydantic import BaseModel

from dalenius.server.who import Asker, Served
from dalenius.sql import Session

router = APIRouter(tags=["answers"])

ReceiptHead = Annotated[str, Path(pattern="^[0-9a-f]{64}$", description="The receipt of an answer.")]


class Charged(BaseModel):
    """A charge of the asker's, with the question as it was asked."""

    receipt: str
    time: str
    text: str | None
    purpose: str | None
    label: str | None
    charged: str


@router.get("/api/datasets/{table}/releases")
async def list_releases(session: Asker, served: Served) -> list[Charged]:
    """The asker's own charges, the newest first."""
    return await served.look(session, lambda: _own(session))


@router.get("/api/datasets/{table}/releases/{receipt}")
async def show_release(receipt: ReceiptHead, session: Asker, served: Served) -> dict[str, Any]:
    """An answer that the asker was charged for, as it is stored."""
    stored = await served.look(session, lambda: session.ledger.seen(session.dataset, receipt, session.analyst))
    if stored is None or stored.release is None:
        raise HTTPException(404, "there is no such answer, or it is not the asker's, or it has not been committed")
    return stored.release


def _own(session: Session) -> list[Charged]:
    entries = [entry for entry in session.ledger.entries(session.dataset) if entry.analyst == session.analyst]
    return [
        Charged(
            receipt=entry.hash,
            time=entry.time,
            text=entry.text,
            purpose=entry.purpose,
            label=entry.label,
            charged=str(entry.charged),
        )
        for entry in reversed(entries)
    ]
