from fractions import Fraction

import pytest

from dalenius.curator import Facts
from dalenius.errors import InvalidParameter, UnboundedQuery
from dalenius.neighbors import Relation, Unit

FACTS = Facts.declare(unit="id", bounds={"x": (0, 0.5)}, keys={"k": ["a"]}, contributions=3)


def test_what_was_declared_is_found_and_what_is_given_wins():
    assert FACTS.bounds_of("x") == (0, Fraction(1, 2))
    assert FACTS.bounds_of("x", (1, 2)) == (1, 2)
    assert FACTS.keys_of("k").values == ("a",)
    assert FACTS.keys_of("k", ["b"]).values == ("b",)


def test_what_was_not_declared_is_refused_with_the_remedy():
    with pytest.raises(UnboundedQuery, match="private"):
        FACTS.bounds_of("y")
    with pytest.raises(UnboundedQuery, match="keys"):
        FACTS.keys_of("y")


@pytest.mark.parametrize("ends", [(1, 0), (0,), "01", (0, float("nan")), (0, float("inf")), 3])
def test_bad_bounds_are_refused_early(ends):
    with pytest.raises(InvalidParameter):
        Facts.declare(bounds={"x": ends})


@pytest.mark.parametrize("facts", [{"contributions": 0}, {"contributions": True}, {"contributions": 2}, {"rows": 5}])
def test_facts_that_cannot_be_are_refused(facts):
    with pytest.raises(InvalidParameter):
        Facts.declare(**facts)


def test_the_number_of_rows_is_public_for_changed_rows_only():
    changed = Unit.row(Relation.CHANGE_ONE)
    assert Facts.declare(unit=changed, rows=5).rows == 5
    with pytest.raises(InvalidParameter):
        Facts.declare(unit=Unit("id", Relation.CHANGE_ONE), rows=5)
