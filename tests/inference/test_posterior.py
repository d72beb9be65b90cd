import numpy as np
import pytest
from scipy.special import betaincinv

from dalenius import inference
from dalenius.errors import InvalidParameter, UnprovenClaim
from dalenius.mechanisms import Geometric, Staircase
from dalenius.noise import Bits

N, Y, EPSILON = 40, 25, 0.5


def yes_or_no(theta, u):
    return (u[:, 0] < theta[0]).astype(float)


def beta(people, u):
    k = people.sum()
    return betaincinv(1 + k, 1 + len(people) - k, u[:1])


def drawn(mechanism=None, **more):
    call = {"records": yes_or_no, "contributions": lambda r: r, "parameters": beta, "start": [0.5], "rows": N} | more
    return inference.posterior([Y], mechanism or Geometric(2), **call)


def exact():
    """With a uniform prior each count is as likely as any, so the posterior is a mixture of beta laws."""
    k = np.arange(N + 1)
    weights = np.exp(-np.abs(Y - k) * EPSILON)
    weights /= weights.sum()
    mean = weights @ ((1 + k) / (N + 2))
    square = weights @ ((1 + k) * (2 + k) / ((N + 2) * (N + 3)))
    return mean, np.sqrt(square - mean**2)


def test_the_posterior_of_a_share_is_the_enumerated_one():
    """Six standard errors of a chain of that many effective draws; noise a quarter off moves the deviation by more."""
    found = drawn(draws=3000, burn_in=200)
    mean, deviation = exact()
    error = 6 * deviation / np.sqrt(found.effective_draws[0])
    assert found.mean[0] == pytest.approx(mean, abs=error)
    assert found.draws.std() == pytest.approx(deviation, abs=error)
    assert found.acceptance >= np.exp(-EPSILON) - 0.05
    low, high = found.interval(0.9)[0]
    assert np.mean((found.draws >= low) & (found.draws <= high)) == pytest.approx(0.9, abs=0.01)
    assert "credible" in str(found)


def test_a_chain_that_forgets_the_noise_has_another_posterior():
    wrong = drawn(Geometric("1/50"), draws=800, burn_in=100)
    assert wrong.draws.std() < exact()[1] * 0.95


@pytest.mark.parametrize(
    "given",
    [
        {"rows": 0},
        {"draws": 0},
        {"burn_in": True},
        {"seeds": (0, 1)},
        {"contributions": lambda r: np.hstack([r, r])},
        {"records": lambda theta, u: u[:3]},
    ],
)
def test_what_makes_no_sense_is_refused(given):
    with pytest.raises(InvalidParameter):
        drawn(**({"draws": 5, "burn_in": 5} | given))


def test_noise_without_a_known_density_is_refused():
    with pytest.raises(UnprovenClaim, match="Laplace"):
        drawn(Staircase(1, 1, "1/2"), draws=5, burn_in=5)


def test_the_same_bits_give_the_same_chain():
    class Fixed(Bits):
        def __init__(self):
            super().__init__()
            self.rng = np.random.default_rng(3)

        def words(self, kind, size):
            return self.rng.integers(0, np.iinfo(kind).max, size, kind, endpoint=True)

    one, two = (drawn(draws=20, burn_in=5, bits=Fixed()).draws for _ in range(2))
    assert np.array_equal(one, two)
