from fractions import Fraction
from itertools import pairwise, permutations, product

from dalenius.sql.after.regions.order import in_order, positions, ranked, shares_up_to, tiled
from dalenius.sql.after.regions.region import JointRegion
from dalenius.sql.after.regions.rows import HERE
from dalenius.sql.after.regions.values import Between, Exact

REGION = JointRegion({}, Fraction(1, 2))
ROWS = [
    (HERE, (Between(0, 2, 1),)),
    (HERE, (Between(1, 3, 2),)),
    (HERE, (Between(5, 6, 5),)),
    (HERE, (Between(3, 5, 4),)),
]
ASCENDING = [(False, False)]


def test_ranks_are_those_of_all_orders_that_are_possible():
    """By enumeration over a grid of the region."""
    grids = [[value.low, (value.low + value.high) / 2, value.high] for _, (value,) in ROWS]
    seen = [set() for _ in ROWS]
    for xs in product(*grids):
        for place, x in enumerate(xs):
            seen[place].add(1 + sum(other < x for other in xs))
    for possible, value in zip(seen, ranked(ROWS, ASCENDING, REGION, "RANK"), strict=True):
        assert value.low <= min(possible)
        assert value.high >= max(possible)
    assert [value.point for value in ranked(ROWS, ASCENDING, REGION, "RANK")] == [1, 2, 4, 3]
    assert ranked(ROWS, ASCENDING, REGION, "RANK")[2].low == 3  # at least two are surely smaller


def test_a_public_order_is_exact_and_ties_count_for_row_numbers():
    rows = [(HERE, (Exact(x),)) for x in (3, 1, 3)]
    assert ranked(rows, [(True, False)], REGION, "RANK") == [Exact(1), Exact(3), Exact(1)]
    assert ranked(rows, [(True, False)], REGION, "DENSE_RANK") == [Exact(1), Exact(2), Exact(1)]
    assert positions(rows, ASCENDING, REGION, ties=True)[0] == (1, 2)
    assert positions(rows, ASCENDING, REGION, ties=False)[0] == (1, 1)


def test_null_comes_where_it_was_asked_for():
    for order in permutations((2, None, 1)):
        rows = [(HERE, (Exact(x),)) for x in order]
        assert [order[place] for place in in_order(rows, [(False, True)])] == [None, 1, 2]
        assert [order[place] for place in in_order(rows, [(True, False)])] == [2, 1, None]


def test_tiles_and_shares_are_those_of_all_orders_that_are_possible():
    """By enumeration over a grid of the region; NTILE of equal numbers is any that their order may give."""
    grids = [[value.low, (value.low + value.high) / 2, value.high] for _, (value,) in ROWS]
    for tiles, widest in ((2, [1, 1, 2, 2]), (3, [1, 1, 2, 3]), (6, [1, 2, 3, 4])):
        known = tiled(ROWS, ASCENDING, REGION, tiles)
        for xs in product(*grids):
            for order in permutations(range(4)):
                if any(xs[a] > xs[b] for a, b in pairwise(order)):
                    continue
                for place, tile in zip(order, widest, strict=True):
                    assert known[place].low <= tile <= known[place].high
    shares = shares_up_to(ROWS, ASCENDING, REGION)
    for xs in product(*grids):
        for value, x in zip(shares, xs, strict=True):
            assert value.low <= sum(other <= x for other in xs) / 4 <= value.high
    assert [value.point for value in shares] == [0.25, 0.5, 1.0, 0.75]
    assert shares[0].high < 0.76  # one row surely comes after it


def test_tiles_and_shares_of_public_rows_are_exact():
    rows = [(HERE, (Exact(x),)) for x in (3, 1, 3, 2, 5)]
    assert tiled(rows, ASCENDING, REGION, 2) == [Exact(1), Exact(1), Exact(2), Exact(1), Exact(2)]
    assert shares_up_to(rows, ASCENDING, REGION) == [Exact(x) for x in (0.8, 0.2, 0.8, 0.4, 1.0)]
