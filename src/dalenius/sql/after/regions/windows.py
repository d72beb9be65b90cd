"""Windows over released rows: running sums and shares keep their formula, ranks take all that is possible."""

from collections.abc import Sequence
from typing import Any

from sqlglot import exp

from dalenius.sql.after.regions.expressions import Expressions
from dalenius.sql.after.regions.frames import Run, runs
from dalenius.sql.after.regions.groups import aggregated
from dalenius.sql.after.regions.moving import moving_sums
from dalenius.sql.after.regions.noisy_order import in_noisy_order
from dalenius.sql.after.regions.order import Sorted, Term, in_order, is_exact, is_total, ranked, shares_up_to, tiled
from dalenius.sql.after.regions.rows import Context
from dalenius.sql.after.regions.values import Between, Exact, Unknown, Value
from dalenius.sql.text.words import word

_RANKS: dict[type[exp.Expr], str] = {
    **{exp.Rank: "RANK", exp.DenseRank: "DENSE_RANK", exp.RowNumber: "ROW_NUMBER", exp.PercentRank: "RANK"}
}

_BY_PLACE = (exp.RowNumber, exp.Lag, exp.Lead, exp.FirstValue, exp.LastValue, exp.NthValue, exp.Ntile)
"""Windows that tell equal rows apart by where they stand."""


def window_values(
    node: exp.Window,
    rows: Sequence[Context],
    of: Expressions,
    named: dict[str, exp.Expr],
    *,
    ordered_by_noise: bool = False,
) -> list[Value]:
    """The value of a window in every row; unknown where it hangs on an order of the rows that noise has made."""
    over = named.get(node.alias.lower(), node) if node.alias else node
    partitions: dict[tuple[Any, ...], list[int]] = {}
    for place, row in enumerate(rows):
        keys = [of.value(key, row) for key in over.args.get("partition_by") or ()]
        if not all(isinstance(key, Exact) for key in keys):
            return [Unknown("PARTITION BY a number with noise has no rule for regions")] * len(rows)
        partitions.setdefault(tuple(key.point for key in keys), []).append(place)
    values: list[Value] = [Unknown("")] * len(rows)
    for places in partitions.values():
        part = [rows[place] for place in places]
        for place, value in zip(places, _partition(node, over, part, of, ordered_by_noise), strict=True):
            values[place] = value
    return values


def order_terms(order: exp.Expr | None) -> list[tuple[exp.Expr, Term]]:
    """What ORDER BY sorts by, and which way."""
    terms = [] if order is None else order.expressions
    return [(term.this, (bool(term.args.get("desc")), bool(term.args.get("nulls_first")))) for term in terms]


def _partition(
    node: exp.Window, over: exp.Expr, rows: Sequence[Context], of: Expressions, ordered_by_noise: bool
) -> list[Value]:
    function, terms = node.this, order_terms(over.args.get("order"))
    keys: list[Sorted] = [(row.presence, tuple(of.value(term, row) for term, _ in terms)) for row in rows]
    ways = [way for _, way in terms]
    by_place = isinstance(function, _BY_PLACE) or over.args.get("spec") is not None
    if ordered_by_noise and by_place and not is_total(keys):
        return [Unknown("numbers with noise have put the rows of this window into their order")] * len(rows)
    if type(function) in _RANKS:
        ranks = ranked(keys, ways, of.region, _RANKS[type(function)])
        if not isinstance(function, exp.PercentRank):
            return ranks
        if not all(row.presence.exact for row in rows):
            return [Unknown("PERCENT_RANK over rows that noise picks has no rule for regions")] * len(rows)
        return [_percent(rank, len(rows)) for rank in ranks]
    if isinstance(function, exp.Ntile | exp.CumeDist):
        return _shares(function, rows, keys, ways, of)
    if terms and not all(isinstance(key, Exact) for _, each in keys for key in each):
        return in_noisy_order(function, over.args.get("spec"), rows, keys, ways, of)
    static = is_exact(keys)
    places = in_order(keys, ways)
    if isinstance(function, exp.Lag | exp.Lead):
        return _shifted(function, rows, places, of, static)
    spec = over.args.get("spec")
    if spec is not None and not static and str(spec.args.get("kind")).upper() != "RANGE":
        return [Unknown("a frame over rows that noise picks has no rule for regions")] * len(rows)
    frames = runs(places, keys, ways, spec)
    in_order_of_window = [rows[place] for place in places]
    values = _over_frames(function, in_order_of_window, frames, of, static)
    return [value for _, value in sorted(zip(places, values, strict=True), key=lambda pair: pair[0])]


def _over_frames(
    function: exp.Expr, rows: Sequence[Context], frames: Sequence[Run], of: Expressions, static: bool
) -> list[Value]:
    """What a function is of every frame; frames of the same rows have the same value."""
    if static and type(function) in (exp.Sum, exp.Avg) and not isinstance(function.this, exp.Distinct):
        sums = moving_sums(function, [of.value(function.this, row) for row in rows], frames)
        if sums is not None:
            return sums
    computed = {(a, b): _of_frame(function, rows[a:b], of, static) for a, b in dict.fromkeys(frames)}
    return [computed[frame] for frame in frames]


def _shares(
    function: exp.Expr, rows: Sequence[Context], keys: Sequence[Sorted], ways: Sequence[Term], of: Expressions
) -> list[Value]:
    """NTILE and CUME_DIST."""
    if not all(row.presence.exact for row in rows):
        return [Unknown(f"{word(function)} over rows that noise picks has no rule for regions")] * len(rows)
    if isinstance(function, exp.CumeDist):
        return shares_up_to(keys, ways, of.region)
    tiles = function.this
    if not isinstance(tiles, exp.Literal) or not str(tiles.this).isdigit() or not int(tiles.this):
        return [Unknown("NTILE takes a number that is written out")] * len(rows)
    return tiled(keys, ways, of.region, int(tiles.this))


def _percent(rank: Value, size: int) -> Value:
    last = max(1, size - 1)
    if isinstance(rank, Exact):
        return Exact((rank.point - 1) / last)
    assert isinstance(rank, Between)
    point = None if rank.point is None else (rank.point - 1) / last
    return Between((rank.low - 1) / last, (rank.high - 1) / last, point)


def _shifted(
    function: exp.Expr, rows: Sequence[Context], places: list[int], of: Expressions, static: bool
) -> list[Value]:
    if not static:
        return [Unknown(f"{word(function)} over rows that noise picks has no rule for regions")] * len(rows)
    offset = function.args.get("offset")
    step = Exact(1) if offset is None else of.value(offset, rows[0])
    if not isinstance(step, Exact) or not isinstance(step.point, int):
        return [Unknown(f"{word(function)} takes a number of rows that is written out")] * len(rows)
    by = -step.point if isinstance(function, exp.Lag) else step.point
    default = function.args.get("default")
    values: list[Value] = [Exact(None)] * len(rows)
    for number, place in enumerate(places):
        if 0 <= number + by < len(places):
            values[place] = of.value(function.this, rows[places[number + by]])
        elif default is not None:
            values[place] = of.value(default, rows[place])
    return values


def _of_frame(function: exp.Expr, frame: Sequence[Context], of: Expressions, static: bool) -> Value:
    if isinstance(function, exp.FirstValue | exp.LastValue | exp.NthValue):
        if not static:
            return Unknown(f"{word(function)} over rows that noise picks has no rule for regions")
        place = _place(function)
        if place is None:
            return Unknown(f"{word(function)} takes a number that is written out")
        if not -len(frame) <= place < len(frame):
            return Exact(None)
        return of.value(function.this, frame[place])
    if not isinstance(function, exp.AggFunc | exp.Filter):
        return Unknown(f"{word(function)} over a window has no rule for regions")
    return aggregated(function, [(row.presence, row) for row in frame], of)


def _place(function: exp.Expr) -> int | None:
    """Which row of a frame FIRST_VALUE and its like take."""
    if not isinstance(function, exp.NthValue):
        return 0 if isinstance(function, exp.FirstValue) else -1
    offset = function.args.get("offset")
    is_written = isinstance(offset, exp.Literal) and str(offset.this).isdigit() and int(offset.this) > 0
    return int(offset.this) - 1 if is_written and offset is not None else None
