from fractions import Fraction

import pytest

from dalenius.errors import UnprovenClaim
from dalenius.guarantees import GDP, PureDP
from dalenius.learning import Calibrated
from dalenius.ledger import from_form, to_form
from dalenius.neighbors import Relation


def test_it_says_what_the_narrower_guarantee_says():
    inner, made = GDP(0.2), Calibrated(GDP(0.2), 1, 1e-5)
    assert made.epsilon_interval(1e-6) == inner.epsilon_interval(1e-6)
    assert made.delta_interval(0.5) == inner.delta_interval(0.5)
    assert (made.beta(0.1), made.renyi(3)) == (inner.beta(0.1), inner.renyi(3))
    assert made.compose(made) == made.repeat(2) == inner.repeat(2)
    assert made.group(3) == inner.group(3)
    assert made.to(Relation.CHANGE_ONE) == inner.to(Relation.CHANGE_ONE)
    assert made.to(Relation.ADD_REMOVE) is made
    assert made.loss() == inner.loss()


def test_a_ledger_that_adds_counts_what_was_asked_for():
    made = Calibrated(GDP(0.2), 1, 1e-5)
    assert made.sum_form == (1, Fraction(1, 10**5))
    assert made.gaussian_form == Fraction(1, 25)
    assert made.concentrated_form.rho == Fraction(1, 50)
    assert from_form(to_form(made)).sum_form == made.sum_form


def test_a_claim_that_does_not_follow_is_refused():
    for inner, epsilon, delta in ((GDP(1), 1, 1e-5), (PureDP(2), 1, 0), (GDP(0.1), 1, 0)):
        with pytest.raises(UnprovenClaim):
            Calibrated(inner, epsilon, delta)


def test_it_prints_what_is_public():
    text = str(Calibrated(PureDP("0.5"), "0.5", 0, ("the set of labels",)))
    assert text.startswith("0.5-differential privacy for add-remove neighbors")
    assert text.endswith("public: the set of labels")
