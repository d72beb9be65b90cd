"""A column of the table, under the owner's rules for what is odd."""

from datetime import date
from fractions import Fraction

from sqlglot import exp

from dalenius.errors import UnsupportedQuery
from dalenius.numerics import rational
from dalenius.sql.policy.by_table import BoundsByRows
from dalenius.sql.policy.policy import Policy
from dalenius.sql.rows.literals import number
from dalenius.sql.rows.typed import Typed, ValueRange, typed
from dalenius.sql.types.column_types import REALS, is_whole, kind_of, stored
from dalenius.sql.types.engine_names import SOURCE
from dalenius.sql.types.kinds import Kind


def column(name: str, policy: Policy) -> Typed:
    """The column in a type of the language: NaN is NULL, ±∞ is kept or NULL, NULL may count as a declared number."""
    declared = policy.columns[name]
    kind = kind_of(declared)
    if kind is None:
        raise UnsupportedQuery(f"{name!r} is a column of {declared}, which the language has no type for")
    raw = exp.column(name, table=SOURCE, quoted=True)
    keys = policy.keys.get(name)
    values = None if keys is None else tuple(stored(value, declared) for value in keys.values)
    if kind is Kind.BOOLEAN and values is None:
        values = (False, True)
    tree: exp.Expr = raw
    if kind is Kind.TIMESTAMP and declared != "TIMESTAMP":
        tree = exp.TryCast(this=raw, to=exp.DataType.build("TIMESTAMP"), safe=True)
    if kind is Kind.NUMBER:
        tree = _number(raw, declared, policy, name)
    whole = is_whole(declared) and (name not in policy.fill or rational(policy.fill[name], "fill").denominator == 1)
    least = Fraction(0) if declared.startswith("U") and whole and name not in policy.fill else None
    bounds = _bounds(kind, policy.bounds.get(name))
    by_rows = isinstance(policy.bounds.get(name), BoundsByRows)
    return typed(kind, tree, bounds=bounds, values=values, whole=whole, least=least, by_rows=by_rows)


def _number(raw: exp.Expr, declared: str, policy: Policy, name: str) -> exp.Expr:
    tree: exp.Expr = exp.cast(raw, "DOUBLE")
    if declared in REALS:
        plain = raw if declared == "DOUBLE" else tree
        odd: exp.Expr = exp.IsNan(this=raw.copy())
        if policy.infinity == "null":
            odd = exp.Not(this=exp.Anonymous(this="isfinite", expressions=[raw.copy()]))
        tree = exp.Case(ifs=[exp.If(this=odd, true=exp.null())], default=plain)
    if name in policy.fill:
        return exp.Coalesce(this=tree, expressions=[number(rational(policy.fill[name], "fill")).tree])
    return tree


def _bounds(kind: Kind, declared: tuple[object, object] | None) -> ValueRange | None:
    if declared is None:
        return None
    if kind in (Kind.DATE, Kind.TIMESTAMP):
        low, high = (Fraction(date.fromisoformat(str(end)).toordinal()) for end in declared)
        return low, high
    return rational(declared[0], "bounds"), rational(declared[1], "bounds")  # type: ignore[arg-type]
