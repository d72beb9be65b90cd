import math

import numpy as np
import pytest

from dalenius.local.prefix_filter import STAY, PrefixFilter


def test_the_odds_of_one_length_are_those_of_bayes_rule():
    chosen = PrefixFilter(0.01)
    measured = np.array([[0.05, 0.0, -0.01, 0.02]])
    kept = chosen.extend(measured, 0.01, 4)
    assert kept.tolist() == [0, 3, 1, 2]
    prior = (1 / chosen.grid) / (1 / chosen.grid).sum()
    for row, place in enumerate(kept):
        x = measured[0, place]
        # the law of a measurement with share f over that with share 0, added up over the prior
        odds = sum(
            weight / (2 * 0.01) / 4 * math.exp(-((x - f) ** 2 - x**2) / (2 * 0.01**2))
            for f, weight in zip(chosen.grid, prior, strict=True)
        )
        assert chosen.weights[row].sum() == pytest.approx(odds / (1 + odds), rel=1e-9)


def test_an_extension_has_at_most_the_share_of_its_prefix():
    chosen = PrefixFilter(0.01)
    assert np.allclose(chosen._onward.sum(axis=1), 1)
    assert np.allclose(np.triu(chosen._onward, 1), 0)
    assert chosen._onward[0, 0] == pytest.approx(1)
    assert STAY < 1


def test_a_prefix_that_was_common_before_outranks_one_that_was_not():
    chosen = PrefixFilter(0.01)
    chosen.extend(np.array([[0.03, -0.012]]), 0.01, 2)
    kept = chosen.extend(np.array([[0.03, 0.0], [0.03, 0.0]]), 0.01, 4)
    assert kept[:2].tolist() == [0, 2]
    assert chosen.shares[0] > chosen.shares[1]


def test_nothing_is_known_before_the_first_length():
    assert PrefixFilter(0.5).shares.size == 0
