import math
from decimal import Decimal
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest
import scipy.stats

from dalenius.curator import Curator, Facts
from dalenius.errors import DaleniusError, InvalidParameter, UnboundedQuery, UnprovenClaim
from dalenius.ledger import Ledger
from dalenius.neighbors import Relation, Unit
from dalenius.noise import Bits
from dalenius.queries import Contributions, Table
from dalenius.queries.grid import Grid
from dalenius.statistics import median, quantile
from tests.statistics.small import GRID, MANY, breaks, column, owned, rank_law, row_pairs, unit_pairs

POOL = [0.1, 2.5, 5, -math.inf, math.nan, "text"]
UNITS = [[], [0.1] * 3, [3.9], [0.1, 3.9, 3.9], [2.0] * 5, [math.nan, 0.5], [1.5, None, 2.5]]
BASE = [[1.5], [2.5, 2.5, 0.2]]


@pytest.fixture(autouse=True)
def _fifty_digits():
    with mp.workdps(50):
        yield


def pairs_of_rows(plan, relation, base=()):
    for first, second in row_pairs(POOL, 2, relation):
        first, second = [*base, *first], [*base, *second]
        yield rank_law(plan, column(first)), rank_law(plan, column(second))


def pairs_of_units(plan, relation, base=BASE):
    for first, second in unit_pairs(UNITS, base, relation):
        yield rank_law(plan, owned(first)), rank_law(plan, owned(second))


@pytest.mark.theorem("A §7.3.1 median utility", "A Alg 3", "A Alg 4", "A Thm 7.1")
@pytest.mark.parametrize("relation", list(Relation))
@pytest.mark.parametrize(("level", "missing"), [(0.5, "drop"), (0.9, "drop"), (0.5, 3)])
def test_every_neighbor_of_every_small_table_is_within_the_guarantee(relation, level, missing):
    plan = quantile("x", level, (0, 4), epsilon=1, cells=4, missing=missing, unit=Unit.row(relation))
    assert plan.guarantee.sum_form == (1, 0)
    assert not any(breaks(p, q, plan.guarantee, GRID) for p, q in pairs_of_rows(plan, relation))


@pytest.mark.parametrize("relation", list(Relation))
@pytest.mark.parametrize("level", [0.5, 0.25])
def test_units_with_several_rows_are_within_the_guarantee(relation, level):
    unit = Unit("u", relation)
    plan = quantile("x", level, (0, 4), epsilon=1, cells=4, unit=unit, contributions=2)
    assert not any(breaks(p, q, plan.guarantee, GRID) for p, q in pairs_of_units(plan, relation))
    assert not any(breaks(p, q, plan.guarantee) for p, q in pairs_of_units(plan, relation, [[x] for x in MANY]))


@pytest.mark.theorem("A Alg 4")
def test_the_exponent_printed_in_the_notes_is_rejected():
    # errata: exp(−ε|i − αk|) is this mechanism at half its scale
    for relation in Relation:
        plan = median("x", (0, 4), epsilon=1, cells=4, unit=Unit.row(relation))
        assert not any(breaks(p, q, plan.guarantee) for p, q in pairs_of_rows(plan, relation, MANY))
        printed = type(plan)(plan.query, plan.mechanism.scaled(Fraction(1, 2)), plan.unit, plan.name)
        assert any(breaks(p, q, plan.guarantee) for p, q in pairs_of_rows(printed, relation, MANY))


def test_a_unit_whose_rows_all_count_in_full_is_caught(monkeypatch):
    plan = median("x", (0, 4), epsilon=1, cells=4, unit="u", contributions=2)
    monkeypatch.setattr(Contributions, "weights", lambda self, units: np.full(len(units), 2.0**20))
    assert any(breaks(p, q, plan.guarantee) for p, q in pairs_of_units(plan, Relation.ADD_REMOVE, [[x] for x in MANY]))


def test_a_price_for_one_row_in_place_of_the_units_weight_is_caught(monkeypatch):
    monkeypatch.setattr(Grid, "weight", lambda self, unit: 2**20)
    plan = median("x", (0, 4), epsilon=1, cells=4, unit="u", contributions=2)
    assert any(breaks(p, q, plan.guarantee) for p, q in pairs_of_units(plan, Relation.ADD_REMOVE, [[x] for x in MANY]))


@pytest.mark.theorem("A Thm 7.2", "A Thm 7.6")
def test_the_rank_misses_by_more_than_the_accuracy_as_rarely_as_said():
    for rows in ([40.5] * 100, list(range(64)), [0] * 50 + [63] * 150):
        plan = quantile("x", 0.25, (0, 64), epsilon=1, cells=64)
        told = plan.explain().expected.accuracy(0.1)
        law, target = rank_law(plan, column([float(x) for x in rows])), Fraction(len(rows), 4)
        missed = sum(
            mass
            for cell, mass in enumerate(law)
            if max(0, sum(x < cell for x in rows) - target, target - sum(x < cell + 1 for x in rows)) > told
        )
        assert missed <= 0.1


def test_released_medians_miss_by_more_than_accuracy_no_more_often_than_said():
    # false alarm 1e-9: a binomial with chance 0.05 exceeds this count that rarely; ±25 % of the scale is seen above
    numbers = np.random.default_rng(11).normal(size=501)
    plan, bits, order = median("x", (-5, 5), epsilon=0.3, cells=1000), Bits(), np.sort(numbers)
    table = Table.of({"x": numbers})
    told = plan.explain().expected.accuracy(0.05)
    values = np.array([plan.run(table, bits).columns[0].values[0] for _ in range(300)])
    half = 10 / 1000 / 2  # a cell's middle stands for all of it
    low, high = np.searchsorted(order, values - half), np.searchsorted(order, values + half, "right")
    missed = np.count_nonzero(np.maximum(low - 250.5, 250.5 - high) > told)
    assert missed <= scipy.stats.binom.isf(1e-9, 300, 0.05)


def test_it_goes_through_the_gate_with_declared_facts(tmp_path):
    ledger = Ledger.open(tmp_path / "x.ledger")
    ledger.create("people", epsilon=1, unit="u")
    data = {"u": np.arange(4000) // 2, "x": np.repeat(np.arange(2000) / 20, 2)}
    curator = Curator(data, unit="u", ledger=ledger, dataset="people", bounds={"x": (0, 100)}, contributions=2)
    release = curator.release(median("x", epsilon=1, about=curator))
    assert abs(release.value - 50) < 5  # 200 ranks off, at a scale of 2: e^−100
    assert "ranks" in repr(release)
    assert curator.budget.epsilon == 0
    with pytest.raises(UnprovenClaim, match="ranks"):
        release.interval(0.95)
    assert type(release).from_dict(release.to_dict()).value == release.value


ODD = [[], [5], [5] * 40, [math.nan] * 9, [None, "x", b"y", 10**400, -(10**400), Decimal("sNaN"), [1], 2**63]]


@pytest.mark.parametrize("rows", ODD, ids=["empty", "one", "equal", "nan", "odd"])
@pytest.mark.parametrize("missing", ["drop", 7])
@pytest.mark.parametrize("owner", [False, True])
@pytest.mark.filterwarnings("error")
def test_whatever_rows_hold_there_is_a_value_within_the_bounds(rows, missing, owner):
    table = Table.of({"x": rows, "u": list(range(len(rows)))})
    options = {"unit": "u", "contributions": 1} if owner else {}
    outcome = median("x", (0, 10), epsilon=1, missing=missing, **options).run(table, Bits())
    assert 0 <= outcome.columns[0].values[0] <= 10


def test_whole_numbers_come_out_whole_where_cells_are_about_them():
    table = Table.of({"x": [39] * 1000})
    assert median("x", (-0.5, 100.5), epsilon=1, cells=101).run(table, Bits()).columns[0].values == (39.0,)


def test_ten_million_equal_values_have_their_median():
    table = Table.of({"x": np.full(10**7, 2.5)})
    assert abs(median("x", (0, 10), epsilon=1).run(table, Bits()).columns[0].values[0] - 2.5) < 1e-4


@pytest.mark.parametrize(
    "call",
    [
        lambda: quantile("x", 0, (0, 1), epsilon=1),
        lambda: quantile("x", 1, (0, 1), epsilon=1),
        lambda: quantile("x", math.nan, (0, 1), epsilon=1),
        lambda: median("x", (1, 0), epsilon=1),
        lambda: median("x", (1, 1), epsilon=1),
        lambda: median("x", (0, math.inf), epsilon=1),
        lambda: median("x", "01", epsilon=1),
        lambda: median("x", (0, 1), epsilon=0),
        lambda: median("x", (0, 1), epsilon=-1),
        lambda: median("x", (0, 1), epsilon=1, cells=0),
        lambda: median("x", (0, 1), epsilon=1, missing=2),
        lambda: median("x", (0, 1), epsilon=1, about=3),
        lambda: median("x", (0, 1), epsilon=1, contributions=3),
    ],
)
def test_bad_questions_are_refused_by_name(call):
    with pytest.raises(InvalidParameter):
        call()


def test_what_is_not_bounded_is_refused():
    with pytest.raises(UnboundedQuery, match="bounds"):
        median("x", epsilon=1)
    with pytest.raises(UnboundedQuery, match="any number of rows"):
        median("x", (0, 1), epsilon=1, unit="u")
    with pytest.raises(DaleniusError):
        median("x", (0, 1), epsilon=1, about=Facts.declare(unit="u"))


def test_every_public_fact_is_in_the_fingerprint():
    plans = [
        median("x", (0, 1), epsilon=1),
        median("x", (0, 1), epsilon=2),
        median("y", (0, 1), epsilon=1),
        median("x", (0, 2), epsilon=1),
        median("x", (0, 1), epsilon=1, cells=8),
        median("x", (0, 1), epsilon=1, missing=1),
        median("x", (0, 1), epsilon=1, unit=Unit.row(Relation.CHANGE_ONE)),
        median("x", (0, 1), epsilon=1, unit="u", contributions=1),
        median("x", (0, 1), epsilon=1, unit="u", contributions=2),
        quantile("x", 0.4, (0, 1), epsilon=1, name="median"),
    ]
    assert len({plan.fingerprint for plan in plans}) == len(plans)


@pytest.mark.theorem("A Ex 7.4")
@pytest.mark.parametrize("n", [1, 5, 200])
def test_one_row_moves_the_exact_median_by_the_whole_range_and_its_ranks_by_one(n):
    low, high = [0.0] * n + [10.0] * (n + 1), [0.0] * (n + 1) + [10.0] * n
    assert np.median(high) - np.median(low) == -10
    plan = median("x", (0, 10), epsilon=1, cells=10, unit=Unit.row(Relation.CHANGE_ONE))
    here, there = (plan.query.evaluate(Table.of({"x": rows})) for rows in (low, high))
    moved = np.abs(np.bincount(here.rows, minlength=10) - np.bincount(there.rows, minlength=10)).sum()
    assert moved == plan.query.sensitivity(plan.unit).l1 == 2
    assert plan.guarantee.epsilon(0) <= 1
