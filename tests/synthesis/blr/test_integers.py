import numpy as np
import pytest

from dalenius.errors import InvalidParameter
from dalenius.noise import Bits
from dalenius.synthesis.blr.integers import below, weighted
from tests.noise.fit import FALSE_ALARM, chi_square


def test_uniform_integers_are_uniform_at_any_size():
    bits, huge = Bits(), 7 * 10**40
    counts = np.bincount([below(huge, bits) * 7 // huge for _ in range(7000)], minlength=7).astype(float)
    assert chi_square(counts, np.full(7, 1 / 7)) > FALSE_ALARM
    with pytest.raises(InvalidParameter):
        below(0, bits)


def test_weights_of_any_size_are_drawn_in_proportion():
    bits, weights = Bits(), [10**40, 0, 2 * 10**40, 10**40]
    counts = np.bincount([weighted(weights, bits) for _ in range(4000)], minlength=4).astype(float)
    assert counts[1] == 0
    assert chi_square(counts[[0, 2, 3]], np.array([0.25, 0.5, 0.25])) > FALSE_ALARM
    assert chi_square(counts[[0, 2, 3]], np.array([0.33, 0.33, 0.34])) < FALSE_ALARM
