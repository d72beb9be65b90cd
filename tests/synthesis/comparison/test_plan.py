from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from dalenius.guarantees import GDP, PureDP
from dalenius.neighbors import Relation, Unit
from dalenius.noise import Bits
from dalenius.queries import ONE, Contributions, Table
from dalenius.synthesis.comparison.plan import CompareTables
from dalenius.synthesis.data.attributes import Levels
from dalenius.synthesis.data.domain import Domain
from dalenius.synthesis.data.marginals import Marginals
from dalenius.synthesis.data.measure import scale_of

DOMAIN = Domain((Levels("a", (0, 1)), Levels("b", (0, 1, 2))))
MADE = tuple(np.array(counts, np.int64) for counts in ([2, 1], [1, 1, 1], [1, 1, 0, 0, 0, 1]))


def plan(epsilon=1, delta="1e-5", unit=None, bound=None):
    marginals = Marginals(DOMAIN, None, bound)
    return CompareTables(marginals, MADE, "copy", *scale_of(epsilon, delta), unit or Unit.row())


def test_all_distances_together_cost_what_was_asked():
    """μ(1, 1e-5) from the closed profile in 30 digits."""
    for unit in (Unit.row(), Unit("who"), Unit("who", Relation.CHANGE_ONE)):
        made = plan(unit=unit, bound=None if unit.column is None else Contributions("who", 3))
        assert isinstance(made.guarantee, GDP)
        assert float(made.guarantee.square) ** 0.5 == pytest.approx(0.268051123211, rel=1e-8)
        assert plan(delta=None, unit=unit, bound=made.marginals.contributions).guarantee == PureDP(1, unit.relation)


def test_one_unit_moves_no_distance_by_more_than_is_said():
    """All sets of up to four rows of three people; the bound is reached, and one row less would be passed."""
    rng, worst = np.random.default_rng(3), 0
    made = plan(unit=Unit("who"), bound=Contributions("who", 2))
    for _ in range(300):
        rows = {"who": rng.integers(0, 3, 6), "a": rng.integers(0, 2, 6), "b": rng.integers(0, 3, 6)}
        other = {name: column[rows["who"] != 0] for name, column in rows.items()}
        far = [_distances(made, Table.of(held)) for held in (rows, other)]
        worst = max(worst, int(np.abs(far[0] - far[1]).max()))
    assert ONE < worst <= 2 * ONE == made._moved


def _distances(made, view):
    exact = made.marginals.evaluate(view)
    return np.array([np.abs(own - ONE * ours).sum() for own, ours in zip(exact, made.synthetic, strict=True)])


def _far(made, view):
    exact = made.marginals.evaluate(view)
    return [np.abs(own - ours).sum() for own, ours in zip(exact, made.synthetic, strict=True)]


def test_noise_is_that_of_the_mechanism_and_the_explanation_is_free():
    made = plan()
    view = Table.of({"a": [0, 0, 1], "b": [0, 1, 2]})
    near = np.array(_far(made, view))
    drawn = [made.run(view, Bits()).columns[0].floats() for _ in range(400)]
    mechanism, lattice = made.noise
    sigma = float(mechanism.noise.variance) ** 0.5 * float(lattice.step)
    assert np.std(np.array(drawn) - near) == pytest.approx(sigma, rel=6.2 * (1 / 2400) ** 0.5)
    assert "3 tables" in str(made.explain())
    assert made.fingerprint != replace(made, scale=Fraction(9)).fingerprint
