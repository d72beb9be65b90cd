from fractions import Fraction
from itertools import product

import pytest
from sqlglot import exp

from dalenius.curator.formula.base import Linear
from dalenius.sql.after.regions.aggregates import added, aggregate, counted
from dalenius.sql.after.regions.region import JointRegion
from dalenius.sql.after.regions.rows import HERE, Presence
from dalenius.sql.after.regions.values import Between, Exact, OneOf, Unknown

MAYBE = Presence(False, False, True, True)
NEVER = Presence(False, False, False, False)
SURE = Presence(False, True, True, True)
MEMBERS = [
    (SURE, Between(1, 3, 2)),
    (MAYBE, Between(-5, -1, -2)),
    (MAYBE, Between(4, 9, 5)),
    (NEVER, Between(100, 200, 150)),
]
OF = {exp.Sum: sum, exp.Avg: lambda xs: sum(xs) / len(xs), exp.Max: max, exp.Min: min, exp.Count: len}


@pytest.mark.parametrize("kind", OF)
def test_the_ends_are_those_of_all_tables_that_are_possible(kind):
    """By enumeration: every set of rows that may be there, with every one of their ends."""
    results = []
    for there in product((False, True), repeat=2):
        rows = [MEMBERS[0], *(one for one, is_there in zip(MEMBERS[1:3], there, strict=True) if is_there)]
        results += [OF[kind](xs) for xs in product(*((value.low, value.high) for _, value in rows))]
    result = aggregate(kind(), MEMBERS, JointRegion({}, Fraction(1, 2)))
    assert (result.low, result.high) == pytest.approx((min(results), max(results)))


def test_without_a_sure_row_the_result_may_be_null():
    assert aggregate(exp.Max(), [(MAYBE, Between(1, 2, 1))], JointRegion({}, Fraction(1, 2))).nullable
    assert counted([HERE, HERE]) == Exact(2)
    assert counted([SURE, MAYBE, NEVER]) == Between(1.0, 2.0, 2)
    assert aggregate(exp.Sum(), [], JointRegion({}, Fraction(1, 2))) == Exact(None)


def test_the_label_of_the_largest_is_one_of_those_that_may_be():
    labels = [(HERE, Exact(name)) for name in "abc"]
    by = [Between(0, 10, 5), Between(8, 12, 9), Between(-9, 3, 0)]
    assert aggregate(exp.ArgMax(), labels, JointRegion({}, Fraction(1, 2)), by) == OneOf(frozenset("ab"), "b")


def test_a_row_whose_label_is_null_takes_no_part_in_arg_max():
    """As DuckDB has it; its number decides over no other label either."""
    labels = [(HERE, Exact(name)) for name in ("a", None, "b")]
    by = [Between(0, 10, 5), Between(90, 99, 95), Between(8, 12, 9)]
    assert aggregate(exp.ArgMax(), labels, JointRegion({}, Fraction(1, 2)), by) == OneOf(frozenset("ab"), "b")
    assert aggregate(exp.ArgMax(), labels[1:2], JointRegion({}, Fraction(1, 2)), by[1:2]) == Exact(None)


def test_what_has_no_rule_says_so_and_a_reason_goes_along():
    rows = [(MAYBE, Between(0, value, value)) for value in (1, 2, 30)]
    assert isinstance(aggregate(exp.Mode(), rows, JointRegion({}, Fraction(1, 2))), Unknown)
    assert aggregate(exp.Sum(), [(HERE, Unknown("ranks", 1))], JointRegion({}, Fraction(1, 2))).reason == "ranks"
    assert added([Linear.of({"a": Fraction(1)}), Linear.of({"a": Fraction(-1)}, Fraction(2))]) == Linear.of(
        {}, Fraction(2)
    )
