from fractions import Fraction

import pytest

from dalenius.curator import Curator, Sampled, SeveralTables, Together
from dalenius.curator.plans.earlier_noise import with_earlier_noise
from dalenius.guarantees import PoissonSampling
from dalenius.ledger import Ledger
from dalenius.mechanisms import DiscreteGaussian, Gaussian, calibrate
from dalenius.neighbors import Metric, Relation, Unit
from dalenius.statistics import count, covariance, marginals

DATA = {"x": [0, 1, 1], "y": [1, 0, 1]}
ROW = Unit.row(Relation.CHANGE_ONE)


def plan(unit=None):
    return covariance(["x", "y"], [(0, 1), (0, 1)], epsilon="1/2", delta="1e-6", unit=unit)


def measure_of(plan):
    while not hasattr(plan, "mechanism"):
        plan = plan.plan
    return plan


def test_the_earlier_noise_is_what_the_earlier_version_calibrated():
    for made in (plan(), plan(ROW), marginals(["a", "b"], epsilon="1/2", delta="1e-6")):
        now, before = measure_of(made), measure_of(with_earlier_noise(made))
        moved = now.query.sensitivity(now.unit, Metric.L2)
        assert isinstance(now.mechanism, Gaussian)
        assert before.mechanism == calibrate(DiscreteGaussian, moved, epsilon=Fraction(1, 2), delta="1e-6")
        assert now.mechanism.noise.variance < 0.9 * before.mechanism.noise.variance
        assert with_earlier_noise(made).fingerprint != made.fingerprint
        assert with_earlier_noise(with_earlier_noise(made)) is None


@pytest.mark.parametrize("kind", [Together, SeveralTables])
def test_plans_that_are_released_together_had_their_earlier_noise_together(kind):
    counted = count(epsilon=1)
    before = with_earlier_noise(kind([counted, plan()]))
    assert isinstance(before, kind)
    assert before.plans[0] is counted
    assert isinstance(measure_of(before.plans[1]).mechanism, DiscreteGaussian)
    assert with_earlier_noise(kind([counted])) is None


def test_what_no_earlier_version_could_price_has_no_earlier_form():
    sampled = Sampled(plan(), PoissonSampling("1/2"))
    assert sampled.guarantee.delta(1) > 0
    assert with_earlier_noise(sampled) is None
    assert with_earlier_noise(SeveralTables([plan(), sampled])) is None


def test_what_had_the_same_noise_has_no_earlier_form():
    assert with_earlier_noise(count(epsilon=1)) is None
    assert with_earlier_noise(object()) is None


def test_an_answer_of_an_earlier_version_is_given_again_for_nothing_until_it_is_drawn_anew_with_todays_noise(tmp_path):
    ledger = Ledger.open(tmp_path / "x.ledger")
    ledger.create("people", epsilon=4, delta="1e-4", unit="row")
    curator = Curator(DATA, unit="row", ledger=ledger, dataset="people")
    earlier = curator.release(with_earlier_noise(plan()))
    left = ledger.remaining("people")
    known = curator.earlier(plan())
    assert known is not None
    again = curator.release(plan())
    assert again.value == earlier.value
    assert again.outcome == known
    assert ledger.remaining("people") == left
    assert len(ledger.entries("people")) == 1
    anew = curator.release(plan(), fresh=True)
    assert anew.guarantee == plan().guarantee != earlier.guarantee
    assert len(ledger.entries("people")) == 2
    assert curator.release(plan()).value == anew.value
    assert curator.earlier(plan()) == anew.outcome
    assert len(ledger.entries("people")) == 2
