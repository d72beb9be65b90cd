"""A table that is open for private questions, as PEP 249 has it."""

from typing import Any

from dalenius.dbapi import errors
from dalenius.dbapi.cursor import Cursor
from dalenius.dbapi.errors import InterfaceError, as_pep_249
from dalenius.errors import InvalidParameter
from dalenius.numerics import Number, positive
from dalenius.sql import Session
from dalenius.sql import connect as open_session


def connect(
    data: Any = None,
    *,
    epsilon: Number | None = None,
    within: Number | None = None,
    of: Number | None = None,
    max_epsilon: Number | None = None,
    profile: Number | bool | None = None,
    **terms: Any,
) -> "Connection":
    """Open a table on the terms of `dalenius.connect`; `epsilon` is what each question costs if it does not say.

    In its place `within`, with `of` or `max_epsilon`, says how far off each answer may be, as in `Session.sql`.
    `profile` is what a question may pay besides for facts about the table that nobody has bought yet.
    """
    with as_pep_249():
        if epsilon is not None:
            positive(epsilon, "epsilon")
            if within is not None:
                raise InvalidParameter("within= takes the place of epsilon: give one of them")
        error = {"within": within, "of": of, "max_epsilon": max_epsilon}
        return Connection(
            open_session(data, **terms),
            epsilon,
            {name: said for name, said in error.items() if said is not None},
            profile,
        )


class Connection:
    """A session, and the price of a question that names none, or the `error` that its answer may have.

    There are no transactions: a charge is written to the ledger before the data is read, and never refunded.
    """

    Warning = errors.Warning
    Error = errors.Error
    InterfaceError = errors.InterfaceError
    DatabaseError = errors.DatabaseError
    DataError = errors.DataError
    OperationalError = errors.OperationalError
    IntegrityError = errors.IntegrityError
    InternalError = errors.InternalError
    ProgrammingError = errors.ProgrammingError
    NotSupportedError = errors.NotSupportedError

    def __init__(
        self,
        session: Session,
        epsilon: Number | None = None,
        error: dict[str, Number] | None = None,
        profile: Number | bool | None = None,
    ) -> None:
        self.session = session
        self.epsilon = epsilon
        self.error = error or {}
        self.profile = profile
        self.closed = False

    def cursor(self) -> Cursor:
        """A new cursor."""
        self._check_open()
        return Cursor(self)

    def commit(self) -> None:
        """Does nothing: a charge is on disk before its answer is seen."""
        self._check_open()

    def rollback(self) -> None:
        """Does nothing: what has been told cannot be untold, so no charge is ever refunded.

        Not an error, since programs call it to tidy up after any failure.
        """
        self._check_open()

    def close(self) -> None:
        """No more questions through this connection; what was spent stays spent."""
        self.closed = True

    def __enter__(self) -> "Connection":
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()

    def _check_open(self) -> None:
        if self.closed:
            raise InterfaceError("the connection is closed")
