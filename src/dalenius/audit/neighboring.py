"""Whether two data sets are neighbors: they differ in one row, added, removed or changed."""

from collections import Counter
from typing import Any

from dalenius.audit.parts import canonical
from dalenius.errors import InvalidParameter
from dalenius.neighbors import Relation


def rows_of(data: Any) -> list[Any] | None:
    """The rows of a data set; None if it has none that can be told."""
    for method in ("to_dicts", "to_pylist"):  # polars; arrow
        if hasattr(data, method):
            return list(getattr(data, method)())
    if hasattr(data, "itertuples"):  # pandas
        return list(data.itertuples(index=False, name=None))
    if hasattr(data, "tolist"):
        held = data.tolist()
        return held if isinstance(held, list) else None
    return list(data) if isinstance(data, list | tuple) else None


def check_neighbors(x: Any, x2: Any, relation: Relation) -> None:
    """Refuse a pair that differs in more than the relation allows; the order of rows does not count."""
    wanted = Relation.of(relation)
    first, second = rows_of(x), rows_of(x2)
    if first is None or second is None:
        raise InvalidParameter("the pair has no rows to compare: give lists, arrays or frames, or leave relation out")
    here, there = (Counter(canonical(row) for row in rows) for rows in (first, second))
    only_here, only_there = (here - there).total(), (there - here).total()
    allowed = {(0, 1), (1, 0)} if wanted is Relation.ADD_REMOVE else {(1, 1)}
    if (only_here, only_there) not in allowed | {(0, 0)}:
        rule = "one row added or removed" if wanted is Relation.ADD_REMOVE else "one row changed"
        raise InvalidParameter(
            f"x and x2 are no {wanted.value} neighbors ({rule}): {only_here} rows only in x, {only_there} only in x2"
        )
