import pyarrow as pa
import pytest

from dalenius.sql import Policy, guess_types
from dalenius.sql.engine import DuckDB
from dalenius.sql.policy.survey import survey

TABLE = pa.table(
    {
        "user_id": [1, 2, 2, None],
        "category": ["b", "a", None, 'odd "one"\n'],
        "amount": [1.5, float("nan"), float("inf"), 187.2],
        "gift": [True, False, None, True],
        "many": [f"text {i}" for i in range(4)],
    }
)


@pytest.fixture
def engine():
    return DuckDB(TABLE, table="purchases")


def test_a_survey_is_a_policy(engine, tmp_path):
    path = tmp_path / "policy.toml"
    path.write_text(survey(engine, "purchases.parquet"), encoding="utf-8")
    policy = Policy.load(path)
    assert (policy.table, policy.unit.column, policy.source) == ("purchases", "user_id", "purchases.parquet")
    assert policy.bounds["amount"] == (1, 200)
    assert policy.keys["category"].values == ("a", "b", 'odd "one"\n')
    assert policy.budget == {"epsilon": 1, "delta": 0}


def test_a_table_without_people_has_rows_for_units():
    assert 'unit = "row"' in survey(DuckDB(pa.table({"x": [1.0]}), table="t"))


def test_every_term_that_tells_of_rows_is_said_to(engine):
    assert "private until you decide" in survey(engine)


def test_types_of_a_csv_are_guessed_from_all_rows_and_those_of_other_files_are_not(tmp_path):
    lines = ["id,amount,day,odd", *["1,2.5,2024-01-31,3"] * 5000, "2,3,2024-02-01,three"]
    (tmp_path / "t.csv").write_text("\n".join(lines), encoding="utf-8")
    assert guess_types(str(tmp_path / "t.csv")) == {"id": "BIGINT", "amount": "DOUBLE", "day": "DATE", "odd": "VARCHAR"}
    assert guess_types("t.parquet") is None
