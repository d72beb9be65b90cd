from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from dalenius.errors import InvalidParameter
from dalenius.guarantees import PureDP
from dalenius.neighbors import Relation, Unit
from dalenius.noise import Bits
from dalenius.queries import Table
from dalenius.synthesis.linked.plan import MeasureLinked
from tests.noise.fit import FALSE_ALARM
from tests.synthesis.linked.test_tables import linked, view

HALF = Fraction(1, 2)


def plan(epsilon=1, delta="1e-5", unit=None):
    return MeasureLinked.calibrated(linked(), epsilon=epsilon, delta=delta, share=HALF, unit=unit or Unit("who"))


def test_both_parts_together_have_the_mu_of_one_gaussian():
    """μ(1, 1e-5) from the closed profile in 30 digits."""
    for unit in (Unit("who"), Unit("who", Relation.CHANGE_ONE)):
        assert float(plan(unit=unit).guarantee.square) ** 0.5 == pytest.approx(0.268051123211, rel=1e-8)
    assert plan(delta=None).guarantee == PureDP(1)


def test_an_audit_of_the_whole_release_finds_no_more_than_is_claimed_and_parts_at_full_price_each_are_caught():
    """One person with two rows, or nobody; the cells they move, each by its precision."""
    size, bits, claim = 150, Bits(), plan(epsilon=1, delta="1e-3")
    with_person, without = view([(1, "F")], [(1, 0), (1, 0)]), view([], [])
    moved = [float(np.max(a - b)) for a, b in zip(*map(_tables, (with_person, without)), strict=True)]

    def looks(made, held):
        drawn = []
        for _ in range(size):
            columns = made.run(held, bits).columns
            cells = [column.floats()[place] for column, place in zip(columns, _places(with_person), strict=True)]
            sigma = [float(column.mechanism.noise.variance) ** 0.5 * float(column.lattice.step) for column in columns]
            drawn.append(sum(cell * move / s**2 for cell, move, s in zip(cells, moved, sigma, strict=True)))
        return np.array(drawn)

    thin = MeasureLinked(claim.linked, claim.scale / 20, True, HALF, claim.unit)
    for made, caught in ((claim, False), (thin, True)):
        yes, no = looks(made, with_person), looks(made, without)
        cut = np.median(np.concatenate([yes, no]))
        hits, alarms = int((yes > cut).sum()), int((no > cut).sum())
        low = stats.beta.ppf(FALSE_ALARM, hits, size - hits + 1)
        high = stats.beta.isf(FALSE_ALARM, alarms + 1, size - alarms)
        assert (low > np.e * high + 1e-3) == caught


def _tables(held):
    return [table for part in linked().counted(held) for table in part]


def _places(held):
    return [int(table.argmax()) for table in _tables(held)]


def test_a_plan_says_what_it_costs_and_refuses_one_table():
    assert "6 tables" in str(plan().explain())
    assert plan().fingerprint != plan(delta="1e-6").fingerprint
    with pytest.raises(InvalidParameter):
        plan().check(Table.of({"who": [1]}))
    with pytest.raises(InvalidParameter):
        plan(unit=Unit("other"))
    with pytest.raises(InvalidParameter):
        MeasureLinked(linked(), Fraction(1), True, Fraction(1), Unit("who"))
