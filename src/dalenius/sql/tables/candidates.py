"""A choice among public candidates: the one question in which every row of a person meets every row of a public table.

`SELECT p.price FROM prices p CROSS JOIN visits v GROUP BY p.price ORDER BY SUM(…) DESC LIMIT 1` names a candidate and
shows no number. Each joined row is made from one private row, so it belongs to one unit, and each candidate is a cell:
`bound_candidates` holds what a unit adds to any one of them, and a choice reads the largest change, so that the number
of candidates multiplies nothing  [A Thm 7.1, A Ex 7.1]. Any other question over such a join is refused as before.
"""

from collections.abc import Sequence

from sqlglot import exp

from dalenius.errors import UnboundedQuery, UnsupportedQuery
from dalenius.sql.engine import language
from dalenius.sql.tables.join_side import JoinSide
from dalenius.sql.tables.scope import Scope

ASK = (
    "to choose among public candidates, ask for the best of them alone: SELECT candidate FROM private CROSS JOIN "
    "candidates GROUP BY candidate ORDER BY SUM(…) DESC LIMIT 1"
)
_NEVER = ("having", "offset", "distinct", "qualify")
_INNER = ("this", "on", "kind")


def asks_for_choice(tree: exp.Expr) -> bool:
    """Whether a SELECT shows keys alone, the first ones by an aggregate."""
    group, order = tree.args.get("group"), tree.args.get("order")
    if group is None or order is None or not tree.args.get("limit") or any(tree.args.get(name) for name in _NEVER):
        return False
    return order.expressions[0].find(exp.AggFunc) is not None and not any(
        term.find(exp.AggFunc) for term in tree.expressions
    )


def meets_candidates(tree: exp.Expr) -> bool:
    """Whether a SELECT is written as a choice in which rows meet others than by equalities."""
    return asks_for_choice(tree) and any(map(is_free, tree.args.get("joins") or []))


def is_free(join: exp.Join) -> bool:
    """Whether a JOIN lets a row meet others than by equalities of columns: a CROSS JOIN, a comma, an inequality."""
    on = join.args.get("on")
    if join.args.get("using"):
        return False
    terms = [] if on is None else list(on.flatten()) if isinstance(on, exp.And) else [on]
    return not terms or not all(_is_equality(term.unnest()) for term in terms)


def take_candidates(tree: exp.Expr, scope: Scope) -> exp.Expr | None:
    """Take the public table of a choice out of its FROM, and what binds it into WHERE; None where there is no choice.

    Both mean the same of an inner join. What is left starts with a private table, and is bound as any other query.
    """
    joins = list(tree.args.get("joins") or [])
    free = [join for join in joins if is_free(join)]
    if len(free) != 1 or not asks_for_choice(tree):
        return None
    join, source = free[0], tree.args["from_"]
    if any(value for name, value in join.args.items() if name not in _INNER):
        return None
    from_private, joined_private = (scope.named(node)[0].private for node in (source.this, join.this))
    if from_private == joined_private or (joined_private and join is not joins[0]):
        return None
    candidates: exp.Expr = join.this if from_private else source.this
    if not from_private:
        source.set("this", join.this)
    tree.set("joins", [one for one in joins if one is not join])
    if (on := join.args.get("on")) is not None:
        tree.where(exp.paren(on), copy=False)  # type: ignore[attr-defined]
    return candidates.copy()


def name_candidates(tree: exp.Expr, side: JoinSide, others: Sequence[JoinSide] = (), *, rows_are_units: bool) -> bool:
    """Check what names the candidates in GROUP BY; whether each has one row of the public table.

    Where each private row is a unit nothing but that bounds what it adds to one candidate.
    """
    for one in tree.args["group"].expressions:
        _refuse_shadowed(one, tree, side, others)
    terms = [_term(one, tree, side) for one in tree.args["group"].expressions]
    named = [term for term in terms if any(_is_of(column, side) for column in term.find_all(exp.Column))]
    if len(named) != 1:
        raise UnsupportedQuery(
            f"a choice among the rows of {side.table.name!r} groups by one column that names them; {ASK}"
        )
    once = isinstance(named[0], exp.Column) and side.column(named[0].name) in side.table.unique
    if rows_are_units and not once:
        raise UnboundedQuery(
            f"a row could count several times for one candidate: group by a column of {side.table.name!r} that holds "
            "no value twice, or let the owner declare who is protected with unit="
        )
    return once


def _refuse_shadowed(term: exp.Expr, tree: exp.Expr, side: JoinSide, others: Sequence[JoinSide]) -> None:
    """Refuse a name that an alias gives to a candidate and that a private column has: the column goes before it."""
    if not isinstance(term, exp.Column) or term.table:
        return
    meant = _term(term, tree, side)
    owner = next((one for one in others if one.called is not None and one.column(term.name)), None)
    if meant is not term and owner is not None:
        raise UnsupportedQuery(
            f"GROUP BY {term.name} means the column {owner.called}.{term.name}, which goes before the name that AS "
            f"gives: write GROUP BY {language.written(meant)}, or another name after AS"
        )


def _is_equality(term: exp.Expr) -> bool:
    return isinstance(term, exp.EQ) and all(
        isinstance(side.unnest(), exp.Column) for side in (term.this, term.expression)
    )


def _term(term: exp.Expr, tree: exp.Expr, side: JoinSide) -> exp.Expr:
    """A term of GROUP BY, where it is a number or an alias what that stands for; a column goes before an alias."""
    selected: Sequence[exp.Expr] = tree.expressions
    if isinstance(term, exp.Column) and not term.table and side.column(term.name) is None:
        named = (one for one in selected if one.alias and one.alias.lower() == term.name.lower())
        return next((one.unalias() for one in named), term)
    if isinstance(term, exp.Literal) and not term.is_string and str(term.this).isdigit():
        place = int(term.this)
        return selected[place - 1].unalias() if 1 <= place <= len(selected) else term
    return term


def _is_of(column: exp.Column, side: JoinSide) -> bool:
    return column.table.lower() in ("", side.called) and side.column(column.name) is not None
