"""A plan that sees a secret random sample only."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.curator.answer.outcome import Outcome
from dalenius.curator.plans.fingerprint import fingerprint_of
from dalenius.curator.plans.plan import ColumnPlan, PlanAround, check_view
from dalenius.errors import InvalidParameter, UnprovenClaim
from dalenius.escape import escaped
from dalenius.guarantees import ApproxDP, Guarantee, PoissonSampling, PureDP, Sampling, SubsetSampling
from dalenius.ledger import to_form
from dalenius.neighbors import Unit
from dalenius.noise import Bits, UniformInteger
from dalenius.queries import Table, View
from dalenius.queries.identity import identities

_LARGEST_DENOMINATOR = 2**63


@dataclass(frozen=True, slots=True)
class SampledExplanation:
    """What a plan over a sample would cost; its error is about the sample's answer."""

    part: object
    sampling: Sampling
    guarantee: Guarantee
    unit: Unit

    @escaped
    def __str__(self) -> str:
        return (
            f"sample       {self.sampling}, kept secret\nprotects     {self.unit}\ncost         {self.guarantee}\n\n"
            f"on the sample, if it were not secret, its error about the sample's own answer:\n{self.part}"
        )


@dataclass(frozen=True, slots=True)
class Sampled(PlanAround[Table]):
    """A plan run on a secret sample of the units of a table in memory, priced by amplification  [A Alg 6, A Thm 13.7].

    A unit is in the sample with all its rows, or with none: a sample of *rows* would hold nearly every unit that owns
    many. Rows of nobody (NULL in the unit's column) are in no sample. The sample is drawn, read and forgotten: it is
    neither stored nor shown. The released numbers, and their error, are about the sample; to scale them up costs
    nothing, but adds the error of sampling.
    """

    plan: ColumnPlan[Table]
    sampling: Sampling

    def __post_init__(self) -> None:
        if not isinstance(self.sampling, PoissonSampling | SubsetSampling):
            raise UnprovenClaim(f"no way to draw {type(self.sampling).__name__}: use PoissonSampling or SubsetSampling")
        if self.unit.column is not None and not isinstance(self.sampling, PoissonSampling):
            raise UnprovenClaim(
                f"how many {self.unit.name} there are is not public where each may own many rows: use PoissonSampling"
            )
        rate = self.sampling.rate_for(self.unit.relation)
        if isinstance(self.sampling, PoissonSampling) and rate.denominator > _LARGEST_DENOMINATOR:
            raise InvalidParameter(f"a rate must be a fraction with a denominator of at most 2^63, got {rate}")

    @property
    def guarantee(self) -> Guarantee:
        """That of the plan, amplified; where that has no (ε, δ) to charge, the plan's own (ε, δ) amplified.

        [A Prop 11.1, A Thm 13.7].
        """
        return _amplified(self.plan.guarantee, self.sampling)

    @property
    def blocks(self) -> None:
        """All units: anyone may be drawn."""
        return None

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the plan's fingerprint and the sampling."""
        facts = {
            "part": self.plan.fingerprint,
            "sampling": _facts(self.sampling),
            "guarantee": to_form(self.guarantee),
        }
        return fingerprint_of("sampled", facts)

    def explain(self) -> SampledExplanation:
        """Cost, and what the plan says of itself, for free."""
        return SampledExplanation(self.plan.explain(), self.sampling, self.guarantee, self.unit)

    def check(self, view: View) -> None:
        """Refuse what is no table in memory, and under CHANGE_ONE, where it is public, another number of rows."""
        if not isinstance(view, Table):
            raise UnprovenClaim(f"only a table in memory can be sampled, got a {type(view).__name__}")
        if isinstance(self.sampling, SubsetSampling):
            if len(view) != self.sampling.total:
                raise InvalidParameter(f"the sampling is for {self.sampling.total} rows, which the data does not have")
            # the plan sees a public number of rows; a check takes no more from the data
            nothing = np.broadcast_to(np.int64(0), self.sampling.size)
            check_view(self.plan, Table(dict.fromkeys(view.columns, nothing)))
        else:
            if self.unit.column is not None:
                view.column(self.unit.column)
            check_view(self.plan, view)

    def run(self, view: Table, bits: Bits) -> Outcome:
        """Draw the sample, run the plan on it, forget it."""
        self.check(view)
        return self.plan.run(_rows(view, self._kept(view, bits)), bits)

    def _kept(self, view: Table, bits: Bits) -> NDArray[np.intp]:
        if self.unit.column is None:
            return drawn(self.sampling, len(view), bits)
        present, owner = np.unique(identities(view.column(self.unit.column)), return_inverse=True)
        kept = np.zeros(len(present), np.bool_)
        kept[drawn(self.sampling, len(present), bits)] = True  # independent draws: it does not matter which is whose
        return np.flatnonzero(kept[owner] & (present[owner] >= 0))


def drawn(sampling: Sampling, rows: int, bits: Bits) -> NDArray[np.intp]:
    """The kept rows, or units, in order; exactly the law that `sampling` names  [A Alg 6].

    A subset is that of the rows with the smallest of independent 64-bit marks. Given that no two marks are equal (else
    all are drawn again) every order of them is equally likely, so every subset of that size is.
    """
    if isinstance(sampling, PoissonSampling):
        kept = UniformInteger(sampling.rate.denominator).sample(bits, rows) < sampling.rate.numerator
        return np.flatnonzero(kept)
    if not isinstance(sampling, SubsetSampling) or sampling.total != rows:
        raise UnprovenClaim("this sampling is not declared for these rows")
    while np.unique(marks := bits.words(np.uint64, rows)).size < rows:
        pass
    return np.sort(np.argsort(marks)[: sampling.size])


def _rows(view: Table, kept: NDArray[np.intp]) -> Table:
    return Table({name: column[kept] for name, column in view.columns.items()})


def _amplified(guarantee: Guarantee, sampling: Sampling) -> Guarantee:
    try:
        amplified = guarantee.amplify(sampling)
    except UnprovenClaim:  # a composition of losses
        if guarantee.sum_form is None:
            raise
    else:
        if amplified.sum_form is not None or guarantee.sum_form is None:
            return amplified
    epsilon, delta = guarantee.sum_form
    if delta == 0:
        return PureDP(epsilon, guarantee.relation).amplify(sampling)
    return ApproxDP(epsilon, delta, guarantee.relation).amplify(sampling)


def _facts(sampling: Sampling) -> dict[str, Any]:
    if isinstance(sampling, SubsetSampling):
        return {"sampling": "subset", "size": sampling.size, "total": sampling.total}
    return {"sampling": "poisson", "rate": str(sampling.rate)}
