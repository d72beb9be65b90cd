"""Which SELECTs of a statement read rows of people, which release a table, and which stand above such tables."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import Enum

from sqlglot import exp

from dalenius.sql.tables.table import QueryTable


class Reads(Enum):
    """What a SELECT is, by what it reads and whether it aggregates."""

    ROWS = "rows of people"
    MEASURED = "an aggregate of rows, which is released"
    AFTER = "released tables alone"
    PUBLIC = "public tables alone, which may stand on either side of the release"
    WRITTEN = "rows that the query writes out, which may stand on either side of the release"


BELOW = (Reads.ROWS, Reads.WRITTEN, Reads.PUBLIC)
"""What a private SELECT may read."""
_PUBLIC = ({Reads.PUBLIC}, {Reads.PUBLIC, Reads.WRITTEN})


@dataclass(frozen=True, slots=True)
class Block:
    """What a source of a FROM is: how it is read, its columns where they are known, and which of them hold the unit."""

    reads: Reads
    columns: frozenset[str] | None = None
    units: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class BlockScope:
    """What names mean: the owner's tables, views that are kept, and what WITH has named so far."""

    blocks: Mapping[str, Block]
    subqueries: Mapping[str, exp.CTE]
    """What WITH names, of those that read rows: a private SELECT that needs them brings them along."""

    @classmethod
    def of(cls, tables: Mapping[str, QueryTable], views: Mapping[str, Iterable[str]]) -> "BlockScope":
        """The tables and views of a session."""
        blocks = {name.lower(): _table(table) for name, table in tables.items()}
        kept = {name.lower(): Block(Reads.AFTER, frozenset(map(str.lower, has))) for name, has in views.items()}
        return cls(blocks | kept, {})

    def within(self, query: exp.Expr) -> "BlockScope":
        """With what the query's own WITH names."""
        scope, with_ = self, query.args.get("with_")
        for cte in () if with_ is None else with_.expressions:
            block = scope.block(cte.this)
            renamed = cte.args["alias"].args.get("columns") or ()
            if renamed:
                block = replace(block, columns=frozenset(name.name.lower() for name in renamed))
            named, name = dict(scope.subqueries), cte.alias.lower()
            named.pop(name, None)
            scope = BlockScope(
                {**scope.blocks, name: block},
                named | ({name: cte} if block.reads in BELOW else {}),
            )
        return scope

    def block(self, query: exp.Expr) -> Block:
        """What a query is."""
        scope = self.within(query)
        if isinstance(query, exp.Subquery):
            return scope.block(query.this)
        if isinstance(query, exp.SetOperation):
            sides = [scope.block(side) for side in (query.this, query.expression)]
            kinds = {side.reads for side in sides}
            reads = Reads.ROWS if Reads.ROWS in kinds else Reads.PUBLIC if kinds == {Reads.PUBLIC} else Reads.AFTER
            return Block(reads, sides[0].columns, sides[0].units if reads is Reads.ROWS else frozenset())
        if not isinstance(query, exp.Select):
            return Block(Reads.ROWS)
        return scope._select(query)

    def sources(self, select: exp.Expr) -> list[tuple[str, Block]]:
        """The sources of a FROM, each by what the SELECT calls it."""
        source = select.args.get("from_")
        nodes = [] if source is None else [source.this, *(join.this for join in select.args.get("joins") or ())]
        return [(node.alias_or_name.lower(), self._source(node)) for node in nodes]

    def _source(self, node: exp.Expr) -> Block:
        if isinstance(node, exp.Table):
            plain = isinstance(node.this, exp.Identifier) and not node.args.get("db")
            return self.blocks.get(node.name.lower(), Block(Reads.ROWS)) if plain else Block(Reads.ROWS)
        if isinstance(node, exp.Values):
            alias = node.args.get("alias") or exp.TableAlias()
            return Block(Reads.WRITTEN, frozenset(one.name.lower() for one in alias.args.get("columns") or []))
        return self.block(node) if isinstance(node, exp.Query) else Block(Reads.ROWS)

    def _select(self, select: exp.Select) -> Block:
        sources = self.sources(select)
        names = _names(select, sources)
        if sources and {block.reads for _, block in sources} in _PUBLIC:
            return Block(Reads.PUBLIC, names)
        if all(block.reads is not Reads.ROWS for _, block in sources):
            written = [block.reads is Reads.WRITTEN for _, block in sources] == [True] and _is_all(select)
            return Block(Reads.WRITTEN if written else Reads.AFTER, names)
        units = frozenset(
            _name(term).lower()
            for term in _spread(select, sources)
            if _is_unit(term.unalias().unnest(), sources) and _name(term)
        )
        if not is_aggregated(select):
            return Block(Reads.ROWS, names, units)
        grouped = group_terms(select, self)
        if select.args.get("group") is None and select.args.get("distinct"):
            grouped = [term.unalias() for term in select.expressions]
        if any(_is_unit(term.unnest(), sources) for term in grouped):
            return Block(Reads.ROWS, names, units)
        return Block(Reads.MEASURED, names)


def _is_all(select: exp.Select) -> bool:
    """Whether a SELECT is that of every row and column of its source."""
    asked = {name for name, value in select.args.items() if value}
    return asked == {"expressions", "from_"} and len(select.expressions) == 1 and bool(select.expressions[0].is_star)


def _table(table: QueryTable) -> Block:
    units = frozenset() if table.unit is None else frozenset({table.unit.lower()})
    return Block(
        Reads.ROWS if table.private or table.held is None else Reads.PUBLIC,
        frozenset(map(str.lower, table.columns)),
        units,
    )


def _spread(select: exp.Select, sources: list[tuple[str, Block]]) -> list[exp.Expr]:
    """The terms of a SELECT, units that a * holds among them."""
    terms: list[exp.Expr] = []
    for term in select.expressions:
        if term.is_star:
            terms += [exp.column(unit, table=name) for name, block in sources for unit in block.units]
        else:
            terms.append(term)
    return terms


def _names(select: exp.Select, sources: list[tuple[str, Block]]) -> frozenset[str] | None:
    names: set[str] = set()
    for term in select.expressions:
        if term.is_star:
            for _, block in sources:
                if block.columns is None:
                    return None
                names |= block.columns
        else:
            names.add(_name(term).lower())
    return frozenset(names)


def _name(term: exp.Expr) -> str:
    return str(term.alias or term.name)


def _is_unit(node: exp.Expr, sources: list[tuple[str, Block]]) -> bool:
    if not isinstance(node, exp.Column):
        return False
    table, name = node.table.lower(), node.name.lower()
    return any(name in block.units for called, block in sources if not table or called == table)


def is_aggregated(select: exp.Expr) -> bool:
    """Whether a SELECT makes groups of rows; a window over rows makes none."""
    if any(select.args.get(clause) for clause in ("group", "having", "distinct")):
        return True
    return any(True for term in select.expressions for _ in aggregates_of(term))


def aggregates_of(node: exp.Expr) -> list[exp.Expr]:
    """The aggregates of rows in an expression, outermost; what OVER applies to is one of the aggregated rows."""
    if isinstance(node, exp.Query | exp.Subquery):
        return []
    is_windowed = _is_windowed(node)
    if isinstance(node, exp.Filter | exp.WithinGroup) and not is_windowed and node.find(exp.AggFunc):
        return [node]
    if isinstance(node, exp.AggFunc) and not is_windowed:
        return [node]
    return [aggregate for child in node.iter_expressions() for aggregate in aggregates_of(child)]


def _is_windowed(node: exp.Expr) -> bool:
    """Whether OVER applies to it, or to a FILTER that stands around it."""
    if node.arg_key != "this":
        return False
    if isinstance(node.parent, exp.Filter):
        return _is_windowed(node.parent)
    return isinstance(node.parent, exp.Window | exp.IgnoreNulls | exp.RespectNulls)


def group_terms(select: exp.Expr, scope: BlockScope) -> list[exp.Expr]:
    """What a SELECT groups by, numbers and aliases resolved; the terms of ROLLUP and its like one by one."""
    group = select.args.get("group")
    if group is None:
        return []
    if group.args.get("all"):
        return [term.unalias() for term in select.expressions if not aggregates_of(term)]
    terms: list[exp.Expr] = []
    for term in group.expressions:
        inner = [one for part in term.expressions for one in _flat(part)] if isinstance(term, _LEVELS) else [term]
        terms += [resolved(one, select, scope) for one in inner]
    return terms


_LEVELS = (exp.Rollup, exp.Cube, exp.GroupingSets)


def _flat(node: exp.Expr) -> list[exp.Expr]:
    if isinstance(node, exp.Tuple | exp.Paren | exp.Rollup | exp.Cube | exp.GroupingSets):
        inner = node.expressions or ([node.this] if isinstance(node, exp.Paren) else [])
        return [one for part in inner for one in _flat(part)]
    return [node]


def resolved(term: exp.Expr, select: exp.Expr, scope: BlockScope) -> exp.Expr:
    """A term of GROUP BY or ORDER BY: a number means that column of the SELECT, an alias what it stands for."""
    if isinstance(term, exp.Literal) and not term.is_string and str(term.this).isdigit():
        place = int(str(term.this)[:9])
        inner: exp.Expr = select.expressions[place - 1].unalias() if 1 <= place <= len(select.expressions) else term
        return inner
    if isinstance(term, exp.Column) and not term.table:
        name = term.name.lower()
        if not any(block.columns is not None and name in block.columns for _, block in scope.sources(select)):
            for one in select.expressions:
                if isinstance(one, exp.Alias) and one.alias.lower() == name:
                    stands_for: exp.Expr = one.this
                    return stands_for
    return term


def comparable(node: exp.Expr, sources: list[tuple[str, Block]]) -> exp.Expr:
    """The node without table names where a column's own name tells it apart, in small letters."""
    plain = node.copy()
    columns = [plain] if isinstance(plain, exp.Column) else list(plain.find_all(exp.Column))
    for column in columns:
        name = column.name.lower()
        owners = sum(block.columns is not None and name in block.columns for _, block in sources)
        table = column.table.lower() if owners > 1 else ""
        column.set("this", exp.to_identifier(name, quoted=True))
        column.set("table", exp.to_identifier(table, quoted=True) if table else None)
    return plain
