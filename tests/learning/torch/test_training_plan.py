"""What is paid covers what is released: exact laws of one step, enumerated over samples."""

import math
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
import torch
from scipy.stats import norm
from torch import nn

from dalenius.errors import MixedRelations, UnprovenClaim
from dalenius.guarantees import PoissonSampling, SubsetSampling
from dalenius.learning.plans.budget import FitBudget
from dalenius.learning.plans.sampled_steps import SampledSteps, noise_multiplier
from dalenius.learning.torch.clipped import ClippedSum
from dalenius.learning.torch.examples import Examples
from dalenius.learning.torch.probe import Shapes
from dalenius.learning.torch.rounding import CHUNK, Rounding
from dalenius.learning.torch.tensors import public_rows
from dalenius.learning.torch.training_plan import TrainingPlan
from dalenius.neighbors import Relation
from dalenius.noise import Bits

pytestmark = pytest.mark.torch
UNIT = Fraction(1, 2**24)
ROWS = 4
SAMPLINGS = {Relation.ADD_REMOVE: PoissonSampling("0.4"), Relation.CHANGE_ONE: SubsetSampling(2, ROWS)}
EPSILONS = (0.0, 0.2, 0.5, 1.0)


def plan(relation, steps=1, size=1, sampling=None, epsilon=1, known=ROWS, clip=Fraction(1), delta=1e-3):
    budget = FitBudget.of(epsilon, delta, relation, counted=known is None)
    sampling = sampling or SAMPLINGS[relation]
    return TrainingPlan(budget, (), sampling, steps, clip, size, UNIT, known, ())


def one_number():
    """A module of one parameter whose gradient is x, and so as long as a row likes."""
    return nn.Linear(1, 1, bias=False), lambda outputs, y: outputs * y


def sums(made, x, samples):
    """The real code's sum over each sample, in steps."""
    y = torch.ones(len(x), 1)
    return [int(made.at(x[list(s)], y[list(s)], torch.ones(len(s), dtype=torch.bool), Bits())[0]) for s in samples]


def samples(relation, count):
    """(sample, probability), all of them."""
    if relation is Relation.CHANGE_ONE:
        found = list(combinations(range(count), 2))
        return found, [1 / len(found)] * len(found)
    q = 0.4
    every = [s for size in range(count + 1) for s in combinations(range(count), size)]
    return every, [q ** len(s) * (1 - q) ** (count - len(s)) for s in every]


def gaps(one, other, scale):
    """∫(p − e^ε q)₊ of two mixtures of normals at every ε, by a fine grid."""
    (a, v), (b, w) = one, other
    grid = np.linspace(min(a + b) - 9 * scale, max(a + b) + 9 * scale, 8001)
    p, q = (np.array(c) @ norm.pdf(grid[None, :], np.array(m)[:, None], scale) for m, c in ((a, v), (b, w)))
    return [float(np.clip(p - math.exp(e) * q, 0, None).sum() * (grid[1] - grid[0])) for e in EPSILONS]


def worst(relation, scale_factor=1.0):
    """The largest excess of the enumerated δ over the claimed one, over neighbors, directions and ε."""
    module, loss = one_number()
    made = summed_with(module, loss)
    priced = plan(relation)
    rounding, mechanism = priced.noisy_sum()
    made = type(made)(made.examples, rounding, made.shapes)
    base = torch.tensor([[0.3], [-5.0], [40.0], [math.nan]])
    new = [torch.tensor([[v]]) for v in (700.0, -700.0, math.inf)]
    if relation is Relation.ADD_REMOVE:
        pairs = [(base[:3], torch.cat([base[:3], row])) for row in new]
    else:
        pairs = [(base, torch.cat([base[:3], row])) for row in new]
        pairs += [(torch.cat([base[:3], new[0]]), torch.cat([base[:3], new[1]]))]
    found, claimed = -1.0, [priced.after(1).delta(epsilon) for epsilon in EPSILONS]
    for one, other in pairs:
        laws = []
        for x in (one, other):
            every, weights = samples(relation, len(x))
            laws.append((sums(made, x, every), weights))
        scale = float(mechanism.scale) * scale_factor
        for a, b in (laws, laws[::-1]):
            found = max(found, *(gap - claim for gap, claim in zip(gaps(a, b, scale), claimed, strict=True)))
    return found


def summed_with(module, loss):
    x, y = torch.zeros(1, 1), torch.zeros(1, 1)
    examples = Examples.of(module, loss, public_rows(x, 2), public_rows(y, 2))
    shapes = Shapes.of(examples, public_rows(x, 512), public_rows(y, 512))
    return ClippedSum(examples, Rounding(Fraction(1), 1, UNIT, 30), shapes)


@pytest.mark.theorem("A Alg 7", "A Rem 11.5", "A Thm 13.7")
@pytest.mark.parametrize("relation", Relation)
def test_no_neighbors_are_told_apart_by_more_than_is_claimed(relation):
    """All samples of real sums, hostile rows among them; the grid's own error is below 1e-5."""
    assert worst(relation) <= 1e-5


@pytest.mark.parametrize("relation", Relation)
def test_a_mutant_with_half_the_noise_is_seen(relation):
    assert worst(relation, scale_factor=0.5) > 1e-2


@pytest.mark.parametrize("relation", Relation)
def test_a_mutant_that_does_not_clip_is_seen(relation, monkeypatch):
    weighted = ClippedSum._weighted

    def free(self, blocks, usable):
        weights, cleaned = weighted(self, blocks, usable)
        return torch.where(weights > 0, 1.0, 0.0), cleaned

    monkeypatch.setattr(ClippedSum, "_weighted", free)
    assert worst(relation) > 1e-2


def covers(priced):
    """Whether the noise is at least the multiplier times clip and float errors, worked out here anew."""
    relation = priced.budget.relation
    rounding, mechanism = priced.noisy_sum()
    gamma = (CHUNK + 2) * UNIT / (1 - (CHUNK + 2) * UNIT)
    chunk = CHUNK * gamma * priced.clip + Fraction(math.isqrt(priced.size)) * rounding.step / 2
    moved = (priced.clip + 4 * chunk) if relation is Relation.ADD_REMOVE else (2 * priced.clip + 2 * chunk)
    ratio = noise_multiplier(priced.sampling, priced.steps, priced.spending.left, priced.budget.delta)
    return mechanism.scale * rounding.step >= moved * ratio


@pytest.mark.parametrize("relation", Relation)
def test_the_noise_pays_for_clip_and_float_error(relation, monkeypatch):
    priced = plan(relation, steps=50, size=30_000)
    assert covers(priced)
    assert priced.guarantee.delta(1) <= 1e-3
    monkeypatch.setattr(Rounding, "error", lambda self, relation: Fraction(0))
    assert not covers(priced)  # a mutant that does not pay the float error


def test_the_other_relations_sampling_is_refused():
    for relation, other in ((Relation.ADD_REMOVE, Relation.CHANGE_ONE), (Relation.CHANGE_ONE, Relation.ADD_REMOVE)):
        with pytest.raises(MixedRelations):
            plan(relation, sampling=SAMPLINGS[other])


def test_every_step_has_its_price_and_a_count_is_part_of_it():
    counted, known = plan(Relation.ADD_REMOVE, steps=20, known=None), plan(Relation.ADD_REMOVE, steps=20)
    spent = [known.spent(t, 1e-3) for t in range(0, 21, 5)]
    assert spent[0] == 0
    assert spent == sorted(spent)
    assert 0.99 <= spent[-1] <= 1
    assert counted.spent(0, 1e-3) == pytest.approx(0.02)
    assert counted.spent(20, 1e-3) <= 1.0000001
    assert counted.noisy_sum()[1].scale > known.noisy_sum()[1].scale


def test_facts_and_price_are_public_and_a_plan_without_training_does_not_run(monkeypatch):
    every = PoissonSampling(1)
    priced = plan(Relation.ADD_REMOVE, sampling=every)
    assert priced.facts()["steps"] == 1
    assert priced.fingerprint == plan(Relation.ADD_REMOVE, sampling=every).fingerprint
    assert priced.fingerprint != plan(Relation.ADD_REMOVE, sampling=every, steps=2).fingerprint
    with pytest.raises(UnprovenClaim):
        priced.run(None, Bits())
    monkeypatch.setattr(SampledSteps, "multiplier", Fraction(2**30))
    with pytest.raises(UnprovenClaim):
        plan(Relation.ADD_REMOVE).noisy_sum()
