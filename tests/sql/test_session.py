import math
import subprocess
import sys
import textwrap
from fractions import Fraction

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import dalenius
from dalenius import statistics
from dalenius.errors import (
    BudgetExceeded,
    DaleniusError,
    ExecutionFailed,
    InvalidParameter,
    LedgerLocked,
    LedgerMismatch,
    MixedRelations,
    UnknownName,
)
from dalenius.guarantees import PureDP
from dalenius.ledger import EncryptionKey, Ledger
from dalenius.neighbors import Unit
from dalenius.sql.engine import DuckDB
from dalenius.sql.policy.policy import Policy
from tests.sql.interrupts import AGAIN, ASK, OPEN, TOLD

QUERY = "SELECT category, COUNT(*) AS n FROM purchases GROUP BY category"
CATEGORIES = ["food", "books", "absent"]


@pytest.fixture
def path(tmp_path):
    rows = {
        "user_id": [1] * 50 + [2, 2, 3, None],
        "category": ["food"] * 50 + ["books", "food", "undeclared", "food"],
        "price": [math.nan, math.inf, None, 1.5] + [0.0] * 50,
    }
    pq.write_table(pa.table(rows), tmp_path / "purchases.parquet")
    return tmp_path / "purchases.parquet"


def connect(path, **terms):
    terms = {"unit": "row", "budget": {"epsilon": 2000}, "keys": {"category": CATEGORIES}} | terms
    return dalenius.connect(path, ledger=path.with_suffix(".ledger"), **terms)


def test_every_declared_key_gets_a_row_and_no_other(path):
    answer = connect(path).sql(QUERY, epsilon=1000)  # P[any noise] < e^−990
    assert answer.rows == [("food", 52), ("books", 1), ("absent", 0)]
    assert answer.columns == ("category", "n")
    assert answer.guarantee == PureDP(1000)


def test_each_person_counts_for_their_share_only(path):
    answer = connect(path, unit="user_id", contributions=10, budget={"epsilon": 10**7}).sql(QUERY, epsilon=10**7)
    food, books, absent = (value for _, value in answer.rows)
    assert food == pytest.approx(10 + 1, abs=0.1)  # fifty rows count as ten, NULL's row not at all
    assert books == pytest.approx(1, abs=0.1)
    assert absent == pytest.approx(0, abs=0.1)
    assert answer.unit == Unit("user_id")


def test_distinct_values_are_counted_beside_rows(path):
    query = "SELECT COUNT(*) AS n, COUNT(DISTINCT category) AS kinds, COUNT(DISTINCT price) AS prices FROM purchases"
    assert connect(path, budget={"epsilon": 10**4}).sql(query, epsilon=6000).value == {"n": 54, "kinds": 3, "prices": 3}


def test_a_count_of_all_rows(path):
    assert connect(path).sql("SELECT COUNT(*) FROM purchases", epsilon=1000).value == 54


def test_explain_is_free_and_tells_the_error_that_the_answer_has(path):
    db = connect(path, unit="user_id", contributions=10)
    told = db.explain(QUERY, epsilon=0.5)
    assert db.budget.epsilon == 2000
    assert told.guarantee.epsilon(0) == 0.5
    (line,) = told.lines
    assert line.sensitivity == 10
    assert line.error == db.sql(QUERY, epsilon=0.5).accuracy(0.05)["n"]


def test_the_budget_is_kept_by_the_ledger_and_refuses_when_spent(path):
    connect(path, budget={"epsilon": 1}).sql(QUERY, epsilon=0.75)
    db = connect(path, budget={"epsilon": 1})
    assert db.budget.epsilon == Fraction(1, 4)
    with pytest.raises(BudgetExceeded, match=r"asked for ε = 0.5; what is left is ε = 0.25"):
        db.sql(QUERY, epsilon=0.5)
    with pytest.raises(LedgerMismatch):
        connect(path, budget={"epsilon": 2})


def test_the_same_key_gives_the_same_answer_for_nothing(path):
    db = connect(path, budget={"epsilon": 1})
    assert len({db.sql(QUERY, epsilon=0.5, key="monday").rows[0] for _ in range(5)}) == 1
    assert db.budget.epsilon == Fraction(1, 2)


@pytest.mark.parametrize(
    "query",
    [
        "DROP TABLE purchases",
        "SELECT * FROM purchases",
        "SELECT user_id, COUNT(*) FROM purchases GROUP BY user_id",
        "SELECT COUNT(*) FROM purchases WHERE error(user_id) > 0",
        "SELECT COUNT(*) FROM other",
        "SELECT COUNT(*) FROM purchases; SELECT 1",
        "not sql",
    ],
)
def test_a_refused_query_costs_nothing_and_reads_nothing(path, query, monkeypatch):
    db = connect(path)
    monkeypatch.setattr(DuckDB, "scan", lambda *_: pytest.fail("data was read"))
    with pytest.raises(DaleniusError):
        db.sql(query, epsilon=1)
    assert db.budget.epsilon == 2000
    assert Ledger.open(path.with_suffix(".ledger")).entries("purchases") == []


def test_a_failing_engine_burns_the_budget_and_says_only_that(path):
    db = connect(path)
    path.write_bytes(b"gone")
    with pytest.raises(ExecutionFailed) as failure:
        db.sql(QUERY, epsilon=1)
    assert db.budget.epsilon == 1999
    assert "parquet" not in str(failure.value)
    assert failure.value.__context__ is None


@pytest.mark.parametrize(
    "person", [(9, "food", math.nan), (None, None, None), (9, "", -math.inf), (9, "undeclared", 1e308)]
)
def test_no_extra_person_turns_an_answer_into_an_error(path, person):
    table = pq.read_table(path)
    more = pa.table(
        {name: [value] for name, value in zip(table.column_names, person, strict=True)}, schema=table.schema
    )
    pq.write_table(pa.concat_tables([table, more]), path)
    for unit, contributions in (("row", None), ("user_id", 3)):
        db = dalenius.connect(
            path,
            unit=unit,
            contributions=contributions,
            budget={"epsilon": 10},
            ledger=path.with_name(f"{unit}.ledger"),
            keys={"category": CATEGORIES, "price": [0.0, 1.5]},
        )
        assert len(db.sql(QUERY, epsilon=1).rows) == 3
        assert len(db.sql("SELECT price, COUNT(*) FROM purchases GROUP BY price", epsilon=1).rows) == 2


def test_delta_and_bad_budgets_are_refused_by_name(path):
    for delta in (-1e-6, 1, 2):
        with pytest.raises(InvalidParameter, match="delta"):
            connect(path).sql(QUERY, epsilon=1, delta=delta)
    for budget in (1, {}, {"eps": 1}, {"epsilon": -1}):
        with pytest.raises(InvalidParameter):
            connect(path, budget=budget)
    with pytest.raises(InvalidParameter, match="epsilon"):
        connect(path).sql(QUERY, epsilon=0)


def test_without_a_budget_the_refusal_says_how_to_grant_one(path):
    with pytest.raises(UnknownName, match=r"no budget for 'purchases': give budget=dict\(epsilon=…\) once"):
        connect(path, budget=None)


def test_a_table_is_named_by_its_file(path):
    with pytest.raises(UnknownName, match="'purchases'"):
        connect(path).sql("SELECT COUNT(*) FROM t", epsilon=1)


def test_a_session_releases_plans_for_its_own_unit_only(path):
    db = connect(path, unit="user_id", contributions=1)
    with pytest.raises(DaleniusError):
        db.release(statistics.count(epsilon=1))
    assert db.release(db.plan(QUERY, epsilon=1)).columns == ("category", "n")


def test_repr_shows_the_budget_and_nothing_of_the_data(path):
    assert repr(connect(path)) == "Session('purchases', each row (add-remove), ε = 2000 left)"


def test_a_policy_made_by_hand_is_checked_before_it_is_opened(path):
    """With contributions=0 nothing would count, and with none, each of a person's rows would, at the price of one."""
    columns = {"user_id": "BIGINT", "category": "VARCHAR", "price": "DOUBLE"}
    nothing = Policy("purchases", columns, Unit("user_id"), budget={"epsilon": 1000}, contributions=0)
    with pytest.raises(InvalidParameter, match="contributions"):
        dalenius.connect(path, policy=nothing, ledger=path.with_suffix(".ledger"))
    found = Policy("purchases", columns, Unit("user_id"), budget={"epsilon": 1000})
    db = dalenius.connect(path, policy=found, ledger=path.with_suffix(".ledger"))
    assert db.sql("SELECT COUNT(*) FROM purchases", epsilon=900, profile=20).value == pytest.approx(53, abs=2)
    assert db.budget.epsilon == 80
    assert db.explain("SELECT COUNT(*) FROM purchases", epsilon=900).lines[0].sensitivity == 64  # not 1


def test_an_open_table_is_taken_as_it_is(path):
    assert connect_to(DuckDB(path), path).policy.columns == connect(path).policy.columns


def connect_to(engine, path):
    return dalenius.connect(engine, unit="row", budget={"epsilon": 2000}, ledger=path.with_suffix(".ledger"))


def test_the_price_and_the_unit_may_stand_in_the_query_as_bigquery_writes_them(path):
    db = connect(path, unit="user_id", contributions=1)
    asked = "WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 0.5, delta = 1e-9, privacy_unit_column = User_Id)"
    answer = db.sql(QUERY.replace("SELECT", f"SELECT {asked}"))
    assert answer.guarantee == PureDP(0.5)  # which needs none of the δ that was allowed
    assert db.explain(QUERY.replace("SELECT", f"SELECT {asked}")).guarantee.epsilon(0) == 0.5
    assert db.sql(QUERY, epsilon=0.5).rows == answer.rows  # one question, however it is written
    for wrong, kind in (
        (asked.replace("User_Id", "category"), MixedRelations),
        (asked.replace("1e-9", "3"), InvalidParameter),
    ):
        with pytest.raises(kind):
            db.sql(QUERY.replace("SELECT", f"SELECT {wrong}"))
    assert db.budget.epsilon == Fraction(3999, 2)


REQUESTED = {
    "declared keys": (QUERY, {"epsilon": 1}, {}),
    "Gaussian noise": (QUERY, {"epsilon": 1, "delta": 1e-6}, {}),
    "a quantile": ("SELECT MEDIAN(price) AS m FROM purchases", {"epsilon": 1}, {}),
    "keys to be found": (QUERY, {"epsilon": 1, "delta": 1e-6, "groups": 2}, {"keys": {}}),
    "a price in the text": (
        "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 1) COUNT(*) AS n FROM purchases",
        {},
        {},
    ),
}


@pytest.mark.parametrize(("query", "price", "more"), REQUESTED.values(), ids=REQUESTED)
def test_a_question_is_requested_approved_and_answered_once_beside_the_share(path, query, price, more):
    terms = {
        "unit": "user_id",
        "contributions": 5,
        "budget": {"epsilon": 10, "delta": 1e-5},
        "bounds": {"price": (0, 9)},
    }
    owner = connect(path, **terms | more)
    book = owner.ledger
    book.share("purchases", "ana", "0.01")
    ana = connect(path, analyst="ana", **terms | more)
    with pytest.raises(BudgetExceeded):
        ana.sql(query, **price)
    wanted = ana.request(query, purpose="a thesis", **price)
    (seen,) = book.requests("purchases")
    assert (seen.id, seen.analyst, seen.purpose, seen.text, seen.state) == (wanted, "ana", "a thesis", query, "open")
    assert seen.price.epsilon >= 1
    assert seen.error == str(ana.explain(query, **price))  # what the owner decides by
    with pytest.raises(BudgetExceeded):
        ana.sql(query, **price)
    book.approve("purchases", wanted)
    first = ana.sql(query, purpose="a thesis", **price)
    assert ana.sql(query, **price).value == first.value
    assert ana.budget.epsilon * 100 == 1  # the share is as it was
    assert owner.budget.epsilon <= 9
    with pytest.raises(BudgetExceeded):
        ana.sql(query, fresh=True, **price)
    book.verify()


def test_an_approval_is_for_that_question_and_that_analyst(path):
    owner = connect(path)
    for analyst in ("ana", "bo"):
        owner.ledger.share("purchases", analyst, "0.01")
    ana, bo = (connect(path, analyst=analyst) for analyst in ("ana", "bo"))
    with pytest.raises(InvalidParameter, match="the owner need not ask"):
        owner.request(QUERY, epsilon=1)
    with pytest.raises(DaleniusError):
        ana.request("SELECT price FROM purchases", epsilon=1)
    owner.ledger.decline("purchases", ana.request(QUERY, epsilon=1), "too much")
    with pytest.raises(BudgetExceeded):
        ana.sql(QUERY, epsilon=1)
    owner.ledger.approve("purchases", ana.request(QUERY, epsilon=1))
    for who, price in ((ana, 2), (bo, 1)):
        with pytest.raises(BudgetExceeded):
            who.sql(QUERY, epsilon=price)
    ana.sql(QUERY, epsilon=1)


def test_a_session_over_an_encrypted_ledger_answers_and_repeats_with_the_key_alone(path):
    terms = {"unit": "row", "budget": {"epsilon": 2000}, "keys": {"category": CATEGORIES}}
    place, key = path.with_suffix(".ledger"), EncryptionKey(b"k" * 32)
    answer = dalenius.connect(path, ledger=Ledger.open(place, key), **terms).sql(QUERY, epsilon=1000)
    assert answer.rows == [("food", 52), ("books", 1), ("absent", 0)]
    again = dalenius.connect(path, ledger=Ledger.open(place, key), **terms)
    assert again.sql(QUERY, epsilon=1000).rows == answer.rows
    assert again.budget.epsilon == 1000
    locked = dalenius.connect(path, ledger=place, **terms)
    with pytest.raises(LedgerLocked, match="no key was given"):
        locked.sql(QUERY, epsilon=500)
    assert locked.budget.epsilon == 1000


def test_an_answer_that_was_seen_is_known_for_nothing_and_one_that_was_not_is_none(path):
    db = connect(path)
    assert db.known_answer(QUERY, epsilon=1) is None
    answer = db.sql(QUERY, epsilon=1)
    assert db.known_answer(QUERY, epsilon=1).value == answer.value
    assert db.known_answer(QUERY, epsilon=2) is None
    assert db.acting("ann").known_answer(QUERY, epsilon=1) is None  # her share would be charged
    assert len(db.ledger.log(db.dataset, kind="reserve")) == 1


def test_somebody_else_has_their_own_share_views_and_name_in_the_log(path):
    db = connect(path)
    ann = db.acting("ann", by="ann@desk", origin="http")
    ann.sql("CREATE PRIVATE VIEW mine AS " + QUERY, epsilon=1)
    (entry,) = db.ledger.entries(db.dataset)
    assert (entry.analyst, entry.by, entry.origin) == ("ann", "ann@desk", "http")
    assert (ann.views, db.views) == (("mine",), ())
    assert ann.known_answer("SELECT category, n FROM mine").rows == ann.sql("SELECT category, n FROM mine").rows
    assert db.known_answer("CREATE PRIVATE VIEW other AS " + QUERY, epsilon=7) is None


def test_ctrl_c_in_a_scan_leaves_session_and_ledger_usable_and_the_charge_still_buys_its_answer(tmp_path):
    asked = f"{OPEN}\ntry:\n{textwrap.indent(ASK, '    ')}\nexcept KeyboardInterrupt:\n    print('stopped')\n{AGAIN}"
    done = subprocess.run([sys.executable, "-c", asked], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.stdout.splitlines() == ["stopped", TOLD], done.stderr
    assert Ledger.open(tmp_path / "t.ledger").remaining("t").epsilon == 8


@pytest.mark.parametrize(
    "make",
    [
        lambda **to: statistics.count(contributions=1, **to),
        lambda **to: statistics.mean("amount", (0, 9), contributions=1, **to),
        lambda **to: statistics.median("amount", (0, 9), contributions=1, **to),
        lambda **to: statistics.choose([1, 2], lambda rows, price: 1, ["amount"], 1, version="1", **to),
    ],
)
def test_a_plan_for_a_table_in_memory_is_refused_before_the_charge(path, make):
    db = connect(path, unit="user_id", contributions=1)
    before = db.budget
    with pytest.raises(InvalidParameter, match="reads a table in memory"):
        db.release(make(epsilon=1, unit="user_id"))
    assert db.budget == before
