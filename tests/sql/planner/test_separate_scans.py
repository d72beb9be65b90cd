from fractions import Fraction

import pytest

from dalenius.mechanisms import Quantiles
from dalenius.sql.catalog import MeasuredBy
from dalenius.sql.planner.rules import RULES
from dalenius.sql.planner.separate_scans import SeparateScan, bundles, rounds
from dalenius.sql.planner.stages import Question
from dalenius.sql.rows.literals import text
from dalenius.sql.text.parse import parse
from tests.sql.sensitivity.grammar import policy


def test_the_value_has_a_name_of_the_engines_own():
    assert SeparateScan("COUNT(DISTINCT x)", MeasuredBy.DISTINCT, "p3", text("x")).column == "of_p3"


def asked(*terms):
    query = f"SELECT {', '.join(terms)} FROM t"
    return RULES.aggregate(RULES.final_rows(Question(parse(query)), policy()), policy())


def test_three_quantiles_of_one_value_are_drawn_together_by_growing_level():
    terms = ["QUANTILE_CONT(x, 0.9)", "MEDIAN(x)", "MIN(x)", "QUANTILE_CONT(x, 0.1)", "MEDIAN(y)", "MODE(k)"]
    found = [[one.question for one in bundle] for bundle in bundles(asked(*terms).scans)]
    together = ["QUANTILE_CONT(x, 0.1)", "MEDIAN(x)", "QUANTILE_CONT(x, 0.9)"]
    assert together in found
    assert sorted(map(len, found)) == [1, 1, 1, 3]


def test_two_quantiles_stay_alone():
    assert list(map(len, bundles(asked("QUANTILE_CONT(x, 0.9)", "MEDIAN(x)").scans))) == [1, 1]


@pytest.mark.parametrize(("levels", "times"), [(1, 1), (3, 2), (4, 3), (7, 3), (8, 4), (15, 4)])
def test_rounds_are_those_of_the_mechanism(levels, times):
    every = tuple(Fraction(i, levels + 1) for i in range(1, levels + 1))
    assert rounds((None,) * levels) == times == len(Quantiles(Fraction(1), every, 0, 1).rounds)


def test_every_round_is_a_question():
    terms = [f"QUANTILE_CONT(x, 0.{level})" for level in range(1, 8)]
    assert asked(*terms, "COUNT(*)").weight == Fraction(1, 4)
    assert asked("MODE(k)", "COUNT(DISTINCT x)").weight == Fraction(1, 2)
