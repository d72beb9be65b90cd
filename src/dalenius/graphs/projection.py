"""Keep edges along a public order as long as no person has more than T of them."""

import numpy as np
from numpy.typing import NDArray

from dalenius.graphs.edges import Edges


def projected(edges: Edges, most: int) -> NDArray[np.bool_]:
    """Which edges are kept: in order, each whose two people have fewer than `most` kept ones so far  [DLL16].

    Let a graph G' have one person v more than G. Go through the edges of both at once and watch by how much the number
    of kept edges of each other person differs. Each kept edge of v, of which there are at most T, makes one person
    differ by 1. An edge of G is then kept in only one of them if one of its people is full in only one, so differs; if
    it is, that difference ends and at most one begins at the other end, of the opposite sign. So at most T people
    differ at any time, each by 1, and along each such chain kept edges are lost and won in turn: the number of kept
    edges differs by 0 to T. Several edges between two people change nothing in this.
    """
    kept = np.zeros(len(edges.rows), np.bool_)
    degree = [0] * edges.people
    for place, (a, b) in enumerate(zip(edges.first.tolist(), edges.second.tolist(), strict=True)):
        if degree[a] < most and degree[b] < most:
            degree[a] += 1
            degree[b] += 1
            kept[place] = True
    return kept


def degrees(edges: Edges, most: int) -> NDArray[np.int64]:
    """How many people have 1, 2, …, `most` kept edges."""
    kept = projected(edges, most)
    ends = np.concatenate([edges.first[kept], edges.second[kept]])
    owned = np.bincount(ends, minlength=edges.people)
    return np.bincount(owned, minlength=most + 1)[1 : most + 1].astype(np.int64)
