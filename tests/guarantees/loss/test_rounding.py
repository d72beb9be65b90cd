import numpy as np
import pytest
from flint import arb

from dalenius.guarantees.loss.rounding import FUNCTION, UNIT, WIDER
from dalenius.numerics import ball, precision


def test_the_unit_is_half_the_gap_at_one():
    assert np.finfo(np.float64).eps / 2 == UNIT
    assert (1 + UNIT) ** (2**30) <= WIDER


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [
        ("exp", -700, 700),
        ("expm1", -30, 30),
        ("expm1", -1e-9, 1e-9),
        ("log", 1e-300, 1e-290),
        ("log", 0.9, 1.1),
        ("log1p", -0.999999, 1e-9),
        ("log1p", -1e-8, 1e-8),
        ("sin", -1e3, 1e3),
        ("cos", -1e3, 1e3),
    ],
)
def test_every_function_is_within_the_error_assumed_of_it(name, low, high):
    x = np.random.default_rng(5).uniform(low, high, 2000)
    y = getattr(np, name)(x)  # as a vector: numpy has other code for that
    with precision(160):
        for at, value in zip(x.tolist(), y.tolist(), strict=True):
            true = getattr(ball(at), name)()
            assert abs(ball(value) - true) <= ball(FUNCTION) * abs(true)
    assert isinstance(true, arb)


def test_a_sum_is_within_n_units_of_the_sizes():
    x = np.random.default_rng(6).normal(size=4001) * np.exp(np.random.default_rng(7).uniform(-20, 20, 4001))
    with precision(300):
        true = sum((ball(each) for each in x.tolist()), ball(0))
        for found in (float(np.sum(x)), float(x @ np.ones_like(x))):
            assert abs(ball(found) - true) <= ball(len(x) * UNIT * float(np.sum(np.abs(x))))
