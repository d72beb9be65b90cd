from fractions import Fraction

import numpy as np
import pytest

from dalenius.learning.data.box import Box, UnitRows
from dalenius.learning.data.rows import Rows
from dalenius.learning.data.targets import Span
from dalenius.learning.sums.moments import RowMoments
from dalenius.neighbors import Relation
from tests.learning.adversary import FEATURES, rows

TARGETS = np.array([1e308, -np.inf, np.nan, 5.0, -5.0, 0.0, 4.999999])


def made(digits=15):
    return RowMoments(UnitRows(Box.declare((-1, 1), FEATURES), digits), Span.declare((-5, 5)))


def vector(moments, x, y):
    return [int(v) for v in moments.sums(Rows(x, y))]


def square(a, b=None):
    return sum((u - v) ** 2 for u, v in zip(a, b or [0] * len(a), strict=True))


@pytest.mark.theorem("A §3.8 regression by noisy sums")
@pytest.mark.parametrize("digits", [4, 15])
def test_no_row_moves_the_sums_further_than_stated(digits):
    moments = made(digits)
    one, two = (moments.sensitivity(relation).square for relation in Relation)
    data = np.vstack([rows(), -rows()[-2:]])
    target = np.resize(TARGETS, len(data))
    alone = [vector(moments, data[i : i + 1], target[i : i + 1]) for i in range(len(data))]
    assert [sum(part) for part in zip(*alone, strict=True)] == vector(moments, data, target)
    assert max(map(square, alone)) <= one
    assert max(square(a, b) for a in alone for b in alone) <= two
    if digits == 15:  # and half of it is too little: the checker sees a halved bound
        assert max(map(square, alone)) > one / 4
        assert max(square(a, b) for a in alone for b in alone) > two / 4


@pytest.mark.theorem("A §3.8 regression by noisy sums")
def test_the_printed_count_of_sums_lacks_that_of_the_target():
    """With an intercept Σy is needed: 3p + C(p,2) sums of [0, 1] move by 3p + C(p,2), and Σy by one more."""
    p = 3
    x, y = np.ones(p), 1.0
    pairs = [x[i] * x[j] for i in range(p) for j in range(i)]
    printed = sum([*x, *(x * x), *pairs, *(x * y)])
    assert printed == 3 * p + p * (p - 1) / 2
    assert printed + y > 3 * p + p * (p - 1) / 2
    width = p + 1
    assert made().size == (FEATURES + 1) * (FEATURES + 2) // 2 + FEATURES + 2
    assert width * (width + 1) // 2 + width - 1 == printed + y  # ours: the same sums and Σy; n, and Σy², besides


def test_parts_are_the_sums_in_real_numbers():
    rng = np.random.default_rng(0)
    x, y = rng.uniform(-0.3, 0.3, (500, FEATURES)), rng.uniform(-5, 5, 500)
    moments = made()
    matrix, products, squares = moments.parts(moments.sums(Rows(x, y)))
    u = np.column_stack([x, np.ones(500)]) / moments.rows.radius
    assert matrix == pytest.approx(u.T @ u, rel=1e-3, abs=0.02)
    assert products == pytest.approx(u.T @ (y / 5), rel=1e-3, abs=0.02)
    assert squares == pytest.approx((y / 5) @ (y / 5), rel=1e-3)
    assert moments.step == Fraction(1, 99 * 4**15)
