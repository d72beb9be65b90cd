import mpmath as mp
import numpy as np
import pytest

from dalenius.guarantees.loss.bins import GridLaw
from dalenius.guarantees.loss.grid import _product, folded
from tests.guarantees.loss import loss_truth as truth


def law(masses, start, s, step):
    """A grid law of plain masses at (start + j)·step, tilted by s."""
    index = start + np.arange(len(masses))
    tilted = np.array(masses) * np.exp(s * step * index)
    return GridLaw(0.0, index, tilted / tilted.sum(), float(np.log(tilted.sum())), 0.0)


@pytest.mark.parametrize("times", [1, 2, 17, 300])
@pytest.mark.parametrize("s", [0.2, 1.5, 6.0])
def test_bounds_hold_the_exact_convolution(times, s):
    masses, step = [0.125, 0.25, 0.0, 0.5, 0.125], 0.25
    made = folded([(law(masses, -2, s, step), times)], s, step, 0.0, 1e-13)
    mean = float(times * step * (np.array(masses) @ np.arange(-2, 3)))
    for epsilon in (0.0, 0.1, mean, mean + 0.6 * times**0.5):
        low, high = made.sums(epsilon)
        with mp.workdps(50):
            true = truth.lattice_delta(
                [mp.mpf(m) for m in masses], mp.mpf(-2 * step), mp.mpf(step), times, mp.mpf(epsilon)
            )
        assert low <= true * (1 + mp.mpf(10) ** -14)
        assert true * (1 - mp.mpf(10) ** -14) <= high


def test_unlike_laws_are_folded_together():
    first, second = [0.5, 0.5], [0.25, 0.5, 0.25]
    made = folded([(law(first, 0, 1.0, 0.5), 2), (law(second, -1, 1.0, 0.5), 3)], 1.0, 0.5, 0.0, 1e-13)
    whole = np.array([1.0])
    for each in (first, first, second, second, second):
        whole = np.convolve(whole, each)
    losses = 0.5 * (np.arange(len(whole)) - 3)
    for epsilon in (0.0, 0.25, 1.0, 2.2):
        true = float(whole @ np.maximum(0.0, -np.expm1(epsilon - losses)))
        low, high = made.sums(epsilon)
        assert low - 1e-15 <= true <= high + 1e-15
        assert high - low <= 1e-10


def test_missing_mass_widens_both_ends():
    plain, lossy = (folded([(law([0.5, 0.5], 0, 1.0, 0.5), 4)], 1.0, 0.5, m, 1e-13).sums(0.6) for m in (0.0, 1e-3))
    assert lossy[0] < plain[0] - 1e-5
    assert lossy[1] > plain[1] + 1e-5


def test_where_a_transform_vanishes_its_error_still_counts():
    # ½, ½ half a window apart: φ is 0 at every odd frequency, as far as an FFT can tell
    halves = np.array([0.5, 0.5])
    product, error = _product([(0, np.array([0.0, 8.0]), halves)], [1], 16)
    _, everywhere = _product([(0, np.array([0.0, 0.0]), halves)], [1], 16)
    assert np.abs(product[1::2]).max() < 1e-30
    assert error >= 0.9 * everywhere
