import math
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest

from dalenius.guarantees.loss import pairs
from dalenius.guarantees.loss.binning import bins
from dalenius.guarantees.loss.composition import LossComposition
from dalenius.guarantees.loss.profile import delta_bounds

MASSES = pairs.from_masses([Fraction(k, 45) for k in range(10)], [Fraction((7 * k) % 10 + 1, 55) for k in range(10)])
PAIRS = {
    "masses": MASSES,
    "sampled masses": MASSES.sampled(Fraction(1, 5)),
    "laplace": pairs.laplace("0.7"),
    "sampled laplace": pairs.laplace(2).sampled(Fraction(1, 10)),
    "gaussian": pairs.gaussian("0.6"),
    "sampled gaussian": pairs.gaussian(1).sampled(Fraction(1, 50)),
    "added gaussian": pairs.gaussian(1).sampled(Fraction(1, 50)).swapped(),
    "fixed size": pairs.gaussian(1).sampled_change_one(Fraction(1, 10)),
}


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize(("s", "step"), [(1.0, 0.2), (6.0, 0.013)])
def test_the_split_keeps_both_masses(name, s, step):
    pair = PAIRS[name]
    made = bins(pair, s, step)
    points = made.origin + made.step * made.index
    scale = made.log_scale - s * points
    ends = made.left * np.exp(scale[:-1]), made.right * np.exp(scale[:-1])
    on = made.on_points * np.exp(scale)
    p = math.fsum(ends[0]) + math.fsum(ends[1]) + math.fsum(on)
    q = (
        math.fsum(ends[0] * np.exp(-points[:-1]))
        + math.fsum(ends[1] * np.exp(-points[1:]))
        + math.fsum(on * np.exp(-points))
    )
    assert p == pytest.approx(1 - float(pair.infinite), rel=1e-9)
    assert q == pytest.approx(1 - float(pair.vanishing), rel=1e-9)


@pytest.mark.parametrize("name", ["masses", "sampled masses"])
@pytest.mark.parametrize("step", [0.3, 0.05])
def test_laws_on_the_grid_enclose_the_hockey_stick(name, step):
    pair = PAIRS[name]
    made = bins(pair, 2.0, step)
    for side in ("above", "below"):
        law = getattr(made, side)()
        sign = 1 if side == "above" else -1
        points = law.origin + step * law.index + sign * law.shift
        with mp.workdps(30):
            masses = [
                mp.mpf(m) * mp.exp(law.log_total - 2 * mp.mpf(x))
                for m, x in zip(law.masses.tolist(), (law.origin + step * law.index).tolist(), strict=True)
            ]
            for epsilon in np.linspace(-1.5, 2.5, 41).tolist():
                gain = lambda x, e=epsilon: max(0, 1 - mp.exp(e - mp.mpf(x)))  # noqa: E731
                found = mp.fsum(m * gain(x) for m, x in zip(masses, points.tolist(), strict=True))
                true = mp.fsum(mp.mpf(each.first) * gain(each.loss) for each in pair.atoms)
                assert sign * (found - true) >= -(mp.mpf(10) ** -14)
                assert abs(found - true) <= step / 4


@pytest.mark.parametrize("name", PAIRS)
def test_any_tilt_and_step_gives_the_same_profile(name):
    from dalenius.guarantees.loss.saddle import saddle_at
    from dalenius.guarantees.loss.tilted_grid import tilted_grid

    composition = LossComposition.of([(PAIRS[name], 1)])
    low, high = delta_bounds(composition, 0.3, 1e-5)
    low, high = low - composition.infinite[1], high - composition.infinite[0]
    for s, step in ((0.7, 0.11), (3.0, 0.031)):
        grid = tilted_grid(composition, saddle_at(composition, s), step, 1e-10)
        below, above = grid.delta(0.3)
        assert below <= high
        assert above >= low
