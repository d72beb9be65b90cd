"""Groups that are public, or are to be found."""

import math
from dataclasses import dataclass, replace

from sqlglot import exp

from dalenius.errors import UnsupportedQuery
from dalenius.queries import Key
from dalenius.sql.engine import Dialect, language
from dalenius.sql.planner.output import KeyAxis, KeyColumn
from dalenius.sql.planner.public_keys import GroupTerm, axes_of_terms, refuse_key, refuse_unit
from dalenius.sql.planner.stages import FinalRows
from dalenius.sql.planner.unknown_keys import LONGEST_KEY, KeySearch, UnknownKey, UnknownKeys
from dalenius.sql.policy.policy import Policy
from dalenius.sql.rows import Typed, can_be_null, narrowed
from dalenius.sql.rows.casts import cast_to, without_nan
from dalenius.sql.tables.row_conditions import conjuncts, together
from dalenius.sql.types.engine_names import CELL
from dalenius.sql.types.kinds import Kind

MOST_CELLS = 1_000_000


def bind_keys(final: FinalRows, policy: Policy) -> FinalRows:
    """Give every row the number of its combination of keys; rows with another go, combinations without rows stay.

    Which combinations there are follows from the policy and the query alone, and each is listed once: a row has one
    value of every key, so it is in one cell at most: NULL is such a value where it is a key, and a value that was not
    declared is another. Keys that are to be found stand beside it. A row is in no group
    where such a key is NULL, NaN, ±∞ or a number of 2⁵³ and more, or a text of more than 1024 bytes: each row decides
    for itself.
    """
    group, where = (final.question.tree.args.get(name) for name in ("group", "where"))
    condition = together((*conjuncts(where), *final.question.conditions))
    public = narrowed(policy, condition, until_today=True)
    nodes = list(group.expressions) if group is not None else []
    refuse_unit(nodes, policy, final.question.people)
    of_unit = final.question.of_unit | (frozenset() if policy.unit.column is None else {policy.unit.column})
    nulls = final.question.nulls
    terms = [GroupTerm.of(term, public, final.question.search, condition, of_unit, nulls=nulls) for term in nodes]
    if final.question.search is not None:
        _refuse_moments(terms)
        final = _find_later(final, final.question.search, terms, public, condition)
    later = set() if final.unknown is None else {key.place for key in final.unknown.keys}
    declared = [term for place, term in enumerate(terms) if place not in later]
    axes = axes_of_terms(declared, public, condition, nulls=nulls)
    keys = tuple(_key(term, place, axes, policy) for place, term in enumerate(declared))
    joint = None if all(len(axis.places) == 1 for axis in axes) else axes
    rows, final = final.rows, replace(final, keys=keys, joint=joint)
    if (
        max(final.cells, *(math.prod(len(keys[place].values) for place in axis.places) for axis in axes), 1)
        > MOST_CELLS
    ):
        raise UnsupportedQuery(f"GROUP BY makes {final.cells} cells; at most {MOST_CELLS}: group by fewer keys")
    numbered = _Numbering(rows, final.dialect)
    places = [numbered.key(place, term.part, keys[place].values) for place, term in enumerate(declared)]
    number = numbered.cell([(numbered.axis(axis, keys, places), len(axis.rows)) for axis in axes])
    return replace(final, rows=numbered.rows.select(exp.alias_(number, CELL, quoted=True, copy=False), copy=False))


def _key(term: GroupTerm, place: int, axes: tuple[KeyAxis, ...], policy: Policy) -> KeyColumn:
    """One key: its values in the order of its axis."""
    axis = next(axis for axis in axes if place in axis.places)
    at = axis.places.index(place)
    values = tuple(sorted(dict.fromkeys(row[at] for row in axis.rows), key=lambda value: value is None))
    kind = term.part.kind if term.part.kind in (Kind.DATE, Kind.TIMESTAMP) else None
    return KeyColumn(_name(term.node), values, _is_attribute(term.node, policy), kind)


@dataclass(slots=True)
class _Numbering:
    """Rows joined to frames of keys, each of which gives a number from 0 on."""

    rows: exp.Select
    dialect: Dialect
    joined: int = 0

    def key(self, place: int, part: Typed, values: tuple[Key, ...]) -> exp.Expr:
        """The number of a row's key."""
        return self._frame(f"public{place}", part.tree, values, part.kind)

    def axis(self, axis: KeyAxis, keys: tuple[KeyColumn, ...], places: list[exp.Expr]) -> exp.Expr:
        """The number of a row's combination on one axis: of all combinations, those that can occur are numbered."""
        if len(axis.places) == 1:
            return places[axis.places[0]]
        values = [keys[place].values for place in axis.places]
        sizes = [len(one) for one in values]
        number = self.cell([(places[place], size) for place, size in zip(axis.places, sizes, strict=True)])
        at = [{value: index for index, value in enumerate(one)} for one in values]
        listed = []
        for row in axis.rows:
            whole = 0
            for known, value, size in zip(at, row, sizes, strict=True):
                whole = whole * size + known[value]
            listed.append(whole)
        self.joined += 1
        return self._frame(f"joint{self.joined - 1}", number, tuple(listed), Kind.NUMBER)

    def cell(self, numbers: list[tuple[exp.Expr, int]]) -> exp.Expr:
        """One number of several, of which the last varies fastest."""
        stride, cell = math.prod(size for _, size in numbers), []
        for index, size in numbers:
            stride //= size
            plain = index.copy()
            cell.append(plain if stride == 1 else exp.Mul(this=plain, expression=exp.Literal.number(stride)))
        number: exp.Expr = cell[0] if cell else exp.Literal.number(0)
        for more in cell[1:]:
            number = exp.Add(this=number, expression=more)
        return number

    def _frame(self, alias: str, value: exp.Expr, values: tuple[Key, ...], kind: Kind) -> exp.Expr:
        self.rows = self.rows.join(key_join(alias, value, values, kind, self.dialect), copy=False)
        return exp.column(CELL, table=alias, quoted=True)


def key_join(alias: str, value: exp.Expr, values: tuple[Key, ...], kind: Kind, dialect: Dialect) -> exp.Join:
    """A frame of keys that rows are joined to by a value.

    Only where NULL is a key does NULL meet NULL; NaN is NULL there too.
    """
    here = exp.column("key", table=alias, quoted=True)
    same: exp.Expr = exp.EQ(this=value, expression=here)
    if None in values:
        same = exp.NullSafeEQ(this=without_nan(value) if kind is Kind.NUMBER else value, expression=here)
    frame = dialect.key_frame(values, kind).subquery(copy=False)
    return exp.Join(this=exp.alias_(frame, alias, table=True, quoted=True, copy=False), on=same)


def _is_attribute(term: exp.Expr, policy: Policy) -> bool:
    """Whether all rows of a unit have one value: an expression over nothing but its attributes has."""
    return all(column.name in policy.attributes for column in term.find_all(exp.Column))


def _refuse_moments(terms: list[GroupTerm]) -> None:
    """Refuse a bare moment as a key that is to be found: hardly two people share one."""
    for term in terms:
        if not term.is_public and isinstance(term.node, exp.Column) and term.part.kind is Kind.TIMESTAMP:
            name = term.node.name
            raise UnsupportedQuery(
                f"{name} is a TIMESTAMP, of which hardly two people share a value, so no group would be found and the "
                f"price be lost: GROUP BY DATE_TRUNC('day', {name})"
            )


def _find_later(
    final: FinalRows, search: KeySearch, terms: list[GroupTerm], policy: Policy, condition: exp.Expr | None
) -> FinalRows:
    """Carry each key that has no public values, under a name of its own; a date is found by its text."""
    rows, unknown, any_null = final.rows, [], replace(policy, null_keys=tuple(policy.columns))
    for place, term in enumerate(terms):
        if term.is_public:
            continue
        time = term.part.kind if term.part.kind in (Kind.DATE, Kind.TIMESTAMP) else None
        part = term.part if time is None else cast_to(Kind.TEXT, term.part)
        if part.kind is Kind.NULL:
            refuse_key(term)
        is_null = can_be_null(term.node, term.part, any_null, condition)
        key = UnknownKey(_name(term.node), place, part.kind, time, is_null)
        unknown.append(key)
        rows = rows.select(exp.alias_(part.tree, key.column, quoted=True)).where(_is_key(part, final.dialect))
    return replace(final, rows=rows, unknown=UnknownKeys(tuple(unknown), search) if unknown else None)


def _is_key(part: Typed, dialect: Dialect) -> exp.Expr:
    """Whether a row's value can be a key; not so of NULL, and of NaN, which the engine holds above every number."""
    if part.kind is Kind.NUMBER:
        return exp.LT(this=exp.Abs(this=part.tree.copy()), expression=exp.Literal.number(2**53))
    if part.kind is Kind.TEXT:
        size = dialect.bytes_of(part.tree.copy())
        return exp.LTE(this=size, expression=exp.Literal.number(LONGEST_KEY))
    return part.tree.copy().is_(exp.null()).not_()


def _name(term: exp.Expr) -> str:
    return term.name if isinstance(term, exp.Column) else language.written(term)
