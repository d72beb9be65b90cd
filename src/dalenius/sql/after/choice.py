"""ARG_MAX(key, number) over the groups of a private SELECT: a question for the largest group, which a choice answers.

`SELECT ARG_MAX(k, n) FROM (SELECT k, SUM(x) AS n FROM rows GROUP BY k)` shows no n, so it asks what
`SELECT k FROM rows GROUP BY k ORDER BY SUM(x) DESC LIMIT 1` asks: a choice among public candidates by a utility to
which every person adds a bounded amount  [A Ex 7.1]. It is planned as that SELECT is: by permute and flip, or by noise
on all cells, whichever has less error. So are ARG_MIN, and `SELECT k FROM (…) ORDER BY n DESC LIMIT 1`, where the
candidates are rows of a public table that every row meets: those are answered as a choice or not at all. Nothing is
proved here: the SELECT goes through all rules of the language for tables.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from sqlglot import exp

from dalenius.sql.after.blocks import BlockScope, Reads, aggregates_of, group_terms
from dalenius.sql.after.parts import PrivatePart
from dalenius.sql.after.split import SplitStatement
from dalenius.sql.engine import language
from dalenius.sql.planner.output import KeyColumn
from dalenius.sql.tables.candidates import meets_candidates
from dalenius.sql.tables.table import QueryTable

IsChoice = Callable[[str], bool]
"""Whether a private SELECT can be planned as a choice."""
KeysOf = Callable[[str], tuple[KeyColumn, ...]]
"""The public keys of a private SELECT."""
_PART, _KEY = "chosen", "key 1"
_OUTER = {"expressions", "from_", "with_"}
_INNER = {"expressions", "from_", "joins", "where", "group"}


def as_choice(
    tree: exp.Expr,
    tables: Mapping[str, QueryTable],
    views: Mapping[str, Iterable[str]],
    is_choice: IsChoice,
    keys_of: KeysOf,
) -> SplitStatement | None:
    """The statement as a SELECT of the chosen key; None where it asks for more, or where there is no choice to plan.

    ARG_MAX takes no key that is NULL, ORDER BY does: so a group of NULL is no candidate of the former.
    """
    if not isinstance(tree, exp.Select) or len(tree.expressions) != 1:
        return None
    source, asked = _source(tree), _asked(tree)
    if source is None or asked is None:
        return None
    called, inner = source
    scope = BlockScope.of(tables, views)
    if not _has_only(inner, _INNER) or scope.block(inner).reads is not Reads.MEASURED:
        return None
    key, number = (_term(inner, column, called) for column in (asked.key, asked.number))
    keys = [one.copy() for one in group_terms(inner, scope)]
    if key is None or number is None or key not in keys or not aggregates_of(number):
        return None
    select = _first(inner, keys, key, number, asked)
    if not asked.listed and is_choice(select) and None in keys_of(select)[keys.index(key)].values:
        inner = inner.where(key.copy().is_(exp.null()).not_())
        select = _first(inner, keys, key, number, asked)
    if (asked.listed and not meets_candidates(language.read(select))) or not is_choice(select):
        return None
    shown = exp.alias_(exp.column(_KEY, table=_PART, quoted=True), asked.name, quoted=True)
    outer = exp.Select(expressions=[shown], from_=exp.From(this=exp.Table(this=exp.to_identifier(_PART, quoted=True))))
    return SplitStatement(outer, (PrivatePart(_PART, select, 1, (_KEY,)),), ())


@dataclass(frozen=True, slots=True)
class _Asked:
    """The key that is asked for, the number that decides, which end of it comes first, and how many keys."""

    key: exp.Expr
    number: exp.Expr
    smallest: bool
    name: str
    limit: exp.Expr
    listed: bool


def _asked(tree: exp.Select) -> _Asked | None:
    """ARG_MAX(key, number), ARG_MIN, or key … ORDER BY number LIMIT n; None of any other SELECT."""
    term = tree.expressions[0]
    call, order = term.unalias(), tree.args.get("order")
    if order is None:
        if not _has_only(tree, _OUTER) or not isinstance(call, exp.ArgMax | exp.ArgMin) or call.args.get("count"):
            return None
        function = "arg_min" if isinstance(call, exp.ArgMin) else "arg_max"
        name = term.alias or f"{function}{language.written(call).removeprefix(function.upper())}"
        one = exp.Limit(expression=exp.Literal.number(1))
        return _Asked(call.this, call.expression, isinstance(call, exp.ArgMin), name, one, listed=False)
    limit = tree.args.get("limit")
    if not _has_only(tree, _OUTER | {"order", "limit"}) or limit is None or len(order.expressions) != 1:
        return None
    by = order.expressions[0]
    name = term.alias or term.name
    return _Asked(call, by.this, not by.args.get("desc"), name, limit, listed=True)


def _has_only(select: exp.Select, clauses: set[str]) -> bool:
    return all(name in clauses for name, value in select.args.items() if value)


def _source(tree: exp.Select) -> tuple[str, exp.Select] | None:
    """The one SELECT that stands in FROM, or that the one name of WITH stands for, and what it is called."""
    from_, with_ = tree.args.get("from_"), tree.args.get("with_")
    node = None if from_ is None else from_.this
    if isinstance(node, exp.Subquery) and with_ is None:
        named = node
    elif isinstance(node, exp.Table) and with_ is not None and len(with_.expressions) == 1:
        named = with_.expressions[0]
        if node.name.lower() != named.alias.lower() or with_.args.get("recursive"):
            return None
    else:
        return None
    inner = named.this
    others = {name for name, value in node.args.items() if value} - {"this", "alias"}
    if others or _renames(node) or _renames(named) or not isinstance(inner, exp.Select):
        return None
    return node.alias_or_name.lower(), inner


def _renames(node: exp.Expr) -> bool:
    alias = node.args.get("alias")
    return alias is not None and bool(alias.args.get("columns"))


def _term(inner: exp.Select, column: exp.Expr, called: str) -> exp.Expr | None:
    """What a column of the outer SELECT is in the inner one; None if that is not one thing."""
    if not isinstance(column, exp.Column) or column.args.get("db") or column.table.lower() not in ("", called):
        return None
    terms = [term for term in inner.expressions if (term.alias or term.name).lower() == column.name.lower()]
    return terms[0].unalias() if len(terms) == 1 else None


def _first(inner: exp.Select, keys: list[exp.Expr], key: exp.Expr, number: exp.Expr, asked: _Asked) -> str:
    """The SELECT of the keys that come first."""
    select = inner.copy()
    select.set("expressions", [exp.alias_(key.copy(), _KEY, quoted=True)])
    select.set("group", exp.Group(expressions=keys))
    by = exp.Ordered(this=number.copy()) if asked.smallest else exp.Ordered(this=number.copy(), desc=True)
    select.set("order", exp.Order(expressions=[by]))
    select.set("limit", asked.limit.copy())
    return language.written(select)
