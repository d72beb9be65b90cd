"""The front of synthesis: a private copy of a table, from whoever curates it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dalenius.calls import check_mapping, named_arguments, shown
from dalenius.curator import Curator, Facts, Plan, Release
from dalenius.errors import InvalidParameter, UnboundedQuery, UnprovenClaim
from dalenius.neighbors import Unit
from dalenius.numerics import Number
from dalenius.progress import working
from dalenius.queries import Contributions, Key
from dalenius.synthesis.copies.copy import Copy, copy_of
from dalenius.synthesis.data.attributes import Kind, kind_of
from dalenius.synthesis.data.domain import DeclaredColumns, Domain, Pair, impossible_pairs
from dalenius.synthesis.data.marginals import Marginals
from dalenius.synthesis.data.measure import MeasureTables
from dalenius.synthesis.search import PRIVATE, Search

Keyed = Mapping[str, Iterable[Key] | str]
Bounded = Mapping[str, tuple[Any, Any] | str]
Pairs = Mapping[Pair, Iterable[tuple[Key | None, Key | None]]]


@named_arguments
def fit(
    db: Any,
    columns: Sequence[str] | None = None,
    *,
    epsilon: Number,
    delta: Number | None = None,
    target: str | None = None,
    keys: Keyed | None = None,
    bounds: Bounded | None = None,
    bins: int | Mapping[str, int] = 32,
    kinds: Mapping[str, Kind] | None = None,
    nulls: Iterable[str] | None = None,
    impossible: Pairs | None = None,
    allowed: Pairs | None = None,
    contributions: int | None = None,
    search_share: Number = "0.1",
    key: str | None = None,
) -> Copy:
    """A private synthetic copy: measured once, fitted and drawn for nothing, charged to the ledger of `db`.

    `db`: a `Curator`, or a session of `dalenius.connect`. `columns`: which of them, by default all that have declared
    keys or bounds. `epsilon`, `delta`: the price; with δ the noise is Gaussian and much less. `target`: a label column,
    if a model that foretells it will be trained on the copy: all tables are then measured for each of its values.

    `keys`, `bounds`: public levels of a column, or its lowest and highest value, beside those that the owner declared;
    "private" has them found first for `search_share` of ε and half of δ. `bins`: into how many equal cells bounds are
    divided. `kinds`: "number", "integer", "date" or "datetime" for columns with bounds. `nulls`: the columns in which
    NULL is a level, by default all; a row with NULL elsewhere is left out. `impossible`, `allowed`: pairs of levels of
    two columns that cannot occur, or the only ones that can, such as a public functional dependency.

    `contributions`: how many rows of one person count in full. `key`: names the release, as in `Curator.release`.
    """
    source = _Source.of(db)
    for word, given, example in (
        ("keys", keys, "{'sex': ['F', 'M']}"),
        ("bounds", bounds, "{'age': (0, 120)}"),
        ("kinds", kinds, "{'age': 'integer'}"),
    ):
        check_mapping(given, word, example)
    search = Search.of(keys, bounds, epsilon, delta, search_share)
    keyed = source.keys | {name: _fixed(value) for name, value in (keys or {}).items() if value != PRIVATE}
    bounded = source.bounds | {name: ends for name, ends in (bounds or {}).items() if ends != PRIVATE}
    names = _names(columns, keyed, bounded, search.names, source.unit)
    bound = Contributions.of(source.unit, contributions if contributions is not None else source.contributions)
    ready = DeclaredColumns(keyed, bounded, bins, source.kinds | dict(kinds or {}), nulls)  # type: ignore[arg-type]
    if dates := [name for name in search.bounds if (ready.kinds or {}).get(name) in ("date", "datetime")]:
        raise UnboundedQuery(f"bounds of dates are declared, not searched: give bounds={{{dates[0]!r}: (first, last)}}")
    _marginals([n for n in names if n not in search.names] or names, search.example(ready), target, bound, None, None)
    searched = search.release(source, names, bound)
    ready = DeclaredColumns(keyed | searched.keys, bounded | searched.bounds, bins, ready.kinds, nulls)  # type: ignore[arg-type]
    marginals = _marginals(names, ready, target, bound, impossible, allowed)
    plan = MeasureTables.calibrated(marginals, epsilon=search.epsilon_left, delta=search.delta_left, unit=source.unit)
    with working("making a private copy"):
        return copy_of(source.release(plan, key))


@named_arguments
def plan(
    marginals: Marginals, *, epsilon: Number, delta: Number | None = None, unit: Unit | None = None
) -> MeasureTables:
    """The tables of a copy as a plan, for a curator to release and `copy_of` to read."""
    return MeasureTables.calibrated(marginals, epsilon=epsilon, delta=delta, unit=unit or Unit.row())


@dataclass(frozen=True, slots=True)
class _Source:
    """Who curates the data, and what the owner has declared of it."""

    curator: Any
    unit: Unit
    keys: dict[str, tuple[Key, ...]]
    bounds: dict[str, tuple[Any, Any]]
    kinds: dict[str, Kind]
    contributions: int | None

    @classmethod
    def of(cls, db: Any) -> "_Source":
        """A curator, or a session that has a policy."""
        terms = getattr(db, "facts", None) if isinstance(db, Curator) else getattr(db, "policy", None)
        if terms is None or not callable(getattr(db, "release", None)):
            raise UnprovenClaim("a copy is made through a Curator or a session of dalenius.connect: give one")
        keys = {name: tuple(declared.values) for name, declared in terms.keys.items()}
        types = {} if isinstance(terms, Facts) else dict(terms.columns)
        kinds: dict[str, Kind] = {name: kind_of(kind) for name, kind in types.items()}
        return cls(db, terms.unit, keys, dict(terms.bounds), kinds, terms.contributions)

    def release(self, plan: Plan[Any], key: str | None = None) -> Release:
        """Through the ledger."""
        released: Release = self.curator.release(plan, key)
        return released


def _marginals(
    names: Sequence[str],
    ready: DeclaredColumns,
    target: str | None,
    bound: Contributions | None,
    impossible: Pairs | None,
    allowed: Pairs | None,
) -> Marginals:
    attributes = tuple(ready.attribute(name) for name in names)
    domain = Domain(attributes, impossible_pairs(attributes, impossible, allowed))
    if target is not None and target not in names:
        raise InvalidParameter(f"target must be one of the columns of the copy, got {target!r}")
    if target is not None and len(names) < 2:
        raise InvalidParameter("a copy with a target needs another column beside it")
    if target is not None and any(names.index(target) in (i, j) for i, j, _ in domain.impossible):
        raise InvalidParameter(f"impossible pairs with the target {target!r} are not kept: name pairs of other columns")
    return Marginals(domain, None if target is None else names.index(target), bound)


def _names(columns: Any, keys: Any, bounds: Any, searched: Sequence[str], unit: Unit) -> list[str]:
    if isinstance(columns, str) or not isinstance(columns, Iterable | None):
        raise InvalidParameter(f"columns must be a list of names, got {shown(columns)}")
    names = list(columns) if columns is not None else list(dict.fromkeys((*keys, *bounds, *searched)))
    names = names if columns is not None else [name for name in names if name != unit.column]
    if unit.column in names:
        raise InvalidParameter(f"{unit.column!r} names people and is not copied: synthetic people get new numbers")
    if not names:
        raise UnboundedQuery("no column has declared keys or bounds: give keys={...} or bounds={...}")
    return names


def _fixed(values: Any) -> tuple[Key, ...]:
    if isinstance(values, str):
        raise InvalidParameter(f'keys must be lists of values, or "private", got {values!r}')
    return tuple(values)
