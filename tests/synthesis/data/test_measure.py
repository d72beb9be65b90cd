from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from dalenius.errors import UnknownName
from dalenius.guarantees import GDP, PureDP
from dalenius.neighbors import Relation, Unit
from dalenius.noise import Bits
from dalenius.queries import Contributions, Table
from dalenius.synthesis.data.attributes import Levels
from dalenius.synthesis.data.domain import Domain
from dalenius.synthesis.data.marginals import Marginals
from dalenius.synthesis.data.measure import MeasureTables
from tests.noise.fit import FALSE_ALARM

DOMAIN = Domain(tuple(Levels(name, (0, 1)) for name in "abc"))
ROWS = Table.of({"a": [0, 0, 1, 1], "b": [0, 1, 1, 1], "c": [1, 1, 0, 0]})


@pytest.mark.parametrize(("epsilon", "mu"), [("0.1", 0.032520784057), (1, 0.268051123211), (10, 2.000445620430)])
def test_the_whole_release_has_the_mu_of_one_gaussian(epsilon, mu):
    """μ(ε, δ = 1e-5) from the closed profile in 30 digits."""
    for unit in (Unit.row(), Unit("who"), Unit("who", Relation.CHANGE_ONE)):
        bound = None if unit.column is None else Contributions("who", 3)
        plan = MeasureTables.calibrated(Marginals(DOMAIN, None, bound), epsilon=epsilon, delta="1e-5", unit=unit)
        assert isinstance(plan.guarantee, GDP)
        assert float(plan.guarantee.square) ** 0.5 == pytest.approx(mu, rel=1e-8)
        assert plan.guarantee.relation is unit.relation


def test_without_delta_the_price_is_pure_and_exact():
    plan = MeasureTables.calibrated(Marginals(DOMAIN), epsilon=Fraction(1, 3), delta=None, unit=Unit.row())
    assert plan.guarantee == PureDP(Fraction(1, 3))


def test_noise_has_the_variance_that_the_shares_say():
    plan = MeasureTables.calibrated(Marginals(DOMAIN), epsilon=1, delta=1e-5, unit=Unit.row())
    sigma = float(plan.scale) / float(plan.marginals.shares[-1]) ** 0.5
    pairs = [plan.run(ROWS, Bits()).columns[-1].floats() - [0, 2, 2, 0] for _ in range(1000)]
    assert np.var(pairs) == pytest.approx(sigma**2, rel=6.2 * (2 / 4000) ** 0.5)


@dataclass(frozen=True, slots=True)
class Forgetful(Marginals):
    """A mutant: each table is measured as if it were the only one."""

    @property
    def shares(self):
        return (Fraction(1),) * len(self.tables)


def test_an_audit_of_the_whole_release_finds_no_more_than_is_claimed_and_forgotten_prices_are_caught():
    """The statistic that tells neighbors apart best: each table's cell of the added row, by its precision."""
    names = "abcdefghijklmn"
    domain, size, bits = Domain(tuple(Levels(name, (0, 1)) for name in names)), 200, Bits()
    empty, one = (Table.of({name: np.ones(rows) for name in names}) for rows in (0, 1))
    claim = MeasureTables.calibrated(Marginals(domain), epsilon=1, delta=1e-3, unit=Unit.row())
    shares = np.array([float(share) for share in claim.marginals.shares])

    def looks(plan, table):
        last = [[column.floats()[-1] for column in plan.run(table, bits).columns] for _ in range(size)]
        return np.array(last) @ shares

    for marginals, caught in ((claim.marginals, False), (Forgetful(domain), True)):
        plan = MeasureTables(marginals, claim.scale, True, claim.unit)
        without, with_row = looks(plan, empty), looks(plan, one)
        cut = np.median(np.concatenate([without, with_row]))
        hits, alarms = int((with_row > cut).sum()), int((without > cut).sum())
        low = stats.beta.ppf(FALSE_ALARM, hits, size - hits + 1)
        high = stats.beta.isf(FALSE_ALARM, alarms + 1, size - alarms)
        assert (low > np.e * high + 1e-3) == caught


def test_a_missing_column_is_refused_and_the_explanation_is_free():
    plan = MeasureTables.calibrated(Marginals(DOMAIN), epsilon=1, delta=1e-5, unit=Unit.row())
    with pytest.raises(UnknownName):
        plan.check(Table.of({"a": [1]}))
    assert "6 tables with 18 cells" in str(plan.explain())
    other = MeasureTables.calibrated(Marginals(DOMAIN), epsilon=1, delta=1e-6, unit=Unit.row())
    assert plan.fingerprint != other.fingerprint
