import warnings

import pandas as pd
import pytest

from dalenius import dbapi
from dalenius.errors import BudgetExceeded, DaleniusError
from tests.dbapi.shop import QUERY, opened

ROWS = [("food", 3), ("books", 1), ("o'hara", 1)]


def test_rows_are_fetched_one_by_one_in_part_and_in_all(tmp_path):
    cursor = opened(tmp_path).cursor()
    assert cursor.execute(QUERY).fetchone() == ROWS[0]
    assert cursor.fetchmany() == ROWS[1:2]
    assert cursor.fetchmany(5) == ROWS[2:]
    assert (cursor.fetchall(), cursor.fetchone(), cursor.fetchmany(2)) == ([], None, [])
    assert cursor.rowcount == 3
    assert list(cursor.execute(QUERY)) == ROWS
    cursor.arraysize = 2
    assert cursor.execute(QUERY).fetchmany() == ROWS[:2]


def test_the_description_names_and_types_the_columns(tmp_path):
    cursor = opened(tmp_path).cursor()
    assert cursor.description is None
    assert cursor.rowcount == -1
    cursor.execute(QUERY)
    assert [(name, kind) for name, kind, *_ in cursor.description] == [("category", dbapi.STRING), ("n", dbapi.NUMBER)]
    assert {len(column) for column in cursor.description} == {7}


def test_an_answer_without_keys_is_one_row(tmp_path):
    cursor = opened(tmp_path).cursor()
    assert cursor.execute("SELECT COUNT(*) AS n FROM shop").fetchall() == [(5,)]
    both = cursor.execute("SELECT COUNT(*) AS n, COUNT(price) AS m FROM shop").fetchall()
    assert [tuple(map(round, row)) for row in both] == [(5, 5)]
    assert cursor.release.guarantee.epsilon(0) == 1000


def test_the_price_is_the_query_s_then_the_cursor_s_then_the_connection_s(tmp_path):
    connection = opened(tmp_path)
    cursor = connection.cursor()
    cursor.execute(QUERY)
    assert cursor.release.guarantee.epsilon(0) == 1000
    cursor.epsilon = 2000
    cursor.execute(QUERY)
    assert cursor.release.guarantee.epsilon(0) == 2000
    cursor.execute(f"SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 3000) {QUERY.removeprefix('SELECT')}")
    assert cursor.release.guarantee.epsilon(0) == 3000
    assert connection.session.budget.epsilon == 10**6 - 6000


def test_without_any_price_nothing_is_asked(tmp_path):
    connection = opened(tmp_path, epsilon=None)
    with pytest.raises(dbapi.ProgrammingError, match="epsilon"):
        connection.cursor().execute(QUERY)
    assert connection.session.budget.epsilon == 10**6


def test_parameters_are_values_and_never_a_part_of_the_query(tmp_path):
    cursor = opened(tmp_path).cursor()
    asked = "SELECT COUNT(*) AS n FROM shop WHERE category = ? AND price > ?"
    assert cursor.execute(asked, ("o'hara", 4.5)).fetchall() == [(1,)]
    assert cursor.execute(asked, ["x' OR '1' = '1", -5]).fetchall() == [(0,)]


@pytest.mark.parametrize(
    ("query", "kind"),
    [
        ("SELECT FROM", dbapi.ProgrammingError),
        ("SELECT COUNT(*) FROM other", dbapi.ProgrammingError),
        ("SELECT SUM(user_id) FROM shop", dbapi.ProgrammingError),
        ("DROP TABLE shop", dbapi.NotSupportedError),
        ("SELECT * FROM shop", dbapi.NotSupportedError),
    ],
)
def test_refusals_come_as_pep_249_names_them_and_cost_nothing(tmp_path, query, kind):
    connection = opened(tmp_path)
    cursor = connection.cursor()
    cursor.execute(QUERY)
    before = connection.session.budget.epsilon
    with pytest.raises(kind) as refusal:
        cursor.execute(query)
    assert isinstance(refusal.value.__cause__, DaleniusError)
    assert connection.session.budget.epsilon == before
    with pytest.raises(dbapi.InterfaceError, match="execute first"):  # and no rows of the last question are left
        cursor.fetchone()


def test_a_spent_budget_is_an_operational_error(tmp_path):
    cursor = opened(tmp_path, budget={"epsilon": 1}).cursor()
    with pytest.raises(dbapi.OperationalError) as refusal:
        cursor.execute(QUERY)
    assert isinstance(refusal.value.__cause__, BudgetExceeded)


def test_many_questions_in_one_call_are_refused(tmp_path):
    with pytest.raises(dbapi.NotSupportedError, match="on its own"):
        opened(tmp_path).cursor().executemany(QUERY, [()])


def test_a_closed_cursor_takes_no_more_calls(tmp_path):
    with opened(tmp_path).cursor() as cursor:
        cursor.execute(QUERY)
        cursor.setinputsizes([3])
        cursor.setoutputsize(3)
    for call in (lambda: cursor.execute(QUERY), cursor.fetchall):
        with pytest.raises(dbapi.InterfaceError, match="closed"):
            call()


def test_pandas_reads_an_answer(tmp_path):
    with warnings.catch_warnings():
        # pandas tests its own adapters for SQLAlchemy and sqlite only, and says so of every other connection
        warnings.filterwarnings("ignore", message="pandas only supports SQLAlchemy", category=UserWarning)
        frame = pd.read_sql(f"{QUERY} HAVING COUNT(*) > ?", opened(tmp_path), params=(2,))
        with pytest.raises((pd.errors.DatabaseError, dbapi.DatabaseError), match="no table 'other'"):
            pd.read_sql("SELECT COUNT(*) FROM other", opened(tmp_path))
    assert frame.to_dict("list") == {"category": ["food"], "n": [3]}


def test_a_synthetic_table_is_paid_and_asked_with_a_message_that_says_so(tmp_path):
    import pyarrow as pa

    table = pa.table({"who": list(range(300)), "sex": ["F", "M", "M"] * 100})
    terms = {"unit": "who", "contributions": 1, "keys": {"sex": ["F", "M"]}, "budget": {"epsilon": 3}}
    held = dbapi.connect(table, table="people", ledger=tmp_path / "d.ledger", epsilon=1, **terms)
    cursor = held.cursor().execute("CREATE SYNTHETIC TABLE s AS SELECT sex FROM people")
    assert cursor.description is None
    with pytest.raises(dbapi.InterfaceError):
        cursor.fetchall()
    cursor.execute("SELECT sex, COUNT(*) AS n FROM s GROUP BY sex ORDER BY sex")
    assert [column[0] for column in cursor.description] == ["sex", "n", "n_lower", "n_upper"]
    assert cursor.rowcount == len(cursor.fetchall())
    assert any("synthetic" in text for _, text in cursor.messages)
    assert held.session.budget.epsilon == 2
    cursor.execute("SELECT COUNT(*) AS n FROM people")
    assert cursor.messages == []
