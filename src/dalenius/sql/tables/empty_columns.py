"""Which columns of joined tables are NULL in some rows as a group: by what is declared, or by a LEFT JOIN."""

from collections.abc import Collection, Sequence

from sqlglot import exp

from dalenius.errors import UnknownName, UnsupportedQuery
from dalenius.sql.tables.join_forms import conjuncts
from dalenius.sql.tables.join_side import JoinSide, resolve_column

_STRICT = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.Like, exp.ILike)


def empty_columns(
    side: JoinSide, where: exp.Expr | None, sides: Sequence[JoinSide], tied: Collection[tuple[str, str]]
) -> frozenset[str]:
    """The columns of a table, by their names in the joined one, of which NULL is a group.

    A row that meets none by LEFT JOIN is NULL in all of them, unless a condition or another join asks for one of them.
    `tied` are columns that an inner join sets equal to others.
    """
    held = {name for name in side.names if (side.place, name) in tied}
    known = side.table.null_keys - held
    if not side.whole and not held and not _is_asked(side, where, sides):
        known = frozenset(side.names)
    return frozenset(side.names[name] for name in known)


def _is_asked(side: JoinSide, where: exp.Expr | None, sides: Sequence[JoinSide]) -> bool:
    """Whether some condition that all rows fulfil is not true where the table's columns are NULL."""
    for term in [] if where is None else conjuncts(where.this):
        for node in _operands(term.unnest()):
            try:
                if isinstance(node, exp.Column) and resolve_column(node, sides)[0].place == side.place:
                    return True
            except (UnknownName, UnsupportedQuery):  # a name of another place, or refused later
                continue
    return False


def _operands(term: exp.Expr) -> list[exp.Expr]:
    """What a condition is not true of if it is NULL."""
    if isinstance(term, _STRICT):
        return [term.this.unnest(), term.expression.unnest()]
    if isinstance(term, exp.Between) or (isinstance(term, exp.In) and not term.args.get("query")):
        return [term.this.unnest()]
    if isinstance(term, exp.Not) and isinstance(inner := term.this.unnest(), exp.Is):
        return [inner.this.unnest()] if isinstance(inner.expression, exp.Null) else []
    return []
