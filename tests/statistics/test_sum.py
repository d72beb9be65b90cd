import pytest

from dalenius.curator import Facts
from dalenius.errors import UnboundedQuery
from dalenius.neighbors import Relation, Unit
from dalenius.noise import Bits
from dalenius.queries import Table
from dalenius.statistics import sum as private_sum


@pytest.mark.theorem("A Rem 3.9")
def test_the_noise_follows_the_bounds_and_the_relation():
    assert private_sum("x", (10, 11), epsilon=1).mechanism.scale == 11
    assert private_sum("x", (10, 11), epsilon=1, unit=Unit.row(Relation.CHANGE_ONE)).mechanism.scale == 1


def test_it_sums_what_is_held_in_the_bounds():
    outcome = private_sum("x", (0, 10), epsilon=10_000).run(Table.of({"x": [1, 2, 99, -5]}), Bits())
    assert outcome.columns[0].values == (13,)


def test_bounds_are_required():
    with pytest.raises(UnboundedQuery):
        private_sum("x", None, epsilon=1)


def test_missing_rows_follow_the_declared_rule():
    view = Table.of({"x": [5, None, float("nan")]})

    def told(**rule):
        return private_sum("x", (2, 10), epsilon=10_000, **rule).run(view, Bits()).columns[0].values[0]

    assert told() == 5
    assert told(missing=3) == 11
    assert told(unit=Unit.row(Relation.CHANGE_ONE)) == 9


def test_declared_bounds_serve():
    facts = Facts.declare(bounds={"x": (0, 10)})
    outcome = private_sum("x", epsilon=1e6, about=facts).run(Table.of({"x": [0.25, 11]}), Bits())
    assert outcome.columns[0].values[0] == pytest.approx(10.25, abs=1e-3)
