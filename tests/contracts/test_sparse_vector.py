"""The sparse vector on its worst neighbors, and five published variants of it that are not private."""

from fractions import Fraction

import mpmath as mp
import pytest

from dalenius.guarantees import PureDP
from dalenius.mechanisms.sparse_vector import MonotoneSparseVector, SparseVector
from dalenius.neighbors import Metric, Sensitivity
from tests.contracts.selection_laws import (
    geometric_at_least,
    geometric_mass,
    largest_loss,
    neighbors_of,
    number,
    run_probability,
    sparse_vector,
    violates,
)

ONE = Sensitivity(1, Metric.LINF)
GRID = [Fraction(k, 10) for k in range(13)]


@pytest.fixture(autouse=True)
def _fifty_digits():
    with mp.workdps(50):
        yield


RUN = (Fraction(1), Fraction(2))


@pytest.mark.parametrize("cutoff", [1, 2])
@pytest.mark.parametrize("kind", [SparseVector, MonotoneSparseVector], ids=lambda kind: kind.name)
def test_every_run_of_the_sparse_vector_is_within_the_guarantee(kind, cutoff):
    mechanism = kind(*RUN, cutoff)
    claim, answers = mechanism.guarantee(ONE), (0, 1, 0)
    first = sparse_vector(answers, *RUN, cutoff)
    assert abs(mp.fsum(first.values()) - 1) < mp.mpf(10) ** -20
    for other in neighbors_of(answers, kind is MonotoneSparseVector):
        second = sparse_vector(other, *RUN, cutoff)
        assert not violates(list(first.values()), [second[key] for key in first], claim, GRID[::6])


@pytest.mark.parametrize("kind", [SparseVector, MonotoneSparseVector], ids=lambda kind: kind.name)
def test_every_above_is_paid_for(kind):
    # all rise, or those said to lie above fall: two times above have the loss claimed for two, not for one
    scales = Fraction(2), Fraction(4)
    outputs, down = (False,) * 60 + (True, True), -1 if kind is SparseVector else 0
    p, q = (
        run_probability(answers, outputs, scales[0], lambda z: geometric_at_least(z, scales[1]))
        for answers in ((0,) * 62, (1,) * 60 + (down,) * 2)
    )
    assert not violates([p], [q], kind(*scales, 2).guarantee(ONE), [])
    assert violates([p], [q], kind(*scales, 1).guarantee(ONE), [])
    assert largest_loss([p], [q]) > number(kind(*scales, 2).guarantee(ONE).budget) * mp.mpf("0.99")


def test_monotone_noise_for_answers_that_move_both_ways_is_rejected():
    mechanism = MonotoneSparseVector(Fraction(2), Fraction(2), 1)
    outputs = (False,) * 40 + (True,)
    p, q = (
        run_probability(answers, outputs, mechanism.threshold_scale, lambda z: geometric_at_least(z, Fraction(2)))
        for answers in ((0,) * 41, (1,) * 40 + (-1,))
    )
    assert violates([p], [q], mechanism.guarantee(ONE), [])


def both_ways(steps):
    """Answers that all move by 1: the ones said to lie below rise, those above fall, and the outputs themselves."""
    below, above = steps
    return (0,) * (below + above), (1,) * below + (-1,) * above, (False,) * below + (True,) * above


EPSILON = Fraction(1)


def wrong_release_of_the_noisy_answer(below):
    """Roth's lecture notes, 2011: the noisy answer that passed leaves too, which bounds the noisy threshold."""
    rho, nu = 2 / EPSILON, 2 / EPSILON

    def chance(answers, shown):
        return mp.fsum(
            geometric_mass(r, rho)
            * mp.fprod(1 - geometric_at_least(r - answer, nu) for answer in answers[:-1])
            * (geometric_mass(shown - answers[-1], nu) if shown >= r else 0)
            for r in range(-150, 151)
        )

    return chance((0,) * (below + 1), 0), chance((1,) * below + (0,), 0)


def wrong_noise_without_the_cutoff(above):
    """Lee and Clifton, 2014: threshold noise 4/ε, answers' noise 4/(3ε), whatever the cutoff."""
    return pair_of_runs((above, above), 4 / EPSILON, 4 / (3 * EPSILON))


def wrong_answers_without_noise(_):
    """Stoddard and others, 2014: noise on the threshold alone, no cutoff."""
    outputs = (False, True)
    return tuple(
        run_probability(answers, outputs, 2 / EPSILON, lambda z: mp.mpf(1) if z <= 0 else mp.mpf(0))
        for answers in ((0, 1), (1, 0))
    )


def wrong_no_cutoff(steps):
    """Chen and others, 2015: noise 2/ε on both, and never an end."""
    return pair_of_runs((steps, steps), 2 / EPSILON, 2 / EPSILON)


def wrong_private_threshold_testing(steps):
    """Chen and Machanavajjhala's generalisation, 2015: the budget split in any way, and never an end."""
    return pair_of_runs((steps, steps), 3 / EPSILON, 3 / (2 * EPSILON))


def pair_of_runs(steps, threshold_scale, query_scale):
    here, there, outputs = both_ways(steps)
    return tuple(
        run_probability(answers, outputs, threshold_scale, lambda z: geometric_at_least(z, query_scale))
        for answers in (here, there)
    )


WRONG = [
    wrong_release_of_the_noisy_answer,
    wrong_noise_without_the_cutoff,
    wrong_answers_without_noise,
    wrong_no_cutoff,
    wrong_private_threshold_testing,
]


@pytest.mark.parametrize("variant", WRONG, ids=lambda variant: variant.__name__)
def test_a_published_wrong_variant_is_rejected(variant):
    p, q = variant(12)
    assert violates([p], [q], PureDP(EPSILON), [])


def test_the_right_variant_on_the_same_pairs_is_not():
    for steps in ((12, 1), (40, 1)):
        here, there, outputs = both_ways(steps)
        p, q = (
            run_probability(answers, outputs, Fraction(2), lambda z: geometric_at_least(z, Fraction(4)))
            for answers in (here, there)
        )
        assert not violates([p], [q], SparseVector(Fraction(2), Fraction(4), 1).guarantee(ONE), [])


def test_two_steps_from_one_state_are_rejected():
    # a redraw from an old state: the same ρ, each time with a fresh cutoff, told twice
    scale, query = Fraction(2), Fraction(4)
    claim = SparseVector(scale, query, 1).guarantee(ONE)

    def twice(answer, other):
        reach = 130
        return mp.fsum(
            geometric_mass(r, scale)
            * mp.fprod(geometric_at_least(r - a, query) for a in [answer] * 4)
            * mp.fprod(1 - geometric_at_least(r - a, query) for a in [other] * 12)
            for r in range(-reach, reach + 1)
        )

    assert violates([twice(0, 0)], [twice(-1, 1)], claim, [])
