import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalenius.errors import InvalidParameter, UnboundedQuery
from dalenius.neighbors import Relation, Unit
from dalenius.noise import Lattice
from dalenius.noise.lattice import INTEGERS
from dalenius.queries import Contributions, Keys, Sum, Table, fine_lattice
from tests.queries.neighbors import distances

POOL = [
    0,
    5,
    -7,
    10,
    11,
    1e308,
    -1e308,
    math.inf,
    -math.inf,
    math.nan,
    None,
    "text",
    2**70,
    Decimal("sNaN"),
    10.9,
    -0.0,
]
BOUNDS = [(0, 10), (10, 11), (-5, 3), (-9, -8), (4, 4), (-(2**53), 2**53)]
UNITS = [Unit.row(), Unit.row(Relation.CHANGE_ONE)]


@pytest.mark.theorem("A Rem 3.9", "A Def 3.4")
@pytest.mark.parametrize("bounds", BOUNDS)
@pytest.mark.parametrize("unit", UNITS, ids=str)
@settings(max_examples=30)
@given(rows=st.lists(st.sampled_from(POOL), max_size=4))
def test_no_neighbor_is_further_away_than_the_sensitivity(bounds, unit, rows):
    query = Sum("x", bounds)
    assert max(distances(query, rows, POOL, unit), default=0) <= query.sensitivity(unit).l1


@pytest.mark.theorem("A Rem 3.9")
def test_the_printed_sensitivity_is_too_small_when_rows_come_and_go():
    # errata, A Rem 3.9: upper − lower is printed; [10, 11] has 11 under add-remove, not 1
    query = Sum("x", (10, 11), missing="nearest")
    assert max(distances(query, [10], POOL, Unit.row())) == query.sensitivity(Unit.row()).l1 == 11
    assert query.sensitivity(Unit.row(Relation.CHANGE_ONE)).l1 == 1


@pytest.mark.parametrize(
    ("column", "total"),
    [
        (np.array([1, 2, 300]), 103),
        (np.array([1, 2, 200], np.uint8), 103),
        (np.array([1, 2**64 - 1], np.uint64), 101),
        (np.array([True, False]), 1),
        (np.array([1.9, -3.0, math.nan, math.inf]), 101),
        (np.array([1, None, "5", 2**80, Decimal("2.5")], object), 103),
        (np.array(["1", "2"]), 0),
        (np.array([], float), 0),
        (np.array([np.longdouble("1e4000")]), 100),
    ],
)
def test_every_column_has_a_sum(column, total):
    assert Sum("x", (0, 100)).evaluate(Table({"x": column})).tolist() == [total]


def test_a_sum_is_exact_where_floats_are_not_and_held_inside_int64():
    big = 2**53
    assert Sum("x", (0, big)).evaluate(Table({"x": np.array([big, 1, 1])})).tolist() == [big + 2]
    assert Sum("x", (0, big)).evaluate(Table({"x": np.full(3000, big)})).tolist() == [2**63 - 1]
    assert Sum("x", (-big, 0)).evaluate(Table({"x": np.full(3000, -big)})).tolist() == [-(2**63)]


def test_a_sum_by_key_is_exact_too():
    big = 2**53
    table = Table.of({"x": [big, 1, 1, -big], "k": ["a", "a", "b", "b"]})
    assert Sum("x", (-big, big), Keys("k", ["b", "a"])).evaluate(table).tolist() == [1 - big, big + 1]


def test_real_bounds_keep_32_bits_of_a_row_and_cut_toward_zero():
    query = Sum("x", (-0.5, 1000.25))
    assert query.lattice == fine_lattice((-0.5, 1000.25)) == Lattice(-22)
    assert 2**31 <= query.sensitivity(Unit.row()).l1 < 2**32
    assert query.evaluate(Table.of({"x": [0.1, -0.1]})).tolist() == [0]
    assert query.evaluate(Table.of({"x": [0.1]})).tolist() == [int(Fraction(0.1) * 2**22)]
    assert query.evaluate(Table.of({"x": [2000.0, -7]})).tolist() == [999.75 * 2**22]
    for most in (1e-200, 0.999, 1, 1.5, 3e40):
        assert 2**31 <= int(Fraction(most) / fine_lattice((0, most)).step) < 2**32


def test_whole_bounds_declare_whole_numbers():
    assert Sum("x", (0, 100)).lattice == INTEGERS
    assert Sum("x", (0, 100)).evaluate(Table.of({"x": [1.9, 2.9]})).tolist() == [3]
    assert Sum("x", (0, 100.0)).evaluate(Table.of({"x": [1.5, 2.5]})) * Sum("x", (0, 100.0)).lattice.step == [4]
    assert Sum("x", (0, 2**60)).lattice == Lattice(29)
    with pytest.raises(InvalidParameter, match="too fine"):
        Sum("x", (0, 2**60), lattice=INTEGERS)


def test_a_weighted_sum_shares_a_unit_among_its_rows():
    table = Table.of({"x": [8.5, 8.5, 8.5, 8.5, 3], "u": [1, 1, 1, 1, 2]})
    query = Sum("x", (0, 10.0), contributions=Contributions("u", 2))
    assert query.evaluate(table) * query.lattice.step == [20]
    assert query.sensitivity(Unit("u")).l1 * query.lattice.step == 20


@pytest.mark.parametrize(("missing", "total"), [("drop", 5), ("nearest", 17), (7, 26)])
def test_a_missing_number_follows_the_rule(missing, total):
    table = Table.of({"x": [5, None, "text", math.nan]})
    assert Sum("x", (4, 10), missing=missing).evaluate(table).tolist() == [total]


def test_a_sum_without_bounds_cannot_be_made():
    with pytest.raises(UnboundedQuery, match="bounds"):
        Sum("income", None)


@pytest.mark.parametrize("bounds", [(1, 0), (0, 2**901), (0, math.inf), (True, 2), (0, math.nan), (1, 2, 3), 5, "ab"])
def test_bounds_that_bound_nothing_are_refused(bounds):
    with pytest.raises(InvalidParameter, match="income"):
        Sum("income", bounds)


def test_a_unit_with_many_rows_is_refused():
    with pytest.raises(UnboundedQuery):
        Sum("x", (0, 1)).sensitivity(Unit("user_id"))
