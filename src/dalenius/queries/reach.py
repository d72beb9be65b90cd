"""From what one row can add to how far one unit can move an answer."""

from dataclasses import dataclass
from fractions import Fraction

from dalenius.errors import InvalidParameter
from dalenius.neighbors import Metric, Relation, Sensitivity, Unit
from dalenius.queries.weights import ONE, Contributions, shift, unbounded


@dataclass(frozen=True, slots=True)
class UnitReach:
    """The set S of vectors that one row can add to one cell, in steps, and how the query places it.

    `norm` is the largest length in S, `spread` the largest distance between two of its members, `box` the widest range
    of one coordinate with 0 in it, `signed` whether a coordinate can have either sign; `parts` is their number.
    `most` is the largest absolute coordinate, `cells` the number of cells, and `dropped` says whether a row may add
    nothing (no value, or no declared key).
    """

    norm: Sensitivity
    spread: Sensitivity
    box: int
    most: int
    signed: bool = False
    parts: int = 1
    cells: int = 1
    dropped: bool = False

    def sensitivity(self, unit: Unit, contributions: Contributions | None) -> Sensitivity:
        """How far the answers on neighbors lie apart  [A Def 3.4, A Rem 3.9, A Ex 3.4, G sensitivity].

        ADD_REMOVE: a row adds at most `norm`, a unit at most T·2²⁰ times that by its weights and the triangle
        inequality. CHANGE_ONE: see `_row_changed` and `_unit_changed`.
        """
        if contributions is None:
            if unit.column is not None:
                raise unbounded(unit)
            return self.norm if unit.relation is Relation.ADD_REMOVE else self._row_changed()
        if unit.column != contributions.column:
            raise InvalidParameter(
                f"the query is bounded for each {contributions.column}, not for each {unit.name}: "
                "contributions must name the unit's column"
            )
        full = Fraction(contributions.most * ONE, 1 << shift(self.most))
        return full * (self.norm if unit.relation is Relation.ADD_REMOVE else self._unit_changed())

    def _row_changed(self) -> Sensitivity:
        """Two members of S in one cell, a member and nothing, or two members in two cells."""
        far = self.spread
        if self.dropped:
            far = _larger(far, self.norm)
        return _larger(far, self._apart()) if self.cells > 1 else far

    def _unit_changed(self) -> Sensitivity:
        """A unit of full weight 1 adds a mean of members of S and 0, each coordinate possibly cut toward zero.

        In one coordinate that stays in the range `box`. Else ‖a − b‖ ≤ ‖a‖ + ‖b‖, and where no coordinate is negative
        ‖a − b‖₂² ≤ ‖a‖₂² + ‖b‖₂².
        """
        metric = self.norm.metric
        if metric is Metric.LINF or self.parts * self.cells == 1:
            return Sensitivity(self.box, metric)
        return 2 * self.norm if self.signed else self._apart()

    def _apart(self) -> Sensitivity:
        """The largest distance between vectors of length `norm` with no coordinate in common."""
        if self.norm.metric is Metric.L1:
            return 2 * self.norm
        return self.norm if self.norm.metric is Metric.LINF else Sensitivity.root(2 * self.norm.square, Metric.L2)


def norm_of(metric: Metric) -> Metric:
    """The metric, refused unless it is a norm of an answer."""
    if Metric.of(metric) is Metric.UNITS:
        raise InvalidParameter("an answer is measured in Metric.L1, L2 or LINF; Metric.UNITS counts units of data")
    return metric


def scalar(low: int, high: int, metric: Metric, *, cells: int, dropped: bool) -> UnitReach:
    """The reach of one whole number from low to high: in one coordinate all norms are the same."""
    most = max(abs(low), abs(high))
    return UnitReach(
        norm=Sensitivity(most, norm_of(metric)),
        spread=Sensitivity(high - low, metric),
        box=max(high, 0) - min(low, 0),
        most=most,
        signed=low < 0,
        cells=cells,
        dropped=dropped,
    )


def _larger(one: Sensitivity, other: Sensitivity) -> Sensitivity:
    return one if one.square >= other.square else other
