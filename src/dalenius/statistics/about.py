"""Gather what a statistic knows of the data: declared facts, and what the caller says."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from dalenius.curator import Curator, Facts
from dalenius.errors import InvalidParameter, UnboundedQuery, UnprovenClaim
from dalenius.neighbors import Nodes, Relation, Unit
from dalenius.queries import Contributions, Keys
from dalenius.queries.bounds import Missing

About = Facts | Curator[Any] | None
"""Declared facts, a curator that has them, or nothing."""


def facts_of(about: About, unit: Unit | str | None = None, contributions: int | None = None) -> Facts:
    """The declared facts; `unit` and `contributions` win over them.

    Contributions and the number of rows were declared for a unit, so another one does not inherit them.

    >>> facts_of(Facts.declare(unit="user_id", contributions=5), contributions=3).contributions
    3
    """
    facts = about.facts if isinstance(about, Curator) else Facts() if about is None else about
    if not isinstance(facts, Facts):
        raise InvalidParameter(f"about must be Facts or a Curator, got {type(about).__name__}")
    who = facts.unit if unit is None else Unit.of(unit)
    if isinstance(who, Nodes):
        raise UnprovenClaim(
            f"a row belongs to two people here ({who}), and this statistic has no rule for that: see dalenius.graphs"
        )
    if who != facts.unit:
        facts = replace(facts, unit=who, contributions=None, rows=None)
    return facts if contributions is None else replace(facts, contributions=contributions)


def bounded(facts: Facts) -> Contributions | None:
    """What bounds a unit with several rows; refused where it was not declared."""
    most = facts.contributions
    if facts.unit.column is not None and most is None:
        raise UnboundedQuery(
            f"one {facts.unit.name} may own any number of rows: declare contributions, how many rows of each count in "
            'full, or pay for it with contributions="private"'
        )
    # each row is one contribution where it is the unit
    return Contributions.of(facts.unit, None if facts.unit.column is None and most == 1 else most)


def keys_by(facts: Facts, by: str | Keys | Sequence[str] | None) -> Keys | None:
    """The keys that an answer is given by: of a column, or of several, as they were declared; or the ones given."""
    if by is None or isinstance(by, Keys):
        return by
    if isinstance(by, str):
        return facts.keys_of(by)
    if not isinstance(by, Sequence) or not by:
        raise InvalidParameter(f"by must be a column with declared keys, a list of such or Keys, got {by!r}")
    return Keys.product(*(facts.keys_of(column) for column in by))


def missing_rule(facts: Facts, missing: Missing | None) -> Missing:
    """The rule for rows without a number: given, or "nearest" for CHANGE_ONE, where no row can vanish, else "drop"."""
    if missing is not None:
        return missing
    return "nearest" if facts.unit.relation is Relation.CHANGE_ONE else "drop"


def public_rows(facts: Facts, keys: Keys | None) -> int | None:
    """The number of rows where it is public and serves the answer: how many have a key is not."""
    return facts.rows if keys is None else None
