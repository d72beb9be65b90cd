import pyarrow as pa
import pytest

import dalenius
from dalenius.curator import Outcome, Release
from dalenius.errors import DaleniusError, InvalidParameter, UnknownName, UnsupportedQuery
from dalenius.sql.engine import DuckDB

SELECT = "SELECT category, gift, COUNT(*) AS n, AVG(price) AS mean FROM shop GROUP BY category, gift"
VIEW = f"CREATE PRIVATE VIEW sales AS {SELECT}"


@pytest.fixture
def db(tmp_path):
    return connect(tmp_path)


def connect(folder):
    rows = {
        "category": ["food"] * 5 + ["books"] * 3 + ["toys"],
        "gift": [True, False] * 4 + [True],
        "price": [1.0, 2, 3, 4, 5, 10, 20, 30, 7],
    }
    return dalenius.connect(
        pa.table(rows),
        table="shop",
        unit="row",
        budget={"epsilon": 10**7},
        ledger=folder / "shop.ledger",
        keys={"category": ["food", "books", "toys"], "gift": [True, False]},
        bounds={"price": (0, 50)},
    )


def test_a_view_is_paid_once_and_then_free(db, monkeypatch):
    made = db.sql(VIEW, epsilon=10**6)
    left = db.budget.epsilon
    assert left == 10**7 - 10**6
    monkeypatch.setattr(DuckDB, "scan", lambda *_: pytest.fail("data was read"))
    again = db.sql("SELECT * FROM sales")
    assert again.rows == made.rows
    assert again.columns == made.columns == ("category", "gift", "n", "mean")
    assert db.budget.epsilon == left
    assert again.guarantee == made.guarantee
    assert db.views == ("sales",)


def test_rows_and_columns_are_chosen_sorted_and_cut(db):
    db.sql(VIEW, epsilon=10**6)
    kept = "WHERE gift AND n > 0.5 AND category <> 'toys'"
    answer = db.sql(f"SELECT s.n AS people, category FROM Sales AS s {kept} ORDER BY people DESC, category LIMIT 2")
    assert answer.columns == ("people", "category")
    assert [(round(n), category) for n, category in answer.rows] == [(3, "food"), (1, "books")]
    assert db.sql("SELECT category FROM sales ORDER BY category OFFSET 4").rows == [("toys",), ("toys",)]
    assert db.sql("SELECT category FROM sales WHERE n > 100").rows == []


def test_every_cell_keeps_the_interval_that_it_was_released_with(db):
    made = db.sql(VIEW, epsilon=10)
    chosen = db.sql("SELECT mean, n AS people FROM sales WHERE category <> 'books' ORDER BY category DESC, gift")
    places = [5, 4, 1, 0]  # toys, then food; False before True
    for joint in (False, True):
        before, after = made.interval(0.9, joint), chosen.interval(0.9, joint)
        assert after["people"] == tuple(before["n"][place] for place in places)
        assert after["mean"] == tuple(before["mean"][place] for place in places)
    assert Release.from_dict(chosen.to_dict()).rows == chosen.rows


def test_joint_intervals_stay_as_wide_as_for_all_cells(db):
    """The chosen rows were chosen by their noise: an interval for them alone would be too short."""
    counted = "CREATE PRIVATE VIEW counted AS SELECT category, COUNT(*) AS n FROM shop GROUP BY category"
    every = db.sql(counted, epsilon=1).accuracy(0.05, joint=True)["n"]
    one = db.sql("SELECT n FROM counted ORDER BY n DESC LIMIT 1")
    assert one.accuracy(0.05, joint=True)["n"] == every == one.accuracy(0.05)["n"]


@pytest.mark.parametrize(
    ("query", "by_noise"),
    [
        ("SELECT n FROM counted WHERE n > 2", True),
        ("SELECT category AS n, n AS z FROM counted WHERE n > 2", True),
        ("SELECT category FROM counted ORDER BY n LIMIT 1", True),
        ("SELECT n AS category, category AS c FROM counted ORDER BY category LIMIT 1", True),
        ("SELECT category, n + 1 AS z FROM counted ORDER BY z OFFSET 1", True),
        ("SELECT n FROM counted WHERE category > 'a' AND (n IS NULL OR category < 'z')", True),
        ("SELECT n FROM ordered LIMIT 1", True),
        ("SELECT n FROM ordered_again LIMIT 1", True),
        ("SELECT n FROM few WHERE category > 'a'", True),
        ("SELECT n FROM few_again", True),
        ("SELECT n FROM counted", False),
        ("SELECT n FROM counted ORDER BY n", False),
        ("SELECT n FROM ordered", False),
        ("SELECT n FROM counted WHERE category > 'a' ORDER BY category LIMIT 1", False),
        ("SELECT category AS n, n AS z FROM counted ORDER BY n LIMIT 1", False),
        ("SELECT n FROM counted LIMIT 1", False),
    ],
)
def test_it_is_known_whether_noise_picked_the_rows(db, query, by_noise):
    """By this the interval of a row holds for all cells that could have stood there, or for this one."""
    counted = "SELECT category, COUNT(*) AS n FROM shop GROUP BY category"
    for name, select in {
        **{"counted": counted, "ordered": f"{counted} ORDER BY n", "few": f"{counted} HAVING n > 0"},
        **{"ordered_again": "SELECT * FROM counted ORDER BY n", "few_again": "SELECT * FROM counted WHERE n > 0"},
    }.items():
        db.sql(f"CREATE PRIVATE VIEW {name} AS {select}", epsilon=None if "again" in name else 1)
    outcome = db.sql(query).outcome
    assert outcome.picked_by_noise is by_noise
    assert Outcome.from_dict(outcome.to_dict()) == outcome


def test_a_view_of_a_view_costs_nothing(db):
    db.sql(VIEW, epsilon=10**6)
    db.sql("CREATE PRIVATE VIEW gifts AS SELECT category, n FROM sales WHERE gift LIMIT 2")
    assert [row[0] for row in db.sql("SELECT category FROM gifts ORDER BY category").rows] == ["books", "food"]
    assert db.budget.epsilon == 9 * 10**6


def test_a_view_that_sifts_and_cuts_is_asked_as_it_stands(db):
    db.sql(f"{VIEW} HAVING COUNT(*) > 0.5 ORDER BY n DESC LIMIT 3", epsilon=10**6)
    assert [row[0] for row in db.sql("SELECT category FROM sales ORDER BY n").rows][-1] == "food"
    assert len(db.sql("SELECT * FROM sales").rows) == 3


def test_another_session_makes_the_view_again_for_nothing(db, tmp_path):
    made = db.sql(VIEW, epsilon=1)
    other = connect(tmp_path)
    assert other.views == ()
    assert other.sql(VIEW, epsilon=1).rows == made.rows
    assert other.sql("SELECT * FROM sales").rows == made.rows
    assert other.budget.epsilon == 10**7 - 1


def test_a_taken_name_is_refused_before_the_charge(db):
    db.sql(VIEW, epsilon=1)
    with pytest.raises(InvalidParameter, match="OR REPLACE"):
        db.sql(VIEW.replace("sales", "SALES"), epsilon=5)
    with pytest.raises(InvalidParameter, match="is a table"):
        db.sql(VIEW.replace("sales", "Shop"), epsilon=5)
    assert db.budget.epsilon == 10**7 - 1
    db.sql("CREATE OR REPLACE PRIVATE VIEW sales AS SELECT gift, COUNT(*) AS n FROM shop GROUP BY gift", epsilon=5)
    assert db.sql("SELECT * FROM sales").columns == ("gift", "n")


def test_arithmetic_on_a_view_is_free_and_carries_the_error_along(db, monkeypatch):
    made = db.sql(VIEW, epsilon=10**6)
    left = db.budget.epsilon
    monkeypatch.setattr(DuckDB, "scan", lambda *_: pytest.fail("data was read"))
    query = "SELECT category, n * mean AS total, 2 * n + 1, CASE WHEN n > 1 THEN n ELSE 0 END AS some FROM sales"
    found = db.sql(query)
    assert db.budget.epsilon == left
    assert list(found.value) == ["category", "total", "column_3", "some"]
    for (_, _, n, mean), (_, total, more, some) in zip(made.rows, found.rows, strict=True):
        assert total == pytest.approx(n * mean)
        assert more == 2 * n + 1
        assert some == (n if n > 1 else 0)
    wide = [high - low for low, high in found.interval(0.95)["column_3"]]
    assert wide == pytest.approx([2 * (high - low) for low, high in made.interval(0.95)["n"]])


def test_a_quantile_of_a_view_is_computed_with_but_has_no_interval(db):
    db.sql("CREATE PRIVATE VIEW q AS SELECT gift, MEDIAN(price) AS m FROM shop GROUP BY gift", epsilon=100)
    middle = [value for (value,) in db.sql("SELECT m FROM q")]
    more = db.sql("SELECT m + 1 AS more FROM q")
    assert [value for (value,) in more] == [value + 1 for value in middle]
    assert more.interval(0.95) == {}
    assert "no interval" in repr(more)


def test_a_view_without_keys_is_refused_before_the_charge(db):
    with pytest.raises(UnsupportedQuery, match="GROUP BY"):
        db.sql("CREATE PRIVATE VIEW v AS SELECT COUNT(*) FROM shop", epsilon=1)
    assert db.budget.epsilon == 10**7


@pytest.mark.parametrize(
    "query",
    [
        "SELECT category + 1 FROM sales",
        "SELECT nothing + 1 FROM sales",
        "SELECT SUM(n) FROM sales",
        "SELECT category, category FROM sales",
        "SELECT DISTINCT category FROM sales",
        "SELECT category FROM sales GROUP BY category",
        "SELECT category FROM sales JOIN shop ON 1 = 1",
        "SELECT category FROM sales, shop",
        "SELECT category FROM sales WHERE n IN (SELECT price FROM shop)",
        "SELECT category FROM sales WHERE n",
        "SELECT category FROM sales ORDER BY 1",
        "SELECT category FROM sales LIMIT 1 + 1",
        "SELECT category FROM sales UNION SELECT category FROM sales",
        "SELECT price FROM sales",
        "SELECT t.category FROM sales",
        "SELECT * EXCLUDE n FROM sales",
        "WITH x AS (SELECT 1) SELECT category FROM sales",
    ],
)
def test_what_is_outside_of_the_grammar_is_refused_and_reads_nothing(db, query, monkeypatch):
    db.sql(VIEW, epsilon=1)
    monkeypatch.setattr(DuckDB, "scan", lambda *_: pytest.fail("data was read"))
    with pytest.raises(DaleniusError):
        db.sql(query, epsilon=1)
    assert db.budget.epsilon == 10**7 - 1


def test_a_view_does_not_hide_what_is_wrong_with_other_questions(db):
    db.sql(VIEW, epsilon=1)
    with pytest.raises(UnknownName, match="'other'"):
        db.sql("SELECT COUNT(*) FROM other", epsilon=1)
    with pytest.raises(InvalidParameter, match="a price"):
        db.sql("SELECT COUNT(*) FROM shop")
    with pytest.raises(DaleniusError, match="does not parse"):
        db.sql("SELECT FROM WHERE", epsilon=1)
