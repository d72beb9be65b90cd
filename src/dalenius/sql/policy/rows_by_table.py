"""How many rows of a person a table holds, one or many, said for each table of a policy."""

from collections.abc import Mapping
from typing import Any

from dalenius.calls import shown
from dalenius.errors import InvalidParameter
from dalenius.sql.policy.sum_bounds import PRIVATE

ONE, MANY = "one", "many"
ROWS_PER_UNIT = (ONE, MANY)


def check_rows_per_unit(rows_per_unit: Any, contributions: Any, table: str) -> None:
    """Refuse another word than one or many for the first table, and a number of rows that its word denies."""
    if rows_per_unit not in (None, *ROWS_PER_UNIT):
        raise InvalidParameter(f"rows_per_unit must be 'one' or 'many', got {rows_per_unit!r}")
    if rows_per_unit == ONE and contributions not in (None, 1, PRIVATE):
        raise InvalidParameter(
            f"with rows_per_unit = 'one' for {table!r}, which is the first table, contributions is 1, got "
            f"{contributions!r}: where another table has many rows of a person, name that one first"
        )


def split_rows_per_unit(given: Any, table: str) -> tuple[Any, dict[str, str]]:
    """What is said of the first table, and of each of the others by its name; one word is for all of them.

    >>> split_rows_per_unit({"visits": "many", "patients": "one"}, "visits")
    ('many', {'patients': 'one'})
    """
    if not isinstance(given, Mapping):
        return given, {}
    for name, said in given.items():
        if not isinstance(name, str) or said not in ROWS_PER_UNIT:
            raise InvalidParameter(
                f"rows_per_unit says of each table 'one' or 'many', {{'patients': 'one'}}; got {shown(said)} for "
                f"{shown(name)}"
            )
    own = [said for name, said in given.items() if name.lower() == table.lower()]
    return own[0] if own else None, {name: said for name, said in given.items() if name.lower() != table.lower()}
