"""JOIN: from several tables to one, before any other rule.

A query over a join is a query over the table that the join is. Its rows belong to the units of the first table: a
public table adds columns, and copies of rows; another private table is joined on the unit, or along a foreign key that
carries it (see `references`), so that a joined row is made from rows of one unit alone. Hence a unit that comes or goes
brings or takes its own joined rows and no others, however many: the weights are taken over those rows, after the join
[G complaints count]. Where each row is a unit there are no weights, so that a row may meet at most one of a public
table.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace

from sqlglot import exp

from dalenius.errors import UnboundedQuery, UnsupportedQuery
from dalenius.queries import Keys
from dalenius.sql.policy.survey_weight import SurveyWeight
from dalenius.sql.rows import row_expression
from dalenius.sql.rows.typed import expect
from dalenius.sql.tables.candidates import ASK, name_candidates, take_candidates
from dalenius.sql.tables.join_forms import is_column_equality, joined_types, usual_joins
from dalenius.sql.tables.join_side import JoinSide, Reached, resolve_column, shown
from dalenius.sql.tables.row_subquery import RowSubqueries
from dalenius.sql.tables.scope import FORM, MOST_TABLES, Joined, Scope
from dalenius.sql.tables.table import QueryTable
from dalenius.sql.tables.written_tables import join_written_tables
from dalenius.sql.text.quoted import keep_words
from dalenius.sql.types.column_types import is_read
from dalenius.sql.types.engine_names import SOURCE
from dalenius.sql.types.kinds import Kind

_CANDIDATES = f"; {ASK}"
_ALLOWED = frozenset({"this", "on", "using", "side", "kind"})


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
    shared = frozenset(name.name.lower() for join in joins for name in _using(join))
    building = _Building(scope, frozenset(column.name.lower() for column in tree.find_all(exp.Column)) | shared)
    table, called = scope.named(source)
    if not table.private and not public:
        raise UnsupportedQuery(f"{table.name!r} is public: a query starts with a private table; {FORM}")
    building.start(table, called)
    for join in joins:
        building.add(join, shared)
    if candidates is not None:
        building.meet(candidates, tree)
    table, rows = _joined(building), building.selected()
    inner = RowSubqueries(scope, building.sides, building.owners, table.terms(scope.policy), table.unit is not None)
    inner.placed(tree)
    _check_size(building.sides, inner.size)
    table, rows = inner.added(table), inner.selected(rows)
    tree.set("joins", None)
    tree.set("with_", None)
    source.replace(exp.table_(table.name, quoted=True))
    _rename(tree, building.sides, shared, inner.trees)
    return Joined(tree, table.terms(scope.policy), rows, table, chooses=candidates is not None)


@dataclass(slots=True)
class _Building:
    """The tables of a query so far; `rows` select from them, `owners` are columns that hold the unit, or NULL."""

    scope: Scope
    used: frozenset[str]
    sides: list[JoinSide] = field(default_factory=list)
    rows: exp.Select = field(default_factory=exp.select)
    owners: set[tuple[str, str]] = field(default_factory=set)
    single: bool = True

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
            self._join(side, [((before, reference.to), (side, reference.column))], "INNER")

    def add(self, join: exp.Join, shared: frozenset[str]) -> None:
        """JOIN: a table whose rows are bound to the unit of those before it."""
        kind = _kind(join)
        table, called = self.scope.named(join.this)
        self._check_name(called)
        side = JoinSide(called, self._place(), _names(table, self.sides), table, kind != "LEFT")
        pairs, conditions = _pairs(join, self.sides, side, shared)
        _check_types(pairs)
        if (place := self._referred(pairs, side)) is not None and not conditions:
            self.sides[place] = shown(self.sides[place], called)
            return
        self._check_bounded(pairs, side)
        self.single = self.single and _meets_one(pairs, side, self.owners)
        self._join(side, pairs, kind, conditions)

    def meet(self, candidates: exp.Expr, tree: exp.Expr) -> None:
        """The candidates of a choice, each of which every row meets; their columns that hold reals are keys too."""
        table, called = self.scope.named(candidates)
        self._check_name(called)
        table = replace(table, keys={**table.reals, **table.keys})
        side = JoinSide(called, self._place(), _names(table, self.sides), table)
        once = name_candidates(tree, side, rows_are_units=self.sides[0].table.unit is None)
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

    def _join(
        self,
        side: JoinSide,
        pairs: Sequence[tuple[Reached, Reached]],
        kind: str,
        conditions: Sequence[exp.Expr] = (),
    ) -> None:
        self.sides.append(side)
        equal = [exp.EQ(this=one[0].of(one[1]), expression=two[0].of(two[1])) for one, two in pairs]
        on = exp.and_(*equal, *(self._condition(one) for one in conditions))
        self.rows = self.rows.join(side.table.read(side.place, self.used), on=on, join_type=kind)
        if side.table.unit is not None:
            self.owners.add((side.place, side.table.unit))

    def _condition(self, node: exp.Expr) -> exp.Expr:
        """A condition of LEFT JOIN beside the equalities: which of a unit's rows meet, and that no row can make fail.

        Rows that meet are of one unit by the equalities, so that it changes in no other unit's; a row that meets none
        is kept, with NULL, as it would be without.
        """
        if node.find(exp.Query):
            raise UnsupportedQuery(f"ON has no rule for a query inside of it: join a subquery; {FORM}")
        condition = exp.select(exp.paren(node.copy()))
        _rename(condition, self.sides, frozenset(), ())
        table = _joined(self)
        part = row_expression(condition.expressions[0], table.terms(self.scope.policy))
        tree = exp.paren(expect(part, Kind.BOOLEAN, "ON").tree.copy(), copy=False)
        places = {side.names[name]: side.of(name) for side in self.sides for name in side.names}
        for column in list(tree.find_all(exp.Column)):
            column.replace(places[column.name].copy())
        return tree

    def _referred(self, pairs: list[tuple[Reached, Reached]], side: JoinSide) -> int | None:
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

    def _check_bounded(self, pairs: list[tuple[Reached, Reached]], side: JoinSide) -> None:
        """Every joined row must be of one unit; and where rows are units, each must meet at most one other."""
        table, first = side.table, self.sides[0]
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
        elif first.table.unit is None and not any(joined in table.unique for _, (_, joined) in pairs):
            raise UnboundedQuery(
                f"a row could meet many rows of {table.name!r} and count for each: join on a column that holds no "
                "value twice, or let the owner declare who is protected with unit="
            )


def _names(table: QueryTable, sides: Sequence[JoinSide], plain: bool = False) -> dict[str, str]:
    """The joined table's names for a table's columns: its own for those of FROM, else with the table's before."""
    before = sum(side.table.name.lower() == table.name.lower() for side in sides)
    mark = "" if plain else f"{table.name}." if not before else f"{table.name} {before + 1}."
    return {name: f"{mark}{name}" for name in table.columns}


def _kind(join: exp.Join) -> str:
    if any(value for name, value in join.args.items() if name not in _ALLOWED):
        raise UnsupportedQuery(f"only plain JOIN and LEFT JOIN have a rule; {FORM}")
    if (join.side or "LEFT") != "LEFT" or (join.kind or "INNER") not in ("INNER", "OUTER"):
        kind = join.side or join.kind
        raise UnsupportedQuery(f"{kind} JOIN has no rule; {FORM}{_CANDIDATES if kind == 'CROSS' else ''}")
    return join.side or "INNER"


def _pairs(
    join: exp.Join, sides: list[JoinSide], side: JoinSide, shared: frozenset[str]
) -> tuple[list[tuple[Reached, Reached]], list[exp.Expr]]:
    """The columns that must be equal, of an earlier table and of this one; and what else a LEFT JOIN says ON rows."""
    conditions = []
    pairs = [
        (resolve_column(exp.column(name.name), sides, shared), resolve_column(exp.column(name.name), [side]))
        for name in _using(join)
    ]
    on = join.args.get("on")
    for term in [] if on is None else list(on.flatten()) if isinstance(on, exp.And) else [on]:
        equal = term.unnest()
        if join.side and not is_column_equality(equal):
            conditions.append(equal)
            continue
        if not isinstance(equal, exp.EQ):
            raise UnsupportedQuery(f"ON takes equalities of columns, joined by AND; {FORM}{_CANDIDATES}")
        pairs.append(_pair(equal.this.unnest(), equal.expression.unnest(), sides, side))
    if not pairs:
        raise UnsupportedQuery(f"a JOIN without ON has no rule; {FORM}{_CANDIDATES}")
    return pairs, conditions


def _using(join: exp.Expr) -> list[exp.Expr]:
    return list(join.args.get("using") or [])


def _pair(one: exp.Expr, two: exp.Expr, sides: list[JoinSide], side: JoinSide) -> tuple[Reached, Reached]:
    left, right = (resolve_column(node, [*sides, side]) for node in (one, two))
    if left[0] is side:
        left, right = right, left
    if left[0] is side or right[0] is not side:
        raise UnsupportedQuery(f"ON takes a column of an earlier table and one of the joined table; {FORM}")
    return left, right


def _check_types(pairs: list[tuple[Reached, Reached]]) -> None:
    for (left, name), (right, joined) in pairs:
        kinds = left.table.columns[name], right.table.columns[joined]
        if not joined_types(*kinds):
            raise UnsupportedQuery(
                f"a join compares whole numbers, texts, dates or booleans of one type, got {kinds[0]} and {kinds[1]}"
            )


def _meets_one(pairs: list[tuple[Reached, Reached]], side: JoinSide, owners: set[tuple[str, str]]) -> bool:
    """Whether a row meets at most one of the joined table."""
    if side.table.unit is not None:
        return side.table.single
    return not side.table.private and any(joined in side.table.unique for _, (_, joined) in pairs)


def _check_size(sides: Sequence[JoinSide], inside: int) -> None:
    if (size := inside + sum(side.table.size for side in sides)) > MOST_TABLES:
        raise UnsupportedQuery(
            f"a query may read {MOST_TABLES} tables, got {size}: a subquery counts where it is named"
        )


def _rename(tree: exp.Expr, sides: list[JoinSide], shared: frozenset[str], computed: Collection[str]) -> None:
    """Every column by its name in the joined table; the answer's columns keep the names that were written."""
    aliases = {term.alias.lower() for term in tree.expressions if isinstance(term, exp.Alias)}
    selected = [term for term in tree.expressions if isinstance(term, exp.Column)]
    for column in list(tree.find_all(exp.Column)):
        if not isinstance(column.this, exp.Identifier) or column.args.get("db"):
            continue  # refused by name later
        if _names_the_answer(column, aliases, sides) or (not column.table and column.name in computed):
            continue
        side, name = resolve_column(column, sides, shared)
        plain = keep_words(exp.column(side.names[name], quoted=True), column)
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
    whole = replace(whole, sum_bounds={}, zones={}, weight=_weight(sides))
    for side in sides:
        table, names = side.table, side.names
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
        unique=own.unique if len(sides) == 1 else frozenset(),
        owned=root.table.private,
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
