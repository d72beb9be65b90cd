from fractions import Fraction

from dalenius.curator import Measured
from dalenius.curator.formula import Cell, Times
from dalenius.mechanisms import Geometric
from dalenius.noise.lattice import INTEGERS
from dalenius.sql.after.regions.region import JointRegion, above, below, never_null, nullable
from dalenius.sql.after.regions.values import Between, Exact, MadeValue, OneOf, Unknown

CELLS = {name: Measured(name, (100,), INTEGERS, Geometric(Fraction(10))) for name in ("a", "b")}


def test_every_statement_is_counted_once_and_fails_with_its_own_probability():
    region = JointRegion(CELLS, Fraction(1, 100))
    low, high = region.formula(Cell("a"))
    assert (100 - low, high - 100) == (Geometric(Fraction(10)).accuracy(Fraction(1, 100)),) * 2 or high - 100 <= 48
    region.formula(Cell("a"))
    region.formula(Times(Cell("a"), Cell("b")))
    assert len(region.asked) == 2


def test_ends_of_what_is_public_are_itself_and_of_texts_there_are_none():
    region = JointRegion(CELLS, Fraction(1, 100))
    assert region.ends(Exact(3)) == (3.0, 3.0)
    assert region.ends(Exact("a")) is None
    assert region.ends(Unknown("why")) is None
    assert region.ends(OneOf(frozenset({1, 5, None}), 1)) == (1.0, 5.0)
    assert region.ends(OneOf(frozenset({None}), None)) == (0.0, 0.0)  # numbers or NULL: the rule goes on all the same
    assert region.ends(Between(0, 2, 1)) == (0, 2)
    assert below(Fraction(1, 3)) < Fraction(1, 3) < above(Fraction(1, 3))
    assert below(5) == above(5) == 5


def test_what_may_be_null_is_known_and_what_never_is_by_public_facts_alone():
    assert nullable(Exact(None))
    assert nullable(Unknown(""))
    assert nullable(OneOf(frozenset({1, None}), 1))
    assert not nullable(Between(0, 1, 0))
    assert never_null(MadeValue(Cell("a"), 1))
    assert not never_null(MadeValue(Cell("a"), 1, nullable=True))
    assert not never_null(Between(0, 1, 0))
