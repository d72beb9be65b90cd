"""How many rows of a person a table holds, one or many, said for each table of a policy."""

from collections.abc import Mapping
from typing import Any

from dalenius.calls import shown
from dalenius.errors import InvalidParameter

ONE, MANY = "one", "many"
ROWS_PER_UNIT = (ONE, MANY)


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
