"""A question asked on a page, with its answer made ready to be shown: all of it work of the question's own thread."""

from dalenius.curator import Release
from dalenius.server.console import asking
from dalenius.server.console.asking import Fields
from dalenius.server.console.shown import ShownAnswer, shown_answer
from dalenius.sql import Session


def known_shown(session: Session, form: Fields) -> ShownAnswer | None:
    """The answer, if asking costs its asker nothing."""
    release = asking.known_answer(session, form)
    return None if release is None else _shown(session, release)


def ask_shown(session: Session, form: Fields, who: str) -> ShownAnswer:
    """The answer, charged."""
    return _shown(session, asking.ask(session, form, who))


def _shown(session: Session, release: Release) -> ShownAnswer:
    return shown_answer(release, asking.receipt_of(session, release))
