import math

import numpy as np
import pytest

from dalenius.curator import Facts
from dalenius.errors import InvalidParameter, UnboundedQuery
from dalenius.neighbors import Relation, Unit
from dalenius.noise import Bits
from dalenius.queries import Table
from dalenius.statistics import marginals


def names(d):
    return [f"c{place}" for place in range(d)]


def average_error(d, rows, delta, runs):
    """‖answer − truth‖₁/d over d columns of which half is 1 and half −1, in the mean of some releases."""
    view = Table.of(dict.fromkeys(names(d), np.tile([-1.0, 1.0], rows // 2)))
    plan = marginals(names(d), epsilon=1, delta=delta, about=_public(rows)).plan.plan
    truth, bits = plan.query.evaluate(view), Bits()
    return np.mean([np.abs(plan.mechanism.release(truth, bits) / rows - 0.5).mean() for _ in range(runs)])


def _public(rows):
    return Facts.declare(unit=Unit.row(Relation.CHANGE_ONE), rows=rows)


@pytest.mark.theorem("A Ex 10.1")
def test_for_the_same_average_error_pure_noise_needs_rows_like_d_and_gaussian_noise_like_its_root():
    """16 times the columns: the error at a fixed number of rows grows 16-fold and 4-fold, to a quarter.

    Each side is a mean of 2048 absolute noises, with a deviation of 2.3 % at most: a ratio of 3.2 %, seven of which
    are less than a quarter.
    """
    rows = 20_000
    pure, gaussian = (
        average_error(1024, rows, delta, 2) / average_error(64, rows, delta, 32) for delta in (None, 1e-6)
    )
    assert pure == pytest.approx(16, rel=0.23)
    assert gaussian == pytest.approx(4, rel=0.23)


@pytest.mark.theorem("A Ex 10.1")
@pytest.mark.parametrize("d", [1, 8, 100, 1000])
def test_the_noise_is_d_over_epsilon_against_the_root_of_d_log_one_over_delta(d):
    pure = marginals(names(d), epsilon=2, about=_public(9)).plan.plan.mechanism
    gaussian = marginals(names(d), epsilon=2, delta=1e-6, about=_public(9)).plan.plan.mechanism
    assert pure.scale == d / 2
    assert float(gaussian.scale) <= math.sqrt(2 * d * math.log(1.25e6)) / 2
    assert float(gaussian.scale) >= math.sqrt(d * math.log(1e6)) / 4
    assert (gaussian.noise.variance < pure.noise.variance) == (d >= 100)


def test_every_share_has_an_interval_that_holds_with_a_private_number_of_rows():
    data = {"a": [1, 0, 1, 1] * 500, "b": [False, False, True, False] * 500}
    plan = marginals(["a", "b"], epsilon=5)
    assert plan.guarantee.sum_form == (5, 0)
    outcome = plan.run(Table.of(data), Bits())
    for item, truth in zip(outcome.numbers, (0.75, 0.25), strict=True):
        ((low, high),) = outcome.interval(item, 1 - 1e-9)
        assert low <= truth <= high
        assert high - low < 0.1
    with pytest.raises(InvalidParameter):
        marginals("a", epsilon=1)
    with pytest.raises(UnboundedQuery):
        marginals(["a"], epsilon=1, unit="u")
