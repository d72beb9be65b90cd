import numpy as np
import pytest

from dalenius.learning.sums.losses import ClippedHuber, ClippedLogistic, ClippedPoisson, ClippedSoftmax

MARGINS = np.array([-1e300, -50.0, -2.0, -1e-9, 0.0, 1e-9, 0.7, 3.0, 50.0, 1e300])


@pytest.mark.parametrize("digits", [4, 16])
@pytest.mark.parametrize("loss", [ClippedLogistic(), ClippedSoftmax(3), ClippedHuber(0.3), ClippedPoisson(7.0)])
def test_slopes_are_whole_and_never_longer_than_the_clip(loss, digits):
    for y in (0.0, 1.0, 2.0, np.nan):
        margins = np.stack([np.roll(MARGINS, k) for k in range(loss.outputs)], axis=1)
        found = loss.slopes(margins, np.full(len(margins), y), digits)
        assert np.all(found == np.trunc(found))
        assert max(sum(int(v) ** 2 for v in row) for row in found) <= (loss.clip * 2**digits) ** 2
        if np.isnan(y):
            assert not found.any()


def test_the_logistic_slope_is_that_of_the_plain_loss_on_the_right_side():
    m = np.linspace(0, 8, 50)
    found = ClippedLogistic().slopes(m[:, None], np.ones(50), 16)[:, 0] / 2**16
    assert found == pytest.approx(1 / (1 + np.exp(-m)) - 1, abs=1e-3)
    wrong = ClippedLogistic().slopes(-m[1:, None] - 0.01, np.ones(49), 16)[:, 0] / 2**16
    assert np.all(wrong == -0.5)


def test_the_softmax_slope_points_where_the_plain_one_does():
    m = np.random.default_rng(0).normal(size=(40, 4)) * 2
    y = np.arange(40) % 4
    p = np.exp(m) / np.exp(m).sum(axis=1, keepdims=True)
    p[np.arange(40), y] -= 1
    found = ClippedSoftmax(4).slopes(m, y.astype(float), 20) / 2**20
    cosine = (found * p).sum(axis=1) / np.linalg.norm(found, axis=1) / np.linalg.norm(p, axis=1)
    assert cosine == pytest.approx(np.ones(40), abs=1e-3)
    assert np.linalg.norm(found, axis=1) == pytest.approx(np.minimum(0.5, np.linalg.norm(p, axis=1)), abs=1e-3)


def test_the_poisson_slope_is_the_residual_in_units_of_the_ceiling():
    found = ClippedPoisson(8.0).slopes(np.log([[2.0], [4.0], [100.0]]), np.array([3.0, 3.0, 5.0]), 20)[:, 0] / 2**20
    assert found == pytest.approx([-1 / 8, 1 / 8, 3 / 8], abs=1e-3)


def test_a_slope_is_its_own_rows_bit_by_bit():
    rng = np.random.default_rng(0)
    margins, target = rng.normal(size=(1001, 3)) * 4, rng.integers(0, 2, 1001).astype(float)
    for loss in (ClippedLogistic(), ClippedSoftmax(3), ClippedHuber(0.3), ClippedPoisson(5.0)):
        m = margins[:, : loss.outputs]
        whole = loss.slopes(m, target, 16)
        assert np.array_equal(loss.slopes(m[1:], target[1:], 16), whole[1:])
        assert np.array_equal(
            np.vstack([loss.slopes(m[i : i + 1], target[i : i + 1], 16) for i in range(50)]), whole[:50]
        )
