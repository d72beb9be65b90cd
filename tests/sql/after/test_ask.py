from decimal import Decimal
from fractions import Fraction

import duckdb
import numpy as np
import pyarrow as pa
import pytest

import dalenius
from dalenius.errors import BudgetExceeded, InvalidParameter, UnsupportedQuery
from dalenius.guarantees import GDP
from dalenius.mechanisms import discrete_gaussians, integer_gaussian
from tests.sql.after.world import SHOPS, close, people, session

TWO = "SELECT 'a' AS k, COUNT(*) AS n FROM sales WHERE year = 2022 UNION ALL SELECT 'b', AVG(spent) FROM sales"
RANKED = "SELECT shop, RANK() OVER (ORDER BY n) AS r FROM (SELECT shop, COUNT(*) AS n FROM sales GROUP BY shop)"


def test_the_prices_that_explain_tells_add_up_to_the_charge(tmp_path):
    db = session(tmp_path, epsilon=10)
    told = db.explain(TWO, epsilon="0.7")
    assert sum(line.epsilon for line in told.lines) == Fraction(7, 10)
    assert told.to_dict()["epsilon"] == "7/10"
    before = db.budget.epsilon
    db.sql(TWO, epsilon="0.7")
    assert before - db.budget.epsilon == Fraction(7, 10)
    assert len(db.ledger.entries(db.dataset)) == 1  # one charge for both


def test_asked_again_it_is_free_and_the_same_also_with_another_statement_above(tmp_path):
    db = session(tmp_path, epsilon=10)
    first = list(db.sql(RANKED, epsilon=1))
    left = db.budget
    assert db.known_answer(RANKED, epsilon=1) is not None
    assert list(db.sql(RANKED, epsilon=1)) == first
    counts = dict(
        list(db.sql("SELECT shop, n * 2 AS n FROM (SELECT shop, COUNT(*) AS n FROM sales GROUP BY shop)", epsilon=1))
    )
    assert sorted(counts, key=counts.get) == [shop for shop, rank in sorted(first, key=lambda row: row[1])]
    assert db.budget == left


def test_what_does_not_fit_is_refused_whole(tmp_path):
    db = session(tmp_path, epsilon=1)
    with pytest.raises(BudgetExceeded):
        db.sql(TWO, epsilon="1.5")
    assert db.budget.epsilon == 1
    assert db.known_answer(TWO, epsilon="1.5") is None


def test_a_failure_above_the_release_is_told_and_loses_nothing(tmp_path):
    db = session(tmp_path, epsilon=10)
    by_shop = "SELECT shop, COUNT(*) AS n FROM sales GROUP BY shop"
    with pytest.raises(UnsupportedQuery, match="cannot answer"):
        db.sql(f"SELECT CAST(shop AS INTEGER) + n AS x FROM ({by_shop})", epsilon=1)
    left = db.budget
    assert left.epsilon == 9
    db.sql(f"SELECT n + 1 AS x FROM ({by_shop})", epsilon=1)
    assert db.budget == left


def test_what_the_engine_cannot_bind_is_refused_before_the_charge(tmp_path):
    db = session(tmp_path, epsilon=10)
    by_shop = "SELECT shop, COUNT(*) AS n FROM sales GROUP BY shop"
    for above in ("nothing", "UPPER(n, n)", "shop + 1 + DATE '2020-01-01'"):
        with pytest.raises(UnsupportedQuery):
            db.sql(f"SELECT {above} AS x FROM ({by_shop})", epsilon=1)
    assert db.budget.epsilon == 10


def test_views_are_read_for_nothing_and_beside_tables(tmp_path):
    db = session(tmp_path, epsilon=10)
    db.sql("CREATE PRIVATE VIEW v AS SELECT shop, COUNT(*) AS n FROM sales GROUP BY shop", epsilon=1)
    left = db.budget
    share = db.sql("SELECT shop, n / SUM(n) OVER () AS share FROM v ORDER BY share DESC LIMIT 2")
    assert len(share.rows) == 2
    assert db.budget == left
    with pytest.raises(InvalidParameter, match="no price"):
        db.sql("SELECT SUM(n) FROM v", epsilon=1)
    in_2022 = "SELECT shop, COUNT(*) AS n FROM sales WHERE year = 2022 GROUP BY shop"
    both = db.sql(f"SELECT v.shop, v.n - t.n AS rest FROM v JOIN ({in_2022}) t USING (shop)", epsilon=1)
    assert len(both.rows) == 4
    assert db.budget.epsilon == left.epsilon - 1
    db.sql("CREATE PRIVATE VIEW w AS SELECT shop, n / SUM(n) OVER () AS share FROM v")
    assert len(db.sql("SELECT share FROM w").rows) == 4


def test_keys_are_found_where_a_delta_pays_for_it(tmp_path):
    db = session(tmp_path, epsilon=10)
    each = "SELECT CAST(spent AS BIGINT) AS s, COUNT(*) AS n FROM sales GROUP BY s"
    text = f"SELECT MAX(n) AS peak, COUNT(*) AS groups FROM ({each})"
    ((peak, groups),) = list(db.sql(text, epsilon=5, delta="1e-7", groups=1))
    assert 20 < peak < 100
    assert groups > 50


def test_a_plan_and_a_request_hold_all_private_selects(tmp_path):
    db = session(tmp_path, epsilon=10)
    plan = db.plan(TWO, epsilon=1)
    assert len(plan.plans) == 2
    assert plan.guarantee.sum_form == (1, 0)
    released = db.release(plan)
    assert [len(table) for table in released.tables] == [1, 1]
    left = db.budget
    db.sql(TWO, epsilon=1)
    assert db.budget == left


def test_a_neighbour_table_gives_the_same_shape_and_the_same_refusals(tmp_path):
    shapes = []
    for number, table in enumerate((people(), people().slice(1))):
        (tmp_path / str(number)).mkdir()
        db = session(tmp_path / str(number), table, epsilon=10)
        answer = db.sql(
            "SELECT shop, year, COUNT(*) AS n FROM sales GROUP BY CUBE (shop, year) ORDER BY 1, 2", epsilon="0.01"
        )
        shapes.append([row[:2] for row in answer])
        with pytest.raises(UnsupportedQuery) as refused:
            db.sql(f"SELECT SQRT(shop) FROM ({RANKED})", epsilon=1)
        shapes.append(str(refused.value))
    assert shapes[:2] == shapes[2:]


def test_periods_are_dates_above_the_release_and_keep_their_intervals(tmp_path):
    days = np.arange("2023-01-01", "2025-01-01", dtype="datetime64[D]")
    table = pa.table({"person": np.arange(len(days)), "day": pa.array(days)})
    monthly = "WITH t AS (SELECT DATE_TRUNC('month', day) AS m, COUNT(*) AS n FROM visits GROUP BY 1) "
    with dalenius.connect(
        *(table,),
        table="visits",
        unit="person",
        contributions=1,
        budget={"epsilon": 10**9},
        ledger=tmp_path / "dates.ledger",
        bounds={"day": ("2023-01-01", "2024-12-31")},
    ) as db:
        running = db.sql(
            monthly + "SELECT m, SUM(n) OVER (PARTITION BY YEAR(m) ORDER BY m) AS s FROM t ORDER BY m", epsilon=10**6
        )
        assert [round(value) for value in running["s"]][10:14] == [334, 365, 31, 60]
        assert max(high - low for low, high in running.interval("0.95")["s"]) < 1
        grown = db.sql(
            monthly + "SELECT a.m, a.n - b.n AS more FROM t a JOIN t b ON a.m = b.m + INTERVAL 1 YEAR ORDER BY 1",
            epsilon=10**6,
        )
        assert [round(value) for value in grown["more"]] == [0, 1, *[0] * 10]


ALONE = "SELECT shop, COUNT(*) AS n, AVG(spent) AS m FROM sales WHERE year = 2023 GROUP BY shop"


@pytest.mark.parametrize(
    ("alone", "statement"),
    [
        (ALONE, f"SELECT MAX(n) AS peak, MIN(m) AS least FROM ({ALONE})"),
        (ALONE, f"WITH a AS ({ALONE}) SELECT shop, RANK() OVER (ORDER BY n) AS r, m FROM a ORDER BY shop"),
        (f"{ALONE} ORDER BY n DESC LIMIT 2", f"SELECT SUM(n) AS s FROM ({ALONE} ORDER BY n DESC LIMIT 2)"),
        (
            "SELECT shop, COUNT(*) FROM sales GROUP BY shop",
            "SELECT shop, ROUND(COUNT(*), -1) AS n FROM sales GROUP BY shop",
        ),
        ("SELECT AVG(spent) FROM sales", "SELECT FLOOR(AVG(spent)) AS whole FROM sales"),
        (
            "WITH r AS (SELECT * FROM sales WHERE spent > 9) SELECT shop, COUNT(*) AS n FROM r GROUP BY shop",
            "WITH r AS (SELECT * FROM sales WHERE spent > 9), m AS (SELECT shop, COUNT(*) AS n FROM r GROUP BY shop) "
            "SELECT MAX(n) AS peak FROM m",
        ),
    ],
)
def test_a_statement_over_one_select_that_was_asked_alone_is_free(tmp_path, alone, statement):
    db = session(tmp_path, epsilon=10)
    first = db.sql(alone, epsilon=1)
    left, entries = db.budget, len(db.ledger.entries(db.dataset))
    known = db.known_answer(statement, epsilon=1)
    answer = db.sql(statement, epsilon=1)
    assert (db.budget, len(db.ledger.entries(db.dataset))) == (left, entries)
    assert list(known) == list(answer) == list(db.sql(statement, epsilon=1))
    assert answer.receipt.head == first.receipt.head
    assert db.known_answer(statement, epsilon=2) is None


def test_it_is_computed_from_the_very_numbers_that_were_released(tmp_path):
    db = session(tmp_path, epsilon=10)
    rows = list(db.sql(ALONE, epsilon=1))
    shown = list(db.sql(f"SELECT shop, n, m FROM ({ALONE}) ORDER BY shop", epsilon=1))
    assert sorted(rows) == shown
    fresh = list(db.sql(f"SELECT shop, n, m FROM ({ALONE}) ORDER BY shop", epsilon=1, fresh=True))
    assert fresh != shown
    assert db.budget.epsilon == 8


@pytest.mark.parametrize(
    "alone",
    [
        "SELECT shop, COUNT(*) AS n, AVG(spent) AS m FROM sales WHERE year = 2022 GROUP BY shop",
        "SELECT year, COUNT(*) AS n, AVG(spent) AS m FROM sales WHERE year = 2023 GROUP BY year",
        "SELECT shop, COUNT(*) AS n FROM sales WHERE year = 2023 GROUP BY shop",
        "SELECT shop, COUNT(*) AS n, SUM(spent) AS m FROM sales WHERE year = 2023 GROUP BY shop",
    ],
)
def test_another_select_is_not_taken_for_it(tmp_path, alone):
    db = session(tmp_path, epsilon=10)
    db.sql(alone, epsilon=1)
    db.sql(f"SELECT MAX(n) AS peak, MIN(m) AS least FROM ({ALONE})", epsilon=1)
    assert db.budget.epsilon == 8


def test_an_answer_that_somebody_else_has_seen_is_charged_to_who_asks(tmp_path):
    db = session(tmp_path, epsilon=10)
    for name in ("ada", "bob"):
        db.ledger.share(db.dataset, name, epsilon=5)
    ada, bob = db.acting("ada"), db.acting("bob")
    ada.sql(ALONE, epsilon=1)
    statement = f"SELECT MAX(n) AS peak FROM ({ALONE})"
    assert bob.known_answer(statement, epsilon=1) is None
    bob.sql(statement, epsilon=1)
    assert bob.budget.epsilon == 4
    assert ada.known_answer(f"SELECT MAX(n) AS peak, MIN(m) AS least FROM ({ALONE})", epsilon=1) is not None


def test_parts_with_the_same_statement_share_its_scan(tmp_path, monkeypatch):
    from dalenius.sql.engine.duckdb.engine import DuckDB

    scanned, run = [], DuckDB._scanned
    monkeypatch.setattr(DuckDB, "_scanned", lambda self, text, *size: scanned.append(text) or run(self, text, *size))
    db = session(tmp_path, epsilon=10)
    one, same = (f"SELECT shop, year, COUNT(*) AS n FROM {name} GROUP BY shop, year" for name in ("sales", "Sales"))
    both = db.sql(f"SELECT a.n AS x, b.n AS y FROM ({one}) a JOIN ({same}) b USING (shop, year)", epsilon="0.01")
    assert len(scanned) == 1
    assert any(x != y for x, y in both)  # each has noise of its own; twelve cells agree with probability < 1e-9


DAYS = pa.table(
    {"shop": ["north", "south", "east", "island"], "size": [3, 2, 2, 9], "opened": [2001.5, 2010.0, 1999.0, 1.0]}
)
BESIDE = (
    "SELECT d.shop, d.size, COALESCE(q.n, 0) AS n FROM days d LEFT JOIN (SELECT shop, COUNT(*) AS n FROM sales GROUP "
    "BY shop) AS q ON q.shop = d.shop ORDER BY d.shop",
    "WITH q AS (SELECT shop, SUM(spent) AS s FROM sales GROUP BY shop) SELECT d.size, SUM(q.s) AS s, "
    "AVG(q.s / d.opened) AS a FROM q JOIN days d USING (shop) GROUP BY d.size ORDER BY d.size",
    "SELECT shop, COUNT(*) / (SELECT SUM(size) FROM days) AS r FROM sales GROUP BY shop ORDER BY shop",
    "WITH big AS (SELECT shop FROM days WHERE size > 2), q AS (SELECT shop, COUNT(*) AS n FROM sales GROUP BY shop) "
    "SELECT SUM(n) AS n FROM q JOIN big USING (shop)",
    "WITH big AS (SELECT shop FROM days WHERE size < 9) SELECT MAX(n) AS n FROM (SELECT sales.shop, COUNT(*) AS n FROM "
    "sales JOIN big ON big.shop = sales.shop GROUP BY 1)",
)


@pytest.mark.parametrize("query", BESIDE)
def test_public_tables_stand_beside_released_ones_and_are_exact(tmp_path, query):
    """A public table adds no noise: every number lies within its own ± of the truth at a large price."""
    db = session(tmp_path, public={"days": DAYS})
    answer = db.sql(query, epsilon=10**6)
    with duckdb.connect() as plain:
        plain.register("given", people())
        plain.register("days", DAYS)
        plain.execute("CREATE TABLE sales AS SELECT * FROM given WHERE shop IN ('north', 'south', 'east', 'west')")
        exact = [
            tuple(float(x) if isinstance(x, Decimal) else x for x in row) for row in plain.execute(query).fetchall()
        ]
    assert close(answer.rows, exact)
    assert "no interval" not in str(answer)
    assert "part" in str(db.explain(query, epsilon=1))


def test_a_public_table_alone_is_no_question(tmp_path):
    db = session(tmp_path, public={"days": DAYS})
    with pytest.raises(UnsupportedQuery, match="starts with a private table"):
        db.sql("SELECT COUNT(*) FROM days", epsilon=1)


BY_SHOP = "SELECT shop, COUNT(*) AS n FROM sales GROUP BY shop"
SPREAD = {
    "one table": (f"SELECT shop, RANK() OVER (ORDER BY n) AS r FROM ({BY_SHOP})",) * 2,
    "two tables": (
        f"SELECT a.shop, n, s FROM ({BY_SHOP}) AS a JOIN (SELECT shop, SUM(spent) AS s FROM sales GROUP BY shop) AS b "
        "ON a.shop = b.shop",
    )
    * 2,
    "asked alone": (BY_SHOP, f"SELECT shop, n * 2 AS n FROM ({BY_SHOP})"),
}


@pytest.mark.parametrize("name", SPREAD)
def test_what_discrete_gaussian_noise_has_answered_stays_answered(tmp_path, monkeypatch, name):
    """An earlier version drew discrete noise; every form of its answers is given again for nothing, and only they."""
    table = people().set_column(0, "person", pa.array([number // 4 for number in range(4000)]))

    def opened():
        return dalenius.connect(
            table,
            **{"table": "sales", "unit": "person", "contributions": 4, "budget": {"epsilon": 9, "delta": "1e-4"}},
            **{"ledger": tmp_path / "spread.ledger", "bounds": {"spent": (0, 100)}, "keys": {"shop": list(SHOPS)}},
        )

    first, second = SPREAD[name]
    with monkeypatch.context() as earlier:
        earlier.setattr(integer_gaussian, "rounded_gaussians", discrete_gaussians)
        before = opened().sql(first, epsilon=1, delta="1e-6")
    db = opened()
    entries, left = len(db.ledger.entries(db.dataset)), db.budget
    again = db.sql(second, epsilon=1, delta="1e-6")
    assert first != second or list(again) == list(before)
    assert (len(db.ledger.entries(db.dataset)), db.budget) == (entries, left)
    db.sql(second, epsilon="1/2", delta="1e-6")
    anew = db.sql(second, epsilon=1, delta="1e-6", fresh=True)
    paid = db.ledger.entries(db.dataset)[entries:]
    assert [type(entry.guarantee) for entry in paid] == [GDP, GDP]
    assert list(db.sql(second, epsilon=1, delta="1e-6")) == list(anew)
    assert len(db.ledger.entries(db.dataset)) == entries + 2
