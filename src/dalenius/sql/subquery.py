"""WITH and subqueries in FROM: a SELECT whose rows are asked like those of a table.

A row of it is made from rows of one unit alone: from one row, or, with GROUP BY, from those of one unit, for the unit
is among what is grouped by. So a unit that comes or goes brings or takes the rows that are made from its own, and moves
no other; the rules for a table hold over those rows, and weights count them. Without further keys a unit has one row,
which counts in full at the price of one.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date

from sqlglot import exp

from dalenius.errors import UnboundedQuery, UnsupportedQuery
from dalenius.queries import Keys
from dalenius.sql.columns import REALS
from dalenius.sql.declared import Ends
from dalenius.sql.draft import Draft
from dalenius.sql.join import join_tables
from dalenius.sql.kinds import Kind
from dalenius.sql.names import SOURCE
from dalenius.sql.per_unit import ENGINE_TYPES, Exact, exact, settled
from dalenius.sql.policy import Policy
from dalenius.sql.rows import Typed, row_expression
from dalenius.sql.rows.typed import expect
from dalenius.sql.rules.qualify import qualify
from dalenius.sql.scope import Joined, Scope
from dalenius.sql.table import Table
from dalenius.sql.words import word

FORM = "a subquery is SELECT columns FROM … WHERE … GROUP BY unit, keys HAVING …"
_KNOWN = frozenset({"expressions", "from_", "joins", "where", "group", "having", "distinct", "with_"})
_REFUSED = (exp.Window, exp.Filter, exp.Subquery, exp.Select, exp.Lambda, exp.Placeholder, exp.Parameter)


def resolve(tree: exp.Expr, policy: Policy, others: Mapping[str, Table]) -> Joined:
    """The query over one table; one over the owner's table alone stays as it is."""
    source = tree.args.get("from_") if isinstance(tree, exp.Select) else None
    if source is None:
        return Joined(tree, policy)
    first = Table.first(policy)
    table = source.this
    used = frozenset(column.name.lower() for column in tree.find_all(exp.Column))
    alone = isinstance(table, exp.Table) and not tree.args.get("joins") and not tree.args.get("with_")
    if alone and table.name.lower() not in others and not first.enforced(used):
        return Joined(tree, replace(policy, attributes=()))  # none is asked for, and none enforced
    return join_tables(tree, Scope(policy, {first.name.lower(): first, **others}, made))


def made(tree: exp.Expr, name: str, scope: Scope) -> Table:
    """The table that a subquery is."""
    if not isinstance(tree, exp.Select) or tree.args.get("from_") is None:
        raise UnsupportedQuery(f"{word(tree)} has no rule as a subquery; {FORM}")
    for clause, value in tree.args.items():
        if value and clause not in _KNOWN:
            raise UnsupportedQuery(f"{clause.strip('_').upper()} in a subquery has no sensitivity rule; {FORM}")
    for node in _expressions(tree):
        if isinstance(node, _REFUSED):
            raise UnsupportedQuery(f"{word(node)} in a subquery has no sensitivity rule; {FORM}")
    joined = join_tables(_with_columns(tree, scope), scope, public=True)
    assert joined.table is not None
    names = [_name(term) for term in joined.tree.expressions]
    draft = qualify(Draft(joined.tree), joined.policy)
    step = _Step(draft.tree, joined.table, joined.policy, joined.rows)
    if _aggregates(step.tree):
        step = _per_unit(step)
    return _rows(step, names, name)


@dataclass(frozen=True, slots=True)
class _Step:
    """A SELECT over one table, whose rows `rows` gives."""

    tree: exp.Expr
    table: Table
    policy: Policy
    rows: exp.Select | None

    @property
    def source(self) -> exp.Select:
        """A SELECT of nothing yet, from the table, where the condition holds."""
        assert self.rows is not None
        rows = exp.select().from_(exp.alias_(self.rows.subquery(), SOURCE, table=True, quoted=True))
        where = self.tree.args.get("where")
        if where is None:
            return rows
        return rows.where(expect(row_expression(where.this, self.policy), Kind.BOOLEAN, "WHERE").tree)


def _expressions(tree: exp.Select) -> list[exp.Expr]:
    places = [*tree.expressions, *(tree.args.get(name) for name in ("where", "group", "having"))]
    return [node for place in places if place is not None for node in place.walk()]


def _with_columns(tree: exp.Select, scope: Scope) -> exp.Select:
    """With every column in the place of SELECT *."""
    stars = [term for term in tree.expressions if isinstance(term, exp.Star)]
    if not stars:
        return tree
    if len(tree.expressions) > 1 or any(stars[0].args.values()):
        raise UnsupportedQuery(f"SELECT * stands alone, without EXCLUDE, REPLACE or RENAME; {FORM}")
    inner = scope.within(tree)
    found = []
    for node in (tree.args["from_"].this, *(join.this for join in tree.args.get("joins") or [])):
        table, called = inner.named(node)
        found += [(called, name) for name in table.columns if name not in table.hidden]
    using = {name.name.lower() for join in tree.args.get("joins") or [] for name in join.args.get("using") or []}
    kept: dict[str, exp.Expr] = {}
    for called, name in found:
        if name.lower() in kept and name.lower() not in using:
            raise UnsupportedQuery(f"SELECT * would give two columns {name!r}: name the columns instead")
        kept.setdefault(name.lower(), exp.column(name, table=called, quoted=True))
    plain = tree.copy()
    plain.set("expressions", list(kept.values()))
    return plain


def _name(term: exp.Expr) -> str:
    if not term.alias and not isinstance(term, exp.Column):
        raise UnsupportedQuery("a column of a subquery that is computed needs a name: write expression AS name")
    return str(term.alias or term.name)


def _aggregates(tree: exp.Expr) -> bool:
    asked = [*tree.expressions, *filter(None, [tree.args.get("having")])]
    grouped = tree.args.get("group") or tree.args.get("having") or tree.args.get("distinct")
    return bool(grouped) or any(term.find(exp.AggFunc) for term in asked)


def _per_unit(step: _Step) -> _Step:
    """One row for each unit and combination of keys, with the keys as k0, k1, … and the aggregates as a0, a1, …"""
    terms = _grouped(step)
    asked = [*step.tree.expressions, *filter(None, [step.tree.args.get("having")])]
    found = {node.sql(): node for term in asked for node in term.find_all(exp.AggFunc) if node not in terms}
    aggregates = [exact(node, step.policy) for node in found.values()]
    inner, keys = step.source, [_key(term, step) for term in terms]
    for place, (tree, *_) in enumerate(keys):
        inner = inner.select(exp.alias_(tree, f"k{place}", quoted=True))
    for place, one in enumerate(aggregates):
        if one.value is not None:
            inner = inner.select(exp.alias_(one.value.tree, f"v{place}", quoted=True))
    outer = exp.select().from_(exp.alias_(inner.subquery(), "owned", table=True, quoted=True))
    for place in range(len(keys)):
        column = exp.column(f"k{place}", quoted=True)
        outer = outer.select(column).group_by(column.copy())
    for place, one in enumerate(aggregates):
        value = one.aggregate(exp.column(f"v{place}", quoted=True))
        outer = outer.select(exp.alias_(value, f"a{place}", quoted=True))
    table = _summary(step, keys, aggregates)
    names = {f"{node}": f"a{place}" for place, node in enumerate(found)}
    tree = _over(step.tree, terms, names)
    return _Step(tree, table, table.terms(step.policy), outer)


def _grouped(step: _Step) -> list[exp.Expr]:
    """What is grouped by, the unit among it."""
    group, distinct = step.tree.args.get("group"), step.tree.args.get("distinct")
    if group is not None and any(value for name, value in group.args.items() if name != "expressions"):
        raise UnsupportedQuery(f"GROUP BY takes expressions: no ALL, ROLLUP, CUBE or GROUPING SETS; {FORM}")
    terms = [] if group is None else list(group.expressions)
    if distinct is not None:
        asked = [*step.tree.expressions, *filter(None, [step.tree.args.get("having")])]
        if distinct.args.get("on") or terms or any(term.find(exp.AggFunc) for term in asked):
            raise UnsupportedQuery(f"SELECT DISTINCT takes columns, without ON, GROUP BY or aggregates; {FORM}")
        terms = [term.unalias() for term in step.tree.expressions]
    if any(term.find(exp.AggFunc) for term in terms):
        raise UnsupportedQuery("GROUP BY takes expressions over a row, without aggregates")
    unit = step.table.unit
    if not step.table.private:
        raise UnsupportedQuery(f"{step.table.name!r} is public: aggregate it before it is given as public=")
    if unit is None:
        raise UnboundedQuery("where each row is a unit a subquery cannot aggregate: it would mix rows of several")
    if not any(isinstance(term, exp.Column) and term.name == unit for term in terms):
        shown = unit.rpartition(".")[2] if unit not in step.table.hidden else "the unit's column"
        raise UnboundedQuery(
            f"a subquery that aggregates must GROUP BY {shown}, so that each of its rows is one person's; "
            "an average over all is a question of its own"
        )
    return list(dict.fromkeys(terms))


def _key(term: exp.Expr, step: _Step) -> tuple[exp.Expr, str, Typed | None, str | None]:
    """What is grouped by: as the engine computes it, its type, what is known of it, and the column that it is."""
    if isinstance(term, exp.Column) and step.policy.columns[term.name] not in REALS:
        column = exp.column(term.name, table=SOURCE, quoted=True)
        return column, step.policy.columns[term.name], None, term.name
    value = row_expression(term, step.policy)
    if value.kind is Kind.NULL:
        raise UnsupportedQuery("GROUP BY NULL has no type")
    # of equal numbers the engine may keep either zero, by the order of rows
    tree = settled(value.tree) if value.kind is Kind.NUMBER else value.tree
    return tree, ENGINE_TYPES[value.kind], value, None


def _summary(step: _Step, keys: list[tuple[exp.Expr, str, Typed | None, str | None]], found: list[Exact]) -> Table:
    """What is known of the rows: of keys that are columns what was, of others what follows."""
    told = _Told({}, {}, {}, {})
    single = True
    attributes = []
    for place, (tree, kind, value, column) in enumerate(keys):
        told.add(f"k{place}", kind, value, step.table, column)
        constant = all(one.name in (*step.table.attributes, step.table.unit) for one in tree.find_all(exp.Column))
        single = single and constant
        if constant:
            attributes.append(f"k{place}")
    for place, one in enumerate(found):
        told.add(f"a{place}", one.declared, one.result, step.table, None)
    unit = next(f"k{place}" for place, key in enumerate(keys) if key[3] == step.table.unit)
    every = frozenset(told.columns) if single else frozenset(attributes)
    return replace(
        step.table,
        columns=told.columns,
        unit=unit,
        keys=told.keys,
        bounds=told.bounds,
        fill=told.fill,
        attributes=every - {unit},
        single=single,
        hidden=frozenset(),
    )


@dataclass(slots=True)
class _Told:
    """Columns and what is known of them."""

    columns: dict[str, str]
    keys: dict[str, Keys]
    bounds: dict[str, Ends]
    fill: dict[str, object]

    def add(self, name: str, kind: str, value: Typed | None, table: Table, column: str | None) -> None:
        """A column that is one of the table's, or an expression."""
        self.columns[name] = kind
        if column is not None:
            if column in table.keys:
                self.keys[name] = Keys(name, table.keys[column].values)
            if column in table.bounds:
                self.bounds[name] = table.bounds[column]
            if column in table.fill:
                self.fill[name] = table.fill[column]
            return
        assert value is not None
        if value.values and value.kind in (Kind.NUMBER, Kind.TEXT, Kind.BOOLEAN):
            self.keys[name] = Keys(name, value.values)
        if value.bounds is not None:
            self.bounds[name] = _ends(value)


def _ends(value: Typed) -> Ends:
    assert value.bounds is not None
    if value.kind in (Kind.DATE, Kind.TIMESTAMP):
        first, last = (date.fromordinal(int(end)).isoformat() for end in value.bounds)
        return first, last
    return value.bounds


def _over(tree: exp.Expr, terms: list[exp.Expr], names: Mapping[str, str]) -> exp.Expr:
    """The SELECT over the rows that were aggregated: HAVING is a condition on them."""

    def named(node: exp.Expr) -> exp.Expr:
        if node in terms:
            return exp.column(f"k{terms.index(node)}", table=SOURCE, quoted=True)
        if isinstance(node, exp.AggFunc):
            return exp.column(names[node.sql()], table=SOURCE, quoted=True)
        if isinstance(node, exp.Column):
            raise UnsupportedQuery(f"{node.name} stands outside of an aggregate: GROUP BY it, or aggregate it")
        return node

    having = tree.args.get("having")
    plain = exp.select()
    plain.set("expressions", [term.copy().transform(named) for term in tree.expressions])
    if having is not None:
        plain.set("where", exp.Where(this=having.this.copy().transform(named)))
    return plain


def _rows(step: _Step, names: list[str], called: str) -> Table:
    """The rows that a SELECT makes of rows, one of each, and what is known of them."""
    if len({name.lower() for name in names}) != len(names):
        raise UnsupportedQuery("the columns of a subquery need names that differ; give one another name with AS")
    told, rows, table = _Told({}, {}, {}, {}), step.source, step.table
    unit, attributes, unique = None, [], []
    for name, term in zip(names, step.tree.expressions, strict=True):
        node = term.unalias().unnest()
        column = node.name if isinstance(node, exp.Column) else None
        value = None if column is not None else row_expression(node, step.policy)
        if value is not None and value.kind is Kind.NULL:
            raise UnsupportedQuery(f"{name!r} is nothing but NULL, which has no type: CAST it")
        tree = exp.column(column, table=SOURCE, quoted=True) if column is not None else value.tree  # type: ignore[union-attr]
        kind = step.policy.columns[column] if column is not None else ENGINE_TYPES[value.kind]  # type: ignore[union-attr]
        told.add(name, kind, value, table, column)
        rows = rows.select(exp.alias_(tree, name, quoted=True))
        if column is not None and column == table.unit:
            unit = unit or name
        elif all(one.name in (*table.attributes, table.unit) for one in node.find_all(exp.Column)):
            attributes.append(name)
        if column in table.unique:
            unique.append(name)
    hidden: frozenset[str] = frozenset()
    if unit is None and table.unit is not None:
        unit = "(unit)"
        while unit.lower() in {name.lower() for name in names}:
            unit = f"({unit})"
        told.add(unit, table.columns[table.unit], None, table, table.unit)
        rows = rows.select(exp.alias_(exp.column(table.unit, table=SOURCE, quoted=True), unit, quoted=True))
        hidden = frozenset({unit})
    return Table(
        *(called, "", told.columns, unit, told.keys, told.bounds, told.fill, frozenset(unique)),  # type: ignore[arg-type]
        attributes=frozenset(told.columns) - {unit} if table.single else frozenset(attributes),
        rows=rows,
        owned=table.private,
        single=table.single,
        hidden=hidden,
        size=table.size + 1,
    )
