"""Split a statement: the largest parts that must touch rows become private SELECTs, the rest stands above them.

Only what a private SELECT releases reaches the rest, so a statement costs what its private SELECTs do  [A Prop 3.1].
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from sqlglot import exp

from dalenius.errors import UnsupportedQuery
from dalenius.sql.after.blocks import BELOW, Block, BlockScope, Reads, group_terms, resolved
from dalenius.sql.after.levels import GroupingLevels, has_levels
from dalenius.sql.after.parts import PartList, PrivatePart
from dalenius.sql.after.plain import default_name, is_plain
from dalenius.sql.after.replaced import replaced
from dalenius.sql.engine import language
from dalenius.sql.planner.output import KeyColumn
from dalenius.sql.tables.candidates import meets_candidates
from dalenius.sql.tables.table import QueryTable
from dalenius.sql.text.words import word

_NOTHING = Block(Reads.ROWS)
KeysOf = Callable[[str], tuple[KeyColumn, ...]]
"""The public keys that a private SELECT groups by; it is refused if it cannot be answered."""


@dataclass(frozen=True, slots=True)
class SplitStatement:
    """A statement over released tables: the private SELECTs that release them, and views that are kept already."""

    outer: exp.Query
    parts: tuple[PrivatePart, ...]
    views: tuple[str, ...]
    notes: tuple[str, ...] = ()
    public: tuple[str, ...] = ()
    """Public tables that it reads beside them, by their names in lower case."""


def split(
    tree: exp.Expr, tables: Mapping[str, QueryTable], views: Mapping[str, Iterable[str]], keys_of: KeysOf
) -> SplitStatement | None:
    """The statement in two storeys; None where it is one private SELECT, or reads rows without aggregating them."""
    if not isinstance(tree, exp.Query):
        return None
    scope = BlockScope.of(tables, views)
    block = scope.block(tree)
    inner = tree.unnest() if isinstance(tree, exp.Subquery) else tree
    if block.reads is Reads.MEASURED:
        _check_sources(scope.within(inner).sources(inner))
    if block.reads in (Reads.ROWS, Reads.PUBLIC):
        return None
    if block.reads is Reads.MEASURED and (meets_candidates(inner) or is_plain(inner, scope.within(inner))):
        return None
    splitter = _Splitter(PartList(tree), keys_of, {name.lower() for name in views})
    outer = splitter.after(tree.copy(), scope)
    assert isinstance(outer, exp.Query)
    parts = splitter.parts.finished(outer)
    if not parts and not splitter.views:
        return None  # it is about no table: the language for tables refuses it in its own words
    public = tuple(name for name in splitter.public if name in {one.name.lower() for one in outer.find_all(exp.Table)})
    return SplitStatement(outer, parts, tuple(splitter.views), tuple(splitter.notes), public)


class _Splitter:
    """Rewrites a statement from the outside in, gathering its private SELECTs."""

    def __init__(self, parts: PartList, keys_of: KeysOf, kept: set[str]) -> None:
        self.parts, self._keys_of, self._kept = parts, keys_of, kept
        self.views: dict[str, None] = {}
        self.public: dict[str, None] = {}
        self.notes: dict[str, None] = {}

    def after(self, query: exp.Expr, scope: BlockScope) -> exp.Expr:
        """The query over released tables alone."""
        inner = scope.within(query)
        if isinstance(query, exp.Select) and scope.block(query).reads is Reads.MEASURED:
            return self._measured(query, inner)
        self._name_subqueries(query, scope)
        if isinstance(query, exp.Subquery):
            query.set("this", self.after(query.this, inner))
            return query
        if isinstance(query, exp.SetOperation):
            for side in ("this", "expression"):
                query.set(side, self._side(query.args[side], inner))
            return query
        assert isinstance(query, exp.Select)
        self._sources(query, inner)
        for name in ("expressions", "where", "group", "having", "qualify", "order", "windows"):
            value = query.args.get(name)
            for node in value if isinstance(value, list) else [] if value is None else [value]:
                self._nested(node, inner)
        return query

    def _side(self, query: exp.Expr, scope: BlockScope) -> exp.Expr:
        block = scope.block(query)
        if block.reads is Reads.ROWS:
            raise UnsupportedQuery("UNION joins released tables: each of its SELECTs takes an aggregate or GROUP BY")
        return self.after(query, scope)

    def _name_subqueries(self, query: exp.Expr, scope: BlockScope) -> None:
        """Keep what WITH names above the release; what reads rows goes along with the private SELECTs that use it."""
        with_ = query.args.get("with_")
        if with_ is None:
            return
        if with_.args.get("recursive"):
            raise UnsupportedQuery("WITH RECURSIVE has no rule")
        kept, step = [], scope
        for cte in list(with_.expressions):
            reads = step.block(cte.this).reads
            if reads is not Reads.ROWS and (reads is not Reads.PUBLIC or _is_read_above(cte.alias, query, scope)):
                named = cte.copy()
                named.set("this", self.after(named.this, step))
                kept.append(named)
            step = step.within(exp.Select(with_=exp.With(expressions=[cte.copy()])))
        query.set("with_", exp.With(expressions=kept) if kept else None)

    def _sources(self, select: exp.Select, scope: BlockScope) -> None:
        source = select.args.get("from_")
        for place in [] if source is None else [source, *(select.args.get("joins") or [])]:
            node = place.this
            if isinstance(node, exp.Table):
                name = node.name.lower()
                is_own = name in {one.lower() for one in scope.subqueries}
                if name in self._kept and not is_own:
                    self.views[name] = None
                elif not is_own and scope.blocks.get(name, _NOTHING).reads is Reads.PUBLIC:
                    self.public[name] = None
            elif isinstance(node, exp.Subquery):
                node.set("this", self.after(node.this, scope))
            if isinstance(place, exp.Join) and (on := place.args.get("on")) is not None:
                self._nested(on, scope)

    def _nested(self, node: exp.Expr, scope: BlockScope) -> None:
        """Queries inside of an expression."""
        for child in list(node.iter_expressions()):
            if isinstance(child, exp.Query):
                if scope.block(child).reads is Reads.ROWS:
                    raise UnsupportedQuery(
                        f"{word(child)} above the release reads released tables: let it aggregate the rows it reads"
                    )
                child.replace(self.after(child.copy(), scope))
            else:
                self._nested(child, scope)

    def _measured(self, select: exp.Select, scope: BlockScope) -> exp.Expr:
        """A SELECT over the table that a private SELECT releases: its keys, and the aggregates that are asked of it."""
        _check_sources(scope.sources(select))
        above = exp.Select(
            expressions=[_named(term, place) for place, term in enumerate(select.expressions, 1)],
            distinct=select.args.get("distinct"),
            where=None if select.args.get("having") is None else exp.Where(this=select.args["having"].this),
            **{name: select.args.get(name) for name in ("qualify", "order", "limit", "offset", "windows")},
        )
        keys = [term.copy() for term in group_terms(select, scope)]
        for term in [] if above.args.get("order") is None else above.args["order"].expressions:
            if isinstance(term.this, exp.Literal) and not (bare := resolved(term.this, select, scope)).is_star:
                term.set("this", bare.copy())
        rows = _rows(select, scope)
        if has_levels(select):
            levels = GroupingLevels(select, scope, rows, self.parts, self._keys_of)
            source = levels.above(above)
            self.notes |= dict.fromkeys(levels.notes)
        else:
            table = self.parts.table(rows, keys)
            if is_plain(select, scope):
                table.written[_standing_alone(select, rows)] = None
            source = table.source()
            replaced(above, keys, scope.sources(select), table.key, table.value)
        above.set("from_", exp.From(this=source))
        _check_columns(above, select)
        for node in [
            *above.expressions,
            *filter(None, (above.args.get(name) for name in ("where", "qualify", "order"))),
        ]:
            self._nested(node, scope)
        return above


def _is_read_above(name: str, query: exp.Expr, scope: BlockScope) -> bool:
    """Whether some SELECT that stands above the release reads what WITH names."""
    inner = scope.within(query)
    for select in query.find_all(exp.Select):
        sources = [
            node.this for node in (select.args.get("from_"), *(select.args.get("joins") or ())) if node is not None
        ]
        reads = any(isinstance(node, exp.Table) and node.name.lower() == name.lower() for node in sources)
        if reads and inner.within(select).block(select).reads is not Reads.MEASURED:
            return True
    return False


def _standing_alone(select: exp.Select, rows: exp.Select) -> str:
    """The text of a SELECT as a question of its own, with the subqueries that its rows are read from."""
    alone = select.copy()
    alone.set("with_", None if rows.args.get("with_") is None else rows.args["with_"].copy())
    return language.written(alone)


def _rows(select: exp.Select, scope: BlockScope) -> exp.Select:
    """A SELECT of nothing yet from the same rows, with the subqueries that it reads."""
    rows = exp.Select(
        **{name: select.args[name].copy() for name in ("from_", "where") if select.args.get(name) is not None}
    )
    if select.args.get("joins"):
        rows.set("joins", [join.copy() for join in select.args["joins"]])
    needed: dict[str, exp.CTE] = {}
    waiting = [rows]
    while waiting:
        for table in list(waiting.pop().find_all(exp.Table)):
            name = table.name.lower()
            if name in scope.subqueries and name not in needed:
                needed[name] = scope.subqueries[name]
                waiting.append(scope.subqueries[name].this)
    if needed:
        inner = [cte.copy() for name, cte in scope.subqueries.items() if name in needed]
        rows.set("with_", exp.With(expressions=inner))
    return rows


def _named(term: exp.Expr, place: int) -> exp.Expr:
    """A term under the name that it has in an answer, where nothing else names it."""
    if isinstance(term, exp.Alias) or term.is_star:
        return term.copy()
    return exp.alias_(term.copy(), default_name(term, place), quoted=True)


def _check_sources(sources: list[tuple[str, Block]]) -> None:
    if any(block.reads not in BELOW for _, block in sources):
        raise UnsupportedQuery(
            "rows of people cannot be joined with a released table: aggregate the rows first, then join the tables"
        )


def _check_columns(above: exp.Select, select: exp.Select) -> None:
    """Refuse a column that is neither grouped nor aggregated, in the words of the language for tables."""
    aliases = {term.alias.lower() for term in select.expressions if isinstance(term, exp.Alias)}
    for column in above.find_all(exp.Column):
        inside = column.find_ancestor(exp.Query)
        if inside is not above or column.args.get("db") or isinstance(column.this, exp.Star):
            continue
        if column.meta.get("released") or (not column.table and column.name.lower() in aliases):
            continue
        if select.args.get("distinct") and not select.args.get("group"):
            values = ", ".join(term.alias_or_name for term in select.expressions)
            counted = f"to count them, write SELECT COUNT(DISTINCT {values}); " if len(select.expressions) == 1 else ""
            raise UnsupportedQuery(
                f"SELECT DISTINCT {values} inside of a question would show which values people have: {counted}"
                f"to go on with them, GROUP BY {values} and aggregate"
            )
        raise UnsupportedQuery(
            f"{column.name} stands outside of an aggregate: GROUP BY it, or aggregate it; filter keys with WHERE"
        )
