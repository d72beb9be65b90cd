import itertools

import numpy as np
import pytest

from dalenius.graphs.edges import Edges
from dalenius.queries import Table
from tests.graphs.small_graphs import ENDS


def ordered(rows, salt=""):
    """The edges as pairs of the people's own names, in their order."""
    view = Table.of({"a": [a for a, _ in rows], "b": [b for _, b in rows]})
    return [frozenset(map(str, rows[row])) for row in Edges.of(view, ENDS, salt).rows]


def test_the_order_of_two_edges_depends_on_them_alone():
    rows = [(a, b) for a, b in itertools.combinations(range(7), 2)]
    whole = ordered(rows)
    for person in range(7):
        left = [edge for edge in rows if person not in edge]
        assert ordered(left) == [edge for edge in whole if str(person) not in edge]
        assert ordered([edge[::-1] for edge in left[::-1]]) == ordered(left)
    assert ordered(rows, "another order") != whole


@pytest.mark.parametrize("second", [[5, 7], [5.0, 7.0], [5, None, 7], ["5", 7], np.array([5, 7], np.uint64)])
def test_a_person_is_the_same_in_either_column_whatever_its_type(second):
    first = np.array([9] * len(second))
    edges = Edges.of(Table.of({"a": [*first, *([5] * len(second))], "b": [*second, *([9] * len(second))]}), ENDS)
    people = {frozenset(pair) for pair in zip(edges.first.tolist(), edges.second.tolist(), strict=True)}
    assert edges.people == (3 if None not in list(second) and "5" not in list(second) else edges.people)
    assert len(people) == len({frozenset(map(repr, map(_plain, p))) for p in _named(first, second)})


def _plain(value):
    return int(value) if not isinstance(value, str) else value


def _named(first, second):
    given = [(9, value) for value in second if value is not None and value == value]
    return [*given, (5, 9)]


def test_rows_of_one_person_or_of_a_missing_one_are_no_edges():
    view = Table.of({"a": [1, 1, None, 2, float("nan")], "b": [1, 2, 2, None, 1]})
    edges = Edges.of(view, ENDS)
    assert edges.rows.tolist() == [1]
    assert edges.people == 2
