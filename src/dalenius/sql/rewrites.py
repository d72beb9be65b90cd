"""The query that would be answered, for one that is refused.

Each rule changes one thing that has no rule into its nearest kin that has one: it reads the analyst's tree and names
that the owner declared, never a row. A rewritten query is offered only if it can be explained, so it would be answered.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from typing import Any, TypeVar

from sqlglot import exp

from dalenius.calls import named_arguments
from dalenius.errors import DaleniusError, UnboundedQuery, UnknownName, UnsupportedQuery
from dalenius.sql.engine import language
from dalenius.sql.planner.aggregate_calls import AGGREGATES
from dalenius.sql.policy.policy import Policy
from dalenius.sql.rows.read import function_names
from dalenius.sql.tables.candidates import is_free
from dalenius.sql.tables.table import QueryTable
from dalenius.sql.text.parse import parse
from dalenius.sql.text.quoted import quote
from dalenius.sql.types.column_types import kind_of
from dalenius.sql.types.kinds import Kind
from dalenius.sql.types.similar_names import nearest_name

T = TypeVar("T")
_CLAUSES = ("distinct", "qualify", "windows", "laterals", "sample", "into", "locks")
_LISTS = (exp.ArrayAgg, exp.GroupConcat, exp.ArrayUniqueAgg)
_ONE_OF = (exp.First, exp.Last, exp.AnyValue, exp.ArgMax, exp.ArgMin, exp.FirstValue, exp.LastValue)
_SAME_TYPE = (exp.Lag, exp.Lead, exp.Min, exp.Max, exp.FirstValue, exp.LastValue)
_TIMES = (Kind.DATE, Kind.TIMESTAMP)
_WIDTHS = frozenset({"MAD", "PRODUCT", "GEOMEAN", "GEOMETRIC_MEAN", "ENTROPY", "SEM"})


@dataclass(frozen=True, slots=True)
class DeclaredNames:
    """The names that analysts may know: tables, columns with their kinds, and which are units, have keys or bounds."""

    tables: tuple[str, ...]
    kinds: Mapping[str, Kind | None]
    keyed: frozenset[str]
    bounded: frozenset[str]
    units: frozenset[str] = frozenset()

    @classmethod
    def of(cls, policy: Policy, others: Mapping[str, QueryTable]) -> "DeclaredNames":
        """Those of the owner's table and of the tables beside it."""
        kinds: dict[str, Kind | None] = {}
        keyed, bounded = set(policy.keys), set(policy.bounds)
        for columns in (policy.columns, *(one.columns for one in others.values())):
            kinds |= {name: kind_of(kind) for name, kind in columns.items() if name not in kinds}
        for one in others.values():
            keyed |= set(one.keys)
            bounded |= set(one.bounds)
        units = {policy.unit.column or "", *(one.unit or "" for one in others.values())}
        lower = (frozenset(name.lower() for name in names) for names in (keyed, bounded, units))
        return cls((policy.table, *(one.name for one in others.values())), kinds, *lower)

    def kind(self, column: str) -> Kind | None:
        """The kind of a column's values."""
        return next((kind for name, kind in self.kinds.items() if name.lower() == column.lower()), None)


Rule = Callable[[exp.Select, DeclaredNames], exp.Expr | None]


def rewritten(query: str, declared: DeclaredNames, is_answered: Callable[[str], bool]) -> str | None:
    """A query like this one that is answered; None if no rule leads to one."""
    try:
        tree: exp.Expr = parse(query)
    except DaleniusError:
        return None
    for rule in _RULES:
        if not isinstance(tree, exp.Select):
            return None
        changed = rule(tree.copy(), declared)
        if changed is None or changed == tree:
            continue
        tree = changed
        if is_answered(text := language.written(tree)):
            return text
    return None


def refusing_methods(*names: str) -> Callable[[type[T]], type[T]]:
    """A session whose methods of these names refuse with the words that it is about, and a query that is answered."""

    def refusing(owner: type[T]) -> type[T]:
        explain = owner.explain  # type: ignore[attr-defined]
        for name in names:
            setattr(owner, name, _refusing(getattr(owner, name), explain))
        return owner

    return refusing


def _refusing(ask: Callable[..., Any], explain: Callable[..., Any]) -> Callable[..., Any]:
    ask = named_arguments(ask)

    @wraps(ask)
    def asked(session: Any, *args: Any, **terms: Any) -> Any:
        query = args[0] if args else terms.get("query", "")
        if not isinstance(query, str):
            parse(query)  # which says what a question is
        try:
            return ask(session, *args, **terms)
        except (UnsupportedQuery, UnboundedQuery, UnknownName) as refusal:
            if refusal.about is not False and isinstance(query, str):
                quote(refusal, query)
                declared = DeclaredNames.of(session.policy, session._others)
                other = rewritten(query, declared, lambda text: _is_explained(explain, session, text))
                if other is not None:
                    refusal.args = (f"{refusal.args[0]}\nthis would be answered: {other}", *refusal.args[1:])
            raise

    return asked


def _is_explained(explain: Callable[..., Any], session: Any, text: str) -> bool:
    try:
        explain(session, text, epsilon=1)
    except DaleniusError:
        return False
    return True


def _spelled(tree: exp.Select, declared: DeclaredNames) -> exp.Expr | None:
    """A misspelt function, table or column, as it is spelled."""
    made = {one.alias.lower() for one in tree.find_all(exp.CTE, exp.Subquery, exp.Alias) if one.alias}
    for table in tree.find_all(exp.Table):
        name = nearest_name(table.name, declared.tables)
        if table.name.lower() not in {one.lower() for one in declared.tables} | made and name is not None:
            table.set("this", exp.to_identifier(name))
    known = {name.lower() for name in declared.kinds}
    for column in tree.find_all(exp.Column):
        if isinstance(column.this, exp.Identifier) and column.name.lower() not in known | made:
            name = nearest_name(column.name, declared.kinds)
            if name is not None:
                column.set("this", exp.to_identifier(name))
    for call in list(tree.find_all(exp.Anonymous)):
        name = nearest_name(call.name, function_names())
        if name is not None and name.isidentifier() and name.lower() != call.name.lower():
            inner = ", ".join(map(language.written, call.expressions))
            call.replace(language.read(f"{name}({inner})"))
    return tree


def _days_between(tree: exp.Select, declared: DeclaredNames) -> exp.Expr | None:
    """A difference of two times as the days between them."""
    times = {name.lower() for name, kind in declared.kinds.items() if kind in _TIMES}
    for alias in reversed(list(tree.find_all(exp.Alias))):  # those inside come first
        if _is_time(alias.this, times):
            times.add(alias.alias.lower())
    days = set()
    for node in list(tree.find_all(exp.Sub)):
        if _is_time(node.this, times) and _is_time(node.expression, times):
            sides = {"this": node.this.copy(), "expression": node.expression.copy()}
            days.add(node.parent.alias.lower() if isinstance(node.parent, exp.Alias) else "")
            node.replace(exp.DateDiff(**sides, unit=exp.Var(this="DAY")))
    for span in list(tree.find_all(exp.Interval)):  # what such a difference, which is a number now, is compared with
        column = span.parent.this if isinstance(span.parent, exp.Predicate) else None
        in_days = span.text("unit").upper() in ("DAY", "DAYS") and span.this.name.isdigit()
        if in_days and isinstance(column, exp.Column) and column.name.lower() in days:
            span.replace(exp.Literal.number(span.this.name))
    return tree


def _is_time(node: exp.Expr, times: set[str]) -> bool:
    inner = node.unnest()
    while isinstance(inner, (exp.Window, *_SAME_TYPE)):
        inner = inner.this.unnest()
    return isinstance(inner, exp.Column) and inner.name.lower() in times


def _by_day(tree: exp.Select, declared: DeclaredNames) -> exp.Expr | None:
    """Groups of a time as groups of its days."""
    for select in tree.find_all(exp.Select):
        group, order = select.args.get("group"), select.args.get("order")
        terms = [] if group is None else [_shown(term, select) for term in group.expressions]
        times = {
            one.name.lower()
            for one in terms
            if isinstance(one, exp.Column) and declared.kind(one.name) is Kind.TIMESTAMP
        }
        for place in [*select.expressions, *(() if group is None else group.expressions)]:
            column = place.unalias()
            if isinstance(column, exp.Column) and column.name.lower() in times:
                day = exp.TimestampTrunc(this=column.copy(), unit=exp.Var(this="DAY"))
                named = place.parent is select and not place.alias
                column.replace(exp.alias_(day, column.name) if named else day)
        for term in list(order.find_all(exp.Column)) if order is not None and times else []:
            term.set("table", None)  # the day, which the answer calls so
    return tree


def _from_days(tree: exp.Select, declared: DeclaredNames) -> exp.Expr | None:
    """The first, last, middle or mean time as that of the days since one that is written out."""
    for node in list(tree.find_all(exp.Min, exp.Max, exp.Median, exp.Avg)):
        own = node.parent_select is tree and not isinstance(node.parent, exp.Window)
        name = node.this.name.lower() if isinstance(node.this, exp.Column) else ""
        if own and name in declared.bounded and declared.kind(name) in _TIMES:
            days = f"DATE_DIFF('day', DATE '2000-01-01', {language.written(node.this)})"
            node.set("this", language.read(days))
            node.replace(language.read(f"DATE '2000-01-01' + CAST({language.written(node)} AS INTEGER)"))
    return tree


def _shown(term: exp.Expr, select: exp.Select) -> exp.Expr:
    """What a term of GROUP BY stands for, where it is the number of a column."""
    place = int(str(term.this)[:9]) if isinstance(term, exp.Literal) and str(term.this).isdigit() else 0
    return select.expressions[place - 1].unalias() if 1 <= place <= len(select.expressions) else term


def _plain(tree: exp.Select, declared: DeclaredNames) -> exp.Expr | None:
    """Without clauses that have no rule."""
    for clause in _CLAUSES:
        if tree.args.get(clause):
            tree.set(clause, None)
    return tree


def _chosen(tree: exp.Select, declared: DeclaredNames) -> exp.Expr | None:
    """The candidate with the largest number, where rows meet all rows of a public table and the numbers are asked."""
    numbers = [term.unalias() for term in tree.expressions if term.find(exp.AggFunc)]
    keys = [term for term in tree.expressions if not term.find(exp.AggFunc)]
    if not any(map(is_free, tree.args.get("joins") or [])) or len(numbers) != 1 or not keys:
        return None
    order = tree.args.get("order")
    smallest = order is not None and tree.args.get("limit") is not None and not order.expressions[0].args.get("desc")
    tree.set("expressions", keys)
    tree.set("order", exp.Order(expressions=[exp.Ordered(this=numbers[0].copy(), desc=not smallest)]))
    tree.set("limit", exp.Limit(expression=exp.Literal.number(1)))
    for clause in ("having", "offset", "qualify"):
        tree.set(clause, None)
    return tree


def _aggregated(tree: exp.Select) -> bool:
    return any(term.find(exp.AggFunc, exp.AnonymousAggFunc) for term in tree.expressions)


def _grouped(tree: exp.Select, declared: DeclaredNames) -> exp.Expr | None:
    """With every column beside an aggregate among what is grouped by."""
    if not _aggregated(tree):
        return None
    group = tree.args.get("group")
    known = [] if group is None else list(group.expressions)
    names = {one.name.lower() for one in known if isinstance(one, exp.Column)}
    bare = [term.unalias() for term in tree.expressions if isinstance(term.unalias(), exp.Column)]
    missing = [one.copy() for one in bare if one.name.lower() not in names]
    if missing and not any(isinstance(one, exp.Literal) for one in known):
        tree.set("group", exp.Group(expressions=[*known, *missing]))
    return tree


def _kin(tree: exp.Select, declared: DeclaredNames) -> exp.Expr | None:
    """With an aggregate that has a rule in the place of one that tells of single rows."""
    for node in list(tree.find_all(exp.LogicalOr, exp.LogicalAnd)):
        inner = node.this.copy()
        condition = inner if isinstance(node, exp.LogicalOr) else exp.Not(this=exp.paren(inner))
        node.replace(exp.CountIf(this=condition))
    for node in list(tree.find_all(*_LISTS)):
        first = node.this.expressions[0] if isinstance(node.this, exp.Distinct) else node.this
        inner = first.this if isinstance(first, exp.Order) else first
        node.replace(exp.Count(this=exp.Distinct(expressions=[inner.copy()])))
    for node in list(tree.find_all(*_ONE_OF)):
        place = node.parent if isinstance(node.parent, exp.IgnoreNulls) else node
        place.replace(_typical(node.this, declared))
    for node in list(tree.find_all(exp.Median, exp.Avg, exp.Sum, exp.Min, exp.Max)):
        if isinstance(node.this, exp.Column) and declared.kind(node.this.name) is Kind.TEXT:
            node.replace(node.this.copy() if _is_grouped(node.this, tree) else _typical(node.this, declared))
    for node in list(tree.find_all(exp.Kurtosis, exp.Skewness)):
        node.replace(exp.Stddev(this=node.this.copy()))
    for call in list(tree.find_all(exp.Anonymous)):
        if call.name.upper() in _WIDTHS and len(call.expressions) == 1:
            call.replace(exp.Stddev(this=call.expressions[0].copy()))
    for node in list(tree.find_all(exp.Sum, exp.Avg, exp.Stddev, exp.Variance)):
        if isinstance(node.this, exp.Distinct) and len(node.this.expressions) == 1:
            node.set("this", node.this.expressions[0].copy())
    return tree


def _is_grouped(column: exp.Expr, tree: exp.Select) -> bool:
    """Whether a column is grouped by, so that it has one value in a group."""
    group = tree.args.get("group")
    terms = [] if group is None else group.expressions
    return any(isinstance(term, exp.Column) and term.name.lower() == column.name.lower() for term in terms)


def _typical(value: exp.Expr, declared: DeclaredNames) -> exp.Expr:
    name = value.name.lower() if isinstance(value, exp.Column) else ""
    if name in declared.keyed:
        return exp.Mode(this=value.copy())
    if declared.kind(name) is Kind.NUMBER:
        return exp.Median(this=value.copy())
    return exp.Count(this=exp.Distinct(expressions=[value.copy()]))


def _asked_first(tree: exp.Select, declared: DeclaredNames) -> exp.Expr | None:
    """The query inside of a condition, by the columns that tie it to the outer rows: its numbers can be written out.

    So can those of a query that rows are joined with.
    """
    where, joins = tree.args.get("where"), tree.args.get("joins") or []
    inner = None if where is None else where.find(exp.Select)
    if inner is None and joins:
        beside = [*tree.find_all(exp.CTE), *(one.this for one in (tree.args["from_"], *joins))]
        read = [one.this for one in beside if isinstance(one, exp.CTE | exp.Subquery)]
        inner = next((one for one in read if isinstance(one, exp.Select) and _aggregated(one)), None)
    if inner is None or not _aggregated(inner):
        return None
    select: exp.Select = inner.copy()
    ties = []
    own = {one.alias_or_name.lower() for one in (select.args["from_"].this,)} if select.args.get("from_") else set()
    condition = select.args.get("where")
    kept = []
    for part in (
        []
        if condition is None
        else list(condition.this.flatten())
        if isinstance(condition.this, exp.And)
        else [condition.this]
    ):
        sides = [part.this, part.expression] if isinstance(part, exp.EQ) else []
        mine = [one for one in sides if isinstance(one, exp.Column) and one.table.lower() in own]
        other = [one for one in sides if isinstance(one, exp.Column) and one.table and one.table.lower() not in own]
        if mine and other:
            ties.append(mine[0].copy())
        else:
            kept.append(part.copy())
    select.set("where", exp.Where(this=exp.and_(*kept)) if kept else None)
    if ties:
        select.set("expressions", [*ties, *select.expressions])
        select.set("group", exp.Group(expressions=[one.copy() for one in ties]))
    return select


def _counted(tree: exp.Select, declared: DeclaredNames) -> exp.Expr | None:
    """The number of rows, by the columns with declared keys, in the place of the rows themselves."""
    if _aggregated(tree) or tree.args.get("from_") is None:
        return None
    keys = [
        one.copy()
        for term in tree.expressions
        if isinstance(one := term.unalias(), exp.Column) and one.name.lower() in declared.keyed
    ]
    tree.set("expressions", [*keys, exp.alias_(exp.Count(this=exp.Star()), "n")])
    tree.set("group", exp.Group(expressions=[one.copy() for one in keys]) if keys else None)
    for clause in ("order", "limit", "offset", "having"):
        tree.set(clause, None)
    return tree


def _written_keys(tree: exp.Select, declared: DeclaredNames) -> exp.Expr | None:
    """Keys that nobody declared, by values that the analyst writes out."""
    group = tree.args.get("group")
    if group is None:
        return None
    unknown = {
        one.name.lower()
        for one in group.expressions
        if isinstance(one, exp.Column) and one.name.lower() not in declared.keyed
    }
    if not unknown or unknown & declared.units or declared.kind(next(iter(unknown))) not in (Kind.TEXT, Kind.NUMBER):
        return None
    for place in (*tree.expressions, *group.expressions):
        column = place.unalias()
        if isinstance(column, exp.Column) and column.name.lower() in unknown:
            value = exp.Literal.string("value") if declared.kind(column.name) is Kind.TEXT else exp.Literal.number(0)
            rest = exp.Literal.string("other") if value.is_string else exp.Literal.number(1)
            case = exp.Case(
                ifs=[exp.If(this=exp.EQ(this=column.copy(), expression=value), true=value.copy())], default=rest
            )
            inside = isinstance(place.parent, exp.Select) and not place.alias
            column.replace(exp.alias_(case, column.name) if inside else case)
    return tree


def _clamped(tree: exp.Select, declared: DeclaredNames) -> exp.Expr | None:
    """Numbers without bounds, clamped to ends that the analyst chooses."""
    for node in list(tree.find_all(*(kind for kind in AGGREGATES if kind not in (exp.Count, exp.Mode)))):
        for name in ("this", "expression"):
            inner = node.args.get(name)
            if not isinstance(inner, exp.Expr):
                continue
            columns = list(inner.find_all(exp.Column))
            if columns and any(one.name.lower() not in declared.bounded for one in columns):
                ends = [exp.Literal.number(0), exp.Literal.number(100)]
                node.set(name, exp.Anonymous(this="CLAMP", expressions=[inner.copy(), *ends]))
    return tree


_RULES: tuple[Rule, ...] = (
    *(_spelled, _days_between, _by_day, _from_days, _plain, _chosen),
    *(_grouped, _kin, _asked_first, _counted, _written_keys, _clamped),
)
