from fractions import Fraction

import pytest

from dalenius.errors import InvalidParameter, UnboundedQuery
from dalenius.neighbors import Unit
from dalenius.synthesis.data.domain import DeclaredColumns
from dalenius.synthesis.search import Search


def test_the_price_is_divided_between_the_search_and_the_tables():
    search = Search.of({"city": "private", "sex": ["F"]}, {"x": "private", "y": (0, 1)}, 1, "1e-6", "0.1")
    assert search.names == ("city", "x")
    assert search.epsilon_left == Fraction(9, 10)
    assert search.delta_left == Fraction(1, 2 * 10**6)
    nothing = Search.of(None, None, 1, None, "0.1")
    assert (nothing.epsilon_left, nothing.delta_left) == (1, 0)


def test_a_selection_costs_its_part_also_for_people_in_several_groups():
    search = Search.of({"city": "private"}, None, 1, "1e-6", "0.1")
    for unit in (Unit.row(), Unit("who")):
        form = search._select("city", unit, Fraction(1, 10)).guarantee.sum_form
        assert form[0] <= Fraction(1, 10)
        assert form[1] <= Fraction(1, 2 * 10**6)


def test_what_is_yet_to_be_found_stands_as_an_example():
    search = Search.of({"city": "private"}, {"x": "private"}, 1, "1e-6", "0.1")
    ready = search.example(DeclaredColumns({}, {}))
    assert ready.attribute("city").size == 3
    assert ready.attribute("x").size == 33


def test_a_search_for_levels_needs_delta():
    with pytest.raises(UnboundedQuery):
        Search.of({"city": "private"}, None, 1, None, "0.1")
    with pytest.raises(InvalidParameter):
        Search.of(None, None, 1, None, 0)
