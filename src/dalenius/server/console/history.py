"""What somebody has asked, with the answers for nothing."""

from typing import Any

from fastapi import APIRouter, Response

from dalenius.server.console.cookie import SignedIn
from dalenius.server.console.opened import Asker
from dalenius.server.console.pages import page
from dalenius.server.who import Served
from dalenius.sql import Session

router = APIRouter()

MOST = 500
_KINDS = ("reserve", "view")


@router.get("/tables/{table}/history")
async def history(session: Asker, signed: SignedIn, served: Served, containing: str = "") -> Response:
    """The asker's questions, the newest first."""
    past = await served.look(session, lambda: questions(session, MOST, containing[:200]))
    return page("history", signed, table=session.policy.table, past=past, containing=containing, most=MOST)


def questions(session: Session, most: int, containing: str = "") -> list[dict[str, Any]]:
    """The last questions of the asker's own, each with the receipt that its answer is stored under."""
    log = session.ledger.log(session.dataset, containing=containing or None)
    own = [one for one in log if one.kind in _KINDS and one.analyst == session.analyst and one.words.get("text")]
    costs = {one.hash: str(one.charged) for one in session.ledger.entries(session.dataset)}
    return [
        {
            "text": one.words["text"],
            "purpose": one.words.get("purpose"),
            "time": one.time,
            "is_sql": one.words.get("label") is None,
            "receipt": one.words.get("receipt", one.hash),
            "charged": costs.get(one.hash, "from the share only: others had paid for it"),
        }
        for one in reversed(own[-most:])
    ]
