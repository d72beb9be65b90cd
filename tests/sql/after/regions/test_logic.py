from fractions import Fraction
from itertools import product

import pytest

from dalenius.curator import Measured
from dalenius.curator.formula import Cell
from dalenius.mechanisms import Geometric
from dalenius.noise.lattice import INTEGERS
from dalenius.sql.after.regions.logic import ALL, compare, conjunction, disjunction, is_null, negated, same, truths
from dalenius.sql.after.regions.region import JointRegion
from dalenius.sql.after.regions.values import Between, Exact, MadeValue, OneOf, Unknown, choices


@pytest.fixture
def region():
    return JointRegion({"a": Measured("a", (100,), INTEGERS, Geometric(Fraction(10)))}, Fraction(1, 100))


@pytest.mark.parametrize(
    ("sign", "possible"),
    [("<", {True, False}), (">=", {True, False}), (">", {True, False}), ("<=", {True, False}), ("=", {True, False})],
)
def test_a_threshold_inside_of_the_region_leaves_both_open(region, sign, possible):
    assert compare(sign, MadeValue(Cell("a"), 100), Exact(101), region).values == possible


def test_a_threshold_far_away_is_decided_but_never_becomes_a_public_fact(region):
    result = compare(">", MadeValue(Cell("a"), 100), Exact(-1000), region)
    assert result == OneOf(frozenset({True}), True)
    assert not isinstance(result, Exact)
    touching = compare("<", Between(0, 5, 1), Exact(0), region)
    assert touching.values == {False}
    assert compare("<=", Between(0, 5, 1), Exact(0), region).values == {True, False}
    assert compare("=", Between(0, 0, 0), Exact(0), region).values == {True}


def test_null_and_unknown_stay_open(region):
    assert None in compare("<", Between(0, 1, 0, nullable=True), Exact(5), region).values
    assert compare("=", Exact(None), Exact(1), region) == Exact(None)
    assert truths(Unknown("")) == ALL
    assert truths(compare("=", Unknown(""), Exact("a"), region)) >= {True, False}


def test_three_values_are_joined_as_in_sql():
    half = OneOf(frozenset({True, None}), True)
    assert conjunction(half, Exact(False)).values == {False}
    assert disjunction(half, Exact(False)).values == {True, None}
    assert negated(half).values == {False, None}
    assert conjunction(Exact(True), Exact(None)) == Exact(None)
    assert is_null(MadeValue(Cell("a"), 1)) == Exact(False)
    assert is_null(half).values == {True, False}
    assert is_null(Between(0, 1, 0)).values == {False}


def test_two_nulls_are_not_distinct_and_one_alone_is(region):
    """x IS NOT DISTINCT FROM y is never NULL; by enumeration of what both sides may be."""
    sides = [Exact(None), Exact(1), Exact("a"), OneOf(frozenset({None, 1}), 1), OneOf(frozenset({1, 2}), 2)]
    for left, right in product(sides, repeat=2):
        result = same(left, right, region)
        if "a" in (left.point, right.point) and left != right and Exact(None) not in (left, right):
            continue  # a text and a number: the engine alone decides
        possible = {x == y for x, y in product(choices(left), choices(right))}
        assert choices(result) == possible
        assert result.point is (left.point == right.point)
    noisy = MadeValue(Cell("a"), 100)
    assert same(noisy, Exact(None), region) == Exact(False)
    assert same(noisy, Exact(100), region).values == {True, False}
    assert same(MadeValue(Cell("a"), None, nullable=True), Exact(None), region) == OneOf(frozenset({True, False}), True)
