"""Windows over the rows of one unit: ROW_NUMBER, RANK, LAG, LEAD, the first and last value, and running aggregates.

PARTITION BY must contain the unit. Then each value is a function of one unit's rows: a unit that comes or goes brings
or takes its own rows and changes nothing in those of others [G sensitivity]. It must also be a function of these rows
as a set with multiplicities, so that no order of files or threads decides: where the order of equal rows would matter,
ties are broken by every column of the row, in the order of the table, and rows that are equal in all of them are
interchangeable.
"""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from sqlglot import exp

from dalenius.errors import UnboundedQuery, UnsupportedQuery
from dalenius.sql.policy.policy import Policy
from dalenius.sql.rows import Typed, can_be_null, row_expression
from dalenius.sql.rows.literals import number_of
from dalenius.sql.rows.typed import same_kind, typed
from dalenius.sql.tables.subquery_aggregates import ENGINE_TYPES, counted, unit_aggregate
from dalenius.sql.tables.subquery_select import SubqueryColumns, SubquerySelect
from dalenius.sql.tables.table import QueryTable, reading
from dalenius.sql.tables.window_ranges import is_by_value, ordered_by_value
from dalenius.sql.text.words import word
from dalenius.sql.types.column_types import REALS, is_read
from dalenius.sql.types.engine_names import SOURCE
from dalenius.sql.types.kinds import Kind

FORM = "write ROW_NUMBER() OVER (PARTITION BY unit ORDER BY column)"
_MOST_STEPS = 10_000
_RANKS = (exp.Rank, exp.DenseRank, exp.PercentRank, exp.CumeDist)
_OF_VALUES = (
    *(exp.Lag, exp.Lead, exp.FirstValue, exp.LastValue, exp.First, exp.Last),
    *(exp.Min, exp.Max, exp.Sum, exp.Avg),
)
_SHARES = (exp.PercentRank, exp.CumeDist)


def inlined(tree: exp.Select) -> exp.Select:
    """The SELECT with named windows written out, and with what QUALIFY calls by an alias."""
    named = {one.name.lower(): one for one in tree.args.get("windows") or []}
    qualify = tree.args.get("qualify")
    if not named and qualify is None:
        return tree
    plain = tree.copy()
    for window in list(plain.find_all(exp.Window)):
        name = window.args.get("alias")
        if name is None or window.arg_key == "windows":
            continue
        meant = named.get(name.name.lower())
        if meant is None:
            raise UnsupportedQuery(f"there is no WINDOW {name.name!r} in this query")
        for part in ("partition_by", "order", "spec"):
            value = meant.args.get(part)
            window.set(part, [one.copy() for one in value] if isinstance(value, list) else value and value.copy())
        window.set("alias", None)
    plain.set("windows", None)
    aliases = {
        term.alias.lower(): term.this
        for term in plain.expressions
        if isinstance(term, exp.Alias) and term.this.find(exp.Window)
    }
    for column in list(plain.args["qualify"].find_all(exp.Column)) if qualify is not None else []:
        if not column.table and column.name.lower() in aliases:
            column.replace(exp.paren(aliases[column.name.lower()].copy(), copy=False))
    return plain


def has_windows(tree: exp.Expr) -> bool:
    """Whether a SELECT has windows in what it shows, or QUALIFY."""
    return bool(tree.args.get("qualify")) or any(term.find(exp.Window) for term in tree.expressions)


def windowed(step: SubquerySelect) -> SubquerySelect:
    """The rows that WHERE leaves, with a column for every window over them; QUALIFY is a condition on those."""
    table = step.table
    if not table.private or table.unit is None:
        raise UnsupportedQuery(f"a window in a subquery is over the rows of one person: PARTITION BY the unit; {FORM}")
    qualify = step.tree.args.get("qualify")
    asked = [*step.tree.expressions, *([qualify] if qualify is not None else [])]
    windows = list(dict.fromkeys(one for term in asked for one in term.find_all(exp.Window)))
    outputs, rows = SubqueryColumns(), step.source
    for name in (name for name, kind in table.columns.items() if is_read(kind)):
        rows.select(exp.alias_(outputs.column(name, name, step), name, quoted=True), copy=False)
    names = {}
    for place, window in enumerate(windows):
        value, tree, declared = _value(window, table, step.policy)
        name = f"(window {place})"
        while name.lower() in {one.lower() for one in table.columns}:
            name = f"({name})"
        names[window.sql()] = name
        outputs.expression(name, value, declared)
        if _can_be_null(window.this, step):
            outputs.null_keys.add(name)
        rows.select(exp.alias_(tree, name, quoted=True), copy=False)
    made = replace(
        table,
        columns=outputs.columns,
        keys=outputs.keys,
        bounds=outputs.bounds,
        fill=outputs.fill,
        null_keys=frozenset(outputs.null_keys),
        rows=None,
        conditions=step.conditions,
        computed_from_unit=table.computed_from_unit
        | reading(table.of_unit, {names[window.sql()]: window for window in windows}),
    )

    def named(node: exp.Expr) -> exp.Expr:
        name = names.get(node.sql()) if isinstance(node, exp.Window) else None
        return node if name is None else exp.column(name, table=SOURCE, quoted=True)

    plain = exp.select()
    plain.set("expressions", [term.copy().transform(named) for term in step.tree.expressions])
    if qualify is not None:
        plain.set("where", exp.Where(this=qualify.this.copy().transform(named)))
    return SubquerySelect(plain, made, made.terms(step.policy), rows)


def _can_be_null(call: exp.Expr, step: SubquerySelect) -> bool:
    """Whether a window's value can be NULL: of LAG and LEAD that of a row without one before or after it is."""
    if isinstance(call, exp.Lag | exp.Lead) and call.args.get("default") is None:
        return True
    if not isinstance(call, _OF_VALUES):
        return False
    return can_be_null(call.this, row_expression(call.this, step.policy), step.policy, step.condition)


def _value(window: exp.Expr, table: QueryTable, policy: Policy) -> tuple[Typed, exp.Expr, str]:
    """What a window's value is known to be, how the engine computes it, and its type there."""
    if any(window.args.get(name) for name in ("alias", "first")):
        raise UnsupportedQuery(f"a window is written out: PARTITION BY …, ORDER BY …; {FORM}")
    over = _Over.of(window, table, policy)
    call = window.this
    for kinds, rule in _RULES:
        if isinstance(call, kinds):
            return rule(call, over, policy)
    if isinstance(call, exp.AggFunc):
        return _aggregate(call, over, policy)
    raise UnsupportedQuery(f"{word(call)} OVER has no rule in a subquery; {FORM}")


class _Over:
    """PARTITION BY, ORDER BY and the frame of a window, as the engine reads them."""

    def __init__(
        self,
        by: list[exp.Expr],
        order: list[exp.Expr],
        ties: list[exp.Expr],
        spec: exp.Expr | None,
        values: list[Typed],
    ) -> None:
        self.by, self.order, self.ties, self.spec, self.values = by, order, ties, spec, values

    @classmethod
    def of(cls, window: exp.Expr, table: QueryTable, policy: Policy) -> "_Over":
        by = window.args.get("partition_by") or []
        if not any(isinstance(term, exp.Column) and term.name == table.unit for term in by):
            shown = (table.unit or "").rpartition(".")[2] if table.unit not in table.hidden else "the unit's column"
            raise UnboundedQuery(
                f"a window in a subquery must PARTITION BY {shown}, so that it reads one person's rows alone: another "
                "lets one person change the rows of others"
            )
        order = window.args.get("order")
        written = list(order.expressions) if order is not None else []
        values = [row_expression(term.this, policy) for term in written]
        terms = [_ordered(term, value.tree) for term, value in zip(written, values, strict=True)]
        rows = [_row(term, table, policy) for term in by]
        return cls(rows, terms, tie_breakers(table), window.args.get("spec"), values)

    def window(self, call: exp.Expr, *, total: bool, spec: bool = False) -> exp.Expr:
        """The call over this window; with a `total` order no two rows are told apart by where they stand."""
        terms = [*self.order, *(self.ties if total else [])]
        return exp.Window(
            this=call,
            partition_by=[one.copy() for one in self.by],
            order=exp.Order(expressions=[one.copy() for one in terms]) if terms else None,
            spec=self.spec.copy() if spec and self.spec is not None else None,
            over="OVER",
        )

    def refuse_frame(self, call: exp.Expr) -> None:
        if self.spec is not None:
            raise UnsupportedQuery(f"{word(call)} OVER takes no frame; {FORM}")

    def need_order(self, call: exp.Expr) -> None:
        if not self.order:
            raise UnsupportedQuery(f"{word(call)} OVER needs ORDER BY: nothing else says which row comes first; {FORM}")


def tie_breakers(table: QueryTable) -> list[exp.Expr]:
    """Every column of a row, in the order of the table: rows that are equal in all of them are interchangeable.

    Zeros of either sign are equal as numbers and differ as texts, so real numbers are told apart by their texts too.
    """
    terms: list[exp.Expr] = []
    for name in (name for name, kind in table.columns.items() if is_read(kind)):
        column = exp.column(name, table=SOURCE, quoted=True)
        terms.append(exp.Ordered(this=column, desc=False, nulls_first=False))
        if table.columns[name] in REALS:
            terms.append(exp.Ordered(this=exp.cast(column.copy(), "TEXT"), desc=False, nulls_first=False))
    return terms


def _row(term: exp.Expr, table: QueryTable, policy: Policy) -> exp.Expr:
    if isinstance(term, exp.Column) and term.name == table.unit:
        return exp.column(term.name, table=SOURCE, quoted=True)
    return row_expression(term, policy).tree


def _ordered(term: exp.Expr, tree: exp.Expr) -> exp.Expr:
    first = bool(term.args.get("nulls_first"))
    return exp.Ordered(this=tree, desc=bool(term.args.get("desc")), nulls_first=first)


def _number(call: exp.Expr, over: _Over, policy: Policy) -> tuple[Typed, exp.Expr, str]:
    """ROW_NUMBER: the place of a row among its unit's."""
    over.refuse_frame(call)
    return counted(policy.contributions, 1), over.window(exp.RowNumber(), total=True), "UBIGINT"


def _rank(call: exp.Expr, over: _Over, policy: Policy) -> tuple[Typed, exp.Expr, str]:
    """RANK and its kin: equal rows have one rank, whatever tells them apart."""
    over.refuse_frame(call)
    over.need_order(call)
    if any(call.args.values()):
        raise UnsupportedQuery(f"{word(call)}() OVER takes nothing between its parentheses")
    if isinstance(call, _SHARES):
        return (
            typed(Kind.NUMBER, exp.null(), bounds=(Fraction(0), Fraction(1))),
            over.window(call.copy(), total=False),
            "DOUBLE",
        )
    return counted(policy.contributions, 1), over.window(call.copy(), total=False), "UBIGINT"


def _tile(call: exp.Expr, over: _Over, policy: Policy) -> tuple[Typed, exp.Expr, str]:
    """NTILE(n): which of n parts a row is in."""
    over.refuse_frame(call)
    over.need_order(call)
    parts = _steps(call.this, call, policy, 1)
    value = typed(Kind.NUMBER, exp.null(), bounds=(Fraction(1), Fraction(parts)), whole=True)
    return value, over.window(exp.Ntile(this=exp.Literal.number(parts)), total=True), "UBIGINT"


def _beside(call: exp.Expr, over: _Over, policy: Policy) -> tuple[Typed, exp.Expr, str]:
    """LAG and LEAD: the value of an earlier or a later row, NULL or a default where there is none."""
    over.refuse_frame(call)
    over.need_order(call)
    steps = 1 if call.args.get("offset") is None else _steps(call.args["offset"], call, policy, 0)
    value = row_expression(call.this, policy)
    tree = type(call)(this=value.tree, offset=exp.Literal.number(steps))
    if call.args.get("default") is not None:
        other = row_expression(call.args["default"], policy)
        same_kind([value, other], word(call))
        if not other.constant:
            raise UnsupportedQuery(f"the default of {word(call)} is written out")
        tree.set("default", other.tree)
        bounds = None
        if value.bounds is not None and other.bounds is not None:
            bounds = min(value.bounds[0], other.bounds[0]), max(value.bounds[1], other.bounds[1])
        values = None if value.values is None or other.values is None else (*value.values, *other.values)
        values = None if values is None else tuple(dict.fromkeys(values))
        value = typed(value.kind, value.tree, value, bounds=bounds, values=values)
    return value, over.window(tree, total=True), ENGINE_TYPES[_kind(value, call)]


def _end(call: exp.Expr, over: _Over, policy: Policy) -> tuple[Typed, exp.Expr, str]:
    """FIRST_VALUE, and LAST_VALUE over a frame of all rows."""
    over.need_order(call)
    value = row_expression(call.this, policy)
    last = isinstance(call, exp.LastValue | exp.Last)
    whole = over.spec is not None and _is_whole(over.spec)
    if (over.spec is not None or last) and not whole:
        raise UnsupportedQuery(
            f"{word(call)} OVER reads all rows: write FIRST_VALUE(x) OVER (PARTITION BY unit ORDER BY column DESC) for "
            "the last, or ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING"
        )
    tree = (exp.LastValue if last else exp.FirstValue)(this=value.tree)
    return value, over.window(tree, total=True, spec=True), ENGINE_TYPES[_kind(value, call)]


def _aggregate(call: exp.Expr, over: _Over, policy: Policy) -> tuple[Typed, exp.Expr, str]:
    """Aggregates of a unit's rows, or of those up to this one: in whole numbers, as without a window."""
    total = over.spec is not None and not is_by_value(over.spec)
    if over.spec is not None and is_by_value(over.spec):
        over.need_order(call)
        over.order = ordered_by_value(over.spec, over.order, over.values)
    elif over.spec is not None:
        _check_frame(over.spec)
    if isinstance(call, exp.Mode | exp.Median):
        raise UnsupportedQuery(f"{word(call)} OVER has no rule: write it in a subquery that groups by the unit")
    one = unit_aggregate(call, policy)
    tree = exp.paren(one.aggregate(exp.null() if one.value is None else one.value.tree), copy=False)
    for inner in [node for node in tree.find_all(exp.AggFunc, exp.Anonymous) if _is_call(node)]:
        inner.replace(over.window(inner.copy(), total=total, spec=True))
    return one.result, tree, one.declared


def _is_call(node: exp.Expr) -> bool:
    return isinstance(node, exp.AggFunc) or node.name.upper() in ("BOOL_OR", "BOOL_AND")


def _check_frame(spec: exp.Expr) -> None:
    """Frames by rows, from and to a number of rows that is written out."""
    ends = [spec.args.get(name) for name in ("start", "end")]
    plain = all(one in ("UNBOUNDED", "CURRENT ROW", None) or _is_count(one) for one in ends)
    if str(spec.args.get("kind")).upper() != "ROWS" or not plain or spec.args.get("exclude"):
        raise UnsupportedQuery(
            "a frame is ROWS BETWEEN n PRECEDING AND CURRENT ROW, or UNBOUNDED, or RANGE BETWEEN INTERVAL n DAY "
            "PRECEDING AND CURRENT ROW, with n written out"
        )


def _is_count(end: object) -> bool:
    return isinstance(end, exp.Literal) and str(end.this).isdigit() and int(str(end.this)[:9]) <= _MOST_STEPS


def _is_whole(spec: exp.Expr) -> bool:
    ends = [(spec.args.get(name), spec.args.get(f"{name}_side")) for name in ("start", "end")]
    return spec.args.get("kind") == "ROWS" and ends == [("UNBOUNDED", "PRECEDING"), ("UNBOUNDED", "FOLLOWING")]


def _steps(node: exp.Expr | None, call: exp.Expr, policy: Policy, least: int) -> int:
    steps = None if node is None else number_of(row_expression(node, policy))
    if steps is None or steps.denominator != 1 or not least <= steps <= _MOST_STEPS:
        raise UnsupportedQuery(f"{word(call)} takes a whole number of rows up to {_MOST_STEPS}, written out")
    return int(steps)


def _kind(value: Typed, call: exp.Expr) -> Kind:
    if value.kind is Kind.NULL:
        raise UnsupportedQuery(f"{word(call)}(NULL) is NULL: there is nothing to ask")
    return value.kind


_Rule = Callable[[exp.Expr, _Over, Policy], tuple[Typed, exp.Expr, str]]
_RULES: tuple[tuple[tuple[type[exp.Expr], ...], _Rule], ...] = (
    ((exp.RowNumber,), _number),
    (_RANKS, _rank),
    ((exp.Ntile,), _tile),
    ((exp.Lag, exp.Lead), _beside),
    ((exp.FirstValue, exp.LastValue, exp.First, exp.Last), _end),
)
