"""Bounds of a column, found privately on a logarithmic scale."""

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from dalenius.curator import Facts, Measure, Measured, Outcome, Plan, Release, Then
from dalenius.curator.plans.plan import check_view
from dalenius.errors import InvalidParameter
from dalenius.guarantees import PureDP
from dalenius.numerics import Number, positive
from dalenius.queries import Bins, Table, View
from dalenius.queries.bounds import Ends
from dalenius.statistics.about import bounded
from dalenius.statistics.expected import Expected
from dalenius.statistics.public_rows import PublicRowCount

_DOUBT = Fraction(1, 1000)
"""How likely noise may make some empty bin look taken."""
NOTHING_FOUND = (Fraction(-1), Fraction(1))
"""The bounds where no bin stands out of the noise."""


@dataclass(frozen=True, slots=True)
class PrivateBounds:
    """Find bounds first, for `share` of ε, among ±2^k with k from `least` to `most`, which are public."""

    share: Fraction = field(default=Fraction(1, 5))
    least: int = -10
    most: int = 40

    def __post_init__(self) -> None:
        object.__setattr__(self, "share", positive(self.share, "share"))
        if self.share >= 1:
            raise InvalidParameter(f"share must leave something of ε, got {self.share}")
        ends = (self.least, self.most)
        if any(isinstance(end, bool) or not isinstance(end, int) or abs(end) > 400 for end in ends):
            raise InvalidParameter(f"exponents must be whole numbers within 400, got {ends}")
        if not self.least < self.most:
            raise InvalidParameter(f"the least exponent must be below the most, got {ends}")

    @property
    def edges(self) -> tuple[Fraction, ...]:
        """−2^most, …, −2^least, 2^least, …, 2^most."""
        powers = [Fraction(2) ** k for k in range(self.least, self.most + 1)]
        return (*(-power for power in reversed(powers)), *powers)


WantedBounds = PrivateBounds | str | Ends | None
"""Bounds of a row; "private" to find them."""


def bounds_histogram(
    column: str, *, epsilon: Number, facts: Facts, search: PrivateBounds, name: str = "rows"
) -> Measure[Table]:
    """How many rows lie in each bin between neighboring powers of two; rows beyond 2^most are in none."""
    return Measure.calibrated(Bins(column, search.edges, bounded(facts)), epsilon=epsilon, unit=facts.unit, name=name)


def choose_bounds(released: Release | Outcome, search: PrivateBounds) -> tuple[Fraction, Fraction]:
    """The least interval between powers of two that holds every bin which stands out of the noise of all bins.

    With probability 999/1000 no empty bin does. Bins with fewer rows than the noise hides are left out, and their rows
    are held to the bounds: that is the price of not knowing. Where none stands out the bounds are ±1.
    """
    outcome = released.outcome if isinstance(released, Release) else released
    column, edges = outcome.columns[0], search.edges
    if not isinstance(column, Measured) or len(column.cells) != len(edges) - 1:
        raise InvalidParameter("bounds are chosen from a release of bounds_histogram for the same search")
    radius = Fraction(column.accuracy(_DOUBT, len(column.cells))) / column.lattice.step
    taken = [place for place, count in enumerate(column.cells) if count > radius]
    if not taken:
        return NOTHING_FOUND
    return edges[taken[0]], edges[taken[-1] + 1]


@dataclass(frozen=True, slots=True)
class WithBounds:
    """The statistic with the bounds that the histogram speaks for."""

    make: Callable[[Ends], Plan[Table]]
    search: PrivateBounds
    column: str

    def __call__(self, released: Outcome) -> Plan[Table]:
        """The plan for the bounds chosen."""
        return self.make(choose_bounds(released, self.search))

    def notes(self, released: Outcome) -> dict[str, Any]:
        """The bounds chosen, exactly: they are powers of two."""
        low, high = choose_bounds(released, self.search)
        return {"bounds": {self.column: [float(low), float(high)]}}

    def check(self, view: View) -> None:
        """Refuse, before the charge, what the plan for bounds of ±1 refuses: all of them read the same columns."""
        check_view(self.make(NOTHING_FOUND), view)

    def facts(self) -> dict[str, Any]:
        """The plan for bounds of ±1, which says all else, and the search."""
        search = {"least": self.search.least, "most": self.search.most, "share": str(self.search.share)}
        return {"rule": "bounds", "then": self.make(NOTHING_FOUND).fingerprint} | search

    def expected(self) -> object:
        """The plan for bounds of ±1."""
        return Expected("within bounds found among powers of two; were they ±1", self.make(NOTHING_FOUND).explain())


def after_bounds(
    wanted: WantedBounds, column: str, facts: Facts, epsilon: Fraction, make: Callable[[Ends, Fraction], Plan[Table]]
) -> Plan[Table]:
    """The plan that `make` builds for bounds and an ε, after the bounds are found if that is wanted."""
    search = PrivateBounds() if isinstance(wanted, str) and wanted == "private" else wanted
    if not isinstance(search, PrivateBounds):
        # bounds written as whole numbers declare whole rows, so they are handed on as they were written
        ends = facts.bounds_of(column, search)  # type: ignore[arg-type]
        return make(ends if search is None else tuple(search), epsilon)  # type: ignore[arg-type]
    first = epsilon * search.share
    histogram = bounds_histogram(column, epsilon=first, facts=facts, search=search)
    rest = epsilon - first
    rule = WithBounds(lambda ends: make(ends, rest), search, column)
    # what no noise can be drawn for is refused here, before anything is charged
    rule.make((search.edges[0], search.edges[-1]))
    # a wrong number of rows must be refused before the charge, and only the first step is asked then
    searched = histogram if facts.rows is None else PublicRowCount(histogram, facts.rows)
    return Then(searched, rule, PureDP(rest, facts.unit.relation))
