"""AT TIME ZONE: the time on another clock, where it is declared which clock a column shows."""

from fractions import Fraction

from sqlglot import exp

from dalenius.errors import UnsupportedQuery
from dalenius.sql.policy.policy import Policy
from dalenius.sql.rows.typed import RowReader, Typed, ValueRange, typed
from dalenius.sql.types.kinds import Kind
from dalenius.sql.types.time_zones import TimeZone, time_zone

_APART = 2
"""Days by which two clocks may differ, rounded up."""


def at_time_zone(node: exp.Expr, read: RowReader, policy: Policy) -> Typed:
    """The clock of a zone at the instant that a column shows; total, and a function of the row's time alone.

    Of a column with a declared zone, `ts AT TIME ZONE 'Asia/Tokyo'`. Of any timestamp, with its own zone first:
    `ts AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Tokyo'`.
    """
    inner = node.this.unnest()
    if isinstance(inner, exp.AtTimeZone):
        return _seen(read(inner.this), _zone(inner), _zone(node), inner.this, policy)
    declared = policy.zones.get(policy.column(inner.name)) if isinstance(inner, exp.Column) else None
    if declared is None:
        name = inner.name if isinstance(inner, exp.Column) else "column"
        raise UnsupportedQuery(
            f"AT TIME ZONE needs to know which clock {name} shows: write {name} AT TIME ZONE 'UTC' AT TIME ZONE "
            f"{_zone(node).name!r} if it shows UTC, or the owner declares formats={{{policy.table!r}: {{'zones': "
            f"{{{name!r}: 'UTC'}}}}}}"
        )
    return _seen(read(inner), time_zone(declared), _zone(node), None, policy)


def _zone(node: exp.Expr) -> TimeZone:
    zone = node.args.get("zone")
    if not isinstance(zone, exp.Literal) or not zone.is_string:
        raise UnsupportedQuery("AT TIME ZONE takes the name of a zone that is written out, such as 'Europe/Berlin'")
    return time_zone(str(zone.this))


def _seen(value: Typed, own: TimeZone, other: TimeZone, source: exp.Expr | None, policy: Policy) -> Typed:
    if value.kind is not Kind.TIMESTAMP:
        raise UnsupportedQuery(f"AT TIME ZONE takes a timestamp, got a {value.kind.value}")
    column = None if source is None else source.unnest()
    if isinstance(column, exp.Column) and policy.column(column.name) in policy.zones:
        raise UnsupportedQuery(
            f"{column.name} shows the clock of {policy.zones[policy.column(column.name)]}, as declared: write AT TIME "
            "ZONE once"
        )
    copies = len(own.changes) + len(other.changes) + 2
    return typed(Kind.TIMESTAMP, own.seen_from(value.tree, other), value, bounds=_wider(value.bounds), copies=copies)


def _wider(bounds: ValueRange | None) -> ValueRange | None:
    return None if bounds is None else (max(bounds[0] - _APART, Fraction(1)), bounds[1] + _APART)
