"""JOIN: from several tables to one, before any other rule.

A query over a join is a query over the table that the join is. Its rows belong to the units of the first table: a
public table adds columns, and copies of rows; another private table is joined on the unit, or along a foreign key that
carries it (see `references`), so that a joined row is made from rows of one unit alone. Hence a unit that comes or goes
brings or takes its own joined rows and no others, however many: the weights are taken over those rows, after the join
[G complaints count]. Where each row is a unit there are no weights, so that a row may meet at most one of a public
table.
"""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace

from sqlglot import exp

from dalenius.errors import UnboundedQuery, UnsupportedQuery
from dalenius.queries import Keys
from dalenius.sql.policy.survey_weight import SurveyWeight
from dalenius.sql.tables.candidates import name_candidates, take_candidates
from dalenius.sql.tables.empty_columns import empty_columns
from dalenius.sql.tables.join_conditions import JoinCondition, using
from dalenius.sql.tables.join_forms import usual_joins
from dalenius.sql.tables.join_side import JoinSide, Reached, resolve_column, shown
from dalenius.sql.tables.row_conditions import renamed, where_met
from dalenius.sql.tables.row_subquery import RowSubqueries
from dalenius.sql.tables.rows_counted import rows_counted
from dalenius.sql.tables.scope import FORM, MOST_TABLES, Joined, Scope
from dalenius.sql.tables.table import QueryTable
from dalenius.sql.tables.written_tables import join_written_tables
from dalenius.sql.text.quoted import keep_words
from dalenius.sql.types.column_types import is_read
from dalenius.sql.types.engine_names import SOURCE

_ALLOWED = frozenset({"this", "on", "using", "side", "kind"})
MOST_MET = 1_000
"""Rows of a public table that each row may meet where no equality picks among them."""


def join_tables(tree: exp.Expr, scope: Scope, *, public: bool = False) -> Joined:
    """One table instead of several: the tree over it, with every column by its name there.

    The first is private, or all may be `public`.
    """
    tree = tree.copy()
    join_written_tables(tree)
    scope = scope.within(tree)
    candidates = None if public else take_candidates(tree, scope)
    usual_joins(tree, scope)
    joins, source = tree.args.get("joins") or [], tree.args["from_"].this
    shared = frozenset(name.name.lower() for join in joins for name in using(join))
    used = frozenset(column.name.lower() for column in tree.find_all(exp.Column)) | shared
    building = _Building(scope, used, tree.args.get("where"))
    table, called = scope.named(source)
    if not table.private and not public:
        raise UnsupportedQuery(f"{table.name!r} is public: a query starts with a private table; {FORM}")
    building.start(table, called)
    for join in joins:
        building.add(join, shared)
    if candidates is not None:
        building.meet(candidates, tree)
    table, rows = _joined(building), building.selected()
    terms = table.terms(scope.policy)
    inner = RowSubqueries(scope, building.sides, building.owners, terms, table.unit is not None, table.of_unit)
    inner.placed(tree)
    _check_size(building.sides, inner.size)
    table, rows = inner.added(table), inner.selected(rows)
    tree.set("joins", None)
    tree.set("with_", None)
    source.replace(exp.table_(table.name, quoted=True))
    _rename(tree, table.name, building.sides, shared, inner.trees)
    return Joined(tree, table.terms(scope.policy), rows, table, chooses=candidates is not None)


@dataclass(slots=True)
class _Building:
    """The tables of a query so far; `rows` select from them, `owners` are columns that hold the unit, or NULL."""

    scope: Scope
    used: frozenset[str]
    where: exp.Expr | None = None
    sides: list[JoinSide] = field(default_factory=list)
    rows: exp.Select = field(default_factory=exp.select)
    owners: set[tuple[str, str]] = field(default_factory=set)
    single: bool = True
    tied: set[tuple[str, str]] = field(default_factory=set)
    """Columns that an inner join sets equal to others, so that they are not NULL."""
    multiplied: bool = False
    """Whether a row may meet several rows of a public table that its copies do not count."""

    def start(self, table: QueryTable, called: str) -> None:
        """FROM: the table, after those that it refers to."""
        path = [table]
        while (reference := path[0].reference) is not None:
            path.insert(0, self.scope.tables[reference.table.lower()])
        root = JoinSide(called if len(path) == 1 else None, SOURCE, _names(path[0], [], plain=len(path) == 1), path[0])
        self.sides, self.rows = [root], exp.select().from_(path[0].read(SOURCE, self.used))
        self.single = path[0].single and len(path) == 1
        if path[0].unit is not None:
            self.owners.add((SOURCE, path[0].unit))
        for one in path[1:]:
            reference = one.reference
            assert reference is not None
            before, named = self.sides[-1], one is table
            side = JoinSide(called if named else None, self._place(), _names(one, self.sides, plain=named), one)
            pair = ((before, reference.to), (side, reference.column))
            self._join(side, JoinCondition((pair,), (), frozenset()), "INNER")

    def add(self, join: exp.Join, shared: frozenset[str]) -> None:
        """JOIN: a table whose rows are bound to the unit of those before it."""
        kind = _kind(join)
        table, called = self.scope.named(join.this)
        self._check_name(called)
        side = JoinSide(called, self._place(), _names(table, self.sides), table, kind != "LEFT")
        condition = JoinCondition.of(join, self.sides, side, shared)
        if kind == "INNER" and self.where is not None:
            condition = condition.under(self.where.this, self.sides, side)
        if not condition.further and (place := self._referred(condition.pairs, side)) is not None:
            self.sides[place] = shown(self.sides[place], called)
            return
        self._check_bounded(condition, side)
        if not condition.fixed and not table.private:  # then its reals tell groups apart, as those of candidates do
            side = replace(side, table=replace(table, keys={**table.reals, **table.keys}, copies=table.count or 1))
        self.single = self.single and _meets_one(condition, side)
        picked = bool(condition.fixed) and not condition.fixed & table.unique
        self.multiplied = self.multiplied or (not table.private and picked)
        self._join(side, condition, kind)

    def meet(self, candidates: exp.Expr, tree: exp.Expr) -> None:
        """The candidates of a choice, each of which every row meets; their columns that hold reals are keys too."""
        table, called = self.scope.named(candidates)
        self._check_name(called)
        table = replace(table, keys={**table.reals, **table.keys})
        side = JoinSide(called, self._place(), _names(table, self.sides), table)
        once = name_candidates(tree, side, self.sides, rows_are_units=self.sides[0].table.unit is None)
        self.single = self.single and once
        self.rows = self.rows.join(table.read(side.place, self.used), join_type="CROSS")
        self.sides.append(side)

    def selected(self) -> exp.Select:
        """The rows, with every column that the language can read by its joined name."""
        rows = self.rows.copy()
        for side in self.sides:
            for name in filter(lambda name: is_read(side.table.columns[name]), side.names):
                joined = side.names[name]
                rows = rows.select(exp.alias_(side.of(name), joined, quoted=True, copy=False), copy=False)
        return rows

    def _check_name(self, called: str) -> None:
        if called in {side.called for side in self.sides}:
            raise UnsupportedQuery(f"two tables are called {called!r}: give one another name with AS")

    def _place(self) -> str:
        return f"joined{len(self.sides) - 1}"

    def _join(self, side: JoinSide, condition: JoinCondition, kind: str) -> None:
        together = [*self.sides, side]
        terms = (
            _joined(replace(self, sides=together)).terms(self.scope.policy) if condition.further else self.scope.policy
        )
        on = condition.tree(together, terms)
        read = side.table.read(side.place, self.used)
        self.rows = (
            self.rows.join(read, join_type="CROSS") if on is None else self.rows.join(read, on=on, join_type=kind)
        )
        self.sides.append(side)
        if kind == "INNER":
            self.tied |= {(one.place, name) for pair in condition.pairs for one, name in pair}
        if side.table.unit is not None:
            self.owners.add((side.place, side.table.unit))

    def _referred(self, pairs: Sequence[tuple[Reached, Reached]], side: JoinSide) -> int | None:
        """The place of a table that is there already, without a name, since one that is named refers to it."""
        for place, there in enumerate(self.sides):
            if there.called is not None or there.table is not side.table or len(pairs) != 1:
                continue
            (left, column), (_, to) = pairs[0]
            if left.table.reference is not None and self._leads(left, column, there, to):
                return place
        return None

    def _leads(self, left: JoinSide, column: str, there: JoinSide, to: str) -> bool:
        """Whether a pair of columns is the reference of one table to the other."""
        reference = left.table.reference
        return (
            reference is not None
            and (reference.column, reference.to) == (column, to)
            and reference.table.lower() == there.table.name.lower()
            and self.scope.tables.get(reference.table.lower()) is there.table
        )

    def _check_bounded(self, condition: JoinCondition, side: JoinSide) -> None:
        """Every joined row must be of one unit; and where rows are units, each must meet at most one other."""
        table, first, pairs = side.table, self.sides[0], condition.pairs
        if not first.table.private:
            if table.private:
                raise UnsupportedQuery(f"{first.table.name!r} is public: a query starts with a private table; {FORM}")
        elif table.reference is not None:
            if not any(self._leads(side, joined, left, name) for (left, name), (_, joined) in pairs):
                reference = table.reference
                raise UnboundedQuery(
                    f"{table.name!r} belongs to whom it refers to: join it ON {reference.table}.{reference.to} = "
                    f"{side.called}.{reference.column}, so that each row is one person's"
                )
        elif table.unit is not None:
            own = {(left.place, name) for (left, name), (_, joined) in pairs if joined == table.unit}
            if not own & self.owners:
                if any(there.called is None and there.table is table for there in self.sides):
                    raise UnboundedQuery(
                        f"rows are bound to {table.name!r} by the key that refers to it: join it ON that alone, "
                        f"or start with FROM {table.name}"
                    )
                if table.unit in table.hidden:
                    raise UnboundedQuery(
                        f"{table.name!r} holds people too: SELECT the column of the people in it, and join on that"
                    )
                raise UnboundedQuery(
                    f"{table.name!r} holds people too: join it ON {first.called or first.table.name}."
                    f"{first.table.unit} = {side.called}.{table.unit}, so that each row is one person's"
                )
        elif table.private:
            raise UnboundedQuery(
                f"{table.name!r} holds rows that are units themselves: joined, one would count with many others"
            )
        elif first.table.unit is None and not condition.fixed & table.unique:
            raise UnboundedQuery(
                f"a row could meet many rows of {table.name!r} and count for each: join on a column that holds no "
                "value twice, or let the owner declare who is protected with unit="
            )
        met = math.prod(one.table.copies for one in self.sides)
        if not table.private and not condition.fixed and (table.count is None or met * table.count > MOST_MET):
            raise UnsupportedQuery(
                f"each row would meet every row of {table.name!r}, and {MOST_MET} rows at most may be met so: join it "
                "ON an equality with one of its columns"
            )


def _names(table: QueryTable, sides: Sequence[JoinSide], plain: bool = False) -> dict[str, str]:
    """The joined table's names for a table's columns: its own for those of FROM, else with the table's before."""
    before = sum(side.table.name.lower() == table.name.lower() for side in sides)
    mark = "" if plain else f"{table.name}." if not before else f"{table.name} {before + 1}."
    return {name: f"{mark}{name}" for name in table.columns}


def _kind(join: exp.Join) -> str:
    if any(value for name, value in join.args.items() if name not in _ALLOWED):
        raise UnsupportedQuery(f"only plain JOIN and LEFT JOIN have a rule; {FORM}")
    if (join.side or "LEFT") != "LEFT" or (join.kind or "INNER") not in ("INNER", "OUTER", "CROSS"):
        raise UnsupportedQuery(f"{join.side or join.kind} JOIN has no rule; {FORM}")
    if join.side and not join.args.get("on") and not join.args.get("using"):
        raise UnsupportedQuery(f"a LEFT JOIN without ON has no rule; {FORM}")
    return join.side or "INNER"


def _meets_one(condition: JoinCondition, side: JoinSide) -> bool:
    """Whether a row meets at most one of the joined table."""
    if side.table.unit is not None:
        return side.table.single
    return not side.table.private and bool(condition.fixed & side.table.unique)


def _check_size(sides: Sequence[JoinSide], inside: int) -> None:
    if (size := inside + sum(side.table.size for side in sides)) > MOST_TABLES:
        raise UnsupportedQuery(
            f"a query may read {MOST_TABLES} tables, got {size}: a subquery counts where it is named"
        )


def _rename(
    tree: exp.Expr, joined: str, sides: list[JoinSide], shared: frozenset[str], computed: Collection[str]
) -> None:
    """Every column by its name in the joined table; the answer's columns keep the names that were written.

    In ORDER BY a name alone means a column of the answer before any other: what was written as table.column stays so.
    """
    aliases = {term.alias.lower() for term in tree.expressions if isinstance(term, exp.Alias)}
    selected = [term for term in tree.expressions if isinstance(term, exp.Column)]
    for column in list(tree.find_all(exp.Column)):
        if not isinstance(column.this, exp.Identifier) or column.args.get("db"):
            continue  # refused by name later
        if _names_the_answer(column, aliases, sides) or (not column.table and column.name in computed):
            continue
        side, name = resolve_column(column, sides, shared)
        in_order = column.table and column.find_ancestor(exp.Order) is not None
        plain = exp.column(side.names[name], table=joined if in_order else None, quoted=True)
        keep_words(plain, column)
        kept = any(column is term for term in selected) and side.names[name] != name
        column.replace(exp.alias_(plain, name, quoted=True) if kept else plain)


def _names_the_answer(column: exp.Column, aliases: set[str], sides: list[JoinSide]) -> bool:
    """Whether a name is that of a column of the answer: in ORDER BY before any other, in GROUP BY and HAVING after."""
    if column.table or column.name.lower() not in aliases:
        return False
    if column.find_ancestor(exp.Order) is not None:
        return True
    known = any(side.column(column.name) for side in sides if side.called is not None)
    return column.find_ancestor(exp.Group, exp.Having) is not None and not known


def _joined(building: _Building) -> QueryTable:
    """What is known of the joined table: all that is known of each, by the joined table's names."""
    sides, root = building.sides, building.sides[0]
    own = next(side for side in sides if side.called is not None).table
    whole = replace(
        own, columns={}, keys={}, bounds={}, fill={}, unit=None, attributes=frozenset(), hidden=frozenset(), place=""
    )
    whole = replace(
        whole, sum_bounds={}, zones={}, weight=_weight(sides), computed_from_unit=frozenset(), names_people=frozenset()
    )
    whole = replace(whole, conditions=(), null_keys=frozenset())
    for side in sides:
        table, names = side.table, side.names
        known = renamed(table.conditions, names)
        constant = frozenset(table.enforced(building.used)) if table.rows is None else table.attributes
        whole = replace(
            whole,
            columns={**whole.columns, **{names[name]: kind for name, kind in table.columns.items()}},
            keys={**whole.keys, **{names[name]: Keys(names[name], keys.values) for name, keys in table.keys.items()}},
            bounds={**whole.bounds, **{names[name]: ends for name, ends in table.bounds.items()}},
            fill={**whole.fill, **{names[name]: value for name, value in table.fill.items()}},
            sum_bounds={**whole.sum_bounds, **{names[name]: one for name, one in table.sum_bounds.items()}},
            zones={**whole.zones, **{names[name]: zone for name, zone in table.zones.items()}},
            # by LEFT JOIN a unit may have the value in one row and NULL in another
            attributes=whole.attributes | frozenset(names[name] for name in constant if side.whole),
            hidden=whole.hidden | frozenset(names[name] for name in table.hidden),
            null_keys=whole.null_keys | empty_columns(side, building.where, sides, building.tied),
            computed_from_unit=whole.computed_from_unit | frozenset(names[name] for name in table.of_unit),
            names_people=whole.names_people | frozenset(names[name] for name in table.people),
            conditions=(*whole.conditions, *(known if side.whole else where_met(known))),
        )
    if len({name.lower() for name in whole.columns}) != sum(len(side.names) for side in sides):
        raise UnsupportedQuery(f"a column of {own.name!r} is called like table.column of a joined table: rename it")
    unit = None if root.table.unit is None else root.names[root.table.unit]
    size = sum(side.table.size for side in sides)
    return replace(
        whole,
        unit=unit,
        single=building.single and unit is not None,
        size=size,
        rows=None,
        reference=None,
        copies=math.prod(side.table.copies for side in sides),
        unique=own.unique if len(sides) == 1 else frozenset(),
        owned=root.table.private,
        **rows_counted([side.table for side in sides], building.scope.policy, multiplied=building.multiplied),
    )


def _weight(sides: list[JoinSide]) -> SurveyWeight | None:
    """The survey weight of a joined row: that of its row of the weighted table, of which there may be one."""
    by_weight = [
        replace(side.table.weight, column=side.names[side.table.weight.column])
        for side in sides
        if side.table.weight is not None
    ]
    if len(by_weight) > 1:
        raise UnsupportedQuery("a row that is joined from two rows with a survey weight has no weight of its own")
    return by_weight[0] if by_weight else None
