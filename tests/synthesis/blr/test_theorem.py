import math

import pytest

from dalenius.errors import InvalidParameter
from dalenius.synthesis.blr.theorem import small_database_bound


@pytest.mark.parametrize(
    ("bits", "n", "alpha"),
    [(2, 100, 0.71), (2, 1000, 0.31), (3, 10000, 0.18), (4, 100, 1.04), (5, 1000, 0.53)],
)
def test_alpha_is_that_of_the_table_for_all_conjunctions(bits, n, alpha):
    assert small_database_bound(2**bits, 3**bits, n, 1).alpha == pytest.approx(alpha, abs=0.006)


@pytest.mark.theorem("S Thm 3")
def test_a_sample_of_the_proved_size_exists_and_the_printed_size_is_more_than_enough():
    """√(log(2k)/2m) ≤ α for m = 8 log k/α² whenever k ≥ 2; for k = 1 the printed m is 0, which no database has."""
    for k in (2, 9, 243, 10**6):
        for alpha in (0.5, 0.1, 0.01):
            printed = 8 * math.log(k) / alpha**2
            assert math.sqrt(math.log(2 * k) / (2 * printed)) <= alpha
    assert 8 * math.log(1) == 0
    for k in (9, 243):  # what the code takes: a sample of m rows errs by √(log(2k)/2m) at most, and the choice by more
        for m in (10, 100):
            assert small_database_bound(64, k, 10**9, 1, rows=m).alpha == pytest.approx(
                math.sqrt(math.log(2 * k) / (2 * m)), rel=1e-3
            )


def test_the_best_number_of_rows_is_no_worse_than_others():
    best = small_database_bound(64, 64, 1000, 1)
    assert all(small_database_bound(64, 64, 1000, 1, rows=m).alpha >= best.alpha for m in range(1, 200))
    with pytest.raises(InvalidParameter):
        small_database_bound(4, 9, 100, 1, beta=0)
    with pytest.raises(InvalidParameter):
        small_database_bound(0, 9, 100, 1)
