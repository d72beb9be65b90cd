import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from dalenius.errors import InvalidParameter
from dalenius.mechanisms import DiscreteGaussian, Gaussian, Geometric, lone_discrete_gaussian
from dalenius.neighbors import Relation
from dalenius.noise import Bits
from dalenius.sql.plans.noisy_threshold import NoisyThreshold

HIDDEN, FAR = "hidden", 90


def masses(mechanism):
    """P[Z = z] for |z| ≤ FAR, by the laws' closed forms in floats, and all that is farther on one symbol more."""
    z = np.arange(-FAR, FAR + 1)
    if isinstance(mechanism, Geometric):
        a = math.exp(-1 / float(mechanism.scale))
        mass = (1 - a) / (1 + a) * a ** np.abs(z)
    else:
        mass = np.exp(-(z**2) / (2 * float(mechanism.scale) ** 2))
        mass /= mass.sum()
    return dict(zip(z.tolist(), mass.tolist(), strict=True))


def law(one, units):
    """The output of one key: hidden, or its noisy count."""
    if units < one.min_units:
        return {HIDDEN: 1.0}
    told = {HIDDEN: 0.0}
    for z, mass in masses(one.noise).items():
        if units + z >= one.threshold:
            told[units + z] = told.get(units + z, 0.0) + mass
        else:
            told[HIDDEN] += mass
    return told


def exact_delta(one, before, after, epsilon):
    """sup over sets of P[S] − e^ε P'[S], over all outputs of independent keys."""
    laws = [(law(one, a), law(one, b)) for a, b in zip(before, after, strict=True)]
    outputs = [sorted(set(p) | set(q), key=str) for p, q in laws]
    excess = 0.0
    for output in itertools.product(*outputs):
        p = math.prod(laws[at][0].get(value, 0.0) for at, value in enumerate(output))
        q = math.prod(laws[at][1].get(value, 0.0) for at, value in enumerate(output))
        excess += max(0.0, p - math.exp(epsilon) * q)
    return excess


def neighbors(one, relation):
    """Counts of the keys of a unit that comes, around what may be shown and the threshold, in both directions."""
    m, t = one.min_units, one.threshold
    for counts in itertools.product((m - 1, m, t - 1, t + 3), repeat=one.groups):
        more = tuple(count + 1 for count in counts)
        yield counts, more
        yield more, counts
    if relation is Relation.CHANGE_ONE:
        for counts in itertools.product((m - 1, t), repeat=2):
            yield (counts[0] + 1, counts[1]), (counts[0], counts[1] + 1)


@pytest.mark.theorem("A Thm 3.3")
@pytest.mark.parametrize("relation", list(Relation))
@pytest.mark.parametrize(("groups", "min_units"), [(1, 1), (2, 1), (2, 3)])
@pytest.mark.parametrize("epsilon", [Fraction(1), Fraction(3)])
def test_no_unit_costs_more_than_is_paid_by_enumeration(relation, groups, min_units, epsilon):
    if relation is Relation.CHANGE_ONE and groups != 1:
        groups, epsilon = 1, 2 * epsilon
    one = NoisyThreshold.least(epsilon, Fraction(1, 50), groups, min_units, relation)
    for before, after in neighbors(one, relation):
        assert exact_delta(one, before, after, float(epsilon)) <= 0.02 + 1e-9


def test_gaussian_noise_keeps_its_promise_by_enumeration():
    one = NoisyThreshold.least(Fraction(1, 2), Fraction(1, 5), 2, 1, Relation.ADD_REMOVE)
    assert isinstance(one.noise, Gaussian)
    for before, after in neighbors(one, Relation.ADD_REMOVE):
        assert exact_delta(one, before, after, 0.5) <= 0.2 + 1e-9


@pytest.mark.parametrize("groups", [1, 2])
def test_a_threshold_one_lower_leaks_more(groups):
    """The mutant: the threshold is the least that δ allows, and the stated δ that of a unit alone in L keys."""
    one = NoisyThreshold.least(Fraction(1), Fraction(1, 1000), groups, 1, Relation.ADD_REMOVE)
    assert isinstance(one.noise, Geometric)
    lower = NoisyThreshold(one.noise, one.threshold - 1, groups)
    alone = (1,) * groups, (0,) * groups
    assert exact_delta(one, *alone, 1.0) == pytest.approx(float(one.delta), abs=1e-9)
    assert exact_delta(lower, *alone, 1.0) > 0.001
    assert float(one.delta) <= 0.001 < float(lower.delta)


def test_deciding_by_each_key_alone_is_caught():
    """The mutant: a threshold for one key, used for a unit in two."""
    one = NoisyThreshold.least(Fraction(2), Fraction(1, 50), 1, 1, Relation.ADD_REMOVE)
    two = NoisyThreshold(Geometric(1), one.threshold, 2)
    assert exact_delta(two, (1, 1), (0, 0), 2.0) > 0.02


def test_the_stated_delta_is_a_closed_form():
    """P[Z ≥ t] = αᵗ/(1 + α) with α = e^(−1/b), by hand: at b = 2 and δ = 1e-7 for two keys."""
    one = NoisyThreshold.least(Fraction(1), Fraction(1, 10**7), 2, 1, Relation.ADD_REMOVE)
    a = math.exp(-1 / 2)
    least = next(t for t in itertools.count(1) if -math.expm1(2 * math.log1p(-(a**t) / (1 + a))) <= 1e-7)
    assert one.noise == Geometric(2)
    assert one.threshold == 1 + least
    assert NoisyThreshold.least(Fraction(1), Fraction(1, 10**7), 2, 4, Relation.ADD_REMOVE).threshold == 4 + least


def test_many_keys_of_a_unit_take_gaussian_noise():
    few, many = (
        NoisyThreshold.least(Fraction(1), Fraction(1, 10**7), groups, 1, Relation.ADD_REMOVE) for groups in (2, 100)
    )
    assert isinstance(few.noise, Geometric)
    assert isinstance(many.noise, Gaussian)
    assert float(many.noise.scale) < 100 * math.sqrt(2)
    before = NoisyThreshold.least(Fraction(1), Fraction(1, 10**7), 100, 1, Relation.ADD_REMOVE, lone_discrete_gaussian)
    assert isinstance(before.noise, DiscreteGaussian)
    assert many.noise.scale < before.noise.scale
    assert many.threshold < before.threshold


def test_only_what_reaches_the_threshold_is_shown():
    one = NoisyThreshold.least(Fraction(1), Fraction(1, 10**7), 1, 3, Relation.ADD_REMOVE)
    units = np.array([2, 3, 10**6, one.threshold])
    for _ in range(200):
        shown, noisy = one.release(units, Bits())
        assert (shown == ((noisy >= one.threshold) & (units >= 3))).all()
        assert not shown[0]
        assert shown[2]


@pytest.mark.parametrize("bad", [{"threshold": 1}, {"threshold": 5, "groups": 0}, {"threshold": 5, "min_units": 0}])
def test_what_is_no_threshold_is_refused(bad):
    with pytest.raises(InvalidParameter):
        NoisyThreshold(Geometric(1), **{"groups": 1, **bad})
