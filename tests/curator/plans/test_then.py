import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import pytest

from dalenius.curator import Curator, Measure, Release, Then
from dalenius.errors import ExecutionFailed, MixedRelations, UnprovenClaim
from dalenius.guarantees import ZCDP, ApproxDP, PureDP
from dalenius.ledger import Ledger
from dalenius.mechanisms import Geometric
from dalenius.neighbors import Relation, Unit
from dalenius.noise import DiscreteLaplace
from dalenius.queries import Count, Sum

ROW = Unit.row()
FIRST = Measure.calibrated(Count(), epsilon=0.5, unit=ROW, name="n")


@dataclass(frozen=True)
class SumUpToTheCount:
    """A sum whose rows are held between 0 and the noisy count."""

    epsilon: Fraction = Fraction(1, 2)

    def __call__(self, released):
        bound = max(1, released.columns[0].values[0])
        return Measure.calibrated(Sum("x", (0, bound)), epsilon=self.epsilon, unit=ROW, name="total")

    def notes(self, released):
        return {"bound": max(1, released.columns[0].values[0])}

    def facts(self):
        return {"rule": "sum up to the count", "epsilon": str(self.epsilon)}

    def expected(self):
        return "a sum of x"


PLAN = Then(FIRST, SumUpToTheCount(), PureDP(0.5))


def curator_of(tmp_path, data=(1, 2, 3)):
    ledger = Ledger.open(tmp_path / "x.ledger")
    ledger.create("people", epsilon=2, unit="row")
    return Curator({"x": list(data)}, unit="row", ledger=ledger, dataset="people")


@pytest.mark.theorem("A Thm 3.3")
def test_both_steps_are_charged_at_once_and_the_second_sees_the_first(tmp_path):
    curator = curator_of(tmp_path)
    release = curator.release(PLAN)
    assert curator.budget.epsilon == 1
    assert list(release.notes) == ["bound"]
    measured = release.outcome.columns[0]
    assert measured.mechanism == Geometric(Fraction(2 * release.notes["bound"]))
    assert Release.from_dict(release.to_dict()).notes == release.notes


@pytest.mark.parametrize("greedy", [Fraction(51, 100), Fraction(2)])
def test_a_second_step_over_its_price_reads_nothing_and_says_nothing(tmp_path, greedy):
    reads = []

    class Watched(SumUpToTheCount):
        def __call__(self, released):
            plan = super().__call__(released)
            object.__setattr__(plan.query, "column", reads.append("read") or "x")
            return plan

    curator = curator_of(tmp_path)
    with pytest.raises(ExecutionFailed) as failure:
        curator.release(Then(FIRST, Watched(greedy), PureDP(0.5)))
    assert failure.value.__context__ is None
    assert curator.budget.epsilon == 1  # charged, and not refunded


def test_a_price_is_an_epsilon_and_a_delta_for_the_same_relation():
    with pytest.raises(UnprovenClaim):
        Then(FIRST, SumUpToTheCount(), ZCDP(1))
    with pytest.raises(MixedRelations):
        Then(FIRST, SumUpToTheCount(), PureDP(0.5, Relation.CHANGE_ONE))


def test_the_price_bounds_both_numbers():
    approximate = Then(FIRST, SumUpToTheCount(), ApproxDP(0.5, 1e-9))
    assert approximate.guarantee.sum_form == (1, Fraction(1, 10**9))
    assert len({approximate.fingerprint, PLAN.fingerprint}) == 2


def worst_loss(second_scale):
    """The largest |log ratio| over pairs of outputs near 0, for 3 rows against 2, where x holds its bounds."""
    law, worst = DiscreteLaplace(Fraction(2)), 0.0
    for n, total in product(range(-6, 12), range(-30, 40)):
        scale = DiscreteLaplace(second_scale(max(1, n)))
        bound = max(1, n)
        here = law.log_mass(n - 3) + scale.log_mass(total - 3 * bound)
        there = law.log_mass(n - 2) + scale.log_mass(total - 2 * bound)
        worst = max(worst, abs(here - there))
    return worst


@pytest.mark.theorem("A Thm 3.3")
def test_the_loss_of_both_steps_stays_within_the_price_and_a_wrong_scale_does_not():
    claimed = PLAN.guarantee.sum_form[0]
    assert worst_loss(lambda bound: Fraction(2 * bound)) <= claimed + Fraction(1, 10**9)
    assert math.isclose(worst_loss(lambda bound: Fraction(2 * bound)), 1, rel_tol=1e-9)
    assert worst_loss(lambda bound: Fraction(2)) > claimed  # the mutant takes the noise for a bound of 1


def test_explain_tells_both():
    told = str(PLAN.explain())
    assert "two steps" in told
    assert "a sum of x" in told
