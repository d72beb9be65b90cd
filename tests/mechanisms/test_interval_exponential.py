import math
from fractions import Fraction
from itertools import pairwise

import mpmath as mp
import numpy as np
import pytest

from dalenius.errors import InvalidParameter, MixedMetrics, UnprovenClaim
from dalenius.guarantees import GDP, PureDP
from dalenius.guarantees.notions.bounded_range import BoundedRange
from dalenius.mechanisms import LaplaceNoisyMax
from dalenius.mechanisms.interval_exponential import IntervalExponential, Steps, steps
from dalenius.neighbors import Metric, Sensitivity
from dalenius.noise import Bits
from tests.contracts.selection_laws import fifty_digits, number, violates
from tests.mechanisms.test_selection import NoBits
from tests.noise.fit import FALSE_ALARM, chi_square
from tests.noise.seeded import ScriptedBits

ONE = Sensitivity(1, Metric.LINF)
EDGES, SCORES = ["0", "0.3", "0.3", "1.7", "10/3", "4"], [0, 50, 3, -1, 2]


@fifty_digits
def cell_law(edges, scores, scale, lower, upper, cells):
    """By the density itself: the exact integral over each cell."""
    edges = [Fraction(e) for e in edges]
    width = Fraction(upper - lower) / cells
    law = []
    for cell in range(cells):
        low = lower + cell * width
        law.append(
            mp.fsum(
                mp.exp(mp.mpf(score) / scale) * number(max(Fraction(0), min(b, low + width) - max(a, low)))
                for score, (a, b) in zip(scores, pairwise(edges), strict=True)
            )
        )
    return [mass / mp.fsum(law) for mass in law]


@pytest.mark.theorem("A Thm 7.1", "A Rem 7.1")
def test_the_law_that_is_sampled_is_the_law_that_is_claimed():
    cells, draws = 8, 3_000
    mechanism, utility = IntervalExponential(Fraction(2), 0, 4, cells), steps(EDGES, SCORES)
    drawn = [mechanism.release(utility, Bits()) for _ in range(draws)]
    middles = [Fraction(2 * cell + 1, 4) for cell in range(cells)]
    assert set(drawn) <= set(middles)
    counts = np.array([drawn.count(middle) for middle in middles], float)
    assert chi_square(counts, np.array([float(p) for p in cell_law(EDGES, SCORES, 2, 0, 4, cells)])) > FALSE_ALARM


def test_the_piece_has_the_law_that_is_claimed_and_other_scales_are_rejected():
    lengths = np.array([float(Fraction(b) - Fraction(a)) for a, b in pairwise(EDGES)])
    drawn = IntervalExponential(Fraction(2), 0, 4).law(steps(EDGES, SCORES)).sample(Bits(), 60_000)
    counts = np.bincount(drawn, minlength=5).astype(float)
    assert counts[1] == 0
    for scale, fits in ((2, True), (1.5, False), (2.5, False)):
        law = np.delete(lengths * np.exp(np.array(SCORES) / scale), 1)
        assert (chi_square(np.delete(counts, 1), law / law.sum()) > FALSE_ALARM) is fits


def test_a_piece_of_no_length_is_never_chosen():
    # the score of 50 stands on an interval of length 0
    law = IntervalExponential(Fraction(2), 0, 4).law(steps(EDGES, SCORES))
    assert law.log_mass(1) == -math.inf


def rank_utility(data, cells):
    """−|rank − half| on [0, 1] between the data points: the median of A §7.3.1."""
    edges = [Fraction(0), *sorted(data), Fraction(1)]
    n = len(data)
    return steps(edges, [-abs(2 * rank - n) for rank in range(n + 1)])


@pytest.mark.theorem("A §7.3.1 median utility")
def test_neighbors_in_the_data_move_private_edges_and_the_cells_stay_within_the_guarantee():
    # edges are the data themselves, off the lattice; the utility 2·|rank − n/2| has sensitivity 2 under change-one,
    # since moving one value moves the rank by 1 at most, and 1 under add/remove
    cells, scale = 7, 2
    data = [Fraction(1, 3), Fraction(2, 5), Fraction(9, 10)]
    claims = []
    for other, delta in (
        ([Fraction(1, 3), Fraction(2, 5), Fraction(1, 100)], 2),
        ([Fraction(1, 3), Fraction(2, 5), Fraction(99, 100)], 2),
        ([Fraction(1, 3), Fraction(2, 5)], 1),
        ([*data, Fraction(1, 2)], 1),
    ):
        first, second = rank_utility(data, cells), rank_utility(other, cells)
        p, q = (cell_law(u.edges, u.scores, scale, 0, 1, cells) for u in (first, second))
        claim = IntervalExponential(Fraction(scale), 0, 1, cells).guarantee(Sensitivity(delta, Metric.LINF))
        assert not violates(p, q, claim, [Fraction(k, 5) for k in range(10)])
        claims.append(claim.budget)
    assert claims == [2, 2, 1, 1]


def test_a_place_next_to_a_cells_edge_is_settled_exactly():
    # the piece [1/3, 1/3 + 2⁻⁷⁰] straddles no cell edge; [1/4 − 2⁻⁸⁰, 1/4 + 2⁻⁸⁰] does: both cells must come up
    tiny = Fraction(1, 2**80)
    utility = steps([0, Fraction(1, 4) - tiny, Fraction(1, 4) + tiny, 1], [-(10**6), 0, -(10**6)])
    mechanism = IntervalExponential(Fraction(1), 0, 1, 4)
    assert {mechanism.release(utility, Bits()) for _ in range(100)} == {Fraction(1, 8), Fraction(3, 8)}


@pytest.mark.parametrize(("digits", "cell"), [(0, 0), (2**64 - 1, 1)])
def test_digits_are_drawn_until_the_cell_is_certain(digits, cell):
    # the first 64 digits of 1/3 leave open on which side of the edge 1/3 the place lies
    place = ScriptedBits(2**64 // 3, digits)
    assert IntervalExponential(Fraction(1), 0, 1, 3).release(steps([0, 1], [0]), place) == Fraction(2 * cell + 1, 6)
    assert len(place.seen) == 2


def test_cost_is_the_range_and_calibration_is_on_the_unit_interval():
    assert IntervalExponential(Fraction(2), 0, 1).guarantee(ONE) == BoundedRange(1)
    mechanism = IntervalExponential.least(Sensitivity(3, Metric.LINF), PureDP(2))
    assert (mechanism.scale, mechanism.lower, mechanism.upper) == (3, 0, 1)
    assert mechanism.scaled(2).scale == 6
    assert IntervalExponential.from_facts(mechanism.facts()) == mechanism
    with pytest.raises(MixedMetrics):
        mechanism.guarantee(Sensitivity(1, Metric.L1))
    with pytest.raises(UnprovenClaim):
        IntervalExponential.least(ONE, GDP(1))
    with pytest.raises(InvalidParameter, match="no noise"):
        IntervalExponential.least(Sensitivity(0, Metric.LINF), PureDP(1))


@pytest.mark.parametrize(
    "build",
    [
        lambda: IntervalExponential(0, 0, 1),
        lambda: IntervalExponential(1, 1, 1),
        lambda: IntervalExponential(1, 0, math.inf),
        lambda: IntervalExponential(1, 0, 1, 0),
        lambda: steps([0, 1], [1, 2]),
        lambda: steps([0, 1], [0.5]),
        lambda: steps([0], []),
        lambda: steps([0, 2, 1], [1, 1]),
        lambda: steps([1, 1], [1]),
        lambda: steps([0, math.nan], [1]),
        lambda: IntervalExponential(1, 0, 1).release(steps([0, 2], [1]), NoBits()),
    ],
)
def test_bad_parameters_are_refused_before_any_draw(build):
    with pytest.raises(InvalidParameter):
        build()


def test_a_step_function_is_exact():
    assert Steps(("0", "0.1"), (3,)).edges == (0, Fraction(1, 10))


@pytest.mark.theorem("A Rem 7.1")
def test_on_an_interval_the_law_does_not_hang_on_the_cells_while_the_gap_of_a_noisy_max_grows_with_every_candidate():
    """A utility of two steps on [0, 1] has one law, however finely the answer is cut.

    A noisy maximum has noise for each candidate, the largest of which grows with their number: over an infinite range
    there is no largest.
    """
    utility = steps(["0", "1/2", "1"], [0, 3])
    for cells in (2, 8, 64):
        worse, better = map(float, IntervalExponential(Fraction(1), 0, 1, cells).law(utility).masses())
        assert better / worse == pytest.approx(math.exp(3), rel=1e-12)
    assert float(LaplaceNoisyMax(Fraction(3)).expected_gap(5)) == pytest.approx(3 * (1 + 2 * math.log(8)), rel=1e-12)
    gaps = [float(LaplaceNoisyMax(Fraction(1)).expected_gap(10**k)) for k in (1, 10, 100)]
    assert all(later > 5 * sooner for sooner, later in pairwise(gaps))
