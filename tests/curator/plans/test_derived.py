from fractions import Fraction

import pytest

from dalenius.curator import Arrangement, Curator, Derived, Measure, Order, Release, Shown, ShownKey, Together
from dalenius.curator.formula import Cell, Compare, Number, Over, Plus, mean
from dalenius.curator.plans.derived import keys_shown
from dalenius.errors import InvalidParameter, UnknownName
from dalenius.ledger import Ledger
from dalenius.neighbors import Unit
from dalenius.queries import Count, Keys, Sum

ROW = Unit.row()
COUNT = Measure.calibrated(Count(), epsilon=400, unit=ROW, name="n")
SUM = Measure.calibrated(Sum("x", (0, 9)), epsilon=400, unit=ROW, name="total")
MEAN = Derived(Together([COUNT, SUM]), [Shown("mean", mean(Cell("total"), Cell("n"), 0, 9))])
KEYED = Measure.calibrated(Count(Keys("k", ["a", "b", "c"])), epsilon=900, unit=ROW, name="n")


@pytest.fixture
def curator(tmp_path):
    ledger = Ledger.open(tmp_path / "x.ledger")
    ledger.create("people", epsilon=5000, unit="row")
    data = {"x": [1, 2, 9], "k": ["c", "b", "c"]}
    return Curator(data, unit="row", ledger=ledger, dataset="people")


@pytest.mark.theorem("A Prop 3.1", "D Thm 1.4")
def test_post_processing_costs_nothing(curator):
    assert MEAN.guarantee == MEAN.plan.guarantee
    release = curator.release(MEAN)
    assert release.value == 4.0  # P[noise ≠ 0] < e^−40
    assert release.guarantee.sum_form == (Fraction(800), 0)
    assert release.interval(0.95)[0] <= 4 <= release.interval(0.95)[1]
    assert Release.from_dict(release.to_dict()).value == 4.0
    assert release.accuracy(0.05) < 1e-9


def test_only_the_noisy_numbers_are_stored_and_the_rest_is_made_from_them(curator):
    stored = curator.release(MEAN).to_dict()["outcome"]
    assert [column["name"] for column in stored["columns"]] == ["n", "total"]
    assert [item["name"] for item in stored["layout"]] == ["mean"]


def test_rows_are_filtered_ordered_and_cut_by_what_was_released(curator):
    shown = (*keys_shown(KEYED.keys), Shown("n", Cell("n")), Shown("twice", Plus(Cell("n"), Cell("n"))))
    arranged = Arrangement(
        having=Compare(">", Cell("n"), Number(Fraction(1, 2))), order=(Order(shown[1], descending=True),), limit=5
    )
    release = curator.release(Derived(KEYED, shown, arranged))
    assert release.value == {"k": ("c", "b"), "n": (2, 1), "twice": (4.0, 2.0)}
    assert Release.from_dict(release.to_dict()).value == release.value
    assert [low for low, _ in release.interval(0.95)["n"]] == [2, 1]
    one = curator.release(Derived(KEYED, shown, Arrangement(order=(Order(ShownKey("k", 0), True),), limit=1, offset=1)))
    assert one.value["k"] == ("b",)


def test_what_is_absent_comes_last_and_is_none(curator):
    ratio = Shown("ratio", Over(Number(1), Cell("n")))
    release = curator.release(Derived(KEYED, (*keys_shown(KEYED.keys), ratio), Arrangement(order=(Order(ratio),))))
    assert release.value == {"k": ("c", "b", "a"), "ratio": (0.5, 1.0, None)}


def test_the_fingerprint_follows_what_is_shown():
    other = Derived(MEAN.plan, [Shown("mean", mean(Cell("total"), Cell("n"), 0, 8))])
    assert len({MEAN.fingerprint, other.fingerprint, MEAN.plan.fingerprint}) == 3


@pytest.mark.parametrize(
    ("layout", "arrangement", "error"),
    [
        ([], Arrangement(), InvalidParameter),
        ([Shown("x", Cell("nobody"))], Arrangement(), UnknownName),
        ([Shown("x", Cell("n")), ShownKey("k", 0)], Arrangement(), UnknownName),
        ([Shown("x", Cell("n")), Shown("X", Cell("n"))], Arrangement(), InvalidParameter),
        ([Shown("x", Cell("n"))], Arrangement(having=Compare(">", Cell("m"), Number(0))), UnknownName),
    ],
    ids=["nothing", "unknown", "no keys", "twice", "having"],
)
def test_what_cannot_be_shown_is_refused_before_there_is_a_plan(layout, arrangement, error):
    with pytest.raises(error):
        Derived(COUNT, layout, arrangement)


def test_explain_says_what_is_made_from_what():
    told = str(MEAN.explain())
    assert "mean, made from" in told
    assert "2 together" in told
