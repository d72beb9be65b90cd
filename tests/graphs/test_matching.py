from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import linprog

from dalenius.graphs import matching
from dalenius.graphs.edges import Edges
from dalenius.graphs.matching import twice_the_largest
from dalenius.graphs.projection import projected
from tests.graphs.small_graphs import all_graphs, pairs, without

SIZES = [pytest.param(5), pytest.param(6, marks=pytest.mark.long)]


def value(graph, most, people=6, weight=1):
    first, second = (np.array([edge[end] for edge in sorted(graph)], np.int64) for end in (0, 1))
    return twice_the_largest(first, second, np.full(len(graph), weight, np.int64), people, most)


@pytest.mark.theorem("A Ex 4.1")
@pytest.mark.parametrize("most", [1, 2])
@pytest.mark.parametrize("people", SIZES)
def test_a_person_raises_the_sum_by_at_most_t_and_never_lowers_it(people, most):
    """Edges of value 0 add no variable with a weight, so all graphs of edges of value 1 are all with values 0 and 1."""
    shapes, values = {}, {}
    for graph in all_graphs(people):
        shape = _shape(graph, people)
        if shape not in shapes:
            shapes[shape] = value(graph, most, people)
        values[graph] = shapes[shape]
    assert values[frozenset()] == 0
    rises = [values[graph] - values[without(graph, person)] for graph in values for person in range(people)]
    assert min(rises) == 0
    assert max(rises) == 2 * most  # twice the value
    assert any(rise % 2 for rise in rises)  # a triangle has one and a half


def _shape(graph, people):
    """The same for graphs that only differ in who is who: refined degrees, and the graph where these do not tell."""
    near = {person: [sum(edge) - person for edge in graph if person in edge] for person in range(people)}
    colors = {person: (len(others),) for person, others in near.items()}
    for _ in range(3):
        colors = {p: (len(near[p]), tuple(sorted(map(hash, (colors[q] for q in near[p]))))) for p in near}
    return (len(graph), tuple(sorted(map(hash, colors.values())))) if people == 5 else graph


def random_graph(rng):
    people, size = int(rng.integers(3, 9)), int(rng.integers(1, 20))
    first, second = rng.integers(0, people, (2, size))
    apart = first != second
    largest = int(rng.choice([3, 2**20]))
    return (
        first[apart],
        second[apart],
        rng.integers(0, largest, np.count_nonzero(apart)),
        people,
        int(rng.integers(1, 4)),
    )


def test_the_value_is_that_of_the_linear_program_solver_or_not():
    """The certificate and the exact algorithm agree in integers, and both with a solver in floats."""
    rng = np.random.default_rng()
    for _ in range(40):
        first, second, weights, people, most = random_graph(rng)
        if not len(first):
            continue
        twice = twice_the_largest(first, second, weights, people, most)
        heavy = np.ones(people, bool)
        assert matching._exact(first, second, weights, heavy, most) == twice
        matrix = np.zeros((people, len(first)))
        for edge, (a, b) in enumerate(zip(first, second, strict=True)):
            matrix[a, edge] = matrix[b, edge] = 1
        loose = linprog(-weights, matrix, np.full(people, most), bounds=(0, 1), method="highs-ipm")
        assert twice / 2 == pytest.approx(-loose.fun, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("lie", ["none", "too much", "too little", "infinite", "wrong prices"])
def test_a_solver_that_is_wrong_changes_nothing(monkeypatch, lie):
    rng = np.random.default_rng()
    true = matching._proposed

    def lying(first, second, weights, heavy, most):
        found = true(first, second, weights, heavy, most)
        if lie == "none" or found is None:
            return None
        x, p = found
        if lie == "infinite":
            return x * 2**40, p
        return {"too much": (x + 1, p), "too little": (x * 0, p), "wrong prices": (x, p + 1)}[lie]

    for _ in range(15):
        graph = random_graph(rng)
        honest = twice_the_largest(*graph)
        monkeypatch.setattr(matching, "_proposed", lying)
        assert twice_the_largest(*graph) == honest
        monkeypatch.setattr(matching, "_proposed", true)


def test_a_path_shows_why_neither_a_projection_nor_weights_by_degree_will_do():
    """Along a path of 1000 people with values 0, 1, 0, 1, … one person more exchanges every kept edge."""
    size = 1000
    values = np.arange(size - 1) % 2

    def sums(start):
        first = np.arange(start, size - 1)
        along = Edges(first, first + 1, first, size)
        by_order = int(values[start:][projected(along, 1)].sum())
        return by_order, twice_the_largest(first, first + 1, values[start:], size, 1) / 2

    assert [sums(start)[0] for start in (0, 1)] == [0, 499]
    assert abs(sums(0)[1] - sums(1)[1]) <= 1
    # weights T/degree: a hub makes each of its neighbors weigh their other edge by a half
    leaves = 40
    spokes = [(1000, leaf) for leaf in range(leaves)]
    pendants = [(leaf, 2000 + leaf) for leaf in range(leaves)]
    worth = [
        sum(Fraction(1, max(_degree(all_, p) for p in edge)) for edge in pendants)
        for all_ in (pendants, spokes + pendants)
    ]
    assert worth[0] - worth[1] == leaves / 2
    assert abs(value(frozenset(spokes + pendants), 1, 3000) - value(frozenset(pendants), 1, 3000)) <= 2


def _degree(edges, person):
    return sum(person in edge for edge in edges)


def test_pairs_are_all_pairs():
    assert len(pairs(6)) == 15
