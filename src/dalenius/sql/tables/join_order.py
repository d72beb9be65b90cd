"""The order in which tables are joined: a private one first, whatever stands first in FROM.

An inner join is the same whichever of its tables comes first, and `a RIGHT JOIN b` is `b LEFT JOIN a`; so a query that
starts with a public table is the one that starts with the first private table it is joined to.
"""

from collections.abc import Iterable

from sqlglot import exp

from dalenius.sql.tables.scope import Scope

_INNER = frozenset({"this", "on", "using", "kind"})


def start_with_private(tree: exp.Expr, scope: Scope) -> None:
    """Put a private table first, in place; where no order does, the query is refused by name later."""
    joins, source = list(tree.args.get("joins") or []), tree.args["from_"]
    if not joins:
        return
    if joins[0].side == "RIGHT" and not joins[0].args.get("method"):
        joins[0].set("side", "LEFT")
        _exchange(source, joins[0])
        return
    if scope.named(source.this)[0].private:
        return
    for place, join in enumerate(joins):
        if any(value for name, value in join.args.items() if name not in _INNER) or join.kind not in (
            "",
            "INNER",
            "CROSS",
        ):
            return
        table = scope.named(join.this)[0]
        if table.private:
            named = {name.name.lower() for one in joins[: place + 1] for name in one.args.get("using") or []}
            if place == 0 or not named & _columns(table.columns, table.hidden):  # else they would mean other columns
                _first(tree, place)
            return


def _columns(columns: Iterable[str], hidden: frozenset[str]) -> frozenset[str]:
    return frozenset(name.lower() for name in columns if name not in hidden)


def _first(tree: exp.Expr, place: int) -> None:
    """The table of the join at that place in FROM, and what stood there joined first.

    What bound the private table binds the last table that stood before it, so that all its columns are there.
    """
    source, joins = tree.args["from_"], tree.args["joins"]
    if place == 0:
        _exchange(source, joins[0])
        return
    private, last = joins[place], joins[place - 1]
    conditions = [one for one in (last.args.get("on"), private.args.get("on")) if one is not None]
    last.set("on", exp.and_(*conditions) if conditions else None)
    last.set("kind", None)
    public = exp.Join(this=source.this)
    source.set("this", private.this)
    tree.set("joins", [public, *joins[:place], *joins[place + 1 :]])


def _exchange(source: exp.Expr, join: exp.Expr) -> None:
    first, second = source.this, join.this
    source.set("this", second)
    join.set("this", first)
