"""The law of rejection that stops by chance, and why a cap would not do."""

import math

import numpy as np
import pytest

from dalenius.learning.solvers.stopped_rejection import tried
from dalenius.noise import Bits

ALARM = 6.2  # standard deviations: a false alarm has a chance below 1e-9


def answered(accept, stop, bound):
    """How often an attempt with chance accept/256 is answered, of `bound` runs."""
    bits = Bits()
    return sum(tried(lambda: True if bits.integer(1) < accept else None, bits, stop) is not None for _ in range(bound))


@pytest.mark.parametrize(("accept", "stop"), [(128, 2), (16, 3), (4, 5)])
def test_the_chance_of_an_answer_is_as_claimed(accept, stop):
    g = 2.0**-stop / (1 - 2.0**-stop)
    claimed = (accept / 256) / (g + accept / 256)
    runs = 20_000
    spread = math.sqrt(claimed * (1 - claimed) / runs)
    found = answered(accept, stop, runs) / runs
    assert abs(found - claimed) < ALARM * spread
    off = (0.75 * accept / 256) / (g + 0.75 * accept / 256)
    assert abs(found - off) > ALARM * spread  # 25 % fewer would be seen


def test_what_never_succeeds_ends():
    assert tried(lambda: None, Bits(), 8) is None


def test_a_cap_on_tries_cannot_be_paid_by_a_small_delta():
    """With acceptance p against r·p, r = e^ε, the chance that all N tries fail leaks (1−p)^N − e^ε(1−rp)^N."""
    epsilon, tries = 1.0, 10_000
    p = np.geomspace(1e-7, 0.1, 4000)
    lost = (1 - p) ** tries - math.exp(epsilon) * np.maximum(1 - math.e * p, 0) ** tries
    assert lost.max() > 0.1
    g = 1 / tries
    stopped = np.log((g + math.e * p) / (g + p))
    assert stopped.max() <= epsilon
