import numpy as np
import pytest

from dalenius.errors import InvalidParameter
from dalenius.neighbors import Metric, Relation, Unit
from dalenius.queries import Contributions, Distinct, Keys, Table


def test_different_values_are_counted_once():
    table = Table.of({"x": [1, 1.0, "a", None, float("nan"), "b", "a", 2.5]})
    assert Distinct("x").evaluate(table).tolist() == [4]
    assert Distinct("x").evaluate(Table.of({"x": []})).tolist() == [0]


def test_values_are_counted_within_each_key():
    table = Table.of({"x": [1, 1, 2, 1, 3], "k": ["a", "a", "a", "b", "z"]})
    assert Distinct("x", Keys("k", ["b", "a", "c"])).evaluate(table).tolist() == [1, 2, 0]


def test_a_unit_counts_with_no_more_values_than_it_may():
    x = np.arange(1000)
    table = Table.of({"x": x, "u": x // 100})
    for most, total in ((1, 10), (7, 70), (100, 1000), (500, 1000)):
        assert Distinct("x", contributions=Contributions("u", most)).evaluate(table).tolist() == [total]


def test_which_values_of_a_unit_count_depends_on_that_unit_alone():
    """What others hold must not decide it: the union of what each keeps is what all keep together."""
    rng = np.random.default_rng(9)
    x, u = rng.integers(0, 40, 300), rng.integers(0, 12, 300)
    bound = Contributions("u", 3)
    kept = set()
    for unit in range(12):
        mine = np.unique(x[u == unit])
        counts = {
            value
            for value in mine
            if Distinct("x", contributions=bound).evaluate(
                Table.of({"x": np.append(mine, value), "u": np.append(np.zeros(len(mine)), 1)})
            )[0]
            == min(3, len(mine))
        }
        assert len(counts) == min(3, len(mine))
        kept |= counts
    assert Distinct("x", contributions=bound).evaluate(Table.of({"x": x, "u": u})).tolist() == [len(kept)]


@pytest.mark.theorem("A Def 3.4")
def test_a_unit_moves_it_by_its_contributions():
    query = Distinct("x", Keys("k", ["a", "b"]), Contributions("u", 4))
    assert query.sensitivity(Unit("u")).l1 == 4
    assert query.sensitivity(Unit("u", Relation.CHANGE_ONE)).l1 == 8
    assert query.sensitivity(Unit("u", Relation.CHANGE_ONE), Metric.L2).square == 32


def test_a_salt_is_text():
    with pytest.raises(InvalidParameter, match="salt"):
        Distinct("x", salt=3)
