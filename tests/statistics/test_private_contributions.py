from fractions import Fraction

import numpy as np
import pytest

from dalenius.curator import Curator, Measured, Outcome, Then
from dalenius.errors import InvalidParameter
from dalenius.ledger import Ledger
from dalenius.mechanisms import Geometric
from dalenius.neighbors import Metric, Relation, Unit
from dalenius.noise import Bits
from dalenius.noise.lattice import INTEGERS
from dalenius.queries import Keys, Table
from dalenius.statistics import (
    PrivateContributions,
    choose_contributions,
    contributions_histogram,
    count,
    private_contributions,
)
from dalenius.statistics.private_contributions import RowsPerUnit
from tests.statistics.neighbors import neighbors, table


def released(counts, scale=Fraction(1, 100)):
    column = Measured("units", tuple(counts), INTEGERS, Geometric(scale))
    return Outcome((column,), Keys("rows", [2**k for k in range(len(counts))]))


def test_each_unit_is_in_the_bin_of_its_number_of_rows():
    units = [*np.repeat(list("abcdefg"), (1, 2, 3, 4, 5, 8, 9)).tolist(), *[None] * 50]
    assert RowsPerUnit("u", 3).evaluate(Table.of({"u": units})).tolist() == [1, 1, 2, 2, 1]
    assert RowsPerUnit("u", 3).keys.values == (1, 2, 4, 8, 16)
    assert RowsPerUnit("u", 2).evaluate(Table.of({"u": []})).tolist() == [0] * 4


@pytest.mark.theorem("A Ex 3.4")
@pytest.mark.parametrize("relation", list(Relation))
@pytest.mark.parametrize(("metric", "power"), [(Metric.L1, 1), (Metric.L2, 2), (Metric.LINF, np.inf)])
def test_a_unit_moves_one_bin_whatever_it_owns(relation, metric, power):
    unit, query = Unit("u", relation), RowsPerUnit("u", 2)
    rows = [(0, 0, "a", person) for person in (1, 1, 1, 2, None)]
    pool = [(0, 0, "a", 9)] * 3
    here = query.evaluate(table(rows))
    far = [np.linalg.norm(here - query.evaluate(table(other)), power) for other in neighbors(rows, pool, unit)]
    assert max(far) == pytest.approx(float(query.sensitivity(unit, metric).value))


def test_it_is_for_its_own_unit():
    with pytest.raises(InvalidParameter, match="for each u"):
        RowsPerUnit("u").sensitivity(Unit("v"))
    with pytest.raises(InvalidParameter, match="each row is one contribution"):
        contributions_histogram(epsilon=1)
    with pytest.raises(InvalidParameter, match="octaves"):
        RowsPerUnit("u", 31)
    with pytest.raises(InvalidParameter, match="share"):
        PrivateContributions(share=1)
    with pytest.raises(InvalidParameter, match="contributions_histogram"):
        choose_contributions(Outcome(released([1, 2]).columns), epsilon=1)


def test_noise_and_what_is_cut_off_are_weighed():
    assert choose_contributions(released([100, 0, 0, 0, 0]), epsilon=1) == 1
    assert choose_contributions(released([100, 0, 0, 100, 0]), epsilon=1) == 8  # 100 people cut from 6 rows to 4
    assert choose_contributions(released([100, 0, 0, 100, 0]), epsilon=0.001) == 1  # the noise of 2 rows is 2 000
    assert choose_contributions(released([100, 0, 0, 1, 0]), epsilon=1) == 1  # raising T by one costs one, saves one
    assert choose_contributions(released([0, 0, 0, 0, 100]), epsilon=1) == 8  # the last bin has no end


def test_a_bin_within_the_noise_is_taken_for_empty():
    assert choose_contributions(released([100, 0, 0, 0, 20, 0], 10), epsilon=1) == 1
    assert choose_contributions(released([100, 0, 0, 0, 200, 0], 10), epsilon=1) == 16


def test_the_histogram_is_paid_for_once_kept_and_reused(tmp_path):
    """With ε = 50 for the histogram no bin has noise (chance 1e-20)."""
    ledger = Ledger.open(tmp_path / "x.ledger")
    ledger.create("people", epsilon=1_000, unit="u")
    curator = Curator({"u": np.repeat(np.arange(500), 4)}, unit="u", ledger=ledger, dataset="people")
    assert private_contributions(curator, epsilon=50, then=1) == 4
    assert curator.budget.epsilon == 950
    assert private_contributions(curator, epsilon=50, then=0.0001) == 1
    assert curator.budget.epsilon == 950
    release = curator.release(count(epsilon=500, about=curator, contributions="private"))
    assert release.notes == {"contributions": 4}
    assert release.value == pytest.approx(2_000, abs=1)
    assert curator.budget.epsilon == 450


def test_the_share_is_stated_and_the_rest_is_for_the_statistic():
    plan = count(epsilon=2, unit="u", contributions=PrivateContributions(share=Fraction(1, 4)))
    assert isinstance(plan, Then)
    assert plan.first.guarantee.sum_form[0] == Fraction(1, 2)
    assert plan.price.sum_form[0] == Fraction(3, 2)
    assert count(epsilon=1, unit="u", contributions="private").first.guarantee.sum_form[0] == Fraction(1, 10)


def test_whatever_was_released_leads_to_an_answer():
    plan = count(epsilon=0.01, unit="u", contributions="private")
    for seed in range(50):
        outcome = plan.run(Table.of({"u": [None] * seed}), Bits())
        assert isinstance(outcome.columns[0].values[0], float)


def test_noise_that_cannot_be_drawn_is_refused_before_the_charge():
    with pytest.raises(InvalidParameter):
        count(epsilon=1e-9, unit="u", contributions=PrivateContributions(octaves=30))
