"""Questions and their answers, as PEP 249 has them."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from dalenius.curator import Release
from dalenius.dbapi.errors import InterfaceError, NotSupportedError, Warning, as_pep_249
from dalenius.dbapi.parameters import bound
from dalenius.dbapi.types import TypeObject, type_of
from dalenius.numerics import Number
from dalenius.sql import read_statement

if TYPE_CHECKING:
    from dalenius.dbapi.connection import Connection

Row = tuple[Any, ...]
Described = tuple[str, TypeObject, None, None, None, None, None]


class Cursor:
    """One question at a time: `execute` pays for the answer, `fetch…` reads it.

    `epsilon` is the price of the next question; without it the connection's, and a query's own OPTIONS(epsilon = …) go
    before both. `release` is the answer with its intervals and its guarantee; `messages` are warnings of an answer over
    a synthetic table.
    """

    def __init__(self, connection: "Connection") -> None:
        self.connection = connection
        self.epsilon: Number | None = None
        self.arraysize = 1
        self.release: Release | None = None
        self.messages: list[tuple[type[Exception], str]] = []
        self._rows: list[Row] = []
        self._columns: dict[str, tuple[Any, ...]] | None = None
        self._next = 0
        self._closed = False

    @property
    def description(self) -> list[Described] | None:
        """Name and type of each column; None before a question, and after a statement that has no rows."""
        if self._columns is None:
            return None
        return [(name, type_of(values), None, None, None, None, None) for name, values in self._columns.items()]

    @property
    def rowcount(self) -> int:
        """How many rows the answer has; −1 before a question."""
        return -1 if self._columns is None else len(self._rows)

    def execute(self, operation: str, parameters: Sequence[Any] | None = None) -> "Cursor":
        """Ask, and pay; the very same question again is answered as before, for nothing."""
        self._check_open()
        self.release, self._rows, self._next, self._columns = None, [], 0, None
        self.messages = []
        with as_pep_249():
            query = bound(operation, parameters)
            if self.connection.session.about_synthetic(query):
                self._execute_synthetic(query)
                return self
            given = self.connection.epsilon if self.epsilon is None else self.epsilon
            written = read_statement(query).epsilon
            epsilon = given if written is None else None
            priced = epsilon is not None or written is not None
            error = {} if priced else self.connection.error
            asked: dict[str, Any] = error | {"profile": self.connection.profile}
            release = self.connection.session.sql(query, epsilon=epsilon, **asked)
        outcome = release.outcome
        self._rows = list(zip(*map(outcome.typed_column, outcome.shown), strict=True))
        self._columns = {item.name: outcome.typed_column(item) for item in outcome.shown}
        self.release = release
        return self

    def _execute_synthetic(self, query: str) -> None:
        """Make a synthetic table, which is paid and has no rows, or ask one: `messages` say that it is synthetic."""
        from dalenius.synthesis import SyntheticAnswer  # heavy, and seldom needed

        session = self.connection.session
        given = self.connection.epsilon if self.epsilon is None else self.epsilon
        release = session.sql(query, epsilon=given if session.creates_synthetic(query) else None)
        if isinstance(release, SyntheticAnswer):
            self._columns = {name: tuple(values) for name, values in release.told().items()}
            self._rows = list(zip(*self._columns.values(), strict=True))
            self.messages = [(Warning, warning) for warning in release.warnings]
        self.release = release

    def executemany(self, operation: str, parameters: Sequence[Sequence[Any]]) -> None:
        """Refused: each question has an answer and a price of its own."""
        raise NotSupportedError("each question is paid on its own: call execute for each set of parameters")

    def fetchone(self) -> Row | None:
        """The next row, or None."""
        return next(iter(self.fetchmany(1)), None)

    def fetchmany(self, size: int | None = None) -> list[Row]:
        """The next rows, `arraysize` of them if no number is given."""
        self._check_asked()
        wanted = self.arraysize if size is None else size
        rows = self._rows[self._next : self._next + max(0, wanted)]
        self._next += len(rows)
        return rows

    def fetchall(self) -> list[Row]:
        """All rows that are left."""
        return self.fetchmany(len(self._rows))

    def close(self) -> None:
        """Forget the answer; nothing is refunded."""
        self.release, self._rows, self._columns, self._closed = None, [], None, True

    def setinputsizes(self, sizes: Sequence[Any]) -> None:
        """Does nothing, as PEP 249 allows."""

    def setoutputsize(self, size: int, column: int | None = None) -> None:
        """Does nothing, as PEP 249 allows."""

    def __iter__(self) -> Iterator[Row]:
        return self

    def __next__(self) -> Row:
        row = self.fetchone()
        if row is None:
            raise StopIteration
        return row

    def __enter__(self) -> "Cursor":
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()

    def _check_open(self) -> None:
        if self._closed or self.connection.closed:
            raise InterfaceError("the cursor is closed")

    def _check_asked(self) -> None:
        self._check_open()
        if self._columns is None:
            raise InterfaceError("there are no rows before a question: call execute first")
