"""Every promise of the mechanisms that choose, on their worst neighbors, against laws written from the definitions."""

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise, product

import mpmath as mp
import pytest

from dalenius.errors import MixedRelations
from dalenius.guarantees import PureDP
from dalenius.mechanisms.exponential import Exponential, MonotoneExponential
from dalenius.mechanisms.noisy_max import (
    ExponentialNoisyMax,
    GumbelNoisyMax,
    LaplaceNoisyMax,
    MonotoneLaplaceNoisyMax,
)
from dalenius.mechanisms.permute_and_flip import MonotonePermuteAndFlip, PermuteAndFlip
from dalenius.mechanisms.selection_catalog import SELECTION
from dalenius.neighbors import Metric, Relation, Sensitivity
from dalenius.numerics import precision
from tests.contracts.selection_laws import (
    geometric_mass,
    laplace_noisy_max,
    largest_loss,
    neighbors_of,
    number,
    permute_and_flip,
    response,
    softmax,
    violates,
)

ONE = Sensitivity(1, Metric.LINF)
GRID = [Fraction(k, 10) for k in range(13)]
LESS = Fraction(19, 20)
ENUMERATED = [entry for entry in SELECTION if entry.outcomes is not None]
ENTRIES = pytest.mark.parametrize("entry", ENUMERATED, ids=lambda entry: entry.mechanism.name)

LAWS = {
    Exponential: lambda m, u: softmax(u, m.scale, m.base),
    MonotoneExponential: lambda m, u: softmax(u, m.scale, m.base),
    GumbelNoisyMax: lambda m, u: softmax(u, m.scale),
    PermuteAndFlip: lambda m, u: permute_and_flip(u, m.scale),
    MonotonePermuteAndFlip: lambda m, u: permute_and_flip(u, m.scale),
    ExponentialNoisyMax: lambda m, u: permute_and_flip(u, m.scale),
    LaplaceNoisyMax: lambda m, u: laplace_noisy_max(u, m.scale),
    MonotoneLaplaceNoisyMax: lambda m, u: laplace_noisy_max(u, m.scale),
}
GENERAL = [Exponential, GumbelNoisyMax, PermuteAndFlip, ExponentialNoisyMax, LaplaceNoisyMax]
MONOTONE = [MonotoneExponential, MonotonePermuteAndFlip, MonotoneLaplaceNoisyMax]


@pytest.fixture(autouse=True)
def _fifty_digits():
    with mp.workdps(50):
        yield


def stated(entry, mechanism):
    """The two laws that the entry states, as numbers."""
    with precision(256):
        pairs = entry.outcomes(mechanism, *entry.neighbors)
        return [[mp.mpf(str(side.mid().str(60, radius=False))) for side in law] for law in zip(*pairs, strict=True)]


@ENTRIES
@pytest.mark.theorem("A Thm 7.1", "S Thm 1", "A Prop 5.1", "A Thm 3.1")
def test_no_event_tells_the_worst_neighbors_apart_by_more_than_the_guarantee(entry):
    claim = entry.mechanism.guarantee(entry.sensitivity, entry.relation)
    p, q = stated(entry, entry.mechanism)
    assert not violates(p, q, claim, GRID)
    for law in (p, q):
        assert abs(mp.fsum(law) - 1) < mp.mpf(10) ** -20


@ENTRIES
def test_five_percent_less_noise_is_rejected(entry):
    claim = entry.mechanism.guarantee(entry.sensitivity, entry.relation)
    less = entry.mechanism.scaled(LESS / entry.factor)
    assert violates(*stated(entry, less), claim, GRID)


@pytest.mark.parametrize("entry", [e for e in ENUMERATED if e.tight], ids=lambda entry: entry.mechanism.name)
def test_a_tight_claim_is_attained_at_every_epsilon(entry):
    claim = entry.mechanism.guarantee(entry.sensitivity, entry.relation)
    p, q = stated(entry, entry.mechanism)
    for epsilon in GRID:
        told = mp.fsum(max(mp.mpf(0), a - mp.exp(number(epsilon)) * b) for a, b in zip(p, q, strict=True))
        assert abs(float(told) - claim.delta(float(epsilon))) <= 1e-9


@pytest.mark.parametrize("entry", [e for e in ENUMERATED if type(e.mechanism) in LAWS], ids=lambda e: e.mechanism.name)
def test_the_law_that_an_entry_states_is_the_definition(entry):
    if len(entry.neighbors[0]) > 5 and LAWS[type(entry.mechanism)] is not LAWS[GumbelNoisyMax]:
        pytest.fail("too many candidates to enumerate")
    for found, scores in zip(stated(entry, entry.mechanism), entry.neighbors, strict=True):
        truth = LAWS[type(entry.mechanism)](entry.mechanism, scores)
        assert all(abs(a - b) < mp.mpf(10) ** -25 for a, b in zip(found, truth, strict=True))


@pytest.mark.parametrize("kind", GENERAL + MONOTONE, ids=lambda kind: kind.name)
@pytest.mark.parametrize("scores", [(0, 0, 0), (3, 0, 1), (0, 4, 4)], ids=str)
@pytest.mark.theorem("A Thm 7.1", "S Thm 1", "A Prop 5.1", "A Def 7.1", "S §2.4 quality sensitivity")
def test_no_neighbor_at_all_shows_more_than_the_guarantee(kind, scores):
    mechanism = kind(Fraction(2))
    claim, law = mechanism.guarantee(ONE), LAWS[kind]
    first = law(mechanism, scores)
    for other in neighbors_of(scores, kind in MONOTONE):
        assert not violates(first, law(mechanism, other), claim, GRID[::4])


@pytest.mark.parametrize("kind", MONOTONE, ids=lambda kind: kind.name)
@pytest.mark.theorem("A §5.1 report noisy max")
def test_half_the_noise_is_refused_and_would_be_rejected_under_change_one(kind):
    # errata: one count rises while another falls, and Lap(1/ε) reaches a loss of 1.95 at ε = 1
    mechanism = kind(Fraction(1))
    with pytest.raises(MixedRelations):
        mechanism.guarantee(ONE, Relation.CHANGE_ONE)
    claim = mechanism.guarantee(ONE)
    assert claim.budget == 1
    law = LAWS[kind]
    p, q = law(mechanism, (0, 42)), law(mechanism, (1, 41))
    assert violates(p, q, PureDP(1, Relation.CHANGE_ONE), [])
    assert largest_loss(p, q) > mp.mpf("1.95")


@pytest.mark.theorem("S Thm 1", "A Thm 7.1")
@pytest.mark.parametrize(("kind", "after"), [(Exponential, (1, 399)), (MonotoneExponential, (1, 400))])
@pytest.mark.parametrize("scale", [Fraction(1, 2), Fraction(2)])
def test_the_guarantee_of_the_exponential_mechanism_is_the_loss_of_a_candidate_that_is_all_but_never_chosen(
    kind, after, scale
):
    """Scores 0 and 400: the worse one gains (u' − u)/scale, and what the better one loses of Z besides, to e⁻²⁰⁰."""
    loss = largest_loss(softmax((0, 400), scale), softmax(after, scale))
    claim = number(kind(scale).guarantee(ONE).budget)
    assert claim * (1 - mp.mpf(10) ** -20) <= loss <= claim * (1 + mp.mpf(10) ** -20)


def test_a_tie_broken_by_the_data_is_rejected():
    # the mutant lets the truly larger score win ties: with two equal noisy scores the winner then tells the data
    def mutant(scores, scale):
        law = laplace_noisy_max(scores, scale)
        if scores[1] > scores[0]:  # ties go to the second
            law = laplace_noisy_max(scores[::-1], scale)[::-1]
        return law

    scale, pair = Fraction(1, 4), ((0, 1), (0, 0))
    # one score moves by 1 and the other not at all: a spread of 1, which is that of sensitivity 1/2
    claim = LaplaceNoisyMax(scale).guarantee(Sensitivity(Fraction(1, 2), Metric.LINF))
    assert not violates(*(laplace_noisy_max(scores, scale) for scores in pair), claim, [])
    assert violates(*(mutant(scores, scale) for scores in pair), claim, [])


def test_releasing_the_noisy_scores_too_is_rejected():
    # what leaves must be the index alone: at spread 2 the noisy scores of k candidates have a loss of k/scale
    scale, k = Fraction(2), 3
    pair = [[mp.fprod(geometric_mass(z, scale) for z in zs) for zs in product(range(-2, 4), repeat=k)]]
    pair.append([mp.fprod(geometric_mass(z - 1, scale) for z in zs) for zs in product(range(-2, 4), repeat=k)])
    assert violates(*pair, LaplaceNoisyMax(scale).guarantee(ONE), [])


@pytest.mark.parametrize("values", [2, 5])
@pytest.mark.theorem("A Thm 3.1")
def test_every_pair_of_answers_of_randomized_response_is_within_epsilon_and_attains_it(values):
    entry = next(e for e in SELECTION if getattr(e.mechanism, "values", None) == values)
    claim = entry.mechanism.guarantee(entry.sensitivity, Relation.CHANGE_ONE)
    growth = mp.exp(number(claim.budget))
    laws = [response(values, growth / (growth + values - 1), truth) for truth in range(values)]
    for first, second in pairwise(laws):
        assert not violates(first, second, claim, GRID)
        assert abs(largest_loss(first, second) - number(claim.budget)) < mp.mpf(10) ** -20


@pytest.mark.parametrize("entry", SELECTION, ids=lambda entry: entry.mechanism.name)
def test_zero_sensitivity_costs_nothing_and_cost_grows_with_sensitivity(entry):
    costs = [
        entry.mechanism.guarantee(Sensitivity(value, entry.sensitivity.metric), entry.relation).epsilon(0)
        for value in (0, 1, 2, 10)
    ]
    assert costs[0] == 0
    assert costs == sorted(costs)


@pytest.mark.parametrize("entry", SELECTION, ids=lambda entry: entry.mechanism.name)
@pytest.mark.parametrize("times", [0, 1, 3])
def test_repeat_equals_composition(entry, times):
    once = entry.mechanism.guarantee(entry.sensitivity, entry.relation)
    free = entry.mechanism.guarantee(Sensitivity(0, entry.sensitivity.metric), entry.relation)
    repeated, composed = once.repeat(times), free.compose(*[once] * times)
    assert repeated.epsilon(0) == composed.epsilon(0)
    assert repeated.delta(0.5) == composed.delta(0.5)


@pytest.mark.parametrize("entry", SELECTION, ids=lambda entry: entry.mechanism.name)
def test_a_stored_mechanism_is_the_same_mechanism(entry):
    assert type(entry.mechanism).from_facts(entry.mechanism.facts()) == entry.mechanism
    assert len({e.mechanism.name for e in SELECTION}) == len(SELECTION)


def test_an_understated_claim_is_caught_by_this_suite():
    entry = next(e for e in SELECTION if isinstance(e.mechanism, PermuteAndFlip))
    less = replace(entry.mechanism).guarantee(Sensitivity(Fraction(9, 10), Metric.LINF))
    assert violates(*stated(entry, entry.mechanism), less, GRID)
