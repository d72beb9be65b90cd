import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalenius.graphs.edges import Edges
from dalenius.graphs.projection import degrees, projected
from dalenius.queries import Table
from tests.graphs.small_graphs import ENDS, all_graphs, moves, table, without

SIZES = [pytest.param(5), pytest.param(6, marks=pytest.mark.long)]


def counted(graph, most):
    return int(np.count_nonzero(projected(Edges.of(table(graph), ENDS), most)))


@pytest.mark.theorem("A Ex 4.1")
@pytest.mark.parametrize("most", [1, 2, 3])
@pytest.mark.parametrize("people", SIZES)
def test_a_person_moves_the_kept_edges_by_at_most_t_and_the_histogram_by_at_most_2t_plus_1(people, most):
    edges = {graph: Edges.of(table(graph), ENDS) for graph in all_graphs(people)}
    kept = {graph: [int(np.count_nonzero(projected(found, most)))] for graph, found in edges.items()}
    assert moves(kept, people) == most  # a star attains it
    assert all(kept[graph][0] >= kept[without(graph, person)][0] for graph in kept for person in range(people))
    owned = {graph: degrees(found, most) for graph, found in edges.items()}
    assert moves(owned, people) <= 2 * most + 1
    assert moves(owned, people) > most + 1 or most == 1  # a bound of T + 1 would be too small


NAMES = st.integers(0, 5)
ROWS = st.lists(st.tuples(NAMES, NAMES), max_size=14)


@given(rows=ROWS, most=st.integers(1, 4), salt=st.sampled_from(["", "x"]))
def test_several_edges_between_two_people_change_nothing_in_the_bounds(rows, most, salt):
    def answers(kept_rows):
        view = Table.of({"a": np.array([a for a, _ in kept_rows], int), "b": np.array([b for _, b in kept_rows], int)})
        edges = Edges.of(view, ENDS, salt)
        return int(np.count_nonzero(projected(edges, most))), degrees(edges, most)

    count, owned = answers(rows)
    for person in range(6):
        fewer, others = answers([row for row in rows if person not in row])
        assert 0 <= count - fewer <= most
        assert np.abs(owned - others).sum() <= 2 * most + 1


def test_without_the_bound_every_edge_of_a_person_counts():
    star = frozenset((0, leaf) for leaf in range(1, 9))
    assert counted(star, 3) == 3
    assert counted(star, 8) == 8
    assert degrees(Edges.of(table(star), ENDS), 8).tolist() == [8, 0, 0, 0, 0, 0, 0, 1]


@pytest.mark.theorem("A Ex 4.1")
def test_counting_people_without_kept_edges_would_let_a_hub_take_all_its_leaves_along():
    star = frozenset((0, leaf) for leaf in range(1, 101))
    edges = Edges.of(table(star), ENDS)
    kept = projected(edges, 1)
    owned = np.bincount(np.concatenate([edges.first[kept], edges.second[kept]]), minlength=edges.people)
    assert np.count_nonzero(owned == 0) == 99  # all of them gone when the hub leaves: far more than 2T + 1 = 3
    assert degrees(edges, 1).tolist() == [2]
