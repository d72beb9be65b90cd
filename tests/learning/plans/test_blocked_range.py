"""Which cells are named, with chances from the selection's law; what is read of an answer, by hand."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from dalenius.learning.plans.blocked_range import NOTHING_NAMED, RangeSearch, cells, hull
from dalenius.noise import Bits
from dalenius.numerics import precision

SEARCH = RangeSearch(Fraction(2), Fraction(1, 100), 1)


def hockey_stick(one, two, epsilon, chance):
    """∫(p − e^ε q)⁺ over which of two cells are named, for the numbers of blocks in each."""
    total = 0.0
    for named in product((False, True), repeat=2):
        p, q = (
            np.prod([chance(n) if yes else 1 - chance(n) for n, yes in zip(counts, named, strict=True)])
            for counts in (one, two)
        )
        total += max(0.0, p - np.exp(epsilon) * q)
    return total


def chance(blocks):
    with precision(128):
        return float(SEARCH.selection.chance(blocks).mid()) if blocks else 0.0


@pytest.mark.theorem("A Rem 8.3")
@pytest.mark.parametrize("blocks", [1, 2, 3, 5, 9, 40])
def test_a_replaced_answer_is_hidden_to_epsilon_and_delta(blocks):
    """All k answers in one cell against one of them in another: every set of named cells is enumerated."""
    claim = SEARCH.guarantee()
    assert claim.sum_form == (2, Fraction(1, 100))
    assert chance(1) == pytest.approx(1 / 200, rel=1e-12)  # an answer leaves a cell and enters one: half of δ for each
    one, two = (blocks, 0), (blocks - 1, 1)
    for pair in ((one, two), (two, one)):
        assert hockey_stick(*pair, 2.0, chance) <= claim.delta(2.0) * (1 + 1e-12)
    # the range of the answers as they are: no δ below 1 suffices
    assert hockey_stick(two, one, 2.0, lambda n: float(n > 0)) == 1.0


def test_cells_lie_between_powers_of_two():
    answers = np.array([[0.0], [1.0], [1.99], [2.0], [-3.0], [1e-300], [1e300], [-5e-324]])
    found = cells(answers)[:, 0].tolist()
    assert found[1] == found[2] == found[3] - 1
    assert found[4] == -found[3]
    assert (found[0], found[5], found[7]) == (0, 0, 0)
    for value, cell in zip(answers[1:5, 0], found[1:5], strict=True):
        low, high = hull([cell])
        assert low <= Fraction(float(value)) <= high
        assert high - low == max(abs(low), abs(high)) / 2
    assert hull([found[4], 0, found[1]]) == (-4, 2)
    assert hull([]) == hull([0]) == NOTHING_NAMED


def test_ranges_hold_what_most_blocks_say_and_not_what_one_says():
    answers = np.array([[5.0]] * 200 + [[1e9]])
    wide = sum(SEARCH.ranges(answers, Bits())[0][1] > 8 for _ in range(200))
    assert wide <= 15  # each with a chance of at most 1/200: 16 and more once in 1e9
