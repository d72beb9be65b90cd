"""No unit moves a score by more than the clamp says, whatever the function does."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from dalenius.errors import InvalidParameter
from dalenius.neighbors import Unit
from dalenius.queries import Keys, Table
from dalenius.statistics.scored import BlockScores, Scale, UnitScores

CANDIDATES = Keys("p", [1, 2, 3])
NASTY = [0.0, 0.7, 2.5, 1e300, -1e300, math.inf, -math.inf, math.nan, None, "text"]


def rude(rows, candidate):
    """As large as it likes, and an error where a row is no number."""
    return sum(float(value) ** candidate for value in rows["x"].tolist())


def greedy(rows, candidate):
    return 10**400 if candidate == 2 else -1


def several(rows, candidate):
    return [1.0, 2.0]


def vanishing(rows, candidate):
    raise SystemExit


def scores(utility, most=Fraction(5, 2), unit=None):
    return UnitScores(CANDIDATES, utility, ("x",), Scale(most), unit or Unit.row(), "v")


@pytest.mark.theorem("S §2.4 quality sensitivity")
@pytest.mark.parametrize("utility", [rude, greedy, several, vanishing])
def test_one_row_raises_every_score_by_at_most_the_clamp_and_lowers_none(utility):
    query = scores(utility)
    most = query.sensitivity(Unit.row()).linf
    for rows in itertools.combinations_with_replacement(NASTY, 2):
        here = query.evaluate(Table.of({"x": list(rows)}))
        for added in NASTY:
            there = query.evaluate(Table.of({"x": [*rows, added]}))
            assert all(0 <= b - a <= most for a, b in zip(here, there, strict=True))


def test_one_unit_raises_every_score_by_at_most_the_clamp_however_many_rows_it_has():
    query = scores(rude, unit=Unit("u"))
    most = query.sensitivity(Unit("u")).linf
    others = {"x": [2.0, 1.0, 1.0], "u": ["a", "b", "b"]}
    here = query.evaluate(Table.of(others))
    reached = 0
    for k in range(1, 6):
        for own in itertools.combinations(NASTY, k):
            there = query.evaluate(Table.of({"x": [*others["x"], *own], "u": [*others["u"], *["c"] * k]}))
            assert all(0 <= b - a <= most for a, b in zip(here, there, strict=True))
            reached = max(reached, *(b - a for a, b in zip(here, there, strict=True)))
    assert reached == most


def test_without_the_clamp_a_row_moves_a_score_by_any_amount():
    class Unclamped(Scale):
        def held(self, given):
            return int(float(given))

    query = UnitScores(CANDIDATES, rude, ("x",), Unclamped(Fraction(5, 2)), Unit.row(), "v")
    assert query.evaluate(Table.of({"x": [10.0**6]}))[2] > query.sensitivity(Unit.row()).linf


def test_rows_of_nobody_count_for_nobody_and_a_function_cannot_change_what_the_next_candidate_sees():
    def spoils(rows, candidate):
        rows["x"] *= 0
        return rows["x"].size if candidate == 1 else rows["x"].sum() + 1

    query = scores(spoils, unit=Unit("u"))
    step = query.scale.lattice.step
    table = Table.of({"x": [5.0, 5.0, 5.0], "u": ["a", "a", None]})
    assert [total * step for total in query.evaluate(table)] == [2, 1, 1]


def test_blocks_are_summed_and_held():
    query = BlockScores(CANDIDATES, Scale(Fraction(2)), "v")
    step = query.scale.lattice.step
    answers = ([1.0, 9.0], [-3.0, 0.5], [math.nan, 2.0])
    given = {name: np.array(column) for name, column in zip(query.columns, answers, strict=True)}
    assert [total * step for total in query.evaluate(Table(given))] == [3, Fraction(1, 2), 2]
    with pytest.raises(InvalidParameter, match="a row"):
        query.sensitivity(Unit("u"))


def test_the_unit_is_the_one_that_the_scores_were_bounded_for():
    with pytest.raises(InvalidParameter, match="not for each u"):
        scores(rude).sensitivity(Unit("u"))
    with pytest.raises(InvalidParameter, match="most"):
        Scale(Fraction(0))
