"""Find privately how many rows of a unit should count in full."""

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.calls import named_arguments
from dalenius.curator import Curator, Facts, Measure, Measured, Outcome, Plan, Release, Then
from dalenius.curator.plans.plan import check_view
from dalenius.errors import InvalidParameter
from dalenius.escape import escaped
from dalenius.guarantees import PureDP
from dalenius.neighbors import Metric, Relation, Sensitivity, Unit
from dalenius.noise import Lattice
from dalenius.noise.lattice import INTEGERS
from dalenius.numerics import Number, positive, rational
from dalenius.queries import Keys, Table, View
from dalenius.queries.identity import identities
from dalenius.queries.query import VALUE
from dalenius.queries.reach import norm_of
from dalenius.statistics.about import About, facts_of
from dalenius.statistics.expected import Expected

_DOUBT = Fraction(1, 1000)
"""How likely noise may make some empty bin look taken."""


@dataclass(frozen=True, slots=True)
class RowsPerUnit:
    """How many units own 1 row, 2, 3–4, 5–8, …, up to 2^`octaves`, and how many more: each unit is in one bin.

    Rows whose unit is NULL belong to nobody.
    """

    column: str
    octaves: int = 16

    def __post_init__(self) -> None:
        if isinstance(self.octaves, bool) or not isinstance(self.octaves, int) or not 1 <= self.octaves <= 30:
            raise InvalidParameter(f"octaves must be a whole number from 1 to 30, got {self.octaves!r}")

    @property
    def columns(self) -> tuple[str, ...]:
        """One number for each bin."""
        return VALUE

    @property
    def keys(self) -> Keys:
        """The most rows of a unit in each bin; the last bin, twice the largest, has no end."""
        return Keys("rows", [2**k for k in range(self.octaves + 2)])

    @property
    def reads(self) -> tuple[str, ...]:
        """The units' column."""
        return (self.column,)

    @property
    def lattice(self) -> Lattice:
        return INTEGERS

    def evaluate(self, view: Table) -> NDArray[np.int64]:
        """The number of units in each bin."""
        units = identities(view.column(self.column))
        owned = np.bincount(units[units >= 0], minlength=1)
        ends = np.array([2**k for k in range(self.octaves + 1)])
        places = np.searchsorted(ends, owned[owned > 0], "left")  # the first end that is not below
        return np.bincount(places, minlength=self.octaves + 2).astype(np.int64)

    def sensitivity(self, unit: Unit, metric: Metric = Metric.L1) -> Sensitivity:
        """A unit is in one bin whatever it owns: 1 if it comes or goes, 2 (√2 in ℓ2) if it changes  [A Ex 3.4]."""
        if unit.column != self.column:
            raise InvalidParameter(f"rows are counted for each {self.column}, not for each {unit.name}")
        if unit.relation is Relation.ADD_REMOVE or norm_of(metric) is Metric.LINF:
            return Sensitivity(1, norm_of(metric))
        return Sensitivity(2, metric) if metric is Metric.L1 else Sensitivity.root(2, metric)

    def facts(self) -> dict[str, Any]:
        return {"query": "rows per unit", "column": self.column, "octaves": self.octaves}

    @escaped
    def __str__(self) -> str:
        return f"units by how many rows each {self.column} owns, in powers of two up to 2^{self.octaves}"


@dataclass(frozen=True, slots=True)
class PrivateContributions:
    """Find contributions first, for `share` of ε, among the powers of two up to 2^`octaves`."""

    share: Fraction = field(default=Fraction(1, 10))
    octaves: int = 16

    def __post_init__(self) -> None:
        object.__setattr__(self, "share", positive(self.share, "share"))
        if self.share >= 1:
            raise InvalidParameter(f"share must leave something of ε, got {self.share}")


WantedContributions = PrivateContributions | str | int | None
"""How many rows of a unit count in full; "private" to find it."""


@named_arguments
def contributions_histogram(
    *,
    epsilon: Number,
    unit: Unit | str | None = None,
    octaves: int = 16,
    about: About = None,
    name: str = "units",
) -> Measure[Table]:
    """How many units own how many rows, in powers of two.

    A plan of its own: released once, it is kept by the ledger, and asking again costs nothing.

    Args:
        epsilon: what the histogram costs.
        unit: the privacy unit: a Unit, or the column that names a person; by default that of `about`, else each row.
        octaves: the histogram ends at 2^octaves rows of a unit.
        about: declared facts (bounds, keys, unit, contributions), or a curator that has them.
        name: what the released number is called.

    >>> print(contributions_histogram(epsilon=0.1, unit="user_id").guarantee.epsilon(0))
    0.1
    """
    who = facts_of(about, unit).unit
    if who.column is None:
        raise InvalidParameter("each row is one contribution: contributions are found for a unit that owns several")
    return Measure.calibrated(RowsPerUnit(who.column, octaves), epsilon=epsilon, unit=who, name=name)


@named_arguments
def choose_contributions(released: Release | Outcome, *, epsilon: Number) -> int:
    """The power of two T with the least T/ε + Σ(units in a bin)·(their rows − T)⁺, the noise and what is cut off.

    From the released histogram alone, for a statistic that will cost ε. A bin within the noise of all bins together
    (99.9 %) counts as empty, else its noise would be taken for people with very many rows. A bin's rows are three
    quarters of its end.

    Args:
        released: a release of `contributions_histogram`.
        epsilon: the ε of the statistic that will use the number.
    """
    outcome = released.outcome if isinstance(released, Release) else released
    column, keys = outcome.columns[0], outcome.keys
    if keys is None or not isinstance(column, Measured):
        raise InvalidParameter("contributions are chosen from a release of contributions_histogram")
    ends = [int(end) for end in keys.values]
    radius = column.accuracy(_DOUBT, len(ends))
    units = [count if count > radius else 0 for count in column.cells]
    rows = [Fraction(3 * end, 4) if end > 2 else Fraction(end) for end in ends]
    rate = positive(epsilon, "epsilon")

    def cost(most: int) -> Fraction:
        cut = sum((n * max(own - most, Fraction(0)) for n, own in zip(units, rows, strict=True)), Fraction(0))
        return most / rate + cut

    return min(ends[:-1], key=lambda most: (cost(most), most))


@named_arguments
def private_contributions(
    curator: Curator[Any], *, epsilon: Number, then: Number, octaves: int = 16, name: str = "units"
) -> int:
    """Release the histogram (paid for once: the ledger keeps it) and choose T for a statistic that will cost `then`.

    Args:
        curator: the gate that holds the data and its ledger.
        epsilon: what the histogram costs.
        then: the ε of the statistic that will use the number.
        octaves: the histogram ends at 2^octaves rows of a unit.
        name: what the released number is called.
    """
    plan = contributions_histogram(epsilon=epsilon, octaves=octaves, about=curator, name=name)
    return choose_contributions(curator.release(plan), epsilon=then)


@dataclass(frozen=True, slots=True)
class WithContributions:
    """The statistic with the contributions that the histogram speaks for."""

    make: Callable[[int], Plan[Table]]
    epsilon: Fraction

    def __call__(self, released: Outcome) -> Plan[Table]:
        """The plan for the T chosen."""
        return self.make(choose_contributions(released, epsilon=self.epsilon))

    def notes(self, released: Outcome) -> dict[str, Any]:
        """The T chosen."""
        return {"contributions": choose_contributions(released, epsilon=self.epsilon)}

    def check(self, view: View) -> None:
        """Refuse, before the charge, what the plan for T = 1 refuses: all of them read the same columns."""
        check_view(self.make(1), view)

    def facts(self) -> dict[str, Any]:
        """The plan for T = 1, which says all else."""
        return {"rule": "contributions", "epsilon": str(self.epsilon), "then": self.make(1).fingerprint}

    def expected(self) -> object:
        """The plan for T = 1."""
        return Expected("with contributions T, whose noise is T times that of", self.make(1).explain())


def after_contributions(
    wanted: WantedContributions, facts: Facts, epsilon: Number, make: Callable[[Facts, Fraction], Plan[Table]]
) -> Plan[Table]:
    """The plan that `make` builds for facts and an ε, after the contributions are found if that is wanted."""
    budget = positive(epsilon, "epsilon")
    if wanted is None or (isinstance(wanted, int | np.integer) and not isinstance(wanted, bool)):
        return make(facts_of(facts, None, None if wanted is None else int(wanted)), budget)
    search = PrivateContributions() if wanted == "private" else wanted
    if not isinstance(search, PrivateContributions):
        raise InvalidParameter(
            f'contributions must be a whole number, "private" or PrivateContributions, got {wanted!r}'
        )
    first = budget * rational(search.share, "share")
    histogram = contributions_histogram(epsilon=first, octaves=search.octaves, about=facts, name="units")
    rest = budget - first
    rule = WithContributions(lambda most: make(facts_of(facts, None, most), rest), rest)
    rule.make(2**search.octaves)  # what no noise can be drawn for is refused here, before anything is charged
    return Then(histogram, rule, PureDP(rest, facts.unit.relation))
