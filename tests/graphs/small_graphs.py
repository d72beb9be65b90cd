"""All graphs on a few people, and what is left of one when a person leaves."""

import itertools

import numpy as np

from dalenius.queries import Table

ENDS = ("a", "b")


def pairs(people):
    return list(itertools.combinations(range(people), 2))


def all_graphs(people):
    """Every set of edges between so many people."""
    every = pairs(people)
    for chosen in itertools.product((False, True), repeat=len(every)):
        yield frozenset(edge for edge, there in zip(every, chosen, strict=True) if there)


def without(graph, person):
    return frozenset(edge for edge in graph if person not in edge)


def table(graph, values=None):
    """The graph as a table of its edges, in any order of rows and ends."""
    edges = [edge if sum(edge) % 2 else edge[::-1] for edge in sorted(graph, key=lambda e: hash(e))]
    columns = {"a": [a for a, _ in edges], "b": [b for _, b in edges]}
    return Table.of(columns | ({} if values is None else {"v": [values[tuple(sorted(edge))] for edge in edges]}))


def moves(answers, people):
    """The largest ℓ1 distance between the answers on a graph and on it without a person, over all of both."""
    return max(
        int(np.abs(np.asarray(answers[graph]) - np.asarray(answers[without(graph, person)])).sum())
        for graph in answers
        for person in range(people)
    )
