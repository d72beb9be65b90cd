"""The largest fractional matching of a graph in which each person has at most T edges, exactly.

    largest Σ w_e x_e   with Σ_{e at v} x_e ≤ T for every person v, and 0 ≤ x_e ≤ 1.

One person more only adds variables, so the value does not fall; without their edges, which carry at most T · (the
largest w), what is left of the best x is feasible, so it grows by no more than that  [KNR13]. If nobody has more than
T edges it is Σ w_e.

With whole weights there is a best x, and a best solution p of the dual

    least T·Σ p_v + Σ_e (w_e − p_u − p_v)⁺   with p ≥ 0,

in halves: both are halves of whole solutions on the bipartite double cover. A solver in floats proposes them; they are
rounded to halves and both values compared in integers. Where they are equal that is the proof that both are best, and
no float is left in the answer. Where they are not, an exact algorithm finds the value.
"""

from collections import deque

import numpy as np
from numpy.typing import NDArray

Whole = NDArray[np.int64]


def twice_the_largest(first: Whole, second: Whole, weights: Whole, people: int, most: int) -> int:
    """Twice the value, a whole number, for whole weights ≥ 0."""
    present = weights > 0
    first, second, weights = first[present], second[present], weights[present]
    heavy = np.bincount(np.concatenate([first, second]), minlength=people) > most
    bound = heavy[first] | heavy[second]  # an edge between people with few edges is there in full
    free = 2 * sum(map(int, weights[~bound].tolist()))
    if not bound.any():
        return free
    first, second, weights = first[bound], second[bound], weights[bound]
    proved = _certified(first, second, weights, heavy, most)
    return free + (proved if proved is not None else _exact(first, second, weights, heavy, most))


def _certified(first: Whole, second: Whole, weights: Whole, heavy: NDArray[np.bool_], most: int) -> int | None:
    """Twice the value if the solver's x and p, in halves, are feasible and have the same value; else None."""
    proposed = _proposed(first, second, weights, heavy, most)
    if proposed is None:
        return None
    x, p = proposed
    load = np.bincount(first, x, len(heavy)) + np.bincount(second, x, len(heavy))
    if (x < 0).any() or (x > 2).any() or (p < 0).any() or (load[heavy] > 2 * most).any():
        return None
    above = sum(max(0, cost) for cost in (2 * weights - p[first] - p[second]).tolist())
    value = sum(w * kept for w, kept in zip(weights.tolist(), x.tolist(), strict=True))
    return value if value == most * sum(p.tolist()) + above else None


def _proposed(
    first: Whole, second: Whole, weights: Whole, heavy: NDArray[np.bool_], most: int
) -> tuple[Whole, Whole] | None:
    """Twice a best x and twice a best p, by HiGHS, rounded; nothing is believed of them."""
    from scipy.optimize import linprog
    from scipy.sparse import csr_array

    place = np.cumsum(heavy) - 1
    edges = np.arange(len(weights))
    ends, columns = np.concatenate([first, second]), np.concatenate([edges, edges])
    at_heavy = heavy[ends]
    rows, columns = place[ends[at_heavy]], columns[at_heavy]
    shape = (int(heavy.sum()), len(weights))
    matrix = csr_array((np.ones(len(rows)), (rows, columns)), shape=shape)
    try:
        room = np.full(shape[0], float(most))
        solution = linprog(-weights.astype(np.float64), matrix, room, bounds=(0.0, 1.0), method="highs-ds")
        x, dual = np.rint(2 * solution.x), np.rint(-2 * solution.ineqlin.marginals)
    except Exception:  # a solver that gives up has proposed nothing
        return None
    if not (np.isfinite(x).all() and np.isfinite(dual).all() and (np.abs(dual) < 2.0**52).all()):
        return None
    p = np.zeros(len(heavy), np.int64)
    p[heavy] = dual
    return x.astype(np.int64), p


def _exact(first: Whole, second: Whole, weights: Whole, heavy: NDArray[np.bool_], most: int) -> int:
    """The largest weight of a flow of whole numbers on the double cover, by best augmenting paths.

    Each edge uv stands twice, u⁺v⁻ and v⁺u⁻, once each; people u⁺ and v⁻ let `most` through if they are heavy. A best
    x gives a flow of twice its weight, and half of the mirrored sum of a flow is an x.
    """
    people, ends = len(heavy), list(zip(first.tolist(), second.tolist(), weights.tolist(), strict=True))
    source, sink = 2 * people, 2 * people + 1
    links: list[list[int]] = []  # from, to, room, weight; the reverse of link i is i ^ 1
    out: list[list[int]] = [[] for _ in range(2 * people + 2)]

    def link(start: int, end: int, room: int, weight: int) -> None:
        out[start].append(len(links))
        links.append([start, end, room, weight])
        out[end].append(len(links))
        links.append([end, start, 0, -weight])

    for person in {person for a, b, _ in ends for person in (a, b)}:
        room = most if heavy[person] else len(ends)
        link(source, person, room, 0)
        link(person + people, sink, room, 0)
    for a, b, weight in ends:
        link(a, b + people, 1, weight)
        link(b, a + people, 1, weight)
    total = 0
    while (gain := _augmented(links, out, source, sink)) > 0:
        total += gain
    return total


def _augmented(links: list[list[int]], out: list[list[int]], source: int, sink: int) -> int:
    """Send one unit along a path of the largest weight; 0 if none has a weight above 0."""
    best: list[int | None] = [None] * len(out)
    best[source], came = 0, [-1] * len(out)
    waiting = deque([source])
    while waiting:
        here = waiting.popleft()
        for index in out[here]:
            _, end, room, weight = links[index]
            reached, so_far = best[end], best[here]
            assert so_far is not None
            if room and (reached is None or so_far + weight > reached):
                best[end], came[end] = so_far + weight, index
                waiting.append(end)
    gain = best[sink]
    if gain is None or gain <= 0:
        return 0
    place = sink
    while place != source:
        links[came[place]][2] -= 1
        links[came[place] ^ 1][2] += 1
        place = links[came[place]][0]
    return gain
