"""A public table of candidates that every row meets, however the join is written."""

from fractions import Fraction

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import binom

import dalenius
from dalenius.errors import UnsupportedQuery
from dalenius.noise import Bits
from dalenius.sql.tables.candidates import asks_for_choice, is_free, meets_candidates
from dalenius.sql.text.parse import parse

REVENUE = "SUM(CASE WHEN v.willing >= p.price THEN p.price ELSE 0 END)"
BY_PRICE = f"SELECT p.price, {REVENUE} AS revenue FROM prices p CROSS JOIN visits v GROUP BY p.price"
SPELLINGS = (
    f"SELECT ARG_MAX(price, revenue) FROM ({BY_PRICE})",
    f"SELECT MAX_BY(r.price, r.revenue) AS best FROM ({BY_PRICE}) AS r",
    f"WITH r AS ({BY_PRICE}) SELECT ARG_MAX(price, revenue) FROM r",
    f"WITH r AS ({BY_PRICE}) SELECT price FROM r ORDER BY revenue DESC LIMIT 1",
    f"SELECT price AS best FROM ({BY_PRICE}) ORDER BY revenue DESC LIMIT 1",
    f"SELECT p.price FROM prices p CROSS JOIN visits v GROUP BY p.price ORDER BY {REVENUE} DESC LIMIT 1",
    f"SELECT p.price FROM visits v CROSS JOIN prices p GROUP BY 1 ORDER BY {REVENUE} DESC, p.price LIMIT 1",
    f"SELECT p.price FROM prices AS p, visits AS v GROUP BY p.price ORDER BY {REVENUE} DESC LIMIT 1",
    "SELECT p.price FROM prices p JOIN visits v ON v.willing >= p.price GROUP BY 1 ORDER BY SUM(p.price) DESC LIMIT 1",
    "SELECT price FROM visits JOIN prices ON price <= willing GROUP BY price ORDER BY price * COUNT(*) DESC LIMIT 1",
    "SELECT price FROM prices, visits WHERE willing >= price GROUP BY price ORDER BY COUNT(*) * price DESC LIMIT 1",
    f"SELECT p.price AS best FROM prices p CROSS JOIN visits v GROUP BY best ORDER BY {REVENUE} DESC LIMIT 1",
    "SELECT ARG_MAX(price, r) FROM (SELECT p.price, p.price * COUNT(*) AS r FROM prices p JOIN visits v "
    "ON v.willing >= p.price GROUP BY p.price)",
)
OTHERS = (
    "SELECT ARG_MIN(price, far) FROM (SELECT p.price, SUM(ABS(v.willing - p.price)) AS far FROM prices p CROSS JOIN "
    "visits v GROUP BY p.price)",
    "SELECT p.name FROM prices p CROSS JOIN visits v WHERE p.price < 4 GROUP BY p.name ORDER BY "
    "SUM(v.willing - p.price) DESC LIMIT 1",
    f"SELECT p.price FROM prices p CROSS JOIN visits v JOIN people q ON q.person = v.person WHERE q.home = 'b' "
    f"GROUP BY p.price ORDER BY {REVENUE} DESC LIMIT 1",
    "SELECT p.price FROM prices p JOIN visits v ON v.willing >= p.price GROUP BY 1 ORDER BY COUNT(DISTINCT v.person) "
    "DESC LIMIT 2",
)


def tables():
    rng = np.random.default_rng(4)
    return {
        "visits": pa.table(
            {"person": np.arange(3000) % 1500, "willing": rng.choice([1.0, 2.6, 4.01], 3000, p=[0.6, 0.1, 0.3])}
        ),
        "people": pa.table({"person": np.arange(1500), "home": ["a", "b", "b"] * 500}),
        "prices": pa.table({"price": [1.0, 1.01, 2.5, 4.01, 4.02], "name": ["one", "more", "some", "much", "most"]}),
    }


@pytest.fixture(scope="module")
def db(tmp_path_factory):
    given = tables()
    prices = {"prices": given.pop("prices")}
    return dalenius.connect(
        given,
        unit="person",
        contributions=2,
        budget={"epsilon": 10**8},
        ledger=tmp_path_factory.mktemp("candidates") / "ledger",
        bounds={"willing": (0, 5)},
        keys={"people.home": ["a", "b"]},
        public=prices,
    )


def truth(query):
    with duckdb.connect() as connection:
        for name, table in tables().items():
            connection.register(name, table)
        return connection.execute(query).fetchall()


@pytest.mark.parametrize("query", SPELLINGS)
def test_every_spelling_of_the_best_price_is_one_choice(db, query):
    told = db.explain(query, epsilon=1)
    assert "report noisy max in 1 round" in str(told)
    assert told.lines[0].sensitivity == pytest.approx(2 * 4.02, rel=1e-6)
    assert db.sql(query, epsilon=10**4).rows == truth(query) == [(4.01,)]


@pytest.mark.theorem("A Ex 7.1", "S Ex 2.1")
@pytest.mark.parametrize(
    ("bids", "prices", "best"),
    [([1.0, 1.0, 1.0, 4.01], [1.0, 1.01, 4.01, 4.02], 4.01), ([1.0, 1.0, 1.0, 3.1], [1.0, 3.0, 3.1, 3.2], 1.0)],
)
def test_pumpkins_and_chocolate_are_priced_as_in_the_notes(tmp_path, bids, prices, best):
    visits = pa.table({"willing": bids})
    with dalenius.connect(
        {"visits": visits},
        unit="row",
        budget={"epsilon": 10**8},
        ledger=tmp_path / "ledger",
        public={"prices": pa.table({"price": prices})},
    ) as session:
        assert session.sql(SPELLINGS[0], epsilon=10**5).rows == [(best,)]


@pytest.mark.parametrize("query", OTHERS)
def test_other_utilities_are_chosen_by_as_duckdb_finds_them(db, query):
    assert "report noisy max" in str(db.explain(query, epsilon=1))
    assert db.sql(query, epsilon=10**4).rows == truth(query)


def test_numbers_of_candidates_are_shown_where_they_are_asked_for(db):
    """Two visits of a person each meet five prices: ten rows count, so that nothing is cut off."""
    answer = db.sql(f"{BY_PRICE} ORDER BY p.price", epsilon=10**6)
    for (price, revenue), (other, expected) in zip(answer.rows, sorted(truth(BY_PRICE)), strict=True):
        assert price == other
        assert revenue == pytest.approx(expected, abs=0.05)
    best = db.sql(f"{BY_PRICE} ORDER BY revenue DESC LIMIT 1", epsilon=10**6)
    assert [row[0] for row in best.rows] == [4.01]


def test_a_name_that_a_private_column_has_too_is_refused_with_what_to_write(db):
    query = "SELECT p.price AS willing FROM visits v CROSS JOIN prices p GROUP BY {} ORDER BY COUNT(*) DESC LIMIT 1"
    with pytest.raises(UnsupportedQuery, match=r"means the column v\.willing.*write GROUP BY p\.price"):
        db.sql(query.format("willing"), epsilon=1)
    assert len(db.sql(query.format("p.price"), epsilon=1).rows) == 1


def test_a_choice_is_charged_once_and_kept(db):
    query, before = SPELLINGS[0], db.budget
    first = db.sql(query, epsilon=3)
    assert float(before.epsilon - db.budget.epsilon) == pytest.approx(3)
    left = db.budget
    assert db.sql(query, epsilon=3).rows == first.rows
    assert db.budget == left


def test_the_gap_that_is_told_holds(db):
    """95 of 100 choices earn within ± of the best: of 2 000 draws at ε = 1/100 more miss with chance below 10⁻⁹."""
    plan = db.plan(SPELLINGS[5], epsilon="0.01")
    earned = [revenue for _, revenue in sorted(truth(BY_PRICE))]
    scores = [round(revenue / plan.top.lattice.step) for revenue in map(Fraction, earned)]
    gaps = [max(earned) - earned[int(plan.mechanism.release(scores, Bits())[0])] for _ in range(2_000)]
    assert len(set(gaps)) > 2
    assert sum(gap > plan.missed for gap in gaps) <= binom.isf(1e-9, 2_000, 0.05)
    assert db.explain(SPELLINGS[5], epsilon="0.01").lines[0].error >= plan.missed


def test_survey_weights_count_in_a_utility_too(tmp_path):
    given = tables()
    weights = np.random.default_rng(6).choice([0.5, 1.0, 4.0], 3000)
    visits = given["visits"].append_column("w", pa.array(weights))
    with dalenius.connect(
        {"visits": visits},
        unit="person",
        contributions=2,
        weight={"column": "w", "most": 4},
        budget={"epsilon": 10**8},
        ledger=tmp_path / "ledger",
        bounds={"willing": (0, 5)},
        public={"prices": given["prices"]},
    ) as session:
        told = session.explain(SPELLINGS[5], epsilon=1).lines[0]
        assert float(told.sensitivity) == pytest.approx(2 * 4 * 4.02, rel=1e-5)
        willing = np.asarray(given["visits"]["willing"])
        prices = given["prices"]["price"].to_pylist()
        earned = [price * weights[willing >= price].sum() for price in prices]
        assert session.sql(SPELLINGS[5], epsilon=10**5).rows == [(prices[int(np.argmax(earned))],)]


@pytest.mark.parametrize(
    ("join", "free"),
    [
        ("a CROSS JOIN b", True),
        ("a, b", True),
        ("a JOIN b ON a.x >= b.y", True),
        ("a JOIN b ON a.x = b.x AND a.y < b.y", True),
        ("a JOIN b ON a.x = b.x", False),
        ("a JOIN b ON (a.x = b.x) AND a.y = b.y", False),
        ("a JOIN b USING (x)", False),
    ],
)
def test_a_join_by_equalities_alone_is_no_meeting_of_all_rows(join, free):
    tree = parse(f"SELECT k FROM {join} GROUP BY k ORDER BY COUNT(*) DESC LIMIT 1")
    assert is_free(tree.args["joins"][0]) == meets_candidates(tree) == free
    assert asks_for_choice(tree)
    assert not asks_for_choice(parse(f"SELECT k, COUNT(*) FROM {join} GROUP BY k ORDER BY COUNT(*) DESC LIMIT 1"))
    assert not asks_for_choice(parse(f"SELECT k FROM {join} GROUP BY k ORDER BY COUNT(*) DESC LIMIT 1 OFFSET 1"))
