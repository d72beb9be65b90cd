"""A statistic of data that is at hand: an array in place of a column's name is the data, and is never printed."""

from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar, cast

from dalenius.calls import named_arguments
from dalenius.curator import Plan, Release
from dalenius.curator.release import released
from dalenius.errors import InvalidParameter
from dalenius.ledger import Receipt
from dalenius.noise import Bits
from dalenius.queries import Table

P = ParamSpec("P")
R = TypeVar("R")

NO_LEDGER = "(charged to no ledger)"
_VALUE = "value"


def takes_data(statistic: Callable[P, R]) -> Callable[P, R]:
    """Let a statistic of one column take values in its place: then its answer is released at once, and charged to none.

    `mean([…], (0, 100), epsilon=1)` is a release, `mean("age", (0, 100), epsilon=1)` a plan. Whoever passes data keeps
    account of what is spent; a curator with a ledger does that for a plan.
    """
    planned = named_arguments(statistic)

    @wraps(statistic)
    def either(*args: P.args, **kwargs: P.kwargs) -> R:
        column = args[0] if args else kwargs.get("column")
        if isinstance(column, str) or not (args or "column" in kwargs):
            return planned(*args, **kwargs)
        if column is None and statistic.__name__ != "count_distinct":  # which counts units without a column
            raise InvalidParameter(f"{statistic.__name__} needs the name of a column, or an array of values")
        if column is None:
            return planned(*args, **kwargs)
        view = _table(column)
        rest = {name: value for name, value in kwargs.items() if name != "column"}
        plan = cast(Any, planned)(_VALUE, *args[1:], **rest)
        return cast(R, _released(plan, view))

    return either


def refuse_data(columns: Any) -> None:
    """Refuse values where only names of columns mean something; the values are in no message."""
    if isinstance(columns, str):
        return
    if not isinstance(columns, list | tuple) or not all(isinstance(one, str) for one in columns):
        raise InvalidParameter(
            "this statistic takes names of columns: put the data into a Curator, and release the plan over it"
        )


def _table(values: Any) -> Table:
    shape = getattr(values, "shape", None)
    if hasattr(values, "columns") or (shape is not None and len(shape) != 1):
        raise InvalidParameter("a statistic of data takes one column of values: df['age'], not a whole frame")
    try:
        return Table.of({_VALUE: values})
    except Exception:  # its words may hold a value
        failed = InvalidParameter("a statistic takes the name of a column, or an array of values")
    raise failed


def _released(plan: Plan[Table], view: Table) -> Release:
    outcome = plan.run(view, Bits())
    return released(outcome, Receipt(NO_LEDGER, plan.guarantee, plan.unit, "", 0))
