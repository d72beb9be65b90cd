import re
from fractions import Fraction

import pyarrow as pa
import pytest

from dalenius.curator import Curator
from dalenius.errors import BudgetExceeded, InvalidParameter
from dalenius.guarantees import GDP, PureDP
from dalenius.ledger import Ledger
from dalenius.neighbors import Unit
from dalenius.sql import Policy, connect
from dalenius.sql.engine import DuckDB
from dalenius.sql.pricing.ask import Pricing, QuestionNotes
from dalenius.sql.pricing.target_error import WantedPrice
from dalenius.sql.text.statement import Statement

COLUMNS = {"who": "BIGINT", "k": "VARCHAR"}
COUNT = Statement("SELECT COUNT(*) AS n FROM t")


@pytest.fixture
def asking(tmp_path):
    ledger = Ledger.open(tmp_path / "l")
    ledger.create("t", 10, "1e-4", unit="who")
    data = DuckDB(pa.table({"who": [1, 1, 2], "k": ["a", "b", "a"]}), table="t")
    policy = Policy.declare("t", COLUMNS, unit="who", keys={"k": ["a", "b"]})
    return Pricing(policy, {}, Curator(data, unit=Unit("who"), ledger=ledger, dataset="t"))


def test_terms_follow_the_ledgers_budget(asking):
    asked = asking.asked(COUNT, None, None, 1)
    assert asked.histogram == Fraction(1, 5)
    assert asked.delta == Fraction(1, 10**6)
    assert (asked.groups, asked.spread) == (None, False)
    assert asking.asked(COUNT, "1e-5", "private", 1).spread
    with pytest.raises(InvalidParameter, match="delta"):
        asking.asked(COUNT, 1, None, 1)


def test_what_is_known_costs_nothing_and_a_release_pays_for_what_is_not(asking):
    asked, wanted = asking.asked(COUNT, None, None, 1), WantedPrice(Fraction(1))
    assert len(asking.known(asked, wanted).missing) == 1
    checked = []
    answer = asking.release(asked, wanted, QuestionNotes(profile=True), checked.append)
    assert answer.guarantee == PureDP(1)
    assert len(checked) == 1
    assert asking.known(asked, wanted).missing == ()
    assert asking.curator.budget.epsilon == Fraction(88, 10)


def test_a_check_that_refuses_does_so_before_anything_is_paid(asking):
    def refuse(plan):
        raise InvalidParameter("no")

    with pytest.raises(InvalidParameter, match="no"):
        asking.release(asking.asked(COUNT, None, None, 1), WantedPrice(Fraction(1)), QuestionNotes(), refuse)
    assert asking.curator.budget.epsilon == 10


def test_an_error_over_declared_keys_is_bought_with_epsilon_alone(asking):
    asked = asking.asked(COUNT, "1e-5", None, 1)
    with pytest.raises(InvalidParameter, match="leave delta out"):
        asking.known(asked, WantedPrice.read(COUNT, None, 5))


def test_the_price_of_a_profile_is_named_in_digits_that_cover_it(tmp_path):
    count = "SELECT COUNT(*) AS n FROM t"
    # 2 % of 2/3 is 1/75: named as 0.0133333, as much was too little when it was said back
    db = connect(
        pa.table({"who": [1, 1, 2]}),
        table="t",
        unit="who",
        rows_per_unit="many",
        budget={"epsilon": Fraction(2, 3)},
        ledger=tmp_path / "l",
    )
    with pytest.raises(InvalidParameter) as refused:
        db.sql(count, epsilon=0.1)
    (named,) = set(re.findall(r"profile(?:=| |\": \")([0-9.]+)", str(refused.value)))
    assert Fraction(1, 75) <= Fraction(named) <= Fraction(1, 75) + Fraction(1, 10**12)
    assert f"profile={named}," in str(db.explain(count, epsilon=0.1))
    assert db.sql(count, epsilon=0.1, profile=named).receipt.head


@pytest.mark.parametrize("filter_", ["auto", "sum", "renyi", "gaussian"])
def test_gaussian_noise_is_charged_as_what_it_is_under_every_filter_and_beside_other_answers(tmp_path, filter_):
    """μ²/2 is its ρ, μ² its square; the entry keeps μ, and the same question again costs nothing."""
    ledger = Ledger.open(tmp_path / "l")
    ledger.create("t", epsilon=4, delta="1e-5", unit="who", filter=filter_)
    table = pa.table({"who": [1, 1, 2], "k": ["a", "b", "a"]})
    db = connect(
        table, table="t", unit="who", ledger=tmp_path / "l", dataset="t", keys={"k": ["a", "b"]}, contributions=2
    )
    query = "SELECT k, COUNT(*) AS n FROM t GROUP BY k"
    answer = db.sql(query, epsilon="1/2", delta="1e-7")
    assert isinstance(answer.guarantee, GDP)
    (entry,) = ledger.entries("t")
    assert entry.guarantee == answer.guarantee
    units = {"sum": "sum", "auto": "concentrated"}.get(filter_, filter_)
    square = answer.guarantee.square
    least = {"sum": Fraction(0), "concentrated": square / 2, "renyi": square / 2, "gaussian": square}[units]
    assert Fraction(entry.charged.units(units)[0], 10**12) >= least
    assert filter_ in ("sum", "renyi") or Fraction(entry.charged.units(units)[0] - 1, 10**12) < least
    db.sql("SELECT COUNT(*) FROM t", epsilon="1/4")
    left = ledger.remaining("t")
    assert db.sql(query, epsilon="1/2", delta="1e-7").value == answer.value
    assert ledger.remaining("t") == left
    for _ in range(3):
        db.sql(query, epsilon="1/10", delta="1e-7", fresh=True)
    ledger.verify()


def test_a_gaussian_answer_whose_rows_are_yet_to_be_counted_is_refused_before_the_histogram_is_paid(tmp_path):
    table = pa.table({"who": [1, 1, 2], "k": ["a", "b", "a"]})
    db = connect(
        table,
        **{"table": "t", "unit": "who", "ledger": tmp_path / "l", "keys": {"k": ["a", "b"]}},
        **{"budget": {"epsilon": 1, "delta": "1e-6"}, "contributions": "private"},
    )
    with pytest.raises(BudgetExceeded, match="histograms included"):
        db.sql("SELECT k, COUNT(*) AS n FROM t GROUP BY k", epsilon=3, delta="1e-7", profile=True)
    assert not Ledger.open(tmp_path / "l").entries("t")
