import itertools

import numpy as np
import pytest

from dalenius.curator import Curator
from dalenius.errors import InvalidParameter
from dalenius.ledger import Ledger
from dalenius.neighbors import Metric, Relation, Unit
from dalenius.noise import Bits
from dalenius.queries import Contributions, Table
from dalenius.statistics import count
from dalenius.synthesis.conjunctions.parities import ParityCounts, parities, parities_of, sensitivity, sets_of
from dalenius.synthesis.conjunctions.yes_no import YesNo

THREE = YesNo.of({"a": (0, 1), "b": (0, 1), "c": (0, 1)})


def test_parities_are_the_sums_of_signs():
    rows = np.random.default_rng(0).integers(0, 2, (50, 3))
    histogram = THREE.histogram(Table.of({name: rows[:, i] for i, name in enumerate("abc")}))
    signs = 2 * rows - 1
    for chosen, parity in zip(sets_of(3, 2), parities_of(histogram, 3, 2), strict=True):
        assert parity == signs[:, list(chosen)].prod(axis=1).sum()


@pytest.mark.parametrize("relation", list(Relation))
def test_no_row_moves_the_parities_farther_than_the_sensitivity(relation):
    unit, moves = Unit(None, relation), []
    for one, other in itertools.product(range(8), [*range(8), None]):
        histogram = np.zeros(8, np.int64)
        histogram[one] += 1
        if other is not None and relation is Relation.CHANGE_ONE:
            histogram[other] -= 1
        moves.append(int((parities_of(histogram, 3, 2) ** 2).sum()))
    limit = sensitivity(THREE, 2, unit, Metric.L2).square
    assert max(moves) <= limit
    assert relation is Relation.CHANGE_ONE or max(moves) == limit


def test_conjunctions_are_unbiased_with_the_variance_that_is_told(tmp_path):
    rows = np.random.default_rng(1).integers(0, 2, (400, 3))
    table = Table.of({name: rows[:, i] for i, name in enumerate("abc")})
    exact = int(((rows[:, 0] == 1) & (rows[:, 2] == 0)).sum())
    plan, draws = parities(THREE, width=2, epsilon=2, delta=1e-5), []

    class Held:
        outcome = None

    for _ in range(800):
        held = Held()
        held.outcome = plan.run(table, Bits())
        counts = ParityCounts.of(held)
        draws.append(counts.count(a=True, c=False))
    values, told = np.array([value for value, _ in draws]), draws[0][1]
    assert values.mean() == pytest.approx(exact, abs=6.2 * told / 800**0.5)
    assert values.var() == pytest.approx(told**2, rel=6.2 * (2 / 800) ** 0.5)
    assert abs(values.var() / (1.25 * told) ** 2 - 1) > 0.1


def test_parities_go_through_the_ledger_and_other_releases_are_refused(tmp_path):
    ledger = Ledger.open(tmp_path / "p.ledger")
    ledger.create("d", epsilon=3, delta="1e-4", unit="row")
    curator = Curator({name: [0, 1] for name in "abc"}, unit="row", ledger=ledger, dataset="d")
    counts = ParityCounts.of(curator.release(parities(THREE, epsilon=1)))
    assert counts.count()[1] > counts.count(a=True)[1]
    with pytest.raises(InvalidParameter):
        ParityCounts.of(curator.release(count(epsilon=1, about=curator)))
    narrow = ParityCounts.of(curator.release(parities(THREE, epsilon=1, width=1)))
    with pytest.raises(InvalidParameter, match="up to 1"):
        narrow.count(a=True, b=True)


def test_people_are_bounded_and_bad_widths_refused():
    people = YesNo.of({"a": (0, 1)}, Contributions("who", 3))
    plan = parities(people, width=1, epsilon=1, delta=1e-5, unit=Unit("who"))
    assert plan.guarantee.delta(1.0) <= 1e-5 * (1 + 1e-6)
    assert parities(people, width=1, epsilon=1, unit=Unit("who")).guarantee.sum_form[0] == 1
    assert "parities" in plan.explain()
    with pytest.raises(InvalidParameter):
        parities(people, width=1, epsilon=1)
    with pytest.raises(InvalidParameter):
        parities(THREE, width=4, epsilon=1)
