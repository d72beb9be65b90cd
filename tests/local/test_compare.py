import math

import pytest

from dalenius.local import compare
from dalenius.local.oracles import ORACLES


def test_all_oracles_stand_in_order_of_their_error():
    table = compare(1024, 1, 10**6)
    variances = [oracle.variance(10**6) for oracle in table]
    assert variances == sorted(variances)
    assert len(variances) == len(ORACLES)
    assert all(oracle.name in str(table) for oracle in table)
    assert "standard error of 0.0019" in table.why


@pytest.mark.parametrize(
    ("size", "epsilon", "best"),
    [
        (2, 1, "k-ary response"),
        (4, 1, "k-ary response"),
        (8, 1, "subset selection"),
        (1024, 0.5, "hadamard response"),
        (1024, 1, "projective geometry response"),
        (1024, 4, "projective geometry response"),
        (150, 4, "k-ary response"),
    ],
)
def test_the_best_is_small_quick_and_near_the_least(size, epsilon, best):
    assert compare(size, epsilon).best.name == best


def test_response_gives_way_near_three_times_e_to_the_epsilon():
    # k < 3e^ε + 2 is where k-ary response beats unary encoding for rare values  [WBLJ17, §4.4]
    for epsilon in (1, 2, 3):
        edge = 3 * math.exp(epsilon) + 2
        for size, response_wins in ((math.floor(edge), True), (math.ceil(edge) + 1, False)):
            variances = {oracle.name: oracle.variance(1) for oracle in compare(size, epsilon)}
            assert (variances["k-ary response"] < variances["optimized unary encoding"]) == response_wins
