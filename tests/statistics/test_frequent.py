from fractions import Fraction

from dalenius.mechanisms import MonotoneExponential, TopK
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
