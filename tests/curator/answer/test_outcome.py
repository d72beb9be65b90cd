import math
from fractions import Fraction

import numpy as np
import pytest

from dalenius.curator import Arrangement, Measured, Order, Outcome, Shown, ShownKey
from dalenius.curator.answer.outcome import aligned, shown, shown_above
from dalenius.curator.formula import Cell, Compare, Number
from dalenius.mechanisms import Geometric
from dalenius.noise import Bits, Lattice
from dalenius.queries import Keys

WHOLE = Measured("n", (5, -1, 7), Lattice(0), Geometric(Fraction(10)))
FINE = Measured("n", (2**20, 3 * 2**19), Lattice(-20), Geometric(Fraction(10 * 2**20)))


def test_values_are_whole_where_the_lattice_is():
    assert WHOLE.values == (5, -1, 7)
    assert all(type(value) is int for value in WHOLE.values)
    assert FINE.values == (1.0, 1.5)


@pytest.mark.theorem("D Def 2.1")
def test_accuracy_is_the_mechanisms_in_the_units_of_the_values():
    # P[|Z| > r] = 2q^(r+1)/(1 + q) with q = e^(−1/10): .0523 at 29 and .0474 at 30
    assert WHOLE.accuracy(0.05) == Geometric(Fraction(10)).accuracy(0.05) == 30
    assert Fraction(FINE.accuracy(0.05)) >= Geometric(Fraction(10 * 2**20)).accuracy(0.05) / 2**20
    assert FINE.accuracy(0.05) == pytest.approx(10 * 2.9957, abs=0.01)


@pytest.mark.theorem("D Def 2.1")
def test_a_joint_statement_is_wider_than_one_for_each_cell():
    assert WHOLE.accuracy(0.05, 3) > WHOLE.accuracy(0.05)
    (alone, *_), (together, *_) = WHOLE.interval(0.95), WHOLE.interval(0.95, 3)
    assert together[0] < alone[0] < alone[1] < together[1]


@pytest.mark.parametrize("outcome", [Outcome((WHOLE,), Keys("k", ["a", "b", 3])), Outcome((FINE, WHOLE))])
def test_an_outcome_comes_back_from_json(outcome):
    assert Outcome.from_dict(outcome.to_dict()) == outcome


def test_numbers_are_shown_for_people_and_errors_rounded_up():
    assert [shown(7), shown(1.23456), shown("x")] == ["7", "1.235", "x"]
    assert [shown_above(7), shown_above(1.2341)] == ["7", "1.235"]


@pytest.mark.parametrize("radius", [1e15, 1e16, 1e30, 1.00001e30, 1.7e308])
def test_a_radius_of_any_size_is_shown_and_rounded_up(radius):
    assert shown_above(1.00001) == "1.001"
    assert radius <= float(shown_above(radius)) <= radius * 1.002
    assert len(shown_above(radius)) < 25


MANY = 100
NOISE = Geometric(Fraction(10))


def _picked(limit=None, having=None, by_noise=True):
    by = Shown("n", Cell("n")) if by_noise else ShownKey("k", 0)
    return Arrangement(having, (Order(by, descending=True),), limit)


def _misses(arrangement, draws=400):
    """How often an interval at 95 % of a shown cell misses the truth, which is 0 in every cell."""
    keys, bits = Keys("k", range(MANY)), Bits()
    missed = 0
    for _ in range(draws):
        cells = tuple(NOISE.release(np.zeros(MANY, np.int64), bits).tolist())
        outcome = Outcome((Measured("n", cells, Lattice(0), NOISE),), keys, arrangement=arrangement)
        ends = outcome.interval(outcome.numbers[0], 0.95)
        missed += any(not low <= 0 <= high for low, high in ends)
    return missed / draws


@pytest.mark.parametrize(
    "arrangement", [_picked(limit=1), _picked(having=Compare(">", Cell("n"), Number(Fraction(30))))]
)
def test_cells_that_noise_picked_are_held_as_often_as_claimed(arrangement, monkeypatch):
    """The largest of a hundred noisy zeros lies far off: ends for one cell alone would miss it nearly always.

    Misses are binomial with a mean of at most 5 %; 1e-9 is 6 standard deviations.
    """
    assert _misses(arrangement) <= 0.05 + 6 * math.sqrt(0.0475 / 400)
    monkeypatch.setattr(Outcome, "_picked", 1)
    assert _misses(arrangement) > 0.5


def test_cells_that_public_keys_picked_keep_their_own_ends():
    column = Measured("n", (5, -1, 7), Lattice(0), NOISE)
    plain = Outcome((column,), Keys("k", [1, 2, 3]))
    item = plain.numbers[0]
    by_key = Outcome((column,), plain.keys, arrangement=_picked(limit=2, by_noise=False))
    by_noise = Outcome((column,), plain.keys, arrangement=_picked(limit=2))
    assert by_key.accuracy(item, 0.05) == plain.accuracy(item, 0.05) < by_noise.accuracy(item, 0.05)


def test_a_table_lines_up_texts_by_their_start_and_numbers_by_their_end():
    columns = {"city": ("Å", "Umeå"), "quarter": (1, None), "n": (1000.5, -7)}
    assert aligned(columns) == ["city  quarter         n", "Å           1  1000.500", "Umeå        –        -7"]
    assert aligned({"city": (), "n": ()}) == ["city  n"]


def test_a_null_key_is_sorted_last_either_way_unless_told_otherwise():
    keys, columns = Keys("k", ["b", None, "a"]), (Measured("n", (1, 2, 3), Lattice(0), Geometric(Fraction(1))),)
    for descending, nulls_first, order in (
        (False, False, ("a", "b", None)),
        (True, False, ("b", "a", None)),
        (False, True, (None, "a", "b")),
        (True, True, (None, "b", "a")),
    ):
        item = ShownKey("k", 0)
        outcome = Outcome(columns, keys, arrangement=Arrangement(order=(Order(item, descending, nulls_first),)))
        assert outcome.column(item) == order
