"""Private answers: charged before rows are read, and sent at one moment, whatever comes of the work."""

from typing import Annotated, Any

from fastapi import APIRouter, Header, Request, Response
from fastapi.responses import JSONResponse, PlainTextResponse
from pydantic import Field, StrictBool

from dalenius.curator import Release
from dalenius.ledger import Key
from dalenius.server.answers import REPEATED, answer_arrow, answer_csv, answer_json
from dalenius.server.question import Amount, ServedQuestion
from dalenius.server.refusals import Pending, Refusal
from dalenius.server.state import State
from dalenius.server.who import Asker, Holder, Served, check_still_open
from dalenius.sql import Session

router = APIRouter(tags=["questions"])

ARROW = "application/vnd.apache.arrow.stream"
RetryKey = Annotated[
    str | None,
    Header(alias="Idempotency-Key", max_length=200, description="Makes a retry safe; it never forces a new draw."),
]
ANSWERS: dict[int | str, dict[str, Any]] = {
    200: {"content": {"text/csv": {}, ARROW: {}}, "description": "The answer, with the ends of its intervals."},
    202: {"model": Pending, "description": "No answer left in time, whatever the reason; the charge stands."},
    402: {"model": Refusal, "description": "The budget, or the asker's share of it, does not cover the price."},
    409: {"model": Refusal, "description": "The key was used for another question."},
}


class PaidQuestion(ServedQuestion):
    """A question that may be paid for."""

    purpose: Annotated[str | None, Field(max_length=2000, description="What for; the owner may require it.")] = None
    fresh: Annotated[bool, Field(description="Draw, and pay, again though the answer is known.")] = False
    profile: Annotated[
        StrictBool | Amount | None, Field(description="What it may pay besides for facts that nobody has bought.")
    ] = None

    def draws(self) -> bool:
        """Whether nothing that is known has a say in its price: it is drawn anew, and buys no fact besides."""
        return self.fresh and not self.profile and self.within is None


@router.post("/api/datasets/{table}/query", responses=ANSWERS)
async def query(
    question: PaidQuestion, request: Request, session: Asker, holder: Holder, served: Served, retry: RetryKey = None
) -> Response:
    """The private answer. The same question again is answered for nothing; so is a retry under the same key."""
    accepted = request.headers.get("accept", "")
    key = None if retry is None else f"{holder.name}\n{retry}"  # prefixed by who asks: keys of two askers never meet
    if not question.fresh or "create" in question.sql.lower():  # of what is drawn anew nothing else can be known
        known = await served.long_look(session, lambda: _known(served, session, question, key, accepted))
        if known is not None:
            return known
    return await served.line.ask(
        session.dataset,
        lambda: _sent(_asked(served, session, holder, question, key), accepted),
        session.analyst,
        draw=question.draws(),
    )


def _known(served: State, session: Session, question: PaidQuestion, key: str | None, accepted: str) -> Response | None:
    """The answer if it costs nothing: one that is known, or a view or copy that was made under this very key."""
    known = None if question.fresh else session.known_answer(question.sql, **question.terms())
    known = served.created.earlier(session, key, question.sql) if known is None else known
    return None if known is None else _sent(known, accepted)


def _asked(served: State, session: Session, holder: Key, question: PaidQuestion, key: str | None) -> Release:
    check_still_open(served, session, holder)
    terms = question.terms()
    release = session.sql(
        question.sql, **terms, key=key, purpose=question.purpose, fresh=question.fresh, profile=question.profile
    )
    return served.created.note(session, key, question.sql, release)


def _sent(release: Release, accepted: str) -> Response:
    """The answer in the form that was asked for; its text is a function of what is released."""
    if ARROW in accepted:
        return Response(answer_arrow(release), media_type=ARROW)
    if "text/csv" in accepted:
        return PlainTextResponse(answer_csv(release), media_type="text/csv")
    return JSONResponse(answer_json(release), headers={REPEATED: str(release.receipt.repeated).lower()})
