import math
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

import pytest

from dalenius.curator import Choose, Chosen, Curator, TableRelease
from dalenius.ledger import Ledger
from dalenius.mechanisms import MonotoneExponential
from dalenius.neighbors import Metric, Sensitivity, Unit
from dalenius.queries import Count, Keys

ROW = Unit.row()
KEYS = Keys("k", ["a", "b", "c"])


@dataclass(frozen=True)
class MostFrequent:
    """Which key most rows have."""

    keys = None

    def evaluate(self, view):
        return Count(KEYS).evaluate(view).tolist()

    def sensitivity(self, unit):
        return Sensitivity(1, Metric.LINF)

    def chosen(self, name, released, mechanism):
        return Chosen(name, (KEYS.values[released],), mechanism.name, len(KEYS), mechanism.scale, "rows")

    def expected(self, name, mechanism):
        return Chosen(name, (), mechanism.name, len(KEYS), mechanism.scale, "rows")

    def facts(self):
        return {"query": "mode", "keys": KEYS.facts()}

    def __str__(self):
        return "the most frequent k"


PLAN = Choose(MostFrequent(), MonotoneExponential(Fraction(2)), ROW, "mode")


def test_a_choice_goes_through_the_gate(tmp_path):
    ledger = Ledger.open(tmp_path / "x.ledger")
    ledger.create("people", epsilon=1, unit="row")
    curator = Curator({"k": ["b"] * 400}, unit="row", ledger=ledger, dataset="people")
    release = curator.release(PLAN)
    assert release.value == "b"  # another with probability < 3e^−200
    assert curator.budget.epsilon == Fraction(1, 2)
    assert not isinstance(release, TableRelease)


@pytest.mark.theorem("A Thm 7.1")
def test_its_price_is_the_mechanisms_at_the_utilitys_sensitivity():
    assert PLAN.guarantee.sum_form == (Fraction(1, 2), 0)


def test_explain_tells_cost_and_error():
    told = str(PLAN.explain())
    assert "the most frequent k" in told
    assert f"± {math.ceil(2 * math.log(60) * 1000) / 1000} rows" in told


def test_the_fingerprint_follows_name_mechanism_and_unit():
    others = [
        Choose(MostFrequent(), MonotoneExponential(Fraction(3)), ROW, "mode"),
        Choose(MostFrequent(), MonotoneExponential(Fraction(2)), ROW, "m"),
    ]
    assert max(Counter(plan.fingerprint for plan in (PLAN, *others)).values()) == 1
