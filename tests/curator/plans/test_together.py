from fractions import Fraction

import pytest

from dalenius.curator import Arrangement, Curator, Derived, Measure, NumbersRelease, Release, Shown, Together
from dalenius.curator.formula import Cell, Plus
from dalenius.errors import BudgetExceeded, InvalidParameter, MixedRelations
from dalenius.ledger import Ledger
from dalenius.neighbors import Relation, Unit
from dalenius.queries import Count, Keys, Sum

ROW = Unit.row()
COUNT = Measure.calibrated(Count(), epsilon=0.25, unit=ROW, name="n")
SUM = Measure.calibrated(Sum("x", (0, 9)), epsilon=0.5, unit=ROW, name="total")
KEYS = Keys("k", ["a", "b"])


@pytest.fixture
def curator(tmp_path):
    ledger = Ledger.open(tmp_path / "x.ledger")
    ledger.create("people", epsilon=2000, unit="row")
    return Curator({"x": [1, 2, 3], "k": ["a", "b", "a"]}, unit="row", ledger=ledger, dataset="people")


@pytest.mark.theorem("A Thm 3.3")
def test_the_sum_is_charged_as_one_entry(curator):
    release = curator.release(Together([COUNT, SUM]))
    assert curator.ledger.limit("people").epsilon - curator.budget.epsilon == Fraction(3, 4)
    assert len(curator.ledger.entries("people")) == 1
    assert isinstance(release, NumbersRelease)
    assert list(release.value) == ["n", "total"]


def test_every_part_is_answered_by_name_and_survives_being_written_down(curator):
    exact = [Measure.calibrated(plan.query, epsilon=900, unit=ROW, name=plan.name) for plan in (COUNT, SUM)]
    release = curator.release(Together(exact))
    assert release.value == {"n": 3, "total": 6}  # P[noise ≠ 0] < e^−99
    assert Release.from_dict(release.to_dict()).value == release.value
    assert release.accuracy(0.05) == {"n": 0, "total": 0}
    assert release.interval(0.95) == {"n": (3, 3), "total": (6, 6)}
    assert repr(release).startswith("n  3 ± 0 (95 %)\ntotal  6 ± 0 (95 %)\n")


def test_a_joint_interval_is_wider_than_each_alone(curator):
    release = curator.release(Together([COUNT, SUM]))
    for name, (low, high) in release.interval(0.95, joint=True).items():
        alone = release.interval(0.95)[name]
        assert low < alone[0] < alone[1] < high


def test_parts_with_the_same_keys_make_one_table(curator):
    parts = [Measure.calibrated(Count(KEYS), epsilon=900, unit=ROW, name=name) for name in ("n", "m")]
    assert curator.release(Together(parts)).value == {"k": ("a", "b"), "n": (2, 1), "m": (2, 1)}


def test_two_parts_draw_noise_of_their_own(curator):
    noisy = [Measure.calibrated(Count(), epsilon=1e-9, unit=ROW, name=name) for name in ("n", "m")]
    values = curator.release(Together(noisy)).value
    assert values["n"] != values["m"]  # equal with probability < 1e-9


@pytest.mark.parametrize(
    ("plans", "error"),
    [
        ([], InvalidParameter),
        ([COUNT, COUNT], InvalidParameter),
        ([COUNT, Measure.calibrated(Count(), epsilon=1, unit=ROW, name="N_lower")], InvalidParameter),
        ([COUNT, Measure.calibrated(Count(KEYS), epsilon=1, unit=ROW)], InvalidParameter),
        (
            [COUNT, Measure.calibrated(Sum("x", (0, 9)), epsilon=1, unit=Unit.row(Relation.CHANGE_ONE))],
            MixedRelations,
        ),
    ],
    ids=["none", "names", "names of ends", "keys", "units"],
)
def test_what_does_not_go_together_is_refused_before_there_is_a_plan(plans, error):
    with pytest.raises(error):
        Together(plans)


def test_all_or_nothing_is_charged(curator):
    dear = Measure.calibrated(Count(), epsilon=2000, unit=ROW)
    with pytest.raises(BudgetExceeded):
        curator.release(Together([COUNT, dear]))
    assert curator.ledger.entries("people") == []


def test_the_fingerprint_follows_the_parts_and_their_order():
    prints = {Together(plans).fingerprint for plans in ([COUNT], [SUM], [COUNT, SUM], [SUM, COUNT])}
    assert len(prints) == 4
    assert Together([COUNT, SUM]).fingerprint in prints


def test_explain_lists_the_parts():
    told = str(Together([COUNT, SUM]).explain())
    assert "2 together" in told
    assert "COUNT(*)" in told
    assert "SUM(x)" in told


def test_it_nests():
    assert Together([Together([COUNT]), SUM]).names == ("n", "total")
    assert Together([Together([COUNT]), SUM]).guarantee.sum_form == (Fraction(3, 4), 0)


def test_parts_keep_what_they_show_and_one_arranged_part_is_refused(curator):
    doubled = Derived(COUNT, [Shown("twice", Plus(Cell("n"), Cell("n")))])
    release = curator.release(Together([doubled, SUM]))
    assert list(release.value) == ["twice", "total"]
    with pytest.raises(InvalidParameter, match="arrange the whole"):
        Together([Derived(COUNT, doubled.layout, Arrangement(limit=1)), SUM])
