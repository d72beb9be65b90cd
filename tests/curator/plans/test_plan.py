import math
from dataclasses import dataclass
from fractions import Fraction

import pytest

from dalenius.curator import Blockwise, Curator, HashedBlocks, Measure, Outcome, Sampled
from dalenius.errors import ExecutionFailed, InvalidParameter, MixedMetrics
from dalenius.guarantees import PoissonSampling, PureDP
from dalenius.ledger import Ledger
from dalenius.mechanisms import Geometric, Laplace
from dalenius.neighbors import Metric, Relation, Sensitivity, Unit
from dalenius.noise import Bits, Lattice
from dalenius.queries import Contributions, Count, Keys, Sum, Table

ROW = Unit.row()
HISTOGRAM = Count(Keys("x", ["a", "b"]))


def test_the_price_follows_from_query_and_mechanism():
    plan = Measure(HISTOGRAM, Geometric(Fraction(4)), ROW)
    assert plan.guarantee == PureDP(0.25)
    changed = Measure(HISTOGRAM, Geometric(Fraction(4)), Unit.row(Relation.CHANGE_ONE)).guarantee
    assert changed.sum_form == (Fraction(1, 2), 0)
    assert changed.relation is Relation.CHANGE_ONE


def test_calibrated_costs_exactly_epsilon_under_either_relation():
    for unit in (ROW, Unit.row(Relation.CHANGE_ONE)):
        claim = Measure.calibrated(HISTOGRAM, epsilon=0.3, unit=unit).guarantee
        assert claim.sum_form == (Fraction(3, 10), 0)
        assert claim.relation is unit.relation


def test_a_run_gives_noisy_cells_under_the_querys_keys():
    plan = Measure.calibrated(HISTOGRAM, epsilon=1000, unit=ROW, name="n")
    outcome = plan.run(Table.of({"x": ["a", "b", "a"]}), Bits())
    assert outcome.keys == HISTOGRAM.keys
    assert outcome.columns[0].values == (2, 1)  # P[noise ≠ 0] < e^−999
    assert outcome.columns[0].name == "n"


def test_the_fingerprint_follows_every_public_fact_and_nothing_else():
    base = {"query": HISTOGRAM, "mechanism": Geometric(Fraction(4)), "unit": ROW, "name": "n"}
    others = [
        {"query": Count()},
        {"query": Count(Keys("x", ["b", "a"]))},
        {"query": Sum("x", (0, 1))},
        {"mechanism": Geometric(Fraction(5))},
        {"unit": Unit.row(Relation.CHANGE_ONE)},
        {"name": "m"},
    ]
    prints = [Measure(**(base | other)).fingerprint for other in [{}, *others]]
    assert len(set(prints)) == len(prints)
    assert Measure(**base).fingerprint == prints[0]


def test_explain_reads_no_data():
    told = Measure.calibrated(HISTOGRAM, epsilon=0.1, unit=ROW).explain()
    assert (told.cells, told.error, told.guarantee) == (2, 30, PureDP(0.1))
    assert "COUNT(*) for each of 2 values of x" in str(told)
    assert "± 30 for each cell, 95 % of the time" in str(told)


@dataclass(frozen=True)
class CountThenSum:
    """A plan of two steps, as private bounds will be: the second is made from what the first released."""

    price: PureDP
    unit: Unit = ROW
    blocks = None
    fingerprint = "count, then sum up to the count"

    @property
    def guarantee(self):
        return self.price

    def run(self, view, bits):
        first = Measure.calibrated(Count(), epsilon=self.price.budget / 2, unit=ROW)
        released = first.run(view, bits)
        bound = max(1, released.columns[0].values[0])
        second = Measure.calibrated(Sum("x", (0, bound)), epsilon=self.price.budget / 2, unit=ROW)
        if first.guarantee.compose(second.guarantee).sum_form[0] > self.price.budget:
            raise ValueError("the second step costs more than the price")
        return Outcome((*released.columns, *second.run(view, bits).columns))


@dataclass(frozen=True)
class Both:
    """Several questions over one view under one price."""

    plans: tuple[Measure, ...]
    unit: Unit = ROW
    blocks = None
    fingerprint = "both"

    @property
    def guarantee(self):
        first, *others = (plan.guarantee for plan in self.plans)
        return first.compose(*others)

    def run(self, view, bits):
        return Outcome(tuple(measured for plan in self.plans for measured in plan.run(view, bits).columns))


@pytest.mark.parametrize(
    "plan",
    [
        CountThenSum(PureDP(1)),
        Both(
            (
                Measure.calibrated(Count(), epsilon=0.5, unit=ROW),
                Measure.calibrated(Sum("x", (0, 9)), epsilon=0.5, unit=ROW),
            )
        ),
    ],
    ids=["then", "together"],
)
def test_a_plan_of_several_steps_goes_through_the_same_gate_for_one_price(plan, tmp_path):
    ledger = Ledger.open(tmp_path / "x.ledger")
    ledger.create("people", epsilon=1, unit="row")
    curator = Curator({"x": [1, 2, 3]}, unit="row", ledger=ledger, dataset="people")
    release = curator.release(plan)
    assert len(release.outcome.columns) == 2
    assert release.guarantee.epsilon(0) == 1
    assert curator.budget.epsilon == 0
    assert len(ledger.entries("people")) == 1


def test_a_step_over_its_price_is_refused_after_the_charge_and_says_nothing(tmp_path):
    @dataclass(frozen=True)
    class Greedy(CountThenSum):
        def run(self, view, bits):
            raise ValueError("the noisy count was 3")

    ledger = Ledger.open(tmp_path / "x.ledger")
    ledger.create("people", epsilon=1, unit="row")
    curator = Curator({"x": [1, 2, 3]}, unit="row", ledger=ledger, dataset="people")
    with pytest.raises(ExecutionFailed) as failure:
        curator.release(Greedy(PureDP(1)))
    assert "3" not in str(failure.value)
    assert failure.value.__context__ is None


@pytest.mark.parametrize("name", ["X", "n", "N_lower", "n_upper"])
def test_no_column_of_a_release_hides_another(name):
    with pytest.raises(InvalidParameter, match="rename"):
        Measure.calibrated(Count(Keys(name, ["a"])), epsilon=1, unit=ROW, name="x" if name == "X" else "n")


def test_a_mechanism_on_another_lattice_than_the_query_is_refused():
    with pytest.raises(InvalidParameter, match="whole steps"):
        Measure(Count(), Laplace(1), ROW)
    assert Measure(Count(), Laplace(2**20, Lattice(0)), ROW).guarantee.epsilon(0) == 2.0**-20


def test_real_noise_is_released_stored_and_read_back(tmp_path):
    ledger = Ledger.open(tmp_path / "x.ledger")
    ledger.create("people", epsilon=1, unit="row")
    curator = Curator({"x": [1, 2, 3]}, unit="row", ledger=ledger, dataset="people")
    release = curator.release(Measure(Sum("x", (0, 2**20)), Laplace(2**21, Lattice(0)), ROW))
    assert curator.budget.epsilon == Fraction(1, 2)
    assert release.guarantee.epsilon(0) == 0.5
    assert release.accuracy(0.05) == pytest.approx(2**21 * math.log(20), rel=1e-4)


def test_with_a_delta_the_noise_is_gaussian_and_follows_the_distance_in_l2():
    plan = Measure.calibrated(HISTOGRAM, epsilon=1, delta=1e-6, unit=Unit.row(Relation.CHANGE_ONE))
    assert plan.metric is Metric.L2
    assert plan.explain().sensitivity == Sensitivity.root(2, Metric.L2)
    assert plan.guarantee.square == Fraction(2) / plan.mechanism.scale**2
    assert 0.999 < plan.guarantee.epsilon(1e-6) <= 1
    with pytest.raises(MixedMetrics, match="ℓ2"):
        assert Measure(plan.query, plan.mechanism, plan.unit).guarantee


CITIES = Keys("city", ["Oslo", "Rome"])
WHO = Unit("who")
INNER = Measure(Count(CITIES, Contributions("who", 2)), Geometric(Fraction(2**21)), WHO, "people")


@pytest.mark.parametrize(
    "outer",
    [Sampled(INNER, PoissonSampling(Fraction(1, 4))), Blockwise(INNER, HashedBlocks("thirds", 3), ("0 of 3",))],
    ids=["sampled", "blockwise"],
)
def test_a_plan_around_another_has_its_people_keys_and_columns(outer):
    assert (outer.unit, outer.keys, outer.names) == (WHO, CITIES, ("people",))
    assert outer.fingerprint != INNER.fingerprint
