import math

import pyarrow
import pytest

import dalenius
from dalenius.audit import exposure
from dalenius.errors import InvalidParameter
from dalenius.guarantees import GDP, ZCDP, ApproxDP, PureDP
from tests.noise.seeded import SeededBits


def test_little_budget_leaves_chance_and_much_gives_all():
    # 96 random bits: 0.77 or more right by chance has probability below 1e-7
    small = exposure(PureDP(1), bits=SeededBits(1))
    assert small.agreement < 0.77
    assert small.cap == pytest.approx(math.e / (1 + math.e), abs=1e-6)
    assert exposure(PureDP(2000), people=40, bits=SeededBits(1)).agreement == 1
    assert "of the bits rebuilt" in str(small)


def test_every_notion_with_a_budget_is_simulated():
    for guarantee in (ZCDP("0.5"), GDP(1), ApproxDP(1, 1e-6)):
        assert 0.2 < exposure(guarantee, people=30, bits=SeededBits(2)).agreement < 0.95


def test_a_plan_is_read_by_its_guarantee():
    class Plan:
        guarantee = PureDP(1)

    assert exposure(Plan(), people=10, queries=20).queries == 20
    for wrong in (3, PureDP(0)):
        with pytest.raises(InvalidParameter):
            exposure(wrong)


def test_a_session_is_asked_before_a_release_and_pays_nothing(tmp_path):
    people = pyarrow.table({"id": list(range(30)), "trait": [0, 1] * 15})
    terms = {"unit": "id", "contributions": 1, "table": "people", "ledger": tmp_path / "people.ledger"}
    db = dalenius.connect(people, budget={"epsilon": 3000}, **terms)
    before = db.budget
    plan = db.plan("SELECT COUNT(*) AS n FROM people WHERE trait = 1", epsilon=1)
    told = exposure(db, plan, people=40, bits=SeededBits(5))
    assert db.budget == before
    # 40 bits: 35 or more right by chance has probability below 1e-6
    assert told.agreement < 35 / 40
    assert 0.5 < told.cap <= math.e / (1 + math.e) + 1e-6  # rounding to the lattice may cost less than ε = 1
    assert told.whole.agreement == 1
    assert "all that is left" in str(told)
    assert exposure(db, PureDP(1), people=20).whole is not None


def test_a_spent_session_has_nothing_left_to_expose(tmp_path):
    people = pyarrow.table({"id": [1], "trait": [0]})
    terms = {"unit": "id", "contributions": 1, "table": "people", "ledger": tmp_path / "people.ledger"}
    db = dalenius.connect(people, budget={"epsilon": 1}, **terms)
    db.sql("SELECT COUNT(*) AS n FROM people", epsilon=1)
    assert exposure(db, PureDP(1), people=20).whole is None


def test_what_is_no_session_is_named():
    with pytest.raises(InvalidParameter, match="session"):
        exposure(PureDP(1), PureDP(1))
