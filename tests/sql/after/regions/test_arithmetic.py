import math
from fractions import Fraction

import pytest

from dalenius.curator import Measured
from dalenius.curator.formula import Cell, Over, Ratio
from dalenius.mechanisms import Geometric
from dalenius.noise.lattice import INTEGERS
from dalenius.sql.after.regions.arithmetic import absolute, extreme, negative, operate, rounded
from dalenius.sql.after.regions.region import JointRegion
from dalenius.sql.after.regions.values import Between, CombinedValue, Exact, MadeValue, Unknown


@pytest.fixture
def region():
    cells = {n: Measured(n, (100,), INTEGERS, Geometric(Fraction(10)), counts=n != "s") for n in ("a", "b", "s")}
    return JointRegion(cells, Fraction(1, 100))


def made(name, point=100):
    return MadeValue(Cell(name), point)


def test_sums_stay_one_formula_and_lose_what_cancels(region):
    both = operate("+", made("a"), made("b"), region)
    alone = operate("-", both, made("b"), region)
    assert isinstance(alone.formula, CombinedValue)
    assert [name for name, _ in alone.formula.form.terms] == ["a"]
    assert operate("*", Exact(3), made("a"), region).formula.linear().terms == (("a", 3),)
    assert operate("/", made("a"), Exact(4), region).formula.linear().terms == (("a", Fraction(1, 4)),)
    assert negative(made("a"), region).point == -100


def test_a_share_of_counts_is_a_ratio_with_known_ends_and_one_of_sums_is_not(region):
    whole = operate("+", made("a"), made("b"), region)
    share = operate("/", made("a"), whole, region)
    assert isinstance(share.formula, Ratio)
    assert (share.formula.low, share.formula.high) == (0, 1)
    percent = operate("/", operate("*", Exact(100), made("a"), region), whole, region)
    assert percent.formula.high == 100
    of_sums = operate("/", made("s"), operate("+", made("s"), made("b"), region), region)
    assert isinstance(of_sums.formula, Over)  # a sum may be below 0
    assert of_sums.nullable


def test_ends_hold_every_result(region):
    x, y = Between(-1, 2, 1), Between(3, 4, 3)
    for sign, low, high in (("+", 2, 6), ("-", -5, -1), ("*", -4, 8), ("/", -1 / 3, 2 / 3)):
        result = operate(sign, x, y, region)
        assert (result.low, result.high) == pytest.approx((low, high))
        assert result.low <= low
        assert result.high >= high
    assert operate("/", y, x, region).high == math.inf
    assert isinstance(operate("%", x, y, region), Unknown)
    assert operate("+", x, Exact(None), region) == Exact(None)
    assert operate("+", Unknown("why"), x, region).reason == "why"


def test_functions_that_grow_are_taken_at_the_ends(region):
    near = rounded(Between(0.25, 1.35, 1), 1, region)
    assert near.low <= 0.2
    assert near.high >= 1.4
    assert rounded(Exact(2.5), 0, region) == Exact(3.0)
    assert rounded(Between(-math.inf, 3, 1), 0, region).low == -math.inf
    size = absolute(Between(-3, 2, 1), region)
    assert (size.low, size.high) == (0, 3)
    top = extreme([Between(0, 5, 1), Exact(3)], True, region)
    assert (top.low, top.high, top.point) == (3, 5, 3)
    least = extreme([Between(0, 5, 1, nullable=True), Exact(3)], False, region)
    assert (least.low, least.high) == (0, 3)
