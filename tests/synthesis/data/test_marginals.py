from fractions import Fraction

import numpy as np
import pytest

from dalenius.errors import UnboundedQuery
from dalenius.neighbors import Metric, Relation, Unit
from dalenius.queries import ONE, Contributions, Table
from dalenius.synthesis.data.attributes import Levels
from dalenius.synthesis.data.domain import Domain
from dalenius.synthesis.data.marginals import Marginals

A, B, C = (Levels(name, (0, 1)) for name in "abc")
DOMAIN = Domain((A, B, C))
ROWS = Table.of({"who": [1, 1, 1, 2], "a": [0, 0, 1, 1], "b": [0, 1, 1, 1], "c": [1, 1, 0, 0]})


def test_all_singles_and_pairs_are_counted():
    marginals = Marginals(DOMAIN)
    assert marginals.tables == ((0,), (1,), (2,), (0, 1), (0, 2), (1, 2))
    found = dict(zip(marginals.tables, marginals.evaluate(ROWS), strict=True))
    assert found[(0,)].tolist() == [2, 2]
    assert found[(0, 1)].tolist() == [1, 1, 0, 2]
    assert sum(marginals.shares) == 1


def test_with_a_label_every_table_is_by_its_values():
    marginals = Marginals(DOMAIN, target=2)
    assert marginals.tables == ((0, 2), (1, 2), (0, 1, 2))
    assert marginals.evaluate(ROWS)[2].tolist() == [0, 1, 0, 1, 0, 0, 2, 0]
    assert sum(marginals.shares) == 1


def test_people_with_many_rows_weigh_the_same_in_every_table():
    marginals = Marginals(DOMAIN, contributions=Contributions("who", 2))
    for table in marginals.evaluate(ROWS):
        assert table.sum() == 3 * (2 * ONE // 3) + ONE
    assert marginals.one == ONE


@pytest.mark.parametrize("relation", list(Relation))
def test_no_neighbor_moves_a_table_farther_than_the_sensitivity(relation):
    """By enumeration: every person of at most 3 rows added, or put in another's place."""
    rng, bound = np.random.default_rng(1), Contributions("who", 2)
    marginals, unit = Marginals(DOMAIN, contributions=bound), Unit("who", relation)
    base = {name: ROWS.column(name).tolist() for name in ("who", "a", "b", "c")}
    people = [rng.integers(0, 2, (size, 3)).tolist() for size in (0, 1, 2, 3) for _ in range(4)]
    people += [[[0, 0, 0]] * 2, [[1, 1, 1]] * 2]

    def tables(person):
        columns = {name: base[name] + [row[i] for row in person] for i, name in enumerate("abc")}
        return marginals.evaluate(Table.of(columns | {"who": base["who"] + [9] * len(person)}))

    found = [tables(person) for person in people]
    for number, table in enumerate(marginals.tables):
        limit = marginals.sensitivity(table, unit, Metric.L2)
        pairs = ((x, y) for x in found for y in (found[:1] if relation is Relation.ADD_REMOVE else found))
        worst = max(int(((x[number] - y[number]) ** 2).sum()) for x, y in pairs)
        assert worst <= limit.square
        assert worst >= limit.square * Fraction(99, 100)


def test_facts_give_the_tables_back_and_an_unbounded_person_is_refused():
    marginals = Marginals(DOMAIN, 1, Contributions("who", 2))
    assert Marginals.from_facts(marginals.facts()) == marginals
    with pytest.raises(UnboundedQuery):
        Marginals(DOMAIN).sensitivity((0,), Unit("who"), Metric.L2)
