"""Queries inside of expressions: their one value, whether they have a row, and whether a value is among theirs.

A query that reads columns of the one around it is evaluated for each row of that one, with the row's values in the
place of these columns: that is what SQL means by it.
"""

from collections.abc import Callable

from sqlglot import exp

from dalenius.sql.after.regions.logic import compare, conjunction, disjunction
from dalenius.sql.after.regions.region import JointRegion
from dalenius.sql.after.regions.rows import Context, Presence, RowRelation
from dalenius.sql.after.regions.values import Exact, NoRule, OneOf, Value

_MOST_RUNS = 200


class InnerQueries:
    """The queries inside of one statement; `evaluate` gives the rows of a query, whose names `around` resolves."""

    def __init__(self, evaluate: Callable[[exp.Expr], RowRelation]) -> None:
        self._evaluate = evaluate
        self._around: list[Context] = []
        self._is_correlated = False
        self._runs = 0
        self._known: dict[int, tuple[exp.Expr, RowRelation]] = {}  # a query is kept, so that its id stays its own

    def relation(self, query: exp.Expr, row: Context) -> RowRelation:
        """The rows of a query inside of a row's expression; computed once if it reads no column of that row."""
        if id(query) in self._known:
            return self._known[id(query)][1]
        before, self._is_correlated = self._is_correlated, False
        self._around.append(row)
        try:
            relation = self._evaluate(query)
        finally:
            self._around.pop()
            correlated, self._is_correlated = self._is_correlated, before or self._is_correlated
        if not correlated and not self._around:
            self._known[id(query)] = (query, relation)
        if correlated:
            self._runs += 1
            if self._runs > _MOST_RUNS:
                raise NoRule(
                    f"a query inside that reads columns of more than {_MOST_RUNS} rows has no rule for regions"
                )
        return relation

    def scalar(self, query: exp.Expr, row: Context) -> Value:
        """The one value of a query between parentheses."""
        relation = self.relation(query, row)
        if not relation.exact or len(relation.names) != 1 or len(relation.rows) > 1:
            raise NoRule("a query inside of an expression gives one value, of a row that noise does not pick")
        return relation.rows[0].values[0] if relation.rows else Exact(None)

    def outer(self, node: exp.Column) -> Value | None:
        """What a column's name means in the queries around, the nearest first; None if it means nothing there."""
        for row in reversed(self._around):
            known = row.column(node)
            if known is not None:
                if row.keys:
                    raise NoRule("a query inside that reads columns of groups around it has no rule for regions")
                self._is_correlated = True
                return known
        return None


def exists(relation: RowRelation) -> Value:
    """EXISTS (SELECT …)."""
    result: Value = Exact(False)
    for row in relation.rows:
        result = disjunction(result, _is_there(row.presence))
    return result


def among(value: Value, relation: RowRelation, region: JointRegion) -> Value:
    """X IN (SELECT …): whether a row is there, and equal to it."""
    if len(relation.names) != 1:
        raise NoRule("IN (SELECT …) takes one column")
    result: Value = Exact(False)
    for row in relation.rows:
        same = compare("=", value, row.values[0], region)
        result = disjunction(result, conjunction(_is_there(row.presence), same))
    return result


def _is_there(presence: Presence) -> Value:
    if presence.exact:
        return Exact(True)
    possible = ({True} if presence.possible else set()) | (set() if presence.sure else {False})
    return OneOf(frozenset(possible or {False}), presence.point)
