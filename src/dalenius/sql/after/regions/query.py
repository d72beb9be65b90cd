"""Queries over released tables, clause by clause, over all that is possible."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sqlglot import exp

from dalenius.sql.after.blocks import aggregates_of
from dalenius.sql.after.regions.distinct import distinct
from dalenius.sql.after.regions.expressions import Expressions
from dalenius.sql.after.regions.groups import grouped
from dalenius.sql.after.regions.order import Sorted, in_order, is_exact, is_total, positions
from dalenius.sql.after.regions.region import JointRegion
from dalenius.sql.after.regions.rows import MOST_ROWS, Context, Presence, Row, RowRelation, plain_key
from dalenius.sql.after.regions.subqueries import InnerQueries
from dalenius.sql.after.regions.values import Exact, NoRule, Value
from dalenius.sql.after.regions.windows import order_terms, window_values
from dalenius.sql.after.regions.written import written_rows
from dalenius.sql.text.words import word


class Queries:
    """Evaluates the queries of one statement over released tables, by name."""

    def __init__(self, region: JointRegion, tables: Mapping[str, RowRelation]) -> None:
        self.region, self._tables = region, dict(tables)
        self._inner = InnerQueries(self.relation)
        self._named: list[dict[str, RowRelation]] = [{name.lower(): table for name, table in tables.items()}]

    def relation(self, query: exp.Expr) -> RowRelation:
        """The rows of a query, those that may be there among them, in the order that was released."""
        scope = dict(self._named[-1])
        self._named.append(scope)
        try:
            with_ = query.args.get("with_")
            for cte in () if with_ is None else with_.expressions:
                made = self.relation(cte.this)
                columns = cte.args["alias"].args.get("columns") or ()
                names = tuple((cte.alias, name.name) for name in columns) or tuple(
                    (cte.alias, n) for _, n in made.names
                )
                scope[cte.alias.lower()] = replace(made, names=names + made.names[len(names) :])
            if isinstance(query, exp.Subquery):
                return self._arranged(query, self.relation(query.this))
            if isinstance(query, exp.SetOperation):
                return self._arranged(query, self._united(query))
            assert isinstance(query, exp.Select)
            return self._select(query)
        finally:
            self._named.pop()

    def _united(self, query: exp.SetOperation) -> RowRelation:
        sides = [self.relation(side) for side in (query.this, query.expression)]
        if not isinstance(query, exp.Union) or query.args.get("by_name"):
            raise NoRule(f"{word(query)} has no rule for regions")
        noisy = any(side.ordered_by_noise for side in sides)
        both = RowRelation(sides[0].names, sides[0].rows + sides[1].rows, noisy)
        return distinct(both, self.region) if query.args.get("distinct") else both

    def _select(self, select: exp.Select) -> RowRelation:
        of = Expressions(self.region, self._inner)
        source = self._source(select, of)
        aliases = {term.alias.lower(): term.this for term in select.expressions if isinstance(term, exp.Alias)}
        rows = [Context(source.names, row.values, row.presence, aliases=aliases) for row in source.rows]
        rows = _where(select.args.get("where"), rows, of)
        having, qualify, order = (select.args.get(name) for name in ("having", "qualify", "order"))
        places = [*select.expressions, *filter(None, (having, qualify, order))]
        if select.args.get("group") is not None or having is not None or any(map(aggregates_of, places)):
            rows = grouped(select, rows, of, places)
        rows = _where(having, rows, of)
        named = {one.this.name.lower(): one for one in select.args.get("windows") or ()}
        for node in {id(node): node for place in places for node in place.find_all(exp.Window)}.values():
            if node.find_ancestor(exp.Query) is select:
                values = window_values(node, rows, of, named, ordered_by_noise=source.ordered_by_noise)
                for row, value in zip(rows, values, strict=True):
                    row.computed[id(node)] = value
        rows = _where(qualify, rows, of)
        names, output = _projected(select, rows, source, of)
        relation = RowRelation(names, tuple(output), source.ordered_by_noise)
        if select.args.get("distinct"):
            if select.args["distinct"].args.get("on"):
                raise NoRule("DISTINCT ON has no rule for regions")
            return self._arranged(select, distinct(relation, self.region))
        keys = [tuple(of.value(_sorted_by(term, select, row), row) for term, _ in order_terms(order)) for row in rows]
        return limited(select, relation, keys, self.region)

    def _arranged(self, query: exp.Expr, relation: RowRelation) -> RowRelation:
        """ORDER BY and LIMIT of what has no rows but its own."""
        of = Expressions(self.region, self._inner)
        rows = [Context(relation.names, row.values, row.presence) for row in relation.rows]
        keys = []
        for row in rows:
            values = []
            for term, _ in order_terms(query.args.get("order")):
                place = int(term.this) - 1 if isinstance(term, exp.Literal) else -1
                values.append(row.values[place] if place >= 0 else of.value(_without_table(term), row))
            keys.append(tuple(values))
        return limited(query, relation, keys, self.region)

    def _source(self, select: exp.Select, of: Expressions) -> RowRelation:
        source = select.args.get("from_")
        if source is None:
            return RowRelation((), (Row(()),))
        made = self._table(source.this)
        for join in select.args.get("joins") or ():
            made = _joined(made, self._table(join.this), join, of)
        return made

    def _table(self, node: exp.Expr) -> RowRelation:
        if isinstance(node, exp.Table):
            return self._named[-1][node.name.lower()].called(node.alias_or_name)
        if isinstance(node, exp.Subquery):
            made = self.relation(node.this)
            columns = node.args["alias"].args.get("columns") if node.args.get("alias") is not None else None
            if columns:
                names = tuple((node.alias, name.name) for name in columns)
                return replace(made, names=names + made.names[len(names) :])
            return made.called(node.alias)
        if isinstance(node, exp.Values):
            return written_rows(node, Expressions(self.region, self._inner))
        raise NoRule(f"{word(node)} in FROM has no rule for regions")


def _where(clause: exp.Expr | None, rows: list[Context], of: Expressions) -> list[Context]:
    if clause is None:
        return rows
    kept = []
    for row in rows:
        presence = row.presence.under(of.value(clause.this, row))
        if presence is not None:
            row.presence = presence
            kept.append(row)
    return kept


def _projected(
    select: exp.Select, rows: list[Context], source: RowRelation, of: Expressions
) -> tuple[tuple[tuple[str, str], ...], list[Row]]:
    names: list[tuple[str, str]] = []
    terms: list[exp.Expr | int] = []
    for term in select.expressions:
        if term.is_star:
            if any(value for name, value in term.args.items() if name not in ("this", "table")):
                raise NoRule("* with EXCLUDE or REPLACE has no rule for regions")
            wanted = term.table.lower() if isinstance(term, exp.Column) else ""
            places = [n for n, (table, _) in enumerate(source.names) if not wanted or table.lower() == wanted]
            names += [("", source.names[place][1]) for place in places]
            terms += places
        else:
            names.append(("", term.alias or term.name))
            terms.append(term.unalias())
    output = [
        Row(tuple(row.values[one] if isinstance(one, int) else of.value(one, row) for one in terms), row.presence)
        for row in rows
    ]
    return tuple(names), output


def _sorted_by(term: exp.Expr, select: exp.Select, row: Context) -> exp.Expr:
    """What a term of ORDER BY means: a number or a name of the SELECT's own goes first."""
    if isinstance(term, exp.Literal) and str(term.this).isdigit():
        inner: exp.Expr = select.expressions[int(term.this) - 1].unalias()
        return inner
    if isinstance(term, exp.Column) and not term.table:
        return row.aliases.get(term.name.lower(), term)
    return term


def _without_table(term: exp.Expr) -> exp.Expr:
    plain = term.copy()
    for column in plain.find_all(exp.Column):
        column.set("table", None)
    return plain


def _joined(left: RowRelation, right: RowRelation, join: exp.Join, of: Expressions) -> RowRelation:
    """Every pair for which the condition holds, or may; with LEFT also rows that public facts leave alone."""
    kind = " ".join(filter(None, (join.args.get(name) for name in ("method", "side", "kind")))).upper()
    if kind not in ("", "INNER", "CROSS", "LEFT", "LEFT OUTER"):
        raise NoRule(f"{kind} JOIN has no rule for regions")
    if len(left.rows) * len(right.rows) > MOST_ROWS:
        raise NoRule(f"a join of more than {MOST_ROWS} pairs has no rule for regions")
    names = left.names + right.names
    using = [name.name.lower() for name in join.args.get("using") or ()]
    rows: list[Row] = []
    for one in left.rows:
        matched = False
        for other in right.rows:
            pair = Context(names, one.values + other.values, one.presence.both(other.presence))
            presence = _matching(pair, using, left, right, join.args.get("on"), of)
            if presence is not None:
                rows.append(Row(pair.values, presence))
                matched = True
        if not matched and kind.startswith("LEFT"):
            rows.append(Row(one.values + (Exact(None),) * len(right.names), one.presence))
    if kind.startswith("LEFT") and not all(row.presence.exact for row in rows):
        raise NoRule("LEFT JOIN on numbers with noise has no rule for regions")
    if using:  # the column is there once
        dropped = {n for n, (_, name) in enumerate(right.names) if name.lower() in using}
        keep = [n for n in range(len(names)) if n < len(left.names) or n - len(left.names) not in dropped]
        names = tuple(names[n] for n in keep)
        rows = [Row(tuple(row.values[n] for n in keep), row.presence) for row in rows]
    return RowRelation(names, tuple(rows), left.ordered_by_noise or right.ordered_by_noise)


def _matching(
    pair: Context, using: list[str], left: RowRelation, right: RowRelation, on: exp.Expr | None, of: Expressions
) -> Presence | None:
    for name in using:
        sides = [[n.lower() for _, n in side.names] for side in (left, right)]
        values = (pair.values[sides[0].index(name)], pair.values[len(left.names) + sides[1].index(name)])
        if plain_key(values[0], "USING") != plain_key(values[1], "USING") or values[0].point is None:
            return None
    return pair.presence if on is None else pair.presence.under(of.value(on, pair))


def limited(
    query: exp.Expr, relation: RowRelation, keys: Sequence[tuple[Value, ...]], region: JointRegion
) -> RowRelation:
    """In order, and no more rows than asked for: by public facts, or all rows that may be among them.

    What ORDER BY leaves open comes in the order of the rows, so that noise which made that order picks rows too.
    """
    ways = [way for _, way in order_terms(query.args.get("order"))]
    rows: list[Sorted] = [(row.presence, key) for row, key in zip(relation.rows, keys, strict=True)]
    places = in_order(rows, ways)
    exact = all(isinstance(key, Exact) for _, each in rows for key in each)
    noisy = not exact or (relation.ordered_by_noise and not is_total(rows))
    relation = replace(relation, ordered_by_noise=noisy)
    limit, offset = (_number(query.args.get(name)) for name in ("limit", "offset"))
    if limit is None and not offset:
        return replace(relation, rows=tuple(relation.rows[place] for place in places))
    first, last = offset or 0, None if limit is None else (offset or 0) + limit
    if is_exact(rows) and not noisy:
        return replace(relation, rows=tuple(relation.rows[place] for place in places[first:last]))
    bounds = positions(rows, ways, region, ties=True)
    shown = set([place for place in places if rows[place][0].point][first:last])
    kept = []
    for place in places:
        (least, most), presence = bounds[place], rows[place][0]
        inside = least < (len(rows) if last is None else last) and most >= first
        surely = most < (len(rows) + 1 if last is None else last) and least >= first
        kept.append(
            replace(
                relation.rows[place],
                presence=Presence(False, presence.sure and surely, presence.possible and inside, place in shown),
            )
        )
    return replace(relation, rows=tuple(kept))


def _number(clause: exp.Expr | None) -> int | None:
    if clause is None:
        return None
    if clause.args.get("limit_options") or not str(clause.expression.this).isdigit():
        raise NoRule("LIMIT by percent has no rule for regions")
    return int(clause.expression.this)
