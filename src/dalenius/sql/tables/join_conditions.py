"""What binds a joined table to those before it: equalities of columns, and further conditions on the rows that meet.

The equalities say whose the joined rows are (see `join`). A further condition is an expression over one joined row: it
only decides which of the rows that would meet do so, and a row that LEFT JOIN keeps alone is still its own unit's.
So a unit that comes or goes brings or takes its own joined rows and no others, whatever the condition  [G sensitivity].
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from dalenius.errors import UnknownName, UnsupportedQuery
from dalenius.sql.policy.policy import Policy
from dalenius.sql.rows import row_expression
from dalenius.sql.rows.typed import expect
from dalenius.sql.tables.join_forms import conjuncts, joined_types
from dalenius.sql.tables.join_side import JoinSide, Reached, resolve_column
from dalenius.sql.tables.scope import FORM
from dalenius.sql.types.column_types import kind_of
from dalenius.sql.types.engine_names import SOURCE
from dalenius.sql.types.kinds import Kind

_TIMES = (Kind.DATE, Kind.TIMESTAMP)


@dataclass(frozen=True, slots=True)
class JoinCondition:
    """The columns that must be equal, of an earlier table and of this one, and what else ON says.

    `fixed` are columns of the joined table that equal an expression over earlier tables: where they hold no value
    twice, a row meets one row at most.
    """

    pairs: tuple[tuple[Reached, Reached], ...]
    further: tuple[exp.Expr, ...]
    fixed: frozenset[str]

    @classmethod
    def of(cls, join: exp.Expr, sides: list[JoinSide], side: JoinSide, shared: frozenset[str]) -> "JoinCondition":
        """Read USING and ON of a join of `side` to the `sides` before it."""
        pairs = [
            (resolve_column(exp.column(name.name), sides, shared), resolve_column(exp.column(name.name), [side]))
            for name in using(join)
        ]
        _check_types(pairs)
        further, fixed = [], {joined for _, (_, joined) in pairs}
        for term in conjuncts(join.args.get("on")):
            pair = _pair(term, sides, side)
            if pair is None:
                further.append(term)
                fixed |= _fixed(term, sides, side)
            else:
                pairs.append(pair)
                fixed.add(pair[1][1])
        return cls(tuple(pairs), tuple(further), frozenset(fixed))

    def under(self, where: exp.Expr, sides: list[JoinSide], side: JoinSide) -> "JoinCondition":
        """With the columns that WHERE binds too: rows of an inner join that do not fulfil it count nowhere."""
        bound = frozenset[str]()
        for term in conjuncts(where):
            try:
                bound |= _fixed(term, sides, side)
            except (UnknownName, UnsupportedQuery):  # it names a table that is joined later
                continue
        return replace(self, fixed=self.fixed | bound)

    def tree(self, sides: Sequence[JoinSide], policy: Policy) -> exp.Expr | None:
        """The condition as the engine reads it, over the tables joined so far; None where every row meets every row."""
        parts: list[exp.Expr] = [
            exp.EQ(this=one.of(name), expression=two.of(to)) for (one, name), (two, to) in self.pairs
        ]
        parts += [_placed(term, sides, policy) for term in self.further]
        return exp.and_(*parts) if parts else None


def using(join: exp.Expr) -> list[exp.Expr]:
    """The columns that USING names."""
    return list(join.args.get("using") or [])


def _pair(term: exp.Expr, sides: list[JoinSide], side: JoinSide) -> tuple[Reached, Reached] | None:
    """The two columns of an equality between an earlier table and this one, of types that compare exactly."""
    if not isinstance(term, exp.EQ):
        return None
    one, two = term.this.unnest(), term.expression.unnest()
    if not isinstance(one, exp.Column) or not isinstance(two, exp.Column):
        return None
    left, right = (resolve_column(node, [*sides, side]) for node in (one, two))
    if left[0] is side:
        left, right = right, left
    if left[0] is side or right[0] is not side:
        return None
    kinds = _kinds(left, right)
    if all(kind_of(kind) in _TIMES for kind in kinds) and kinds[0] != kinds[1]:
        return None
    _check_types([(left, right)])
    return left, right


def _kinds(left: Reached, right: Reached) -> tuple[str, str]:
    return left[0].table.columns[left[1]], right[0].table.columns[right[1]]


def _check_types(pairs: Sequence[tuple[Reached, Reached]]) -> None:
    for left, right in pairs:
        kinds = _kinds(left, right)
        if not joined_types(*kinds):
            raise UnsupportedQuery(
                f"a join compares whole numbers, texts, dates or booleans of one type, got {kinds[0]} and {kinds[1]}"
            )


def _fixed(term: exp.Expr, sides: list[JoinSide], side: JoinSide) -> set[str]:
    """The column of this table that an equality binds to an expression over earlier ones, of an exact type."""
    if not isinstance(term, exp.EQ):
        return set()
    for one, other in ((term.this.unnest(), term.expression), (term.expression.unnest(), term.this)):
        if not isinstance(one, exp.Column):
            continue
        (here, name), *others = (
            resolve_column(column, [*sides, side]) for column in (one, *other.find_all(exp.Column))
        )
        if (
            here is side
            and _is_compared_exactly(side.table.columns[name])
            and all(there is not side for there, _ in others)
        ):
            return {name}
    return set()


def _is_compared_exactly(kind: str) -> bool:
    """Whether values of a type that differ are never equal to one: numbers and nanoseconds are rounded before."""
    return kind_of(kind) not in (Kind.NUMBER, None) and kind != "TIMESTAMP_NS"


def _placed(term: exp.Expr, sides: Sequence[JoinSide], policy: Policy) -> exp.Expr:
    """A further condition as the engine reads it: total, and over columns of the rows that meet."""
    if term.find(exp.Query, exp.AggFunc, exp.Window) is not None:
        raise UnsupportedQuery(
            f"ON takes conditions on the rows that meet: a query or an aggregate has no rule there; {FORM}"
        )
    named = exp.paren(term.copy())
    for column in list(named.find_all(exp.Column)):
        side, name = resolve_column(column, sides)
        column.replace(exp.column(side.names[name], quoted=True))
    places = {side.names[name]: side.of(name) for side in sides for name in side.names}
    tree = expect(row_expression(named.this, policy), Kind.BOOLEAN, "ON").tree.copy()

    def placed(node: exp.Expr) -> exp.Expr:
        is_column = isinstance(node, exp.Column) and node.table == SOURCE
        return places[node.name].copy() if is_column else node

    return exp.paren(tree.transform(placed))
