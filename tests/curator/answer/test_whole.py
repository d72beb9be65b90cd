from fractions import Fraction

import pytest

from dalenius.curator.answer.whole import COUNT, MEAN, SUM, NoisyPeople, WholeAnswer, WholeColumn, _Cut
from dalenius.mechanisms import Geometric

NOISE = Geometric(Fraction(2))


def cut(kind, rows=10, raised=20, lowered=30):
    column = WholeColumn(kind, (), (Fraction(0), Fraction(4)), (Fraction(-1), Fraction(9)))
    return _Cut(Fraction(rows), raised, lowered, column)


def test_a_count_moves_up_by_the_rows_that_are_cut_off():
    assert cut(COUNT).sums(5, 7) == (5, 17)


def test_a_sum_moves_by_rows_at_the_limits_and_by_clamped_weight():
    """−10·1 − 20·(0 − −1) = −30 below, 10·9 + 30·(9 − 4) = 240 above, by hand."""
    assert cut(SUM).sums(5, 7) == (-25, 247)


def test_a_mean_is_pulled_by_what_is_cut_off_as_far_as_the_worst_rows_pull_it():
    """Rows that attain the bound: 30 of the bounded mean 2, ten at the limit 9, and weight 30 raised by 5."""
    low, high = cut(MEAN).mean(2.0, 2.0, 30)
    assert high == pytest.approx((30 * 2 + 10 * 9 + 30 * 5) / 40)
    assert low == pytest.approx((30 * 2 - 10 - 20) / 40)
    assert cut(MEAN).mean(2.0, 2.0, -1) == (-1, 9)
    assert cut(MEAN, rows=0, raised=0, lowered=0).mean(1.5, 2.5, 30) == (1.5, 2.5)


def test_people_are_at_most_the_noisy_number_and_its_radius():
    people = NoisyPeople((100, 50), NOISE)
    assert people.at_most(Fraction(1, 20)) > 150 + NOISE.accuracy(Fraction(1, 20))
    assert people.at_most(Fraction(1, 20), (Fraction(0), Fraction(0))) == 0
    assert NoisyPeople((-(10**6),), NOISE).at_most(Fraction(1, 20)) == 0


def test_it_is_stored_and_read_again():
    column = WholeColumn(SUM, (Fraction(3, 7),), (Fraction(0), Fraction(1)), (Fraction(-1, 3), Fraction(2)))
    kept = WholeAnswer(20, NoisyPeople((4,), NOISE), {"s": column})
    assert WholeAnswer.from_dict(kept.to_dict()) == kept
