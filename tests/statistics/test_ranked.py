import math
from fractions import Fraction

import pytest

from dalenius.mechanisms import Quantile, Quantiles
from dalenius.mechanisms.quantile import rank_error
from dalenius.neighbors import Relation, Unit
from dalenius.queries import Contributions, Keys, Table
from dalenius.queries.grid import Grid
from dalenius.statistics.ranked import ManyRanks, OneRank, moved

PLAIN, OWNED = Grid("x", (0, 4), 16), Grid("x", (0, 4), 16, Contributions("u", 3))


def test_a_units_weight_comes_or_goes_once_and_is_replaced_twice():
    assert moved(PLAIN, Unit.row()).l1 == 1
    assert moved(PLAIN, Unit.row(Relation.CHANGE_ONE)).l1 == 2
    assert moved(OWNED, Unit("u")).l1 == 3 * 2**20
    assert moved(OWNED, Unit("u", Relation.CHANGE_ONE)).l1 == 6 * 2**20


def test_rows_keep_their_cells_and_weights():
    ranks = OneRank(OWNED, "q").evaluate(Table.of({"x": [0.3, 3.9], "u": [1, 1]}))
    assert ranks.rows.tolist() == [1, 15]
    assert ranks.weights.tolist() == [2**20, 2**20]
    assert ranks.total == 2**21


@pytest.mark.parametrize("grid", [PLAIN, OWNED])
def test_the_told_error_is_no_less_than_the_mechanisms_in_rows_that_count_in_full(grid):
    beta = Fraction(1, 20)
    one = Quantile(5 * grid.row, Fraction(1, 2), 0, 4, 16)
    assert OneRank(grid, "q").expected("q", one).accuracy(beta) >= one.accuracy(beta) / grid.row
    low = Quantile(5 * grid.row, 0, 0, 4, 16, 5 * grid.row * Fraction(math.log(15 * 999)))
    told = OneRank(grid, "least").expected("q", low).accuracy(beta)
    assert told >= (low.accuracy(beta) + low.shift) / grid.row
    levels = (Fraction(1, 4), Fraction(1, 2), Fraction(3, 4))
    many = Quantiles(5 * grid.row, levels, 0, 4, 16)
    chosen = ManyRanks(grid, levels).expected("q", many)
    # for one value its own choice and half of the one above it, which may both miss, for all three every choice
    assert chosen.accuracy(beta) >= 5 * (1.5 * math.log(2**36) + math.log(2 / beta)) + 1.5
    assert chosen.accuracy(beta) <= 0.75 * 2 * (rank_error(Fraction(5), 16 << 32, beta / 2) + 1)
    assert chosen.accuracy(beta, 3) >= many.accuracy(beta, grid.row) / grid.row


def test_words_facts_and_keys_name_what_is_asked():
    assert OneRank(PLAIN, "the least").keys is None
    assert "the least of x" in str(OneRank(PLAIN, "the least"))
    many = ManyRanks(PLAIN, (Fraction(1, 4), Fraction(1, 2)))
    assert many.keys == Keys("level", [0.25, 0.5])
    assert many.facts()["levels"] == ["1/4", "1/2"]
    assert "1/4, 1/2" in str(many)


@pytest.mark.parametrize("grid", [PLAIN, OWNED])
def test_a_shift_of_ones_own_is_covered_or_told_to_be_unknown(grid):
    beta, scale = Fraction(1, 20), Fraction(5 * grid.row)
    for shift in (scale, -scale * 9, scale * 12, scale * 1000, -scale * 1000):
        aimed = Quantile(scale, Fraction(1, 2), 0, 4, 16, shift)
        told = OneRank(grid, "q").expected("q", aimed).accuracy(beta)
        assert told >= (aimed.accuracy(beta) + abs(shift)) / grid.row
        assert (told == math.inf) == (abs(shift) > 100 * scale or abs(shift) > scale * Fraction(math.log(999 * 16)))


def test_a_missing_column_is_refused_before_the_charge():
    for query in (OneRank(OWNED, "q"), ManyRanks(OWNED, (Fraction(1, 2),))):
        assert query.reads == ("x", "u")
    assert OneRank(PLAIN, "q").reads == ("x",)
