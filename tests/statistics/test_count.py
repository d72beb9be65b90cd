import pytest

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
