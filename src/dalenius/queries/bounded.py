"""The unit that a query over whole rows is bounded for."""

from dalenius.errors import UnboundedQuery
from dalenius.neighbors import Unit


def one_row(unit: Unit, question: str) -> None:
    """Refuse a unit that may own any number of rows: nothing here limits how many it contributes."""
    if unit.column is not None:
        raise UnboundedQuery(
            f"{question} over a table in memory is bounded for each row, not for each {unit.name}, who may own any "
            f"number of rows: ask in SQL through connect(..., unit={unit.name!r}, contributions=...)"
        )
