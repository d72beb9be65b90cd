"""Plan the mean of a column without bounds, under a declared bound on a moment."""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from dalenius.curator import ColumnPlan, Facts, Measured, Outcome, Plan, Then
from dalenius.curator.plans.fingerprint import fingerprint_of
from dalenius.curator.plans.plan import PlanAround, check_view
from dalenius.errors import InvalidParameter, UnprovenClaim
from dalenius.escape import escaped
from dalenius.guarantees import Guarantee, PureDP
from dalenius.ledger import Blocks
from dalenius.neighbors import Unit
from dalenius.noise import Bits
from dalenius.numerics import Number, positive
from dalenius.queries import Table, View
from dalenius.queries.bounds import Missing
from dalenius.queries.moment_bound import MOMENT, MomentBound
from dalenius.statistics.about import About, facts_of
from dalenius.statistics.count import count
from dalenius.statistics.expected import Expected
from dalenius.statistics.given_data import takes_data
from dalenius.statistics.mean import mean

_COUNT_SHARE = Fraction(1, 10)


@dataclass(frozen=True, slots=True)
class WithMoment(PlanAround[Table]):
    """A mean with rows held in ±clamp, whose release says which moment was declared.

    The guarantee is the plan's, by the clamp: were the declared moment wrong, nobody would be less private, but the
    answer would be further off than an interval for the population says.
    """

    plan: ColumnPlan[Table]
    moment: MomentBound
    clamp: Fraction
    rows: int | None

    @property
    def guarantee(self) -> Guarantee:
        """The plan's, whatever the moment  [A Prop 3.1]."""
        return self.plan.guarantee

    @property
    def blocks(self) -> Blocks | None:
        return self.plan.blocks

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the plan's fingerprint and the moment."""
        return fingerprint_of("with moment", {"part": self.plan.fingerprint} | self.moment.facts())

    def explain(self) -> "MomentExplanation":
        """What the plan says of itself, and what was declared."""
        return MomentExplanation(self.moment, self.clamp, self.plan.explain())

    def check(self, view: View) -> None:
        """Refuse what the plan refuses."""
        check_view(self.plan, view)

    def run(self, view: Table, bits: Bits) -> Outcome:
        """The plan's outcome, with the moment in its notes."""
        outcome = self.plan.run(view, bits)
        noted: dict[str, Any] = self.moment.facts() | {"clamp": str(self.clamp)}
        if self.rows is not None:
            noted["rows"] = self.rows
        return replace(outcome, notes=outcome.notes | {MOMENT: noted})


@dataclass(frozen=True, slots=True)
class MomentExplanation:
    """What is declared, and what the mean of the held rows costs."""

    moment: MomentBound
    clamp: Fraction
    part: object

    @escaped
    def __str__(self) -> str:
        bias = f"{self.moment.bias(self.clamp):.3g}"
        return (
            f"declared     {self.moment}: not checked, and not what privacy rests on\n"
            f"clamp        ± {float(self.clamp):g}, which moves the population's mean by at most {bias}\n\n"
            f"{self.part}"
        )


@dataclass(frozen=True, slots=True)
class AfterCount:
    """The mean with the clamp for as many rows as a noisy count says."""

    column: str
    moment: MomentBound
    epsilon: Fraction
    about: Facts
    missing: Missing | None
    name: str

    def __call__(self, released: Outcome) -> Plan[Table]:
        """The plan for that many rows."""
        counted = released.columns[0]
        assert isinstance(counted, Measured)
        return self.make(max(1, counted.cells[0]))

    def make(self, rows: int) -> WithMoment:
        """The plan for a number of rows."""
        return _held(self.column, self.moment, rows, self.epsilon, self.about, self.missing, self.name)

    def notes(self, released: Outcome) -> dict[str, Any]:
        """Nothing more: the clamp stands in the notes of the second step."""
        return {}

    def check(self, view: View) -> None:
        """Refuse what the plan for one row refuses."""
        check_view(self.make(1), view)

    def facts(self) -> dict[str, Any]:
        """The plan for a thousand rows, which says all else."""
        return {"rule": "moment", "then": self.make(1000).fingerprint}

    def expected(self) -> object:
        """The plan for a thousand rows."""
        return Expected("with the clamp for as many rows as were counted; were they 1000", self.make(1000).explain())


@takes_data
def heavy_tailed_mean(
    column: str,
    order: Number,
    bound: Number = 1,
    *,
    epsilon: Number,
    rows: int | None = None,
    missing: Missing | None = None,
    unit: Unit | str | None = None,
    about: About = None,
    name: str = "mean",
) -> Plan[Table]:
    """The mean of a column without bounds, of a population with E|X|^order ≤ bound  [A Thm 4.2, BD14].

    Rows are held in ±τ with τ ∝ (nε)^(1/order), where what is cut off and the noise are of one size: the squared error
    is of order 1/n + (1/(nε)²)^((order−1)/order), which no private estimate beats. Privacy comes from the clamp: it
    holds whether or not the declared moment does. `interval` of the release is about the held rows;
    `inference.heavy_tailed_mean` gives one for the mean of the population.

    Args:
        column: the column that is asked about.
        order: which moment is bounded, above 1; the larger, the lighter the tails.
        bound: what it is at most, from public knowledge.
        epsilon: what the answer costs.
        rows: about how many rows there are, publicly known, for the clamp alone; left out, the number that is public
            under CHANGE_ONE, else it is counted for a tenth of ε.
        missing: what a row without a number counts as: "drop" leaves it out, "nearest" is 0, and a number is taken.
        unit: the privacy unit; each must have one row here.
        about: declared facts, or a curator that has them.
        name: what the released number is called.

    >>> print(float(heavy_tailed_mean("income", 2, 4, epsilon=1, rows=10_000).clamp))
    70.7
    """
    facts, moment, budget = facts_of(about, unit), MomentBound(order, bound), positive(epsilon, "epsilon")  # type: ignore[arg-type]
    if facts.unit.column is not None:
        raise UnprovenClaim("a declared moment is of one row for each person: the unit must be the row")
    known = facts.rows if rows is None else rows
    if known is not None:
        if isinstance(known, bool) or not isinstance(known, int) or known < 1:
            raise InvalidParameter(f"rows must be a whole number ≥ 1, got {known!r}")
        return _held(column, moment, known, budget, facts, missing, name)
    first = budget * _COUNT_SHARE
    rule = AfterCount(column, moment, budget - first, facts, missing, name)
    counted = count(epsilon=first, unit=facts.unit, name="rows")
    return Then(counted, rule, PureDP(budget - first, facts.unit.relation))


def _held(
    column: str, moment: MomentBound, rows: int, epsilon: Fraction, facts: Facts, missing: Missing | None, name: str
) -> WithMoment:
    clamp = moment.clamp(rows, epsilon)
    plan = mean(column, (-clamp, clamp), epsilon=epsilon, missing=missing, about=facts, name=name)
    return WithMoment(plan, moment, clamp, facts.rows)  # type: ignore[arg-type]
