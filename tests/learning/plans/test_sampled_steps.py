from fractions import Fraction

import numpy as np
import pytest

from dalenius.errors import InvalidParameter, MixedRelations
from dalenius.guarantees import GDP, PoissonSampling, SubsetSampling
from dalenius.learning.plans.budget import FitBudget
from dalenius.learning.plans.sampled_steps import SampledSteps, noise_multiplier, sampling_for
from dalenius.neighbors import Relation
from dalenius.noise import Bits

SAMPLINGS = {Relation.ADD_REMOVE: PoissonSampling("0.1"), Relation.CHANGE_ONE: SubsetSampling(5, 50)}


@pytest.mark.theorem("A Rem 11.5")
@pytest.mark.parametrize("relation", Relation)
def test_the_multiplier_is_the_least_that_is_proved(relation):
    sampling = SAMPLINGS[relation]
    ratio = noise_multiplier(sampling, 30, Fraction(1), Fraction("1e-5"))
    assert GDP(1 / ratio, relation).amplify(sampling).repeat(30).delta(1) <= 1e-5
    assert GDP(Fraction(101, 100) / ratio, relation).amplify(sampling).repeat(30).delta(1) > 1e-5


def test_the_other_relations_sampling_is_refused():
    with pytest.raises(MixedRelations):
        SampledSteps(FitBudget.of(1, 1e-5, Relation.CHANGE_ONE), SAMPLINGS[Relation.ADD_REMOVE], 3)
    with pytest.raises(MixedRelations):
        sampling_for(Relation.ADD_REMOVE, 0.1, None, "fixed")
    with pytest.raises(MixedRelations):
        sampling_for(Relation.CHANGE_ONE, 0.1, 50, "poisson")
    for rate, name in ((0, None), (2, None), (0.1, "all")):
        with pytest.raises(InvalidParameter):
            sampling_for(Relation.ADD_REMOVE, rate, None, name)


def test_the_sampling_goes_with_the_relation():
    assert sampling_for(Relation.ADD_REMOVE, 0.1, None) == PoissonSampling("0.1")
    assert sampling_for(Relation.CHANGE_ONE, 0.11, 50, "fixed") == SubsetSampling(6, 50)


def test_a_count_leaves_less_for_the_steps():
    counted = SampledSteps(FitBudget.of(1, 1e-5, Relation.ADD_REMOVE, True), SAMPLINGS[Relation.ADD_REMOVE], 30)
    alone = SampledSteps(FitBudget.of(1, 1e-5, Relation.ADD_REMOVE, False), SAMPLINGS[Relation.ADD_REMOVE], 30)
    assert counted.left + Fraction(1, 50) == alone.left == 1
    assert counted.multiplier > alone.multiplier
    drawn = [counted.count(1000, Bits()) for _ in range(50)]
    assert min(drawn) >= 1
    assert abs(np.median(drawn) - 1000) < 400
