import numpy as np
import pytest

from dalenius.errors import InvalidParameter, UnknownName
from dalenius.queries import ONE, Contributions, Table
from dalenius.synthesis.data.attributes import Levels
from dalenius.synthesis.data.domain import Domain
from dalenius.synthesis.linked.tables import Linked, LinkedTables

SEX, KIND = Levels("sex", ("F", "M"), nulls=True), Levels("kind", (0, 1, 2))


def linked(most=2):
    return Linked("p", "v", Domain((SEX,)), Domain((KIND,)), Contributions("who", most))


def view(parents, children):
    """(who, sex) and (who, kind) as two tables."""
    held = {
        "p": {"who": [who for who, _ in parents], "sex": [sex for _, sex in parents]},
        "v": {"who": [who for who, _ in children], "kind": [kind for _, kind in children]},
    }
    return LinkedTables({name: {column: _column(values) for column, values in t.items()} for name, t in held.items()})


def _column(values):
    column = np.empty(len(values), object)
    column[:] = values
    return column


def test_persons_count_once_with_how_many_rows_they_have_and_rows_join_their_person():
    people, joined = linked().counted(view([(1, "F"), (2, "M"), (3, "F")], [(1, 0), (1, 1), (1, 2), (2, 2), (9, 0)]))
    sexes, times, both = people
    assert (sexes // ONE).tolist() == [2, 1, 0]
    assert (times // ONE).tolist() == [1, 1, 1]  # none of 3, one of 2, and of 1 as many as the bound
    assert (both.reshape(3, 3) // ONE).tolist() == [[1, 0, 1], [0, 1, 0], [0, 0, 0]]
    _, kinds, pairs = joined
    third = 2 * ONE // 3
    assert kinds.tolist() == [third, third, third + ONE]
    assert pairs.reshape(3, 3).tolist() == [[third, third, third], [0, 0, ONE], [0, 0, 0]]


def test_one_person_moves_each_table_by_no_more_than_the_bound_whatever_their_rows_are():
    """Random small tables with all rows of a person taken out: ℓ1 of every table; mutants of the weights are caught."""
    rng, most = np.random.default_rng(5), 2
    worst = np.zeros(2)
    for _ in range(150):
        parents = [(int(w), s) for w, s in zip(rng.integers(0, 4, 5), rng.choice(["F", "M", "x"], 5), strict=True)]
        children = [(int(w), int(k)) for w, k in zip(rng.integers(0, 5, 9), rng.integers(0, 4, 9), strict=True)]
        gone = int(rng.integers(0, 5))
        before = linked(most).counted(view(parents, children))
        after = linked(most).counted(
            view([row for row in parents if row[0] != gone], [row for row in children if row[0] != gone])
        )
        for part in (0, 1):
            moved = max(np.abs(a - b).sum() for a, b in zip(before[part], after[part], strict=True))
            worst[part] = max(worst[part], moved / ONE)
    assert worst[0] == 1
    assert 1 < worst[1] <= most


def test_the_least_level_of_several_parent_rows_counts_and_a_person_without_one_is_left_out():
    people, joined = linked().counted(view([(1, "M"), (1, "F"), (None, "F")], [(1, 0), (7, 1), (None, 1)]))
    assert (people[0] // ONE).tolist() == [1, 0, 0]
    assert [int(table.sum()) // ONE for table in joined] == [1, 1, 1]


def test_people_are_told_apart_exactly_where_the_two_columns_have_unlike_types():
    big = 2**53
    held = LinkedTables(
        {
            "p": {"who": np.array([big, big + 1], np.int64), "sex": ["F", "M"]},
            "v": {"who": np.array([big], np.uint64), "kind": [0]},
        }
    )
    _, joined = linked().counted(held)
    assert (joined[0] // ONE).tolist() == [1, 0, 0]


def test_what_is_no_pair_of_tables_is_refused():
    with pytest.raises(InvalidParameter, match="two tables"):
        Linked("p", "p", Domain((SEX,)), Domain((KIND,)), Contributions("who", 2))
    with pytest.raises(InvalidParameter, match="rename"):
        Linked("p", "v", Domain((Levels("number of v", (0, 1)),)), Domain((KIND,)), Contributions("who", 2))
    with pytest.raises(InvalidParameter, match="LinkedTables"):
        linked().counted(Table.of({"who": [1]}))
    with pytest.raises(UnknownName):
        LinkedTables({"p": {"who": [1]}}).named_table("v", ["who"])
    assert Linked.from_facts(linked().facts()) == linked()
