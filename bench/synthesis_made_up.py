"""Copies of made-up tables that look nothing like UCI Adult, beside independent columns and a tree of pairs.

Mean total variation of all two-way tables, δ = 10⁻⁵. Both baselines have float noise: yardsticks, not releases.
`python bench/synthesis_made_up.py [epsilon …]`.
"""

import itertools
import math
import sys
import time

import numpy as np
from side_by_side import table
from synthesis import distance
from synthesis_worker import METHODS

from dalenius.mechanisms import Gaussian, calibrate
from dalenius.neighbors import Metric, Sensitivity
from dalenius.synthesis.model.mixture import to_simplex


def few(rng):
    a = rng.integers(0, 4, 5000)
    b = (a + rng.integers(0, 2, 5000)) % 5
    return np.stack([a, b, (a * b + rng.integers(0, 3, 5000)) % 6], axis=1), [4, 5, 6], False


def many_levels(rng):
    group, columns = rng.integers(0, 30, 20_000), []
    for _ in range(4):
        level = np.minimum(rng.zipf(1.6, 20_000) - 1, 199)
        columns.append((rng.permutation(6000).reshape(30, 200) % 200)[group, level])
    return np.stack(columns, axis=1), [200] * 4, False


def functions(rng):
    first = np.minimum(rng.zipf(1.3, 30_000) - 1, 49)
    implied = [rng.integers(0, size, 50)[first] for size in (10, 5, 20, 2, 8)]
    return (
        np.stack([first, *implied, rng.integers(0, 6, 30_000), rng.integers(0, 4, 30_000)], axis=1),
        [50, 10, 5, 20, 2, 8, 6, 4],
        False,
    )


def numbers(rng):
    x = rng.normal(size=(50_000, 4)) @ rng.normal(size=(4, 10)) + 0.5 * rng.normal(size=(50_000, 10))
    return np.clip((x / x.std(axis=0) + 4) * 4, 0, 31).astype(int), [32] * 10, True


def small(rng):
    chances = rng.random((2, 8))[(rng.random(500) < 0.4).astype(int)]
    return (rng.random((500, 8)) < chances).astype(int), [2] * 8, False


def chain(levels, columns, stays):
    def made(rng):
        found = [rng.integers(0, levels, 30_000)]
        for _ in range(columns - 1):
            moved, free = rng.permutation(levels)[found[-1]], rng.integers(0, levels, 30_000)
            found.append(np.where(rng.random(30_000) < stays, moved, free))
        return np.stack(found, axis=1), [levels] * columns, False

    return made


def apart(rng):
    sizes = [2, 3, 5, 10, 20, 32, 32, 6, 4, 9]
    return np.stack([np.minimum(rng.zipf(1.5, 30_000) - 1, size - 1) for size in sizes], axis=1), sizes, False


def wide(rng):
    sizes, columns = [2] * 8 + [5] * 10 + [10] * 8 + [20] * 6 + [32] * 8 + [51] * 2, []
    group = rng.integers(0, 12, 200_000)
    for size in sizes:
        ends = rng.dirichlet(np.full(size, 0.5), 12).cumsum(axis=1)
        columns.append(np.minimum((rng.random(200_000)[:, None] > ends[group]).sum(axis=1), size - 1))
    return np.stack(columns, axis=1), sizes, False


TABLES = {
    "3 columns of 4 to 6 levels, 5 000 rows": few,
    "4 columns of 200 levels, 20 000 rows": many_levels,
    "8 columns, five of them functions of a sixth": functions,
    "10 correlated numbers in 32 bins, 50 000 rows": numbers,
    "8 yes-no columns, 500 rows": small,
    "a chain of 15 columns of 8 levels": chain(8, 15, 0.8),
    "a chain of 10 columns of 30 levels": chain(30, 10, 0.9),
    "10 independent columns": apart,
    "42 columns of 624 levels, 200 000 rows": wide,
}


def independent(rows, sizes, mu, rng):
    """Every column by its noisy counts, which have the whole budget."""
    n, sigma = len(rows), math.sqrt(len(sizes)) / mu
    return np.stack(
        [rng.choice(size, n, p=law_of(rows[:, j], size, sigma, rng)) for j, size in enumerate(sizes)], axis=1
    )


def law_of(column, size, sigma, rng):
    law = to_simplex((np.bincount(column, minlength=size) + sigma * rng.normal(size=size)) / len(column))
    return law / law.sum()


def tree(rows, sizes, mu, rng):
    """A private spanning tree of pairs, a third of the budget each for columns, choice and pairs, as in MST."""
    n, d = rows.shape
    part = mu / math.sqrt(3)
    ones = [law_of(rows[:, j], size, math.sqrt(d) / part, rng) for j, size in enumerate(sizes)]
    pairs = {(i, j): counts(rows, sizes, i, j) for i, j in itertools.combinations(range(d), 2)}
    scores = {(i, j): np.abs(t - n * np.outer(ones[i], ones[j])).sum() for (i, j), t in pairs.items()}
    epsilon, near, joined = 2 * part / math.sqrt(max(d - 1, 1)), {j: [] for j in range(d)}, list(range(d))
    for _ in range(d - 1):
        left = [pair for pair in pairs if joined[pair[0]] != joined[pair[1]]]
        i, j = max(left, key=lambda pair: epsilon / 2 * scores[pair] + rng.gumbel())
        joined = [joined[i] if one == joined[j] else one for one in joined]
        sigma = math.sqrt(d - 1) / part
        noisy = pairs[i, j] + sigma * rng.normal(size=pairs[i, j].shape)
        noisy = np.where(noisy > 2 * sigma, noisy, 0) + 1e-9 * np.outer(ones[i], ones[j]) + 1e-15
        near[i].append((j, noisy))
        near[j].append((i, noisy.T))
    made, stack, seen = np.zeros_like(rows), [0], {0}
    made[:, 0] = rng.choice(sizes[0], n, p=ones[0])
    while stack:
        i = stack.pop()
        for j, noisy in near[i]:
            if j not in seen:
                seen.add(j)
                stack.append(j)
                ends = np.cumsum(noisy / noisy.sum(axis=1, keepdims=True), axis=1)
                made[:, j] = np.minimum((rng.random(n)[:, None] > ends[made[:, i]]).sum(axis=1), sizes[j] - 1)
    return made


def counts(rows, sizes, i, j):
    flat = np.bincount(rows[:, i] * sizes[j] + rows[:, j], minlength=sizes[i] * sizes[j])
    return flat.reshape(sizes[i], sizes[j])


def main() -> None:
    given = [float(text) for text in sys.argv[1:]] or [0.1, 1.0]
    lines = []
    for (name, make), epsilon in itertools.product(TABLES.items(), given):
        rows, sizes, ordered = make(np.random.default_rng(1))
        mu = 1 / float(calibrate(Gaussian, Sensitivity(1, Metric.L2), epsilon=epsilon, delta="1e-5").scale)
        start = time.process_time()
        made = [METHODS["plain"](rows, sizes, [ordered] * len(sizes), epsilon)]
        seconds = time.process_time() - start
        made += [method(rows, sizes, mu, np.random.default_rng()) for method in (independent, tree)]
        found = [f"{distance(one, rows, sizes, 2):.3f}" for one in made]
        lines.append([name, f"{epsilon:g}", *found, f"{seconds:.1f}"])
        print(" | ".join(lines[-1]), flush=True)
    print(table(["table", "ε", "dalenius", "independent columns", "tree", "our CPU s"], lines))


if __name__ == "__main__":
    main()
