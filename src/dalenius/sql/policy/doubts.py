"""What is doubtful about a policy, told from its terms and the names of columns alone: no row is read."""

from collections.abc import Iterator

from dalenius.sql.policy.person_names import Person, is_event, person_of
from dalenius.sql.policy.policy import Policy
from dalenius.sql.types.column_types import UNIT_TYPES

_MOST_SHOWN = 5


class PolicyWarning(UserWarning):
    """A term of the owner's is doubtful: said from the terms and the schema, never from rows."""


def doubts_at_connect(policy: Policy) -> Iterator[str]:
    """What whoever opens the table is told: terms that nobody has confirmed, and a unit that may be a row's number."""
    if policy.proposed:
        yield (
            f"{listed(policy.proposed)} of this policy were taken from rows and nobody has confirmed them: read them, "
            "then run `dalenius policy confirm`"
        )
    doubt = unit_doubt(policy)
    if doubt is not None and (policy.unit.column is not None or policy.rows_per_unit is not None):
        yield doubt  # not of unit="row", which whoever opens the table has said in so many words


def unit_doubt(policy: Policy) -> str | None:
    """A unit that is named like a row, or owns one row, while another column is named like people."""
    unit = policy.unit.column
    if policy.rows_per_unit == "many" or (unit is not None and person_of(unit) >= Person.TRACE):
        return None
    others = [
        name
        for name, kind in policy.columns.items()
        if name != unit and person_of(name) is Person.PERSON and (kind in UNIT_TYPES or kind == "DOUBLE")
    ]
    if not others or not (unit is None or is_event(unit) or policy.rows_per_unit == "one"):
        return None
    who = "each row" if unit is None else f"each {unit}"
    return (
        f"this protects {who}, and {others[0]!r} stands beside it: a person with several rows is protected for one "
        f"row at a time only. If {others[0]!r} names people, make it the unit"
    )


def listed(names: tuple[str, ...]) -> str:
    """A list that stays one line."""
    shown = ", ".join(names[:_MOST_SHOWN])
    return shown if len(names) <= _MOST_SHOWN else f"{shown} and {len(names) - _MOST_SHOWN} more terms"
