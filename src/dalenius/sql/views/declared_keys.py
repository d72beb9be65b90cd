"""SELECT DISTINCT key: the list that the owner declared, for nothing. It says what may be there, not what is.

Only the list itself, filtered by conditions on that key alone, is free: with any other condition, table or column the
rows would have to be read to answer, and then it is a question with a price, or a refusal.
"""

import operator
import re
from collections.abc import Callable, Mapping
from typing import Any

from sqlglot import exp

from dalenius.errors import DaleniusError
from dalenius.queries import Key
from dalenius.sql.policy.policy import Policy
from dalenius.sql.tables.table import QueryTable
from dalenius.sql.text.parse import parse

LABEL = "declared, not observed"
_KNOWN = frozenset({"expressions", "from_", "where", "order", "limit", "distinct"})
_SIGNS: dict[type[exp.Expr], Callable[[Any, Any], bool]] = {
    **{exp.EQ: operator.eq, exp.NEQ: operator.ne, exp.LT: operator.lt},
    **{exp.LTE: operator.le, exp.GT: operator.gt, exp.GTE: operator.ge},
}


class _OtherQuestion(Exception):
    """The text asks for more than the list."""


def declared_keys(query: str, policy: Policy, others: Mapping[str, QueryTable]) -> dict[str, list[Any]] | None:
    """The declared keys that a text asks for, and nothing else; None for any other text."""
    if not isinstance(query, str) or "DISTINCT" not in query.upper():
        return None
    try:
        tree = parse(query)
        return _listed(tree, {QueryTable.first(policy).name.lower(): QueryTable.first(policy), **others})
    except (DaleniusError, _OtherQuestion):
        return None  # the road of questions refuses it, or prices it


def _listed(tree: exp.Expr, tables: Mapping[str, QueryTable]) -> dict[str, list[Any]]:
    term = tree.expressions[0] if isinstance(tree, exp.Select) and len(tree.expressions) == 1 else None
    column = None if term is None else term.unalias()
    source = tree.args.get("from_")
    node = None if source is None else source.this
    if column is None or term is None or any(value for name, value in tree.args.items() if name not in _KNOWN):
        raise _OtherQuestion
    if not isinstance(column, exp.Column) or not isinstance(node, exp.Table) or not _is_plain(tree, node):
        raise _OtherQuestion
    table = tables.get(node.name.lower())
    name = None if table is None else next((one for one in table.columns if one.lower() == column.name.lower()), None)
    keys = None if table is None or name is None or not table.private else table.keys.get(name)
    if keys is None or any(not _is_same(one, column, node) for one in tree.find_all(exp.Column)):
        raise _OtherQuestion
    every: list[Key] = [*keys.values, *((None,) if table is not None and name in table.null_keys else ())]
    values = [value for value in every if _holds(tree.args.get("where"), value)]
    values = _sorted(values, tree)
    return {term.alias or str(name): values, "about": [LABEL] * len(values)}


def _is_plain(tree: exp.Expr, table: exp.Table) -> bool:
    distinct = tree.args.get("distinct")
    alone = not any(value for name, value in table.args.items() if name not in ("this", "alias"))
    return distinct is not None and not distinct.args.get("on") and alone and len(list(tree.find_all(exp.Select))) == 1


def _is_same(one: exp.Column, column: exp.Column, table: exp.Table) -> bool:
    known = one.table.lower() in ("", table.alias_or_name.lower())
    return known and not one.args.get("db") and one.name.lower() == column.name.lower()


def _holds(node: exp.Expr | None, value: Key) -> bool:
    """Whether a condition on the key alone holds of one value: where it is NULL, it does not."""
    return node is None or _truth(node, value) is True


def _truth(node: exp.Expr, value: Key) -> bool | None:
    """What a condition is of one value, in SQL's logic of three values."""
    if isinstance(node, exp.Where | exp.Paren):
        return _truth(node.this, value)
    if isinstance(node, exp.Not):
        inner = _truth(node.this, value)
        return None if inner is None else not inner
    if isinstance(node, exp.And | exp.Or):
        sides = [_truth(node.this, value), _truth(node.expression, value)]
        decisive = isinstance(node, exp.Or)
        return decisive if decisive in sides else None if None in sides else not decisive
    if isinstance(node, exp.Is) and isinstance(node.expression, exp.Null):
        return _term(node.this, value) is None
    if type(node) in _SIGNS:
        return _compared(_SIGNS[type(node)], _term(node.this, value), _term(node.expression, value))
    if isinstance(node, exp.In) and not node.args.get("query") and not node.args.get("unnest"):
        mine = _term(node.this, value)
        equal = [_compared(operator.eq, mine, _term(one, value)) for one in node.expressions]
        return True if True in equal else None if None in equal else False
    if isinstance(node, exp.Between) and not node.args.get("symmetric"):
        mine = _term(node.this, value)
        low, high = (_alike(mine, _term(node.args[end], value))[1] for end in ("low", "high"))
        return None if mine is None else bool(low <= mine <= high)
    if isinstance(node, exp.Like | exp.ILike):
        return _matches(node, value)
    raise _OtherQuestion


def _compared(sign: Callable[[Any, Any], bool], one: Any, other: Any) -> bool | None:
    one, other = _alike(one, other)
    return None if one is None or other is None else bool(sign(one, other))


def _term(node: exp.Expr, value: Key) -> Any:
    if isinstance(node, exp.Column):
        return value
    if isinstance(node, exp.Literal):
        return node.this if node.is_string else float(node.this)
    if isinstance(node, exp.Boolean):
        return bool(node.this)
    if isinstance(node, exp.Neg) and isinstance(node.this, exp.Literal) and not node.this.is_string:
        return -float(node.this.this)
    raise _OtherQuestion


def _alike(one: Any, other: Any) -> tuple[Any, Any]:
    """Both, if they are texts, numbers or booleans alike, or NULL; the engine's casts are for a question."""
    values = [value for value in (one, other) if value is not None]
    kinds = {str if isinstance(value, str) else bool if isinstance(value, bool) else float for value in values}
    if len(kinds) > 1 or not all(isinstance(value, str | bool | int | float) for value in values):
        raise _OtherQuestion
    return one, other


def _matches(node: exp.Expr, value: Key) -> bool | None:
    text, pattern = _term(node.this, value), _term(node.expression, value)
    if text is None and isinstance(pattern, str):
        return None
    if not isinstance(text, str) or not isinstance(pattern, str) or len(pattern) > 1000:
        raise _OtherQuestion
    if isinstance(node, exp.ILike):
        text, pattern = text.lower(), pattern.lower()
    pieces = [re.escape(piece) for piece in re.split("%+", pattern.replace("_", "\0"))]
    return re.fullmatch(".*".join(pieces).replace("\0", "."), text, re.DOTALL) is not None


def _sorted(values: list[Key], tree: exp.Expr) -> list[Key]:
    order, limit = tree.args.get("order"), tree.args.get("limit")
    for term in [] if order is None else order.expressions:
        if not (isinstance(term.this, exp.Column) or (isinstance(term.this, exp.Literal) and term.this.name == "1")):
            raise _OtherQuestion
        present: list[Any] = [value for value in values if value is not None]
        if len({type(value) for value in present}) > 1:
            raise _OtherQuestion
        present.sort(reverse=bool(term.args.get("desc")))
        absent = [None] * (len(values) - len(present))
        values = [*absent, *present] if term.args.get("nulls_first") else [*present, *absent]
    if limit is None:
        return values
    if not isinstance(limit, exp.Limit) or not str(limit.expression.name).isdigit():
        raise _OtherQuestion
    return values[: int(limit.expression.name[:9])]
