import math
from fractions import Fraction

import numpy as np
import pytest

from dalenius.local.oracles import ORACLES, Rappor, SubsetSelection
from dalenius.local.oracles.subset_selection import best_weight
from dalenius.noise import Bits


@pytest.mark.parametrize(("epsilon", "stated"), [("1", 3.6736), ("2", 0.7207), ("4", 0.07391)])
def test_variance_is_the_known_one(epsilon, stated):
    assert SubsetSelection(1024, Fraction(epsilon)).variance(1) == pytest.approx(stated, rel=2e-4)


@pytest.mark.parametrize("size", [2, 7, 30])
@pytest.mark.parametrize("epsilon", ["0.5", "1", "3"])
def test_no_other_weight_and_no_other_oracle_has_less_variance(size, epsilon):
    e = math.exp(float(epsilon))

    def variance(w):
        P = e * w / (e * w + size - w)
        Q = (P * (w - 1) + (1 - P) * w) / (size - 1)
        return Q * (1 - Q) / (P - Q) ** 2

    assert best_weight(size, Fraction(epsilon)) == min(range(1, size), key=variance)
    ours = SubsetSelection(size, Fraction(epsilon)).variance(1)
    # at f = 0; what has less there pays for it at f > 0
    least = min(kind(size, Fraction(epsilon)).variance(1) for kind in ORACLES if kind is not Rappor)
    assert ours <= least * (1 + 1e-9) or size == 2


def test_sets_in_bulk_have_the_right_size():
    for epsilon in ("0.5", "1", "3"):
        oracle = SubsetSelection(300, Fraction(epsilon))
        rows = oracle.randomize_many(np.arange(900) % 300, Bits())
        assert oracle.valid(rows).all()
    rows[0] = 0
    assert oracle.valid(rows).sum() == 899
    assert oracle.most_supported == oracle.weight
    assert oracle.facts()["weight"] == oracle.weight
