from fractions import Fraction

import numpy as np

from dalenius.curator.formula import Cell, Plus, Times
from dalenius.curator.formula.base import Linear
from dalenius.sql.after.regions.values import (
    Between,
    CombinedValue,
    Exact,
    MadeValue,
    OneOf,
    choices,
    formula_of,
    hull,
    simplified,
)


def test_a_sum_of_released_numbers_is_one_statement():
    made = simplified(Plus(Cell("a"), Plus(Cell("b"), Cell("a"))))
    assert made == CombinedValue(Linear.of({"a": Fraction(2), "b": Fraction(1)}))
    assert made.statements == {made.form.noise()}
    assert made.names == {"a", "b"}
    assert made.value({"a": np.array([1.0]), "b": np.array([5.0])}).tolist() == [7.0]
    product = Times(Cell("a"), Cell("b"))
    assert simplified(product) == product


def test_what_a_value_may_be_is_listed_or_not():
    assert choices(Exact("a")) == {"a"}
    assert choices(OneOf(frozenset({1, None}), 1)) == {1, None}
    assert choices(Between(0, 1, 0.5)) is None
    assert formula_of(Exact(3)).linear().constant == 3
    assert formula_of(Exact("3")) is None
    assert formula_of(Exact(True)) is None
    assert formula_of(MadeValue(Cell("a"), 1)) == Cell("a")
    assert hull([(0, 1), (-2, 0)]) == (-2, 1)
