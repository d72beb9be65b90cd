"""What all rows of a table are known to fulfil, as what reads it may rely on to tell which groups it can have.

A condition is the analyst's own, so what follows from it is public. Rows that do not fulfil it are gone: no row is lost
where a group that it excludes is not listed, and a row that were there in spite of it would be in no group, like every
row whose key is not listed.
"""

from collections.abc import Iterable, Mapping

from sqlglot import exp

from dalenius.sql.types.engine_names import SOURCE

RowConditions = tuple[exp.Expr, ...]


def conjuncts(where: exp.Expr | None) -> RowConditions:
    """The conditions that WHERE joins by AND."""
    if where is None:
        return ()
    return tuple(where.this.flatten()) if isinstance(where.this, exp.And) else (where.this,)


def together(conditions: RowConditions) -> exp.Expr | None:
    """One condition of several; None of none."""
    return exp.and_(*conditions, copy=True) if conditions else None


def renamed(conditions: Iterable[exp.Expr], names: Mapping[str, str]) -> RowConditions:
    """Those over nothing but columns that have a name in the next table, by their names there."""
    return tuple(
        condition.copy().transform(lambda node: _column(node, names))
        for condition in conditions
        if all(column.name in names for column in condition.find_all(exp.Column)) and not condition.find(exp.Query)
    )


def where_met(conditions: RowConditions) -> RowConditions:
    """Of the columns of a table that LEFT JOIN joins: they fulfil the conditions, or are all NULL."""
    return tuple(
        exp.or_(condition, exp.and_(*(column.copy().is_(exp.null()) for column in columns)))
        for condition in conditions
        if (columns := dict.fromkeys(condition.find_all(exp.Column)))
    )


def of_either(one: RowConditions, other: RowConditions, column: str) -> RowConditions:
    """Of one column of the rows of two tables, called alike in both: each row fulfils those of its own table."""
    sides = [together(renamed(conditions, {column: column})) for conditions in (one, other)]
    return (exp.or_(*sides),) if all(sides) else ()


def _column(node: exp.Expr, names: Mapping[str, str]) -> exp.Expr:
    return exp.column(names[node.name], table=SOURCE, quoted=True) if isinstance(node, exp.Column) else node
