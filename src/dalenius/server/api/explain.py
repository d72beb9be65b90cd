"""Price and error of a question, before anything is spent."""

from typing import Any

from fastapi import APIRouter

from dalenius.server.answers import explanation_json
from dalenius.server.question import ServedQuestion
from dalenius.server.who import Asker, Served
from dalenius.sql import Session

router = APIRouter(tags=["questions"])


@router.post("/api/datasets/{table}/explain")
async def explain(question: ServedQuestion, session: Asker, served: Served) -> dict[str, Any]:
    """What the answer would cost, how far off it would be, and whether it is known already; free."""
    return await served.long_look(session, lambda: _explained(session, question))


def _explained(session: Session, question: ServedQuestion) -> dict[str, Any]:
    explanation = session.explain(question.sql, **question.terms())
    known = session.known_answer(question.sql, **question.terms()) is not None
    left = session.budget.to_dict()
    return explanation_json(explanation) | {"known": known, "left": left}
