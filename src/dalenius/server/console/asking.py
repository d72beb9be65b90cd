"""A question as a form carries it: its price, whether its answer is known, and asking it. Nothing here is shown."""

import secrets
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from dalenius.curator import Outcome, Release
from dalenius.curator.answer.rounded import radius_above
from dalenius.curator.release import released
from dalenius.errors import InvalidParameter
from dalenius.ledger import Amount, decimal
from dalenius.sql import QueryExplanation, Session

TERMS = ("epsilon", "delta")
Fields = Mapping[str, str]


def sql_of(form: Fields) -> str:
    """The text of a question."""
    if not form.get("sql", "").strip():
        raise InvalidParameter("write a question: SELECT … FROM the table")
    return form["sql"]


def terms_of(form: Fields) -> dict[str, Any]:
    """What it may cost, as it was typed."""
    return {name: form[name].strip() for name in TERMS if form.get(name, "").strip()}


def known_answer(session: Session, form: Fields) -> Release | None:
    """The answer, if asking costs its asker nothing."""
    return session.known_answer(sql_of(form), **terms_of(form))


def ask(session: Session, form: Fields, who: str) -> Release:
    """The answer, charged; a second click on the same button is the same charge."""
    retry = form.get("retry", "")
    key = f"{who}\n{retry}" if retry else None  # prefixed by who asks: keys of two askers never meet
    named = form.get("profile", "").strip() or None
    return session.sql(sql_of(form), **terms_of(form), key=key, purpose=form.get("purpose") or None, profile=named)


def explained(session: Session, form: Fields) -> dict[str, Any]:
    """Price, error, what the error leaves out, whether it is known already, and what would be left."""
    explanation = session.explain(sql_of(form), **terms_of(form))
    known = known_answer(session, form) is not None
    return {
        "known": known,
        "price": "nothing" if known else price(explanation, form),
        "after": str(session.budget) if known else left_after(session.budget, explanation),
        "errors": {name: radius(error) for name, error in explanation.errors.items()},
        "cells": explanation.cells,
        "notes": [" ".join(note.removeprefix("not told").split()) for note in explanation.notes],
        "text": str(explanation),
        "profile": "" if known or not explanation.profile else str(explanation.profile),
        "retry": secrets.token_hex(16),
    }


def price(explanation: QueryExplanation, form: Fields) -> str:
    """What a question costs, as short as it can be said, with what it pays besides for facts that nobody has bought."""
    besides = f" and, once for all questions, ε = {decimal(explanation.profile)}" if explanation.profile else ""
    given = terms_of(form)
    if "epsilon" in given:
        return f"ε = {given['epsilon']}" + (f", δ = {given['delta']}" if "delta" in given else "") + besides
    pure = pure_price(explanation)
    return (str(explanation.guarantee) if pure is None else f"ε = {decimal(pure)}") + besides


def pure_price(explanation: QueryExplanation) -> Fraction | None:
    """The ε of a question that is priced in nothing else."""
    spent = explanation.to_dict().get("epsilon")
    return None if spent is None else Fraction(spent)


def left_after(left: Amount, explanation: QueryExplanation) -> str:
    """What would be left of the asker's budget, rounded down; in words where it does not fit or has no plain ε."""
    pure = pure_price(explanation)
    if pure is None:
        return f"{left}, less this price"
    cost = Amount.cost(pure + explanation.profile)
    if cost.epsilon_units > left.epsilon_units:
        return f"it does not fit: {left} is left"
    return str(Amount(left.epsilon_units - cost.epsilon_units, left.delta_units))


def radius(error: float | None) -> str:
    """An error before the answer is there."""
    return "shown with the answer, because it depends on the value" if error is None else f"± {radius_above(error)}"


def stored_answer(session: Session, receipt: str) -> Release | None:
    """What is stored under a receipt, if the asker has seen it."""
    kept = session.ledger.seen(session.dataset, receipt, session.analyst)
    return None if kept is None or kept.release is None else released(Outcome.from_dict(kept.release), kept)


def receipt_of(session: Session, release: Release) -> str | None:
    """The receipt under which this very answer is stored; None for one that was made of another, such as a view's."""
    head = release.receipt.head
    kept = None if not head else session.ledger.seen(session.dataset, head, session.analyst)
    if kept is None or kept.release is None:
        return None
    return head if _figures(Outcome.from_dict(kept.release)) == _figures(release.outcome) else None


def _figures(outcome: Outcome) -> dict[str, Any]:
    """All that was released; what a session says of it beside is no part of it."""
    return {name: value for name, value in outcome.to_dict().items() if name != "notes"}
