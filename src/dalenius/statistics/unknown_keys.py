"""Plan a table of counts by the values of a column that are not public."""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from dalenius.curator import Measure, Outcome, Then
from dalenius.curator.plans.select import Select
from dalenius.errors import InvalidParameter
from dalenius.guarantees import ApproxDP, PureDP
from dalenius.mechanisms import PartitionSelection
from dalenius.neighbors import Metric, Sensitivity, Unit
from dalenius.numerics import Number, positive, probability, rational
from dalenius.queries import Contributions, Count, DistinctUnits, Keys, Table
from dalenius.queries.groups import Groups
from dalenius.statistics.about import About, bounded, facts_of
from dalenius.statistics.expected import Expected
from dalenius.statistics.given_data import takes_data


@takes_data
def unknown_keys(
    column: str,
    *,
    epsilon: Number,
    delta: Number,
    groups: int = 1,
    min_units: int = 1,
    share: Number = 0.5,
    salt: str = "",
    unit: Unit | str | None = None,
    contributions: int | None = None,
    about: About = None,
    name: str = "count",
) -> Then[Table]:
    """A table of the values that enough units share, each with a noisy count; it may have no row at all.

    First δ and `share` of ε name values by the optimal law, each unit counting in at most `groups` of them
    [DVGM22]; then the rest of ε counts over those named, which are public by then  [A Ex 3.4, A Thm 3.3]. Rows are
    counted where each row is a unit, or `contributions` says how many of a unit count in full; else units are, one in
    several groups by a part in each. A value of fewer than `min_units` units is never named.

    Args:
        column: the column that is asked about.
        epsilon: what the answer costs.
        delta: the chance that is spent on naming values; above 0.
        groups: in how many groups one unit counts at most.
        min_units: a value of fewer units is never named.
        share: the part of ε that names the values; the rest counts them.
        salt: text that changes the public hash by which some values of a unit are taken.
        unit: the privacy unit: a Unit, or the column that names a person; by default that of `about`, else each row.
        contributions: contribution bound: if a unit has more rows, each is weighted down so that together they count
            as this many.
        about: declared facts (bounds, keys, unit, contributions), or a curator that has them.
        name: what the released number is called.

    >>> plan = unknown_keys("city", epsilon=1, delta=1e-9)
    >>> plan.guarantee.sum_form
    (Fraction(1, 1), Fraction(1, 1000000000))
    """
    facts = facts_of(about, unit, contributions)
    who, total, part = facts.unit, positive(epsilon, "epsilon"), rational(share, "share")
    slack = probability(delta, "delta")
    if who.column is None or facts.contributions is not None:
        bounded(facts)  # refuses contributions of a row
    if not 0 < part < 1:
        raise InvalidParameter(f"share must lie strictly between 0 and 1, got {share}")
    target = ApproxDP(part * total, slack, who.relation)
    if slack in (0, 1):
        raise InvalidParameter(f"delta must lie in (0, 1), got {delta}: without it no unknown key can be named")
    one = PartitionSelection.least(Sensitivity(1, Metric.UNITS), target)
    query = Groups(column, who.column, groups, salt)
    mechanism = replace(one, groups=groups, min_units=min_units)
    counted = _Counted(column, who, (1 - part) * total, groups, facts.contributions, name)
    return Then(Select(query, mechanism, who), counted, PureDP((1 - part) * total, who.relation))


@dataclass(frozen=True, slots=True)
class _Counted:
    """A histogram over the keys that were named."""

    column: str
    unit: Unit
    epsilon: Fraction
    groups: int
    contributions: int | None
    name: str

    def __post_init__(self) -> None:
        self._over(Keys(self.column, ["a", "b"]))  # whatever can be refused is, before anything is charged

    def __call__(self, released: Outcome) -> Measure[Table]:
        assert released.keys is not None
        return self._over(released.keys)

    def notes(self, released: Outcome) -> dict[str, Any]:
        """Nothing that the answer does not show."""
        return {}

    def facts(self) -> dict[str, Any]:
        """What is counted, and for how much."""
        example = self._over(Keys(self.column, ["a", "b"]))
        return {"then": "count of named keys", "part": example.fingerprint}

    def expected(self) -> Expected:
        """That of two keys."""
        return Expected(
            "a count for each key that was named, as for these two", self._over(Keys("key", [1, 2])).explain()
        )

    def _over(self, keys: Keys) -> Measure[Table]:
        who = self.unit.column
        if who is None:
            return self._measured(Count(keys))
        if self.contributions is None:
            return self._measured(DistinctUnits(Contributions(who, self.groups), keys))
        return self._measured(Count(keys, Contributions(who, self.contributions)))

    def _measured(self, query: Count | DistinctUnits) -> Measure[Table]:
        return Measure.calibrated(query, epsilon=self.epsilon, unit=self.unit, name=self.name)
