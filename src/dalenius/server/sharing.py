"""Shares that an owner gives to analysts and teams."""

from dalenius.errors import InvalidParameter
from dalenius.ledger import EVERYBODY
from dalenius.numerics import Number
from dalenius.sql import Session


def give_share(session: Session, analyst: str, epsilon: Number, delta: Number, until: str | None) -> None:
    """Give, raise or lower a share; that of everybody is given with its allowance a day, and in no other way.

    A door that was closed keeps its allowance: a share for a team of that name would open it again.
    """
    if analyst == EVERYBODY:
        raise InvalidParameter(
            f"{EVERYBODY!r} is the name of everybody who asks without a key: open the table to everybody instead"
        )
    session.ledger.share(session.dataset, analyst, epsilon, delta, until=until)
