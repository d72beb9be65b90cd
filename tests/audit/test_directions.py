import numpy as np
import pytest

from dalenius.audit.choose import in_steps
from dalenius.audit.directions import EVERYTHING, Coset, Direction, common_step, unit

RNG = np.random.default_rng(11)


def test_a_leak_too_thin_for_any_coordinate_adds_up():
    first, second = ({EVERYTHING: RNG.normal(mean, 1, (3000, 300))} for mean in (0, 0.1))
    fitted = Direction().fit(*({EVERYTHING: side[EVERYTHING][:1500]} for side in (first, second)))
    x, x2 = (fitted({EVERYTHING: side[EVERYTHING][1500:]}) for side in (first, second))
    # the ideal distance is 0.1·√300 = 1.7 deviations; one coordinate has a tenth of one
    assert (x.mean() - x2.mean()) / x.std() > 1


@pytest.mark.parametrize(("step", "scale"), [(10, 1.0), (15, 0.01), (3, 1 / 1024)])
def test_noise_in_steps_leaves_the_remainder(step, scale):
    x, x2 = ((answer + step * RNG.integers(-500, 500, 400)) * scale for answer in (1, 3))
    assert in_steps(x, x2)
    coset = Coset("output").fit({"output": x}, {"output": x2})
    assert coset({"output": x}).min() > 0 > coset({"output": x2}).max()
    assert f"by {step * scale:g}" in coset.name
    odd = coset({"output": np.array([np.nan, np.inf, 1e300])})
    assert np.isfinite(odd).all()


def test_a_lattice_that_both_share_is_no_event():
    x, x2 = (4 * RNG.integers(0, 9, 50).astype(float) for _ in range(2))
    assert not in_steps(x, x2)
    flat = Coset("output").fit({"output": x}, {"output": x2})
    assert set(flat({"output": x})) == {0.0}
    assert not in_steps(RNG.normal(size=50), RNG.normal(size=50))
    assert set(Coset("output").fit({"output": RNG.normal(size=9)}, {"output": x})({"output": x})) == {0.0}


def test_units_and_steps():
    assert unit(np.array([1.0, 2.0])) == 1
    assert unit(np.array([0.25, 1.0])) == 100
    assert unit(np.array([1 / 1024, 1.0])) == 1024
    assert unit(np.array([np.pi, 1.0])) is None
    assert unit(np.array([1.0])) is None
    assert common_step(np.array([3.0, 9.0, np.nan, 15.0]), 1) == 6
    assert common_step(np.array([3.0, 3.0]), 1) == 0
    assert common_step(np.array([np.nan]), 1) == 0
