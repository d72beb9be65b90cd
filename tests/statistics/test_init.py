"""What every statistic keeps to."""

import warnings
from fractions import Fraction

import numpy as np
import pytest

from dalenius import statistics as st
from dalenius.curator import Curator, Facts, Measure, Release
from dalenius.curator.plans.plan import check_view
from dalenius.errors import DaleniusError, ExecutionFailed, InvalidParameter, UnboundedQuery, UnknownName
from dalenius.ledger import Ledger
from dalenius.mechanisms import Geometric
from dalenius.neighbors import Relation, Unit
from dalenius.noise import Bits
from dalenius.queries import Keys, Sum, Table
from tests.statistics.neighbors import NASTY, measures, neighbors, seconds, spent, worst_loss

ROWS = 5
UNITS = {
    "row": Facts.declare(),
    "row changed": Facts.declare(unit=Unit.row(Relation.CHANGE_ONE)),
    "row changed, n public": Facts.declare(unit=Unit.row(Relation.CHANGE_ONE), rows=ROWS),
    "person": Facts.declare(unit="u", contributions=2),
    "person changed": Facts.declare(unit=Unit("u", Relation.CHANGE_ONE), contributions=2),
}
BY = Keys("g", ["a", "b"])
MAKERS = {
    "count": lambda facts: st.count(epsilon=1, by=BY, about=facts),
    "sum": lambda facts: st.sum("x", (-1, 2), epsilon=1, about=facts),
    "fine sum": lambda facts: st.sum("x", (0.5, 2.5), epsilon=1, by=BY, about=facts),
    "mean": lambda facts: st.mean("x", (-1, 2), epsilon=1, about=facts),
    "mean by": lambda facts: st.mean("x", (-1, 2), epsilon=1, by=BY, about=facts),
    "mean, filled": lambda facts: st.mean("x", (-1, 2), epsilon=1, missing=0.5, about=facts),
    "variance": lambda facts: st.variance("x", (-1, 2), epsilon=1, about=facts),
    "std": lambda facts: st.std("x", (-1, 2), epsilon=1, by=BY, about=facts),
    "covariance": lambda facts: st.covariance(["x", "y"], [(-1, 2), (0, 1)], epsilon=1, about=facts),
    "correlation": lambda facts: st.correlation(["x", "y"], [(-1, 2), (0, 1)], epsilon=1, about=facts),
    "histogram": lambda facts: st.histogram("x", [0, 1, 2.5], epsilon=1, about=facts),
    "bins": lambda facts: st.histogram("x", edges=[-4, 0, 1, 2], epsilon=1, about=facts),
    "distinct": lambda facts: st.count_distinct("x", epsilon=1, about=facts),
    "distinct by": lambda facts: st.count_distinct("x", epsilon=1, by=BY, about=facts),
    "private bounds": lambda facts: st.mean("x", st.PrivateBounds(least=-2, most=3), epsilon=1, about=facts),
}
PEOPLE = {
    "units": lambda facts: st.count_distinct(epsilon=1, about=facts),
    "units by": lambda facts: st.count_distinct(epsilon=1, by=BY, about=facts),
    "histogram of contributions": lambda facts: st.contributions_histogram(epsilon=1, octaves=3, about=facts),
    "private contributions": lambda facts: st.mean(
        "x", (-1, 2), epsilon=1, contributions=st.PrivateContributions(octaves=3), about=facts
    ),
    "both private": lambda facts: st.sum(
        "x",
        st.PrivateBounds(least=-2, most=3),
        epsilon=1,
        contributions=st.PrivateContributions(octaves=3),
        about=facts,
    ),
}
CASES = [(unit, name) for unit in UNITS for name in MAKERS] + [
    (unit, name) for unit in ("person", "person changed") for name in PEOPLE
]


def plan_of(unit, name):
    return (MAKERS | PEOPLE)[name](UNITS[unit])


def random_rows(rng):
    x = [NASTY[i] for i in rng.integers(len(NASTY), size=ROWS)]
    y = [NASTY[i] for i in rng.integers(len(NASTY), size=ROWS)]
    g = [("a", "b", "other", None)[i] for i in rng.integers(4, size=ROWS)]
    u = [(1, 1, 2, None)[i] for i in rng.integers(4, size=ROWS)]
    return list(zip(x, y, g, u, strict=True))


POOL = [(x, y, g, 9) for i, x in enumerate(NASTY) for y, g in [(NASTY[-1 - i], "ab"[i % 2]), (1, "a")]]


@pytest.mark.parametrize(("unit", "name"), CASES)
def test_no_neighbor_is_further_than_the_guarantee_says(unit, name):
    seed = int(np.random.default_rng().integers(2**32))
    rng = np.random.default_rng(seed)
    plan = plan_of(unit, name)
    rows = random_rows(rng)
    for part in measures(plan):
        assert worst_loss(part, rows, POOL) <= spent(part), f"seed {seed}"


CHOICES = {
    "median": lambda facts: st.median("x", (-1, 2), epsilon=1, about=facts),
    "quantiles": lambda facts: st.quantiles("x", [0.2, 0.5], (-1, 2), epsilon=1, about=facts),
    "least": lambda facts: st.minimum("x", (-1, 2), epsilon=1, about=facts),
    "mode": lambda facts: st.mode("x", [0, 1], epsilon=1, about=facts),
    "most frequent": lambda facts: st.top_k("x", [0, 1], 1, epsilon=1, about=facts),
    "unknown": lambda facts: st.unknown_keys("x", epsilon=1, delta=1e-6, about=facts),
    "winsorized": lambda facts: st.winsorized_mean("x", (-1, 2), epsilon=1, about=facts),
}
NEEDED = [
    *((unit, name) for unit in ("row", "person") for name in [*MAKERS, *CHOICES]),
    *(("person", name) for name in PEOPLE),
]


@pytest.mark.parametrize(("unit", "name"), NEEDED)
def test_a_column_that_is_not_there_is_refused_before_the_charge(unit, name):
    """The curator checks the view, then charges."""
    every = {"x": [1.0], "y": [1.0], "g": ["a"], "u": [1]}
    plan = (MAKERS | PEOPLE | CHOICES)[name](UNITS[unit])
    check_view(plan, _rows_of(every))
    for column in every:
        held = _rows_of({other: value for other, value in every.items() if other != column})
        if _fails(plan, held):
            with pytest.raises(UnknownName):
                check_view(plan, held)


def _rows_of(columns):
    return Table.of({name: value * ROWS for name, value in columns.items()})


def _fails(plan, held):
    """Whether the plan reads a column that is not there."""
    try:
        plan.run(held, Bits())
    except UnknownName:
        return True
    return False


@pytest.mark.parametrize(("unit", "name"), CASES)
def test_the_price_is_the_epsilon_asked_for(unit, name):
    plan = plan_of(unit, name)
    epsilon, delta = plan.guarantee.sum_form
    assert delta == 0
    assert Fraction(999, 1000) < epsilon <= 1
    assert plan.guarantee.relation is plan.unit.relation


@pytest.mark.theorem("A Rem 3.9")
def test_a_mutant_that_takes_the_width_for_the_reach_under_add_remove_is_caught():
    rows, unit = [(11, 0, "a", 1)], Unit.row()
    mutant = Measure(Sum("x", (10, 11)), Geometric(1), unit)  # upper − lower, as printed for both relations
    assert worst_loss(mutant, rows, POOL) == 11
    assert worst_loss(Measure.calibrated(Sum("x", (10, 11)), epsilon=1, unit=unit), rows, POOL) == 1


def test_a_mutant_that_trusts_people_to_have_two_rows_is_caught():
    facts = UNITS["person"]
    (plan,) = measures(st.count(epsilon=1, about=facts))
    rows = [(1, 1, "a", 7)] * 6

    class Trusting(type(plan.query)):
        def evaluate(self, view):
            return np.array([len(view) << 20])

    mutant = Measure(Trusting(None, plan.query.contributions), plan.mechanism, plan.unit)
    assert worst_loss(plan, rows, POOL) <= 1
    assert worst_loss(mutant, rows, POOL) == 3


HARD = {
    "nothing": [],
    "one": [3.0],
    "equal": [7.0] * 50,
    "NaN": [float("nan")] * 5,
    "NULL": [None] * 5,
    "infinite": [float("inf"), float("-inf")],
    "text": ["a", "b"],
    "text among numbers": [1, "b", 3.5],
    "near 2^63": np.array([2**63 - 1, -(2**63)]),
    "beyond 2^64": [2**70, -(2**70)],
    "bytes and lists": [b"x", [1], {}],
    "dates": np.array(["2020-01-01", "NaT"], "datetime64[ns]"),
    "booleans": [True, False],
}


@pytest.mark.parametrize("data", HARD)
@pytest.mark.parametrize("name", MAKERS)
def test_every_column_gets_an_answer_within_bounds_and_no_warning(name, data):
    column = HARD[data]
    size = len(column)
    view = Table.of({"x": column, "y": column, "g": ["a"] * size, "u": list(range(size))})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        outcome = plan_of("row", name).run(view, Bits())
        for item in outcome.numbers:
            told = outcome.column(item)
            outcome.interval(item, 0.95)
            assert all(isinstance(value, int | float) and np.isfinite(value) for value in told)
            if "mean" in name:
                assert all(-1 <= value <= 2 for value in told)
            if name == "std":
                assert all(0 <= value <= 1.5 for value in told)
            if name == "correlation":
                assert all(-1 <= value <= 1 for value in told)


def test_ten_million_equal_values():
    view = Table.of({"x": np.full(10_000_000, 0.3)})
    for plan, truth in ((st.mean("x", (0, 1), epsilon=1), 0.3), (st.variance("x", (0, 1), epsilon=1), 0.0)):
        outcome = plan.run(view, Bits())
        assert outcome.column(outcome.numbers[0])[0] == pytest.approx(truth, abs=2e-5)  # noise: e⁻¹⁰⁰


def test_bounds_that_are_reversed_or_missing_are_refused_by_name():
    for make in (st.sum, st.mean, st.variance, st.std):
        with pytest.raises(InvalidParameter, match="reversed"):
            make("x", (1, 0), epsilon=1)
        with pytest.raises(UnboundedQuery, match="'x' needs bounds"):
            make("x", epsilon=1)
    with pytest.raises(UnboundedQuery, match="'y' needs bounds"):
        st.covariance(["x", "y"], {"x": (0, 1)}, epsilon=1)
    with pytest.raises(UnboundedQuery, match="contributions"):
        st.mean("x", (0, 1), epsilon=1, unit="u")
    with pytest.raises(UnboundedQuery, match="'g' needs public keys"):
        st.count(epsilon=1, by="g")
    with pytest.raises(InvalidParameter, match="epsilon"):
        st.mean("x", (0, 1), epsilon=0)
    with pytest.raises(InvalidParameter):
        st.mean("x", "secret", epsilon=1)
    with pytest.raises(InvalidParameter):
        st.mean("x", (0, 1), epsilon=1, unit="u", contributions="secret")


@pytest.mark.parametrize(("unit", "name"), CASES)
def test_explain_tells_cost_mechanism_sensitivity_and_error_without_data(unit, name):
    told = str(plan_of(unit, name).explain())
    for word in ("cost", "mechanism", "sensitivity", "error", "protects", "95 %"):
        assert word in told


@pytest.mark.parametrize(("unit", "name"), CASES)
def test_no_two_statistics_share_a_fingerprint(unit, name):
    mine = plan_of(unit, name).fingerprint
    assert mine == plan_of(unit, name).fingerprint
    others = [plan_of(*case).fingerprint for case in CASES if case[0] == unit and case[1] != name]
    assert mine not in others


@pytest.mark.parametrize("name", MAKERS | PEOPLE)
def test_a_release_comes_back_from_the_ledger_as_it_was(tmp_path, name):
    ledger = Ledger.open(tmp_path / "x.ledger")
    ledger.create("people", epsilon=2, unit="u")
    data = {"x": [1.0, 2.0, float("nan")], "y": [0.5, 0.25, 1.0], "g": ["a", "b", "a"], "u": [1, 1, 2]}
    curator = Curator(data, unit="u", ledger=ledger, dataset="people", contributions=2)
    release = curator.release((MAKERS | PEOPLE)[name](curator))
    again = Release.from_dict(release.to_dict())
    assert again.value == release.value
    assert again.interval(0.9) == release.interval(0.9)
    assert again.notes == release.notes
    assert repr(again) == repr(release)
    assert curator.budget.epsilon >= 1


def test_errors_after_the_charge_do_not_exist_for_nasty_rows(tmp_path):
    ledger = Ledger.open(tmp_path / "x.ledger")
    ledger.create("people", epsilon=100, unit="u")
    rows = [(x, y, "a", i % 3) for i, (x, y) in enumerate(zip(NASTY, NASTY[::-1], strict=True))]
    columns = {name: [row[i] for row in rows] for i, name in enumerate("xygu")}
    curator = Curator(columns, unit="u", ledger=ledger, dataset="people", contributions=2)
    for make in (MAKERS | PEOPLE).values():
        try:
            curator.release(make(curator))
        except ExecutionFailed as failure:
            pytest.fail(str(failure))
        except DaleniusError as refusal:
            pytest.fail(f"refused: {refusal}")


def test_every_neighbor_is_one_unit_away():
    rows = [(1, 1, "a", 1), (2, 1, "b", 1), (3, 1, "a", 2)]
    assert len(neighbors(rows, POOL[:4], Unit.row())) == 3 + 4
    assert len(neighbors(rows, POOL[:4], Unit.row(Relation.CHANGE_ONE))) == 3 * 4
    assert [(3, 1, "a", 2)] in neighbors(rows, POOL[:4], Unit("u"))
    assert len(seconds(plan_of("row", "private bounds"))) == 4
