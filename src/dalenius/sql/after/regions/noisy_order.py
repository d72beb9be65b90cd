"""Windows in the order of numbers with noise: every row that may stand at a place, or be in a frame.

If all statements about the noise hold, the true order is one of those that the ends of the keys allow. A row that
surely comes before the current one is in its frame up to there, one that may come before it may be, and what the
aggregate is of all such sets of rows is known. A row's place is between how many surely and how many may come before
it, so the row at a place is one of those whose bounds hold it.
"""

from collections.abc import Sequence

from sqlglot import exp

from dalenius.sql.after.regions.expressions import Expressions, one_of
from dalenius.sql.after.regions.groups import aggregated
from dalenius.sql.after.regions.order import Sorted, Term, comparisons, in_order, positions
from dalenius.sql.after.regions.rows import Context, Presence
from dalenius.sql.after.regions.values import Exact, Unknown, Value
from dalenius.sql.text.words import word

_MOST_FRAMES = 500
_ALL = ("UNBOUNDED", "UNBOUNDED")
_SO_FAR = ("UNBOUNDED", "CURRENT ROW")
_BY_PLACE = (exp.FirstValue, exp.LastValue, exp.NthValue, exp.Lag, exp.Lead)


def in_noisy_order(
    function: exp.Expr,
    spec: exp.Expr | None,
    rows: Sequence[Context],
    keys: Sequence[Sorted],
    ways: Sequence[Term],
    of: Expressions,
) -> list[Value]:
    """The value of a window in every row, where noise has a part in the order."""
    if isinstance(function, exp.AggFunc | exp.Filter) and not isinstance(function, _BY_PLACE):
        return _aggregates(function, spec, rows, keys, ways, of)
    if not isinstance(function, _BY_PLACE) or not all(row.presence.exact for row in rows):
        reason = f"{word(function)} in the order of numbers with noise has no rule for regions"
        return [Unknown(reason)] * len(rows)
    values = [of.value(function.this, row) for row in rows]
    for value in values:
        of.region.ends(value)  # asked of every row, so that what is asked does not depend on what was released
    bounds = positions(keys, ways, of.region, ties=True)
    places = in_order(keys, ways)
    if isinstance(function, exp.Lag | exp.Lead):
        return _shifted(function, rows, values, bounds, places, of)
    return _at_place(function, spec, values, bounds, places, of)


def _bounds(spec: exp.Expr | None) -> tuple[str, str]:
    """From where to where a frame goes, as far as there is a rule for it."""
    if spec is None:
        return _SO_FAR
    if spec.args.get("exclude"):
        return "", ""
    start, end = spec.args.get("start"), spec.args.get("end") or "CURRENT ROW"
    return (start if isinstance(start, str) else ""), (end if isinstance(end, str) else "")


def _aggregates(
    function: exp.Expr,
    spec: exp.Expr | None,
    rows: Sequence[Context],
    keys: Sequence[Sorted],
    ways: Sequence[Term],
    of: Expressions,
) -> list[Value]:
    """An aggregate of all rows, or of those up to the current one: each row that may be among them may count."""
    if _bounds(spec) == _ALL:
        return [aggregated(function, [(row.presence, row) for row in rows], of)] * len(rows)
    if _bounds(spec) != _SO_FAR:
        return [Unknown("a frame in the order of numbers with noise has no rule for regions")] * len(rows)
    if len(rows) > _MOST_FRAMES:
        return [Unknown(f"a running value of more than {_MOST_FRAMES} rows in a noisy order has no rule")] * len(rows)
    by_rows = spec is not None and spec.args.get("kind") == "ROWS"
    inner = function.this
    if (
        isinstance(inner, exp.Expr)
        and not isinstance(inner, exp.Star | exp.Distinct)
        and isinstance(function, exp.AggFunc)
    ):
        for row in rows:
            row.computed[id(inner)] = of.value(inner, row)
    compared = comparisons(keys, ways, of.region)
    places = in_order(keys, ways)
    number = {place: n for n, place in enumerate(places)}
    points = [tuple(key.point for key in each) for _, each in keys]
    values: list[Value] = []
    for mine in range(len(rows)):
        members = []
        for other, row in enumerate(rows):
            relation = "before" if other == mine else compared(other, mine)
            surely = relation == "before" or (relation == "tie" and not by_rows)
            shown = number[other] <= number[mine] or (not by_rows and points[other] == points[mine])
            members.append((row.presence.both(Presence(False, surely, relation != "after", shown)), row))
        values.append(aggregated(function, members, of))
    return values


def _at_place(
    function: exp.Expr,
    spec: exp.Expr | None,
    values: Sequence[Value],
    bounds: Sequence[tuple[int, int]],
    places: Sequence[int],
    of: Expressions,
) -> list[Value]:
    """FIRST_VALUE, LAST_VALUE or NTH_VALUE of all rows: every row that may stand there."""
    size = len(values)
    frame = _bounds(spec)
    if isinstance(function, exp.FirstValue) and frame in (_ALL, _SO_FAR):
        wanted = 0
    elif isinstance(function, exp.LastValue) and frame == _ALL:
        wanted = size - 1
    elif isinstance(function, exp.NthValue) and frame == _ALL:
        offset = function.args.get("offset")
        wanted = int(offset.this) - 1 if isinstance(offset, exp.Literal) and str(offset.this).isdigit() else -1
    else:
        wanted = -1
    if wanted < 0:
        return [Unknown(f"{word(function)} over this frame, in a noisy order, has no rule for regions")] * size
    if wanted >= size:
        return [Exact(None)] * size
    reachable = [value for value, (least, most) in zip(values, bounds, strict=True) if least <= wanted <= most]
    return [one_of(reachable, values[places[wanted]].point, of.region)] * size


def _shifted(
    function: exp.Expr,
    rows: Sequence[Context],
    values: Sequence[Value],
    bounds: Sequence[tuple[int, int]],
    places: Sequence[int],
    of: Expressions,
) -> list[Value]:
    """LAG or LEAD: every other row that may stand so many places away, and the default where that may be outside."""
    size, offset, default = len(rows), function.args.get("offset"), function.args.get("default")
    if offset is not None and not (isinstance(offset, exp.Literal) and str(offset.this).isdigit()):
        return [Unknown(f"{word(function)} takes a number of rows that is written out")] * size
    step = (1 if offset is None else int(offset.this)) * (-1 if isinstance(function, exp.Lag) else 1)
    number = {place: n for n, place in enumerate(places)}
    results: list[Value] = []
    for mine, row in enumerate(rows):
        otherwise = Exact(None) if default is None else of.value(default, row)
        of.region.ends(otherwise)
        least, most = bounds[mine][0] + step, bounds[mine][1] + step
        reachable = [
            value
            for other, value in enumerate(values)
            if (other != mine or not step) and bounds[other][0] <= most and bounds[other][1] >= least
        ]
        if least < 0 or most >= size:
            reachable.append(otherwise)
        shown = number[mine] + step
        point = values[places[shown]].point if 0 <= shown < size else otherwise.point
        results.append(one_of(reachable, point, of.region))
    return results
