"""The front of linked copies: two tables of the same people, from whoever curates them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from dalenius.calls import named_arguments
from dalenius.curator import Curator
from dalenius.errors import InvalidParameter, UnboundedQuery, UnknownName, UnprovenClaim
from dalenius.numerics import Number, rational
from dalenius.progress import working
from dalenius.queries import Contributions, Key
from dalenius.queries.weights import unbounded
from dalenius.synthesis.data.attributes import Kind, kind_of
from dalenius.synthesis.data.domain import DeclaredColumns, Domain
from dalenius.synthesis.linked.copy import LinkedCopy, linked_copy_of
from dalenius.synthesis.linked.plan import MeasureLinked
from dalenius.synthesis.linked.tables import Linked


@named_arguments
def fit_linked(
    db: Any,
    parent: str,
    child: str,
    *,
    epsilon: Number,
    delta: Number | None = None,
    columns: Mapping[str, Sequence[str]] | None = None,
    keys: Mapping[str, Iterable[Key]] | None = None,
    bounds: Mapping[str, tuple[Any, Any]] | None = None,
    bins: int | Mapping[str, int] = 32,
    kinds: Mapping[str, Kind] | None = None,
    nulls: Iterable[str] | None = None,
    contributions: int | None = None,
    parent_share: Number = "0.4",
    key: str | None = None,
) -> LinkedCopy:
    """A private synthetic copy of two tables that join on the people in them, such as patients and their visits.

    `db`: a session of `dalenius.connect` with `tables=`, or a `Curator` of `LinkedTables`. `parent`: the table with
    one row for each person. `child`: the table with their rows. Both name people in the unit's column. `epsilon`,
    `delta`: the price of both. `columns`: which of each table, by default all that have declared keys or bounds.

    `keys`, `bounds`, `bins`, `kinds`, `nulls`: as in `fit`, by `table.column`, beside what the owner declared.
    `contributions`: how many child rows of one person count in full, and the most that a synthetic person has.
    `parent_share`: the part of the budget for the tables of persons. `key`: names the release.
    """
    if not callable(getattr(db, "release", None)):
        raise UnprovenClaim("a copy is made through a Curator or a session of dalenius.connect: give one")
    given = _Given(keys or {}, bounds or {}, bins, kinds or {}, None if nulls is None else set(nulls))
    own, most = _terms(db, (parent, child))
    bound = contributions if contributions is not None else most
    if db.unit.column is None:
        raise UnboundedQuery("linked tables need people: a unit that is a column of both, not the row")
    if bound is None:
        raise unbounded(db.unit)
    chosen = columns or {}
    if unknown := set(chosen) - {parent, child}:
        raise UnknownName(f"columns are of {parent!r} and {child!r}, got {sorted(unknown)[0]!r}")
    domains = [given.domain(table, own[table], chosen.get(table), db.unit.column) for table in (parent, child)]
    linked = Linked(parent, child, domains[0], domains[1], Contributions(db.unit.column, bound))
    share = rational(parent_share, "parent_share")
    plan = MeasureLinked.calibrated(linked, epsilon=epsilon, delta=delta, share=share, unit=db.unit)
    with working("making a private copy of two tables"):
        return linked_copy_of(db.release(plan, key))


class _Given:
    """What the caller says of columns, by `table.column`."""

    __slots__ = ("_bins", "_bounds", "_keys", "_kinds", "_nulls")

    def __init__(self, keys: Any, bounds: Any, bins: Any, kinds: Any, nulls: Any) -> None:
        self._keys, self._bounds, self._bins, self._kinds, self._nulls = keys, bounds, bins, kinds, nulls

    def domain(self, table: str, own: DeclaredColumns, names: Sequence[str] | None, unit: str) -> Domain:
        """The columns of one table."""
        if isinstance(names, str):
            raise InvalidParameter(f"columns of {table!r} must be a list of names, got {names!r}")
        keys, bounds = dict(own.keys) | _of(table, self._keys), dict(own.bounds) | _of(table, self._bounds)
        kinds = dict(own.kinds or {}) | _of(table, self._kinds)
        bins = self._bins if isinstance(self._bins, int) else _of(table, self._bins)
        nulls = None if self._nulls is None else set(_of(table, dict.fromkeys(self._nulls)))
        ready = DeclaredColumns(keys, bounds, bins, kinds, nulls)
        wanted = list(names) if names is not None else [n for n in dict.fromkeys((*keys, *bounds)) if n != unit]
        if unit in wanted:
            raise InvalidParameter(f"{unit!r} names people and is not copied: synthetic people get new numbers")
        if not wanted:
            raise UnboundedQuery(
                f"no column of {table!r} has declared keys or bounds: give keys or bounds by table.column"
            )
        return Domain(tuple(ready.attribute(name) for name in wanted))


def _of(table: str, given: Mapping[str, Any]) -> dict[str, Any]:
    return {name.removeprefix(f"{table}."): value for name, value in given.items() if name.startswith(f"{table}.")}


def _terms(db: Any, tables: tuple[str, str]) -> tuple[dict[str, DeclaredColumns], int | None]:
    """What the owner declared of each table, and the contribution bound."""
    if isinstance(db, Curator):
        keys = {name: tuple(declared.values) for name, declared in db.facts.keys.items()}
        by_table = {table: DeclaredColumns(_of(table, keys), _of(table, db.facts.bounds)) for table in tables}
        return by_table, db.facts.contributions
    columns = {}
    for table in tables:
        terms = db.terms_of(table)
        if terms.unit.column != db.unit.column:
            raise UnprovenClaim(
                f"{table!r} says whose its rows are by a reference: only tables that have the column "
                f"{db.unit.name!r} themselves are copied together"
            )
        keyed = {name: tuple(values.values) for name, values in terms.keys.items()}
        kinds = {name: kind_of(kind) for name, kind in terms.columns.items()}
        columns[table] = DeclaredColumns(keyed, dict(terms.bounds), kinds=kinds)
    return columns, db.policy.contributions
