"""The private copy that CREATE SYNTHETIC TABLE asks a session for."""

from collections.abc import Mapping
from typing import Any

from dalenius.curator import Release
from dalenius.errors import InvalidParameter
from dalenius.numerics import Number
from dalenius.sql.text.synthetic import Creation, LinkedCreation
from dalenius.sql.text.synthetic_question import SyntheticQuestion
from dalenius.sql.views.synthetic_tables import SyntheticTables


def answer_of_copies(tables: SyntheticTables, asked: SyntheticQuestion, query: str, epsilon: Number | None) -> Release:
    """What ordinary SQL gives over copies, which are paid already."""
    from dalenius import synthesis  # a sibling, loaded when a copy is asked for: pyproject says why

    if epsilon is not None:
        raise InvalidParameter("a question to a synthetic table has no price: leave epsilon out")
    given = (asked.columns, asked.keys, asked.count)
    answer: Release = synthesis.SyntheticAnswer.of(tables.copies(asked), tables.rows(query), *given)
    return answer


def created_copy(
    session: Any, tables: SyntheticTables, creation: Creation | LinkedCreation, price: Mapping[str, Any]
) -> Release:
    """The copy of one table, or of two that join, paid and kept under its names."""
    if price["epsilon"] is None:
        raise InvalidParameter("a synthetic table has a price: give epsilon, and delta for much less noise")
    tables.check_names(creation)
    copy, rows = make_copy(session, creation, price)
    tables.keep(creation.names, copy, (table.to_arrow() for table in rows))
    made: Release = copy
    return made


def make_copy(session: Any, creation: Creation | LinkedCreation, price: Mapping[str, Any]) -> tuple[Any, list[Any]]:
    """The copy of one table, or of two that join, charged to the session; and the rows drawn from it, table by table.

    Args:
        session: whose tables are copied, and whose ledger pays.
        creation: what the statement says.
        price: `epsilon`, `delta` and `key`, as `synthesis.fit` takes them.
    """
    from dalenius import synthesis  # a sibling, loaded when a copy is asked for: pyproject says why

    if isinstance(creation, Creation):
        columns = None if creation.columns is None else [session.policy.column(name) for name in creation.columns]
        copy: Any = synthesis.fit(session, columns, **price)
        return copy, [copy.sample()]
    terms = [session.terms_of(table) for table in creation.tables]
    if creation.key.lower() != (session.unit.column or "").lower():
        raise InvalidParameter(f"linked tables are joined on the unit: USING ({session.unit.name})")
    names = [one.table for one in terms]
    listed = [] if creation.columns is None else zip(terms, creation.columns, strict=True)
    wanted = {one.table: [one.column(name) for name in chosen] for one, chosen in listed}
    copy = synthesis.fit_linked(session, names[0], names[1], columns=wanted or None, **price)
    return copy, list(copy.sample().values())
