import numpy as np

from dalenius.queries import Contributions, Keys, Table
from dalenius.queries.scan import Scan, held


def whole(numbers):
    return (np.trunc(np.clip(numbers[0], -(2.0**53), 2.0**53)),)


def test_sums_are_exact_beyond_what_a_double_holds():
    x = np.array([2.0**53, 1, 1, 1] * 3000)
    table = Table({"x": x, "k": np.resize(np.array(["a", "b", "a", "a"]), len(x))})
    total, ones = 3000 * 2**53, 3000
    # held inside int64, which 3000 · 2⁵³ exceeds
    assert Scan(("x",), (None,), whole, ((0, 1),), 2**53).totals(table).tolist() == [2**63 - 1]
    small = Table({name: column[:400] for name, column in table.columns.items()})
    expected = [100 * 2**53 + 200, 100]
    assert Scan(("x",), (None,), whole, ((0, 1),), 2**53).totals(small).tolist() == [sum(expected)]
    by_key = Scan(("x",), (None,), whole, ((0, 1),), 2**53, Keys("k", ["a", "b"]))
    assert by_key.totals(small).tolist() == expected
    assert by_key.totals(table).tolist() == [min(total + 2 * ones, 2**63 - 1), ones]


def test_an_answer_has_all_cells_of_one_part_after_those_of_another():
    table = Table.of({"x": [1.0, 2, 3, None], "k": ["a", "b", "b", "b"]})
    scan = Scan(("x",), (None,), whole, ((1, 0), (0, 1)), 8, Keys("k", ["b", "a"]), None, True)
    assert scan.totals(table).tolist() == [2, 1, 5, 1, 8, 0]


def test_weighted_products_are_cut_toward_zero():
    table = Table.of({"x": [5.0, -5.0, 5.0], "u": ["p", "p", "p"]})
    scan = Scan(("x",), (None,), whole, ((0, 1),), 5, None, Contributions("u", 1))
    assert scan.totals(table).tolist() == [5 * (2**20 // 3)]
    wide = Scan(("x",), (None,), whole, ((0, 1),), 2**32 - 1, None, Contributions("u", 1))
    cut = 5 * (2**20 // 3) // 2**18
    assert wide.totals(table).tolist() == [cut]


def test_sums_are_held_inside_int64():
    assert held([2**70, -(2**70), 3]).tolist() == [2**63 - 1, -(2**63), 3]
