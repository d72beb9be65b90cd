import math
from fractions import Fraction

from dalenius.mechanisms import (
    Exponential,
    GumbelNoisyMax,
    LaplaceNoisyMax,
    MonotoneExponential,
    MonotoneLaplaceNoisyMax,
    PermuteAndFlip,
    TopK,
)
from dalenius.neighbors import Relation, Unit
from dalenius.queries import Contributions, Keys, Table
from dalenius.statistics.frequent import Frequent

AMONG = Keys("x", ["a", "b"])
PLAIN, OWNED = Frequent(AMONG), Frequent(AMONG, Contributions("u", 3), 2)


def test_scores_are_counts_or_weights():
    table = Table.of({"x": ["a", "b", "a", "z"], "u": [1, 1, 2, 2]})
    assert PLAIN.evaluate(table) == [2, 1]
    assert OWNED.evaluate(table) == [2 * 2**20, 2**20]


def test_one_unit_moves_one_count_by_its_bound():
    for relation in Relation:
        assert PLAIN.sensitivity(Unit.row(relation)).linf == 1
        assert OWNED.sensitivity(Unit("u", relation)).linf == 3 * 2**20


def test_the_error_is_told_in_rows_that_count_in_full():
    one = PLAIN.expected("m", MonotoneExponential(Fraction(7)))
    many = OWNED.expected("m", TopK(MonotoneExponential(Fraction(7 * 2**20)), 2))
    assert one.scale == many.scale == 7
    assert one.candidates == 2


def test_words_and_facts_name_what_is_asked():
    assert PLAIN.keys is None
    assert OWNED.keys == Keys("rank", [1, 2])
    assert "2 most frequent" in str(OWNED)
    assert PLAIN.facts() != OWNED.facts()


def test_no_error_is_told_that_the_mechanism_does_not_keep():
    beta = Fraction(1, 20)
    for kept in (Exponential, MonotoneExponential, GumbelNoisyMax, PermuteAndFlip):
        assert PLAIN.expected("m", kept(Fraction(7))).accuracy(beta) >= kept(Fraction(7)).accuracy(beta, 2)
    for other in (LaplaceNoisyMax, MonotoneLaplaceNoisyMax):
        told = PLAIN.expected("m", other(Fraction(7)))
        assert told.accuracy(beta) == math.inf
        # what would have been told without: less than the mechanism misses by
        assert other(Fraction(7)).accuracy(beta, 1000) > 7 * math.log(1000 / beta)
        assert OWNED.expected("m", TopK(other(Fraction(7)), 2)).accuracy(beta) == math.inf
    uneven = Exponential(Fraction(7), (Fraction(1), Fraction(1000)))
    assert PLAIN.expected("m", uneven).accuracy(beta) == math.inf


def test_every_column_that_it_needs_is_named():
    assert PLAIN.reads == ("x",)
    assert OWNED.reads == ("x", "u")
