import numpy as np
import pytest

from dalenius.local.bloom_estimate import fitted


def test_exact_bits_give_exact_shares_and_a_step_is_the_largest_move():
    rng = np.random.default_rng()
    filters = (rng.random((2, 3, 16)) < 0.2).astype(float)
    filters[0, :, 0], filters[1, :, 1] = 1, 1
    n, p, q = 1_000_000, 0.55, 0.7
    held = 0.3 * filters[0] + 0.2 * filters[1] + 0.05
    counts = np.column_stack([np.full(3, n), np.rint(n * (p + held * (q - p)))]).astype(np.int64)
    estimate = fitted(["a", "b"], filters, counts, (p, q), 3 * n, 0)
    assert estimate.shares == pytest.approx([0.3, 0.2], abs=1e-4)
    for cohort in range(3):  # any forged report: here all bits of one cohort
        forged = counts.copy()
        forged[cohort, 1:] += 1
        moved = fitted(["a", "b"], filters, forged, (p, q), 3 * n, 0).shares - estimate.shares
        assert (np.abs(moved) <= 1.01 * estimate.poisoned_by(1)).all()
