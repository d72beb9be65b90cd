"""Queries inside of an expression over a row: EXISTS, IN (SELECT …), and an aggregate of a person's own rows.

Each becomes a column of the rows that it stands over. Over public tables alone it is whatever the row and public data
make it. Over a table of the same people it must be tied to the row by equality of the unit, written or implied by a
foreign key (`implied_ties`) and then added: so it is a function of the rows of that one unit, and a unit that comes or
goes changes the column in its own rows and in no other  [G sensitivity]. Any other query over private rows lets one
person decide over the rows of others, and is refused. Rows of nobody are dropped inside too: one of them would empty
every NOT IN.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from sqlglot import exp

from dalenius.errors import UnboundedQuery, UnsupportedQuery
from dalenius.sql.policy.policy import Policy
from dalenius.sql.rows import Typed, row_expression
from dalenius.sql.rows.conditions import comparable
from dalenius.sql.rows.typed import expect
from dalenius.sql.tables.implied_ties import InnerTables, implies_unit
from dalenius.sql.tables.join_side import JoinSide, resolve_column
from dalenius.sql.tables.scope import Scope
from dalenius.sql.tables.subquery_aggregates import unit_aggregate
from dalenius.sql.tables.subquery_select import SubqueryColumns
from dalenius.sql.tables.table import QueryTable, reading
from dalenius.sql.types.engine_names import SOURCE
from dalenius.sql.types.kinds import Kind

_PLAIN = frozenset({"expressions", "from_", "joins", "where", "with_"})
_UNSEEN = frozenset({"order", "limit"})
FORM = "write EXISTS (SELECT 1 FROM other WHERE other.unit = this.unit AND …)"


@dataclass(slots=True)
class RowSubqueries:
    """The columns that stand for queries inside of a SELECT: how each is computed, and what is known of it."""

    scope: Scope
    sides: Sequence[JoinSide]
    owners: set[tuple[str, str]]
    outer: Policy
    private: bool
    of_unit: frozenset[str] = frozenset()
    trees: dict[str, exp.Expr] = field(default_factory=dict)
    known: SubqueryColumns = field(default_factory=SubqueryColumns)
    size: int = 0
    computed_from_unit: set[str] = field(default_factory=set)

    def placed(self, tree: exp.Expr) -> None:
        """Put a column in the place of every query that stands in an expression of the SELECT."""
        for node in inner_queries(tree):
            if isinstance(node, exp.Exists):
                node.replace(self._exists(node))
            elif isinstance(node, exp.In):
                node.replace(self._member(node))
            else:
                node.replace(self._scalar(node))

    def selected(self, rows: exp.Select) -> exp.Select:
        """The rows with these columns beside their own."""
        for name, tree in self.trees.items():
            rows = rows.select(exp.alias_(tree, name, quoted=True, copy=False), copy=False)
        return rows

    def added(self, table: QueryTable) -> QueryTable:
        """The table with what is known of these columns."""
        if not self.trees:
            return table
        known = self.known
        return replace(
            table,
            columns={**table.columns, **known.columns},
            keys={**table.keys, **known.keys},
            bounds={**table.bounds, **known.bounds},
            null_keys=table.null_keys | known.null_keys,
            size=table.size + self.size,
            computed_from_unit=table.computed_from_unit | self.computed_from_unit,
        )

    def _exists(self, node: exp.Expr) -> exp.Expr:
        inner = node.this.unnest() if isinstance(node.this, exp.Subquery) else node.this
        limit = inner.args.get("limit")
        size = None if limit is None else limit.expression or limit.args.get("count")
        never = limit is not None and not (isinstance(size, exp.Literal) and re.fullmatch("0*[1-9][0-9]*", size.name))
        if never or any(term.find(exp.AggFunc) for term in inner.expressions):
            raise UnsupportedQuery(f"EXISTS of an aggregate is always true, and of LIMIT 0 never: {FORM}")
        query = _Inner.of(inner, self, [], drop=_UNSEEN)
        return self._column("EXISTS", "BOOLEAN", exp.Exists(this=query.select(self, exp.Literal.number(1))))

    def _member(self, node: exp.Expr) -> exp.Expr:
        inner = node.args["query"].unnest()
        if not isinstance(inner, exp.Select) or len(inner.expressions) != 1 or node.expressions:
            raise UnsupportedQuery("IN takes a subquery of one column: x IN (SELECT column FROM …)")
        shown = inner.expressions[0].unalias()
        query = _Inner.of(inner, self, [shown])
        whose = self._owner(node.this)
        if whose is not None and query.is_unit(query.values[0]):
            tied = replace(query, ties=(*query.ties, whose))
            return self._column("IN", "BOOLEAN", exp.Exists(this=tied.select(self, exp.Literal.number(1))))
        if implies_unit(shown, node.this, query.tables, self.sides):
            query = query.tied_to(self)
        left, right = comparable([query.read(self._named(node.this), self), query.read(query.values[0], self)])
        sought, value = query.substituted(left.tree, self), query.substituted(right.tree, self)
        chosen = exp.In(this=sought, query=query.select(self, value).subquery(copy=False))
        return self._column("IN", "BOOLEAN", exp.paren(chosen, copy=False))

    def _scalar(self, node: exp.Expr) -> exp.Expr:
        inner = node.this
        if not isinstance(inner, exp.Select) or len(inner.expressions) != 1 or not inner.find(exp.AggFunc):
            raise UnsupportedQuery(
                "a subquery in an expression is one aggregate: (SELECT MAX(other.x) FROM other "
                "WHERE other.unit = this.unit)"
            )
        shown = inner.expressions[0].unalias()
        query = _Inner.of(inner, self, [shown])
        value = exp.paren(query.values[0], copy=False)
        for call in [one for one in value.find_all(exp.AggFunc) if not one.find_ancestor(exp.AggFunc)]:
            one = unit_aggregate(call, query.terms(self))
            tree = one.aggregate(exp.null() if one.value is None else one.value.tree)
            chosen = query.select(self, query.substituted(tree, self)).subquery(copy=False)
            name = self._name("value")
            self.known.expression(name, one.result, one.declared)
            if not isinstance(call, exp.Count | exp.CountIf):  # of a person without rows there
                self.known.null_keys.add(name)
            self.trees[name] = chosen
            marked = frozenset(mark for mark, own in query.marks.items() if own in query.table.of_unit)
            self.computed_from_unit |= reading(self.of_unit | marked, {name: call})
            call.replace(exp.column(name, quoted=True))
        if any(column.name not in self.trees for column in value.find_all(exp.Column)):
            raise UnsupportedQuery("beside the aggregate of a subquery in an expression stand numbers: no columns")
        return value

    def _column(self, word: str, declared: str, tree: exp.Expr) -> exp.Expr:
        name = self._name(word)
        self.known.columns[name] = declared
        self.trees[name] = tree
        return exp.column(name, quoted=True)

    def _name(self, word: str) -> str:
        name = f"({word} {len(self.trees)})"
        while name.lower() in {one.lower() for one in self.outer.columns}:
            name = f"({name})"
        return name

    def _owner(self, node: exp.Expr) -> exp.Expr | None:
        """The outer column that holds the unit, as the engine reads it; None of anything else."""
        inner = node.unnest()
        if not isinstance(inner, exp.Column):
            return None
        side, name = resolve_column(inner, self.sides)
        return side.of(name) if (side.place, name) in self.owners else None

    @property
    def unit(self) -> exp.Expr | None:
        """The unit of the outer row, where it has one."""
        first = self.sides[0]
        return None if first.table.unit is None else first.of(first.table.unit)

    def _named(self, node: exp.Expr) -> exp.Expr:
        """An expression with the joined table's names of its columns."""
        if isinstance(node, exp.Column):
            return self.joined_name(node)
        plain: exp.Expr = node.copy()
        for column in list(plain.find_all(exp.Column)):
            column.replace(self.joined_name(column))
        return plain

    def joined_name(self, column: exp.Expr) -> exp.Expr:
        """A column of the outer tables by the joined table's name."""
        side, name = resolve_column(column, self.sides)
        return exp.column(side.names[name], quoted=True)


def inner_queries(tree: exp.Expr) -> list[exp.Expr]:
    """The queries that stand in expressions of a SELECT, outermost first; not those of FROM, JOIN and WITH."""
    queries: list[exp.Expr] = []

    def visit(node: exp.Expr) -> None:
        if isinstance(node, exp.Exists | exp.Subquery) or (isinstance(node, exp.In) and node.args.get("query")):
            queries.append(node)
            return
        for child in node.iter_expressions():
            visit(child)

    for clause, value in tree.args.items():
        if clause in ("from_", "joins", "with_"):
            continue
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, exp.Expression):
                visit(one)
    return queries


@dataclass(frozen=True, slots=True)
class _Inner:
    """A query inside of an expression: its rows as a table, and the conditions that tie them to the outer row.

    `values` and `conditions` name inner columns by `marks`, which no column of the outer tables has.
    """

    table: QueryTable
    place: str
    marks: Mapping[str, str]
    values: tuple[exp.Expr, ...]
    conditions: tuple[exp.Expr, ...]
    ties: tuple[exp.Expr, ...]
    tables: InnerTables

    @classmethod
    def of(
        cls, tree: exp.Expr, outside: RowSubqueries, values: list[exp.Expr], drop: frozenset[str] = frozenset()
    ) -> "_Inner":
        """The rows of the query without the conditions that name an outer column, which are kept apart."""
        if not isinstance(tree, exp.Select) or tree.args.get("from_") is None:
            raise UnsupportedQuery(f"a subquery in an expression is a SELECT from a table; {FORM}")
        inner: exp.Select = tree.copy()
        for clause in drop:
            inner.set(clause, None)
        tables = _tables_inside(inner, outside.scope)
        names = _columns_of(tables)
        where = inner.args.get("where")
        every = [] if where is None else _conjuncts(where.this)
        apart = [one for one in every if any(not _is_inside(column, names) for column in _own_columns(one))]
        inner.set(
            "where", exp.Where(this=exp.and_(*kept)) if (kept := [one for one in every if one not in apart]) else None
        )
        grouped = [clause for clause, value in inner.args.items() if value and clause not in _PLAIN]
        mark = f"(inner {len(outside.trees)}) "
        used = [column for one in (*apart, *values) for column in _own_columns(one) if _is_inside(column, names)]
        columns = {column.sql(): f"c{place}" for place, column in enumerate(dict.fromkeys(used))}
        if grouped and (apart or len(values) != 1 or not isinstance(values[0], exp.Column)):
            raise UnsupportedQuery(
                f"{grouped[0].strip('_').upper()} in a subquery of an expression has no rule there: group by the unit "
                "in WITH name AS (SELECT …), and join it"
            )
        shown = [exp.alias_(column.copy(), columns[column.sql()]) for column in dict.fromkeys(used)]
        inner.set("expressions", shown or _any_column(inner, outside.scope))
        table = outside.scope.made(inner, f"subquery {len(outside.trees)}", outside.scope)
        outside.size += table.size

        def marked(node: exp.Expr) -> exp.Expr:
            if isinstance(node, exp.Column) and node.sql() in columns and _is_inside(node, names):
                return exp.column(f"{mark}{columns[node.sql()]}", quoted=True)
            return outside.joined_name(node) if isinstance(node, exp.Column) else node

        marks = {f"{mark}{name}": name for name in table.columns}
        place = f"inner{len(outside.trees)}"
        given = tuple(one.copy().transform(marked) for one in values)
        query = cls(table, place, marks, given, (), (), tables)
        return query._tied([(one, one.copy().transform(marked)) for one in apart], outside)

    def _tied(self, apart: list[tuple[exp.Expr, exp.Expr]], outside: RowSubqueries) -> "_Inner":
        """With the conditions that are equalities of the unit told from the others."""
        ties, conditions = [], []
        for written, marked in apart:
            whose = None
            if isinstance(marked, exp.EQ):
                for side, other in ((marked.this, written.expression), (marked.expression, written.this)):
                    if self.is_unit(side.unnest()) and isinstance(other.unnest(), exp.Column):
                        whose = whose or outside._owner(other)
            if whose is None:
                conditions.append(marked)
            else:
                ties.append(whose)
        query = replace(self, conditions=tuple(conditions), ties=tuple(ties))
        for written, _ in [] if ties else apart:
            pairs = ((written.this, written.expression), (written.expression, written.this))
            if isinstance(written, exp.EQ) and any(implies_unit(*one, self.tables, outside.sides) for one in pairs):
                return query.tied_to(outside)
        return query

    def tied_to(self, outside: RowSubqueries) -> "_Inner":
        """With the equality of the unit, which a reference implies; as it is if it is there, or there is no unit."""
        if self.ties or outside.unit is None or self.table.unit is None:
            return self
        return replace(self, ties=(outside.unit,))

    def is_unit(self, node: exp.Expr) -> bool:
        """Whether an expression is the inner column that holds the unit."""
        return (
            isinstance(node, exp.Column)
            and self.table.unit is not None
            and self.marks.get(node.name) == self.table.unit
        )

    def select(self, outside: RowSubqueries, value: exp.Expr) -> exp.Select:
        """The rows that belong to the outer row's unit, and fulfil the conditions."""
        if self.table.private and not (self.ties and outside.private):
            raise UnboundedQuery(
                "a subquery over private rows lets one person decide over the rows of others, unless it reads that "
                f"person's own rows alone: tie it by the unit, {FORM}; an answer about everybody is a question of its "
                "own: ask it, and write the released number here, or CASE key WHEN 'a' THEN 1 WHEN … END for each key"
            )
        rows = exp.select(value).from_(self.table.read(self.place, frozenset()))
        if self.table.unit is not None:
            unit = exp.column(self.table.unit, table=self.place, quoted=True)
            rows = rows.where(unit.is_(exp.null()).not_())
            for whose in self.ties:
                rows = rows.where(exp.EQ(this=unit.copy(), expression=whose.copy()))
        for condition in self.conditions:
            part = expect(self.read(condition, outside), Kind.BOOLEAN, "WHERE")
            rows = rows.where(self.substituted(part.tree, outside))
        return rows

    def read(self, node: exp.Expr, outside: RowSubqueries) -> Typed:
        """A row expression over inner and outer columns."""
        return row_expression(node, self.terms(outside))

    def terms(self, outside: RowSubqueries) -> Policy:
        """What is known of the columns of both."""
        table, outer = self.table, outside.outer
        own = {name: mark for mark, name in self.marks.items()}
        return replace(
            outer,
            columns={**outer.columns, **{own[name]: kind for name, kind in table.columns.items()}},
            keys={**outer.keys, **{own[name]: keys for name, keys in table.keys.items()}},
            bounds={**outer.bounds, **{own[name]: ends for name, ends in table.bounds.items()}},
            fill={**outer.fill, **{own[name]: value for name, value in table.fill.items()}},
        )

    def substituted(self, tree: exp.Expr, outside: RowSubqueries) -> exp.Expr:
        """A rendered expression with every column where the engine finds it."""
        places = {side.names[name]: side.of(name) for side in outside.sides for name in side.names}

        def placed(node: exp.Expr) -> exp.Expr:
            if not isinstance(node, exp.Column) or node.table != SOURCE:
                return node
            if node.name in self.marks:
                return exp.column(self.marks[node.name], table=self.place, quoted=True)
            return places[node.name].copy()

        return tree.copy().transform(placed)


def _conjuncts(condition: exp.Expr) -> list[exp.Expr]:
    inner = condition.unnest()
    if isinstance(inner, exp.And):
        return [*_conjuncts(inner.this), *_conjuncts(inner.expression)]
    return [inner]


def _own_columns(node: exp.Expr) -> list[exp.Column]:
    """The columns of an expression that are not inside of a further query in it."""
    return [
        column
        for column in node.find_all(exp.Column)
        if not (isinstance(above := column.find_ancestor(exp.Select), exp.Select) and _is_below(above, node))
    ]


def _is_below(select: exp.Expr, node: exp.Expr) -> bool:
    parent = select.parent
    while parent is not None:
        if parent is node:
            return True
        parent = parent.parent
    return False


def _tables_inside(tree: exp.Select, scope: Scope) -> list[tuple[QueryTable, str]]:
    """The tables of a query, each with what it calls it."""
    inside = scope.within(tree)
    return [
        inside.named(node) for node in (tree.args["from_"].this, *(one.this for one in tree.args.get("joins") or []))
    ]


def _columns_of(tables: InnerTables) -> dict[str, set[str]]:
    """The columns of the tables of a query, by what it calls each."""
    return {called: {name.lower() for name in table.columns if name not in table.hidden} for table, called in tables}


def _is_inside(column: exp.Column, names: Mapping[str, set[str]]) -> bool:
    if column.table:
        return column.table.lower() in names
    return any(column.name.lower() in columns for columns in names.values())


def _any_column(tree: exp.Select, scope: Scope) -> list[exp.Expr]:
    """A column to select where none is asked for: a subquery shows one at least."""
    names = _columns_of(_tables_inside(tree, scope))
    called, columns = next(iter(names.items()))
    return [exp.alias_(exp.column(min(columns), table=called, quoted=True), "c0")]
