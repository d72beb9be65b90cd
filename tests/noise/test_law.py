from fractions import Fraction

import numpy as np
import pytest

from dalenius.errors import InvalidParameter
from dalenius.noise import (
    BernoulliExp,
    Bits,
    Choice,
    DiscreteGaussian,
    DiscreteLaplace,
    Law,
    RoundedGaussian,
    RoundedLaplace,
    UniformInteger,
)

LAWS = [
    DiscreteLaplace(3),
    DiscreteLaplace(500),
    DiscreteGaussian(3),
    DiscreteGaussian(500),
    RoundedLaplace(2),
    RoundedGaussian(2),
    BernoulliExp(1),
    UniformInteger(10),
    Choice([0, 1, 2]),
]


@pytest.fixture(params=LAWS, ids=repr)
def law(request) -> Law:
    return request.param


def test_every_size_is_kept(law):
    for size in (0, 1, 5, 100):
        assert law.sample(Bits(), size).shape == (size,)


def test_a_sample_lies_where_the_law_has_mass(law):
    assert all(law.log_mass(value) > -200 for value in law.sample(Bits(), 50).tolist())


def test_the_sample_mean_is_near_the_mean(law):
    sample = law.sample(Bits(), 100_000)
    # 6.5 standard errors; for these laws the chance is below 1e-9
    assert abs(sample.mean() - law.mean) <= 6.5 * np.sqrt(law.variance / 100_000)


def test_tails_fall_and_quantiles_rise(law):
    radii = [Fraction(k) for k in range(0, 40, 3)]
    tails = [law.tail(r) for r in radii]
    assert tails == sorted(tails, reverse=True)
    quantiles = [law.quantile(Fraction(k, 50)) for k in range(1, 50)]
    assert quantiles == sorted(quantiles)


def test_bad_probabilities_and_sizes_are_refused(law):
    for p in (0, 1, -1, 2, float("nan"), None):
        with pytest.raises(InvalidParameter):
            law.quantile(p)
    for size in (-1, 2.0, None):
        with pytest.raises(InvalidParameter, match="size must be a whole number"):
            law.sample(Bits(), size)


def test_two_threads_may_share_a_law_and_its_bits(law):
    from concurrent.futures import ThreadPoolExecutor

    source = Bits()
    with ThreadPoolExecutor(4) as pool:
        parts = list(pool.map(lambda _: law.sample(source, 1000), range(8)))
    assert all(part.shape == (1000,) for part in parts)
