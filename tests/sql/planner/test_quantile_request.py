from dataclasses import replace
from fractions import Fraction

from dalenius.sql.planner.quantile_request import Rank

RANK = Rank("MEDIAN(x)", ("p0",), (Fraction(1, 2),), Fraction(0), Fraction(1), 4096, 3, 1, "SELECT", Fraction(1))


def test_facts_tell_quantiles_apart():
    assert RANK.facts() != replace(RANK, levels=(Fraction(1, 4),)).facts()
    assert RANK.facts() != replace(RANK, share=Fraction(1, 4)).facts()
