import pytest

from dalenius.curator import Facts
from dalenius.errors import InvalidParameter, UnboundedQuery
from dalenius.guarantees import PureDP
from dalenius.neighbors import Relation, Unit
from dalenius.noise import Bits
from dalenius.queries import Table
from dalenius.statistics import count


@pytest.mark.theorem("A Ex 3.3")
def test_a_count_has_noise_of_scale_one_over_epsilon():
    plan = count(epsilon=0.1)
    assert plan.mechanism.scale == 10
    assert plan.guarantee == PureDP(0.1)


def test_it_counts():
    assert count(epsilon=1000).run(Table.of({"x": range(17)}), Bits()).columns[0].values == (17,)


def test_a_public_number_of_rows_needs_no_noise():
    with pytest.raises(InvalidParameter, match="no noise"):
        count(epsilon=1, unit=Unit.row(Relation.CHANGE_ONE))


def test_a_person_with_many_rows_is_refused():
    with pytest.raises(UnboundedQuery):
        count(epsilon=1, unit="user_id")


def test_by_keys_it_is_a_histogram():
    view = Table.of({"g": ["a", "b", "a"], "h": [1, 1, 2]})
    facts = Facts.declare(keys={"g": ["a", "b"], "h": [1, 2]})
    assert count(epsilon=1000, by="g", about=facts).run(view, Bits()).columns[0].values == (2, 1)
    assert count(epsilon=1000, by=["g", "h"], about=facts).run(view, Bits()).columns[0].values == (1, 1, 1, 0)


def test_a_person_counts_for_as_many_rows_as_declared():
    plan = count(epsilon=1e6, unit="user_id", contributions=2)
    view = Table.of({"user_id": [1] * 100 + [2]})
    assert plan.run(view, Bits()).columns[0].values[0] == pytest.approx(3, abs=1e-3)
