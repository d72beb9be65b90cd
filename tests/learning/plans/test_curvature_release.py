"""The sums of both looks by brute force, and how far one row moves each of the three releases."""

import numpy as np
import pytest

from dalenius.errors import UnprovenClaim
from dalenius.learning.data.box import Box, UnitRows
from dalenius.learning.data.rows import Rows
from dalenius.learning.data.targets import ClassLabels, Counts
from dalenius.learning.data.weighted_rows import WeightedRows
from dalenius.learning.plans.curvature_release import (
    DIGITS,
    FINE,
    LENGTHS,
    ROUGH,
    CurvatureRelease,
    MatrixNoise,
    ScaledAxes,
    combined,
    symmetric,
)
from dalenius.learning.sums.bends import BEND_DIGITS, LogisticBends, PoissonBends
from dalenius.mechanisms import KNorm
from dalenius.neighbors import Metric, Relation
from dalenius.noise import Bits
from tests.learning.adversary import FEATURES, rows

BOX = Box.declare((-1, 1), FEATURES)
WEIGHTS = np.round(np.array([1.0, -2.0, 0.5, 0.3, 0.1]) * 2**20)
SIZE = 2.0 ** (2 * DIGITS + BEND_DIGITS)
PLAIN = MatrixNoise.of(UnitRows(BOX, DIGITS, True), 1, Relation.ADD_REMOVE)


def release(bends=None, relation=Relation.ADD_REMOVE, weights=WEIGHTS, held=None):
    encoder = ClassLabels((0, 1)) if bends is None else Counts(bends.ceiling)
    unit, kind = UnitRows(BOX, DIGITS, True, None, held), bends or LogisticBends()
    return CurvatureRelease(unit, encoder, kind, relation, weights, kind.most(weights * 2.0**-20, unit.radius, True))


def scaled(seed=0):
    rng = np.random.default_rng(seed)
    axes = np.linalg.qr(rng.normal(size=(FEATURES + 1, FEATURES + 1)))[0]
    return ScaledAxes.of(np.array([-3.0, 1.0, 5.0, 40.0, 4000.0]), axes, 2.0)


@pytest.mark.parametrize("bends", [None, PoissonBends(9.0)])
def test_the_first_look_is_at_the_second_derivative(bends):
    """By its formula in floats: tables of 2¹² places and cuts to 2⁻¹⁰ leave some 2 %."""
    made, rng = release(bends), np.random.default_rng(0)
    X, y = rng.uniform(-1, 1, (5000, FEATURES)), rng.integers(0, 2, 5000)
    x = np.column_stack([X, np.ones(5000)]) / np.sqrt(FEATURES + 1)
    m = x @ (WEIGHTS * 2.0**-20)
    b = 1 / (2 + np.exp(m) + np.exp(-m)) if bends is None else np.exp(m) / 9
    truth = (x * b[:, None]).T @ x
    found = symmetric(made.entries(Rows(X, y), None, PLAIN) / SIZE, PLAIN, FEATURES + 1)
    assert found == pytest.approx(truth, abs=0.02 * truth.max())


@pytest.mark.parametrize("k", [0, 3])
def test_the_second_look_is_at_the_same_matrix_where_no_row_is_shortened(k):
    """Turned back it is QᵀHQ, but for what cuts to 2⁻¹³ of the length leave of an axis at a 512th."""
    made, rng, axes = release(weights=np.zeros(FEATURES + 1)), np.random.default_rng(0), scaled()
    axes = ScaledAxes(axes.axes, axes.scales * 2.0**-k, np.round(axes.whole * 2.0**-k))
    X = rng.uniform(-1, 1, (5000, FEATURES))
    x = np.column_stack([X, np.ones(5000)]) / np.sqrt(FEATURES + 1)
    fine, size = made.fine_noise(13), 2.0 ** (26 + BEND_DIGITS)
    shrunk = symmetric(made.entries(Rows(X, np.ones(5000)), (axes, k, 13), fine) / size, fine, FEATURES + 1)
    truth = axes.axes.T @ (x.T @ x / 4) @ axes.axes
    assert np.abs(axes.back(shrunk, k) - truth).max() < 0.04 * truth.max()


@pytest.mark.parametrize("relation", Relation)
@pytest.mark.parametrize(("bends", "held"), [(None, None), (None, 0.7), (PoissonBends(9.0), None)])
def test_one_row_moves_no_release_by_more_than_its_sensitivity(bends, held, relation):
    """ℓ∞ of the first look, or ℓ2 of rows held to 0.7; ℓ2 of the second; one bin of the lengths."""
    made, data, axes = release(bends, relation, held=held), rows(), scaled(1)
    first = MatrixNoise.of(made.unit, made.most, relation)
    assert first.metric is (Metric.LINF if held is None else Metric.L2)
    order = np.inf if first.metric is Metric.LINF else 2
    fine = made.fine_noise(11)
    times, moved = 2 if relation is Relation.CHANGE_ONE else 1, [0.0, 0.0]
    for at in range(len(data)):
        for label in (0.0, 1.0, np.nan, 1e300):
            row = Rows(data[at : at + 1], np.array([label]))
            moved[0] = max(moved[0], float(np.linalg.norm(made.entries(row, None, first).astype(float), order)))
            for k in (0, 7, 39):
                part = made.entries(row, (axes, k, 11), fine).astype(float)
                moved[1] = max(moved[1], float(np.linalg.norm(part)))
            assert made.histogram(row, axes).sum() == made.histogram(row, axes).max() <= 1
    stated = [float(one.sensitivity.value) for one in (first, fine)]
    assert all(times * one <= most for one, most in zip(moved, stated, strict=True))
    if bends is None and held is None:
        assert all(times * one > 0.4 * most for one, most in zip(moved, stated, strict=True))  # no room is given away


def test_a_row_adds_what_it_adds_alone():
    """Whole numbers: the sums over all rows are those over two parts of them, to the last digit."""
    made, axes, rng = release(), scaled(2), np.random.default_rng(3)
    X, y = rng.uniform(-2, 2, (700, FEATURES)), rng.integers(0, 2, 700)
    fine = made.fine_noise(13)
    for question in (
        lambda view: made.entries(view, None, PLAIN),
        lambda view: made.entries(view, (axes, 9, 13), fine),
        lambda view: made.histogram(view, axes),
    ):
        parts = [question(Rows(X[part], y[part])) for part in (slice(0, 300), slice(300, 700))]
        assert (question(Rows(X, y)) == parts[0] + parts[1]).all()


@pytest.mark.parametrize("k", [0, 5, 20, 39])
def test_no_row_of_the_second_look_is_longer_than_one(k):
    """A clip that is forgotten is caught here: hostile rows reach the length exactly, none exceeds it."""
    x = UnitRows(BOX, DIGITS, True).steps(rows())
    for seed in range(5):
        lengths = (scaled(seed).held(x, k, 13) ** 2).sum(axis=1)
        assert lengths.max() <= 4**13
        assert k < 20 or lengths.max() > 0.9 * 4**13


def test_the_three_parts_add_up_to_the_price():
    assert ROUGH + LENGTHS + FINE == 1


def test_lengths_are_found_that_few_rows_exceed():
    made, axes = release(), scaled()
    X = np.random.default_rng(1).normal(size=(4000, FEATURES)) / 10
    k = made.length(Rows(X, np.ones(4000)), axes, 1, 4000, Bits())
    y = axes.squares(axes.steps(made.unit.steps(X))) / 4.0 ** (DIGITS + 16)
    assert np.mean(y > 2.0**-k) < 0.02
    assert np.mean(y > 2.0 ** -(k + 1)) > 0.005


@pytest.mark.parametrize("held", [None, 0.7])
def test_the_noise_has_the_variance_that_is_told(held):
    """2500 draws turned into other axes: a variance's standard error is some 3 %, and a fifth is 6 of them."""
    made, d = release(held=held), FEATURES + 1
    noise = MatrixNoise.of(made.unit, made.most, Relation.ADD_REMOVE)
    axes, bits = scaled().axes, Bits()
    mechanism = KNorm(noise.metric, 1 << 20)
    drawn = [symmetric(np.array(mechanism.noise(bits, d * (d + 1) // 2), float), noise, d) for _ in range(2500)]
    found = np.var([axes.T @ one @ axes for one in drawn], axis=0)
    assert found == pytest.approx(noise.variance(2.0**20, axes), rel=0.2)


def test_two_looks_are_weighed_by_their_noise():
    values, axes = np.array([4.0, 8.0]), np.eye(2)
    made = combined(values, axes, np.full((2, 2), 3.0), np.diag([8.0, 16.0]), np.full((2, 2), 1.0))
    assert np.diag(made.matrix).tolist() == [7.0, 14.0]
    assert made.variance == pytest.approx(0.75)


def test_rows_with_weights_are_refused_since_a_person_of_many_rows_would_be_in_many_bins():
    view = WeightedRows(np.eye(5)[:, :FEATURES], np.ones(5), np.full(5, 0.125), "patient", 8.0)
    made = release()
    for read in (lambda: made.histogram(view, scaled()), lambda: made.entries(view, None, PLAIN)):
        with pytest.raises(UnprovenClaim, match="rows with weights"):
            read()
