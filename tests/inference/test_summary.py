import numpy as np
import pytest

from dalenius import statistics as st
from dalenius.curator import Facts
from dalenius.errors import UnknownName, UnprovenClaim
from dalenius.inference.arguments import NoisyNumber
from dalenius.inference.cells import ReleasedCells
from dalenius.inference.noise import ReleaseNoise
from dalenius.inference.summary import Summary, mean_columns, of_cells, summaries
from dalenius.mechanisms import Geometric
from dalenius.neighbors import Relation, Unit
from tests.inference.releases import counts, release_of

X = np.array([0.0, 1.0, 2.0, 4.0, 10.0] * 20)


def test_a_mean_is_read_from_the_sums_that_made_it():
    answer = release_of(st.mean("x", (0, 10), epsilon=1000), {"x": X})
    (found,) = summaries(answer, None, "a mean").values()
    assert found.estimate == pytest.approx(3.4, abs=0.01)
    assert found.size == pytest.approx(100, abs=0.1)
    assert found.spread(np.array([3.4]))[0] == pytest.approx(100 * 3.4 * 6.6, rel=1e-2)
    # Σ(u − x) and Σ(x − l) with noise of scale 10/ε each, weighed m and 10 − m
    assert found.noise_variance(np.array([3.4]))[0] == pytest.approx((3.4**2 + 6.6**2) * 2 / 1000**2, rel=1e-3)


def test_a_public_number_of_rows_is_read_from_the_formula():
    facts = Facts.declare(unit=Unit.row(Relation.CHANGE_ONE), rows=100)
    answer = release_of(st.mean("x", (0, 10), epsilon=1000, about=facts), {"x": X})
    (found,) = summaries(answer, None, "a mean").values()
    assert found.size == 100
    assert not found.count.any()
    assert found.estimate == pytest.approx(3.4, abs=0.01)


def test_each_key_has_its_own_sums():
    data = {"x": X, "g": ["a"] * 50 + ["b"] * 50}
    found = summaries(release_of(st.mean("x", (0, 10), epsilon=1000, by=_keys()), data), None, "a mean")
    assert list(found) == ["a", "b"]
    assert found["a"].size == pytest.approx(50, abs=0.2)


def _keys():
    from dalenius.queries import Keys

    return Keys("g", ["a", "b"])


def test_the_spread_of_people_covers_their_clusters():
    """Σₚ(Σ w(x − m))² ≤ T·Σ w(x − m)² for any rows of any people, which is what `spread` rests on."""
    rng = np.random.default_rng(5)
    for _ in range(200):
        most, m = int(rng.integers(1, 6)), rng.uniform()
        squares = clusters = bound = 0.0
        for _ in range(20):
            x = rng.beta(0.3, 0.6, rng.integers(1, 12))
            weight = min(1.0, most / x.size)
            clusters += (weight * (x - m).sum()) ** 2
            squares += weight * ((x - m) ** 2).sum()
            bound += weight * (x * (1 - m) ** 2 + (1 - x) * m**2).sum()
        assert clusters <= most * squares * (1 + 1e-12)
        assert squares <= bound * (1 + 1e-12)  # at m the mean, the bound is n·m(1 − m)
    noise = ReleaseNoise.of(Geometric(1))
    parts = (np.array([60.0, 40.0]), (noise, noise), np.array([0.0, 1.0]), np.ones(2), 0.0, 1.0)
    one, three = (Summary(*parts, contributions=t).spread(np.array([0.3]))[0] for t in (1, 3))
    assert three == pytest.approx(3 * one)


def test_a_share_is_the_mean_of_zeros_and_ones():
    noise = ReleaseNoise.of(Geometric(1))
    found = of_cells(ReleasedCells(NoisyNumber(30.0, noise), (NoisyNumber(50.0, noise), NoisyNumber(20.0, noise))))
    assert found.estimate == 0.3
    assert found.size == 100
    assert found.spread(np.array([0.3]))[0] == pytest.approx(21)
    nobody = of_cells(ReleasedCells(NoisyNumber(0.0, noise), (NoisyNumber(-1.0, noise),)))
    assert nobody.estimate == 0.5


def test_an_answer_without_a_mean_or_with_another_is_refused():
    answer = release_of(st.mean("x", (0, 10), epsilon=1), {"x": X})
    assert [item.name for item in mean_columns(answer)] == ["mean"]
    with pytest.raises(UnknownName):
        summaries(answer, "median", "a mean")
    with pytest.raises(UnprovenClaim, match="AVG"):
        summaries(counts(["a"], 1), None, "a mean")
