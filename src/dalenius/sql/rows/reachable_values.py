"""Which of the values that an expression lists it can have: three, of `CASE WHEN k IN ('a', 'b') THEN k ELSE 'c' END`.

CASE lists what its results list. Over the public values of its columns it takes fewer, and those alone get a group. A
result that is written out is different: a row whose value nobody declared may have it, so it goes only where a
condition excludes it, which public values show: with the condition none has it, without it some does.
"""

from sqlglot import exp

from dalenius.queries import Key
from dalenius.sql.policy.policy import Policy
from dalenius.sql.rows.public_values import public_values
from dalenius.sql.rows.typed import Typed


def reachable_values(
    term: exp.Expr, part: Typed, values: tuple[Key, ...] | None, policy: Policy, where: exp.Expr | None = None
) -> tuple[Key, ...] | None:
    """Of an expression that chooses among results, those that it can have; all of them if none is left."""
    if not part.values or part.constant or term.find(exp.Case, exp.If) is None:
        return values
    everywhere = public_values(term, part, policy)
    if everywhere is None:
        return values
    here = everywhere if where is None else public_values(term, part, policy, where) or ()
    written = {str(one.this).lstrip("0") for result in _results(term) for one in result.find_all(exp.Literal)}
    kept = [
        value
        for value in part.values
        if value in here or (value not in everywhere and (isinstance(value, bool) or _shown(value) in written))
    ]
    others = [value for value in values or () if value not in part.values]  # such as NULL, where that is a key
    return (*kept, *others) or values


def _results(term: exp.Expr) -> list[exp.Expr]:
    """What an expression chooses among."""
    chosen = [node.args.get(name) for node in term.find_all(exp.If) for name in ("true", "false")]
    return [
        one for one in (*chosen, *(node.args.get("default") for node in term.find_all(exp.Case))) if one is not None
    ]


def _shown(value: Key) -> str:
    return str(value).lstrip("-").removesuffix(".0").lstrip("0")
