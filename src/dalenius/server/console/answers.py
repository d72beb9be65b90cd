"""Answers that were seen: the page, the file and the picture of each, for nothing."""

from typing import Annotated

from fastapi import APIRouter, HTTPException, Path, Response

from dalenius import charts
from dalenius.curator import Release
from dalenius.server.answers import answer_arrow, answer_csv, answer_json
from dalenius.server.console.asking import known_answer, stored_answer
from dalenius.server.console.cookie import Form, SignedIn
from dalenius.server.console.opened import Asker
from dalenius.server.console.pages import page
from dalenius.server.console.shown import ShownAnswer, shown_answer
from dalenius.server.who import Served
from dalenius.sql import Session

router = APIRouter()

ReceiptHead = Annotated[str, Path(pattern="^[0-9a-f]{64}$")]
KINDS = {"csv": "text/csv", "json": "application/json", "arrow": "application/vnd.apache.arrow.stream"}
PICTURE = {"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'"}
_PICTURES: dict[str, str] = {}
_MOST_PICTURES = 256


@router.get("/tables/{table}/answers/{receipt}")
async def show(receipt: ReceiptHead, session: Asker, signed: SignedIn, served: Served) -> Response:
    """An answer that was seen before."""

    def work() -> tuple[ShownAnswer, str, str]:
        return shown_answer(_seen(session, receipt), receipt), _text(session, receipt), str(session.budget)

    answer, text, left = await served.look(session, work)
    return page(
        "answer",
        signed,
        table=session.policy.table,
        form={"sql": text, "epsilon": "", "delta": "", "purpose": ""},
        answer=answer.table,
        receipt=receipt,
        stored=True,
        statement=answer.statement,
        left=left,
    )


@router.get("/tables/{table}/answers/{receipt}/answer.{kind}")
async def file(receipt: ReceiptHead, kind: str, session: Asker, served: Served) -> Response:
    """An answer that was seen, as a file with its privacy statement."""
    return await served.look(session, lambda: as_file(_seen(session, receipt), kind))


@router.get("/tables/{table}/answers/{receipt}/chart.svg")
async def chart(receipt: ReceiptHead, session: Asker, served: Served) -> Response:
    """The bars of an answer that was seen."""
    return await served.look(session, lambda: as_picture(_seen(session, receipt)))


@router.post("/tables/{table}/download/{kind}")
async def download(kind: str, session: Asker, served: Served, form: Form) -> Response:
    """An answer that is known and follows from others, as a file."""

    def work() -> Response:
        answer = known_answer(session, form)
        if answer is None:
            raise HTTPException(404, "only answers that were seen are downloaded")
        return as_file(answer, kind)

    return await served.long_look(session, work)


def as_file(release: Release, kind: str) -> Response:
    """An answer to be kept, with its privacy statement inside."""
    if kind not in KINDS:
        raise HTTPException(404, f"answers are downloaded as {', '.join(KINDS)}")
    from fastapi.responses import JSONResponse

    headers = {"Content-Disposition": f'attachment; filename="answer.{kind}"'}
    if kind == "json":
        return JSONResponse(answer_json(release), headers=headers)
    content = answer_csv(release, stated=True) if kind == "csv" else answer_arrow(release)
    return Response(content, media_type=KINDS[kind], headers=headers)


def as_picture(release: Release) -> Response:
    """Bars with their intervals of a stored answer, as a picture: no script of it is ever run.

    Drawing takes a tenth of a second, which strangers may ask for again and again. What is stored under a receipt never
    changes, so a picture is kept by its receipt.
    """
    head = release.receipt.head
    drawn = _PICTURES.get(head)
    if drawn is None:
        drawn = charts.svg_text(charts.answer(release))  # type: ignore[arg-type]
        while len(_PICTURES) >= _MOST_PICTURES:
            _PICTURES.pop(next(iter(_PICTURES)), None)
        _PICTURES[head] = drawn
    return Response(drawn, media_type="image/svg+xml", headers=PICTURE)


def _seen(session: Session, receipt: str) -> Release:
    release = stored_answer(session, receipt)
    if release is None:
        raise HTTPException(404, "there is no such answer, or it is not the asker's")
    return release


def _text(session: Session, receipt: str) -> str:
    """The question in the asker's own words: who paid first may have written more into theirs."""
    mine = (
        one.words.get("text")
        for one in session.ledger.log(session.dataset)
        if one.words.get("receipt", one.hash) == receipt and session.analyst in (None, one.analyst)
    )
    return next((text for text in mine if text), "")
