"""ROLLUP, CUBE and GROUPING SETS: several groupings of the same rows.

COUNT and SUM of a coarser level are sums of the cells of the finest, which is released once; AVG is made of both. So
that a total counts every row, the finest level has one more cell for rows whose key is NULL or not declared. All other
aggregates are measured, and paid, at each level.
"""

import itertools
import math
from collections.abc import Callable, Iterator
from fractions import Fraction

from sqlglot import exp

from dalenius.errors import UnboundedQuery, UnsupportedQuery
from dalenius.queries import Key
from dalenius.sql.after.blocks import BlockScope, comparable, resolved
from dalenius.sql.after.parts import PartList, PartTable, released_column
from dalenius.sql.after.replaced import replaced
from dalenius.sql.engine import language
from dalenius.sql.planner.output import KeyColumn

KINDS = (exp.Rollup, exp.Cube, exp.GroupingSets)
_MOST_LEVELS = 64
_MOST_LISTED = 500
_LEVELS = "levels"


def has_levels(select: exp.Expr) -> bool:
    """Whether a SELECT groups its rows in more than one way."""
    group = select.args.get("group")
    return group is not None and any(isinstance(term, KINDS) for term in group.expressions)


class GroupingLevels:
    """The levels of one SELECT, as one table above the release: each key is NULL where a level does not group by it."""

    def __init__(
        self,
        select: exp.Select,
        scope: BlockScope,
        rows: exp.Select,
        parts: PartList,
        keys_of: Callable[[str], tuple[KeyColumn, ...]],
    ) -> None:
        self._select, self._scope, self._rows, self._parts = select, scope, rows, parts
        self._sources = scope.sources(select)
        self.keys: list[exp.Expr] = []
        self._sets = list(dict.fromkeys(self._all_sets()))
        if len(self._sets) > _MOST_LEVELS:
            raise UnsupportedQuery(f"GROUP BY makes {len(self._sets)} levels; at most {_MOST_LEVELS}")
        self.notes: list[str] = []
        self._values: list[Callable[[tuple[int, ...]], exp.Expr]] = []
        self._measured: dict[tuple[int, ...], PartTable] = {}
        self._others: dict[int, Key] = {}
        self._finest = self._finest_table(keys_of)

    def above(self, above: exp.Select) -> exp.Expr:
        """Put columns of the levels into a SELECT; the source that it reads them from."""
        replaced(above, self.keys, self._sources, lambda key: released_column(_LEVELS, f"key {key + 1}"), self._value)
        selects = [self._level(one) for one in self._sets]
        union: exp.Expr = selects[0]
        for one in selects[1:]:
            union = exp.Union(this=union, expression=one, distinct=False)
        return exp.Subquery(this=union, alias=exp.TableAlias(this=exp.to_identifier(_LEVELS, quoted=True)))

    def _all_sets(self) -> Iterator[tuple[int, ...]]:
        ways = [list(self._ways(term)) for term in self._select.args["group"].expressions]
        for chosen in itertools.product(*ways):
            yield tuple(sorted(set(itertools.chain.from_iterable(chosen))))

    def _ways(self, term: exp.Expr) -> Iterator[tuple[int, ...]]:
        """The sets of keys that a term of GROUP BY stands for."""
        if isinstance(term, exp.GroupingSets):
            for one in term.expressions:
                yield from self._ways(one)
        elif isinstance(term, exp.Rollup | exp.Cube):
            parts = [self._places(part) for part in term.expressions]
            if isinstance(term, exp.Rollup):
                choices: list[tuple[tuple[int, ...], ...]] = [tuple(parts[:size]) for size in range(len(parts), -1, -1)]
            elif len(parts) <= math.log2(_MOST_LEVELS):
                sizes = range(len(parts), -1, -1)
                choices = [some for size in sizes for some in itertools.combinations(parts, size)]
            else:
                raise UnsupportedQuery(f"CUBE makes {2 ** len(parts)} levels; at most {_MOST_LEVELS}")
            for some in choices:
                yield tuple(itertools.chain.from_iterable(some))
        else:
            yield self._places(term)

    def _places(self, term: exp.Expr) -> tuple[int, ...]:
        """The numbers of the keys in a term, or in several between parentheses."""
        if isinstance(term, exp.Tuple):
            return tuple(place for one in term.expressions for place in self._places(one))
        if isinstance(term, exp.Paren):
            return self._places(term.this)
        key = resolved(term, self._select, self._scope).copy()
        known = [comparable(one, self._sources) for one in self.keys]
        plain = comparable(key, self._sources)
        if plain not in known:
            self.keys.append(key)
            known.append(plain)
        return (known.index(plain),)

    def _finest_table(self, keys_of: Callable[[str], tuple[KeyColumn, ...]]) -> PartTable:
        """The table by all keys; a key that some level leaves out has a cell for what is not declared.

        Rows whose key is NULL are in that cell too, unless they have a group of their own.
        """
        declared = self._declared(self.keys, keys_of)
        if len(declared) != len(self.keys):
            raise UnboundedQuery("ROLLUP, CUBE and GROUPING SETS take keys that the owner declared: declare keys=")
        keys = list(self.keys)
        for place, column in enumerate(declared):
            if all(place in one for one in self._sets):
                continue
            values = tuple(value for value in column.values if value is not None)
            other = _other(values) if values and column.kind is None else None
            shown = language.written(self.keys[place])
            case = None if other is None else _or_other(self.keys[place], column.values, other)
            # of a key that is computed, the values of undeclared rows are not known, and NULL leads to none of them
            has_cell = None not in column.values or (
                case is not None and other in self._declared([case], keys_of)[0].values
            )
            if other is None or case is None or not has_cell:
                self.notes.append(f"a total over {shown} is one of its declared values: rows with another are in none")
                continue
            self._others[place], keys[place] = other, case
            self.notes.append(f"a total over {shown} counts all rows, also where it is NULL or not declared")
        return self._parts.table(self._rows, keys)

    def _declared(self, keys: list[exp.Expr], keys_of: Callable[[str], tuple[KeyColumn, ...]]) -> tuple[KeyColumn, ...]:
        """The public values of keys over these rows."""
        probe = PartTable("probe", self._rows, keys)
        probe.value(exp.Count(this=exp.Star(), big_int=True))
        return keys_of(probe.part().select)

    def _value(self, aggregate: exp.Expr) -> exp.Expr:
        """The column of an aggregate, which every level has."""
        self._values.append(self._rule(aggregate))
        return released_column(_LEVELS, f"value {len(self._values)}")

    def _rule(self, aggregate: exp.Expr) -> Callable[[tuple[int, ...]], exp.Expr]:
        call = aggregate.this if isinstance(aggregate, exp.Filter) else aggregate
        if isinstance(call, exp.Grouping):
            places = [self._places(term)[0] for term in call.expressions]
            return lambda level: _grouping(places, level)
        distinct = isinstance(call.this, exp.Distinct)
        if isinstance(call, exp.Count | exp.CountIf | exp.Sum) and not distinct:
            column = self._finest.value(aggregate)
            return lambda level: exp.Sum(this=column.copy())
        if isinstance(call, exp.Avg) and not distinct:
            mean = self._finest.value(aggregate)
            total, count = (self._finest.value(_instead(aggregate, kind)) for kind in (exp.Sum, exp.Count))
            every = tuple(range(len(self.keys)))
            return lambda level: exp.AnyValue(this=mean.copy()) if level == every else _mean(total, count)
        return lambda level: exp.AnyValue(this=self._table(level).value(aggregate))

    def _table(self, level: tuple[int, ...]) -> PartTable:
        """The private SELECT of one level, for what is measured there."""
        if level not in self._measured:
            self._measured[level] = self._parts.table(self._rows, [self.keys[place] for place in level])
        return self._measured[level]

    def _level(self, level: tuple[int, ...]) -> exp.Select:
        """One level: sums over cells of the finest, beside what was measured at the level itself."""
        values = [rule(level) for rule in self._values]
        measured = self._measured.get(level)
        summed = self._finest.values and any(
            column.table == self._finest.name for value in values for column in value.find_all(exp.Column)
        )
        source = self._finest if summed or measured is None else measured
        if not source.values:
            source.value(exp.Count(this=exp.Star(), big_int=True))
        place_of = {place: place for place in level} if source is self._finest else {p: i for i, p in enumerate(level)}
        select = exp.Select()
        for place in range(len(self.keys)):
            key: exp.Expr = source.key(place_of[place]) if place in level else exp.Null()
            select.select(exp.alias_(key, f"key {place + 1}", quoted=True), copy=False)
        for number, value in enumerate(values, 1):
            select.select(exp.alias_(value, f"value {number}", quoted=True), copy=False)
        select.from_(source.source(), copy=False)
        if measured is not None and source is not measured:
            same = [exp.NullSafeEQ(this=source.key(place), expression=measured.key(i)) for i, place in enumerate(level)]
            on = exp.and_(*same) if same else exp.true()
            select.join(measured.source(), on=on, copy=False)
        if source is self._finest:
            for place in level:
                if place in self._others:
                    other = _literal(self._others[place])
                    select.where(exp.NullSafeNEQ(this=source.key(place), expression=other), copy=False)
        if level:
            select.group_by(*(source.key(place_of[place]) for place in level), copy=False)
        return select


def _instead(aggregate: exp.Expr, kind: type[exp.Expr]) -> exp.Expr:
    """Another aggregate of the same values."""
    if isinstance(aggregate, exp.Filter):
        return exp.Filter(this=_instead(aggregate.this, kind), expression=aggregate.expression.copy())
    return kind(this=aggregate.this.copy(), **({"big_int": True} if kind is exp.Count else {}))


def _grouping(places: list[int], level: tuple[int, ...]) -> exp.Expr:
    """What GROUPING(a, b) is at a level: a bit for each key, 1 where the level does not group by it."""
    bits = 0
    for place in places:
        bits = 2 * bits + (place not in level)
    return exp.Literal.number(bits)


def _mean(total: exp.Expr, count: exp.Expr) -> exp.Expr:
    zero = exp.Literal.number(0)
    ratio = exp.Div(this=exp.Sum(this=total.copy()), expression=exp.Sum(this=count.copy()))
    return exp.Case(ifs=[exp.If(this=exp.GT(this=exp.Sum(this=count.copy()), expression=zero), true=ratio)])


def _other(values: tuple[Key, ...]) -> Key | None:
    """A key that is none of these, for all other rows; None where there is no room for one."""
    if len(values) > _MOST_LISTED or any(isinstance(value, bool) for value in values):
        return None
    if all(isinstance(value, str) for value in values):
        label = "(other)"
        while label in values:
            label = f"({label})"
        return label
    if all(isinstance(value, int | float) for value in values):
        numbers = [Fraction(value) for value in values if isinstance(value, int | float)]
        return math.floor(max(numbers)) + 1
    return None


def _or_other(key: exp.Expr, values: tuple[Key, ...], other: Key) -> exp.Expr:
    """A key where it is declared, NULL too if that is a group, and else `other`."""
    listed = [_literal(value) for value in values if value is not None]
    condition: exp.Expr = exp.In(this=key.copy(), expressions=listed)
    if None in values:
        condition = exp.Or(this=condition, expression=exp.Is(this=key.copy(), expression=exp.Null()))
    return exp.Case(ifs=[exp.If(this=condition, true=key.copy())], default=_literal(other))


def _literal(value: Key) -> exp.Expr:
    return exp.convert(value)
