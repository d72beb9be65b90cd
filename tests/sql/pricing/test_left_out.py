import numpy as np
import pandas as pd
import pytest

import dalenius
from dalenius.sql import Policy
from dalenius.sql.pricing.left_out import left_out, null_groups

COLUMNS = {"who": "BIGINT", "cost": "DOUBLE", "town": "VARCHAR"}


def told(text, **terms):
    policy = Policy.declare("t", COLUMNS, **{"unit": "who", "contributions": 20, "bounds": {"cost": (0, 9)}, **terms})
    return left_out(text, policy, policy.contributions, grows=True)


def test_rows_and_values_that_are_cut_off_are_named():
    assert told("SELECT COUNT(*) FROM t") == "± is noise only; not in it: rows beyond 20 of a who"
    assert "outside of the bounds of cost" in told("SELECT town, AVG(cost) FROM t GROUP BY town")
    assert told("SELECT SUM(CASE WHEN cost > 3 THEN 1 END) FROM t") is not None


def test_rows_that_are_in_no_group_are_named():
    keys = {"keys": {"town": ["a", "b"]}}
    said = told("SELECT town, COUNT(*) FROM t GROUP BY 1", **keys)
    assert said == "± is noise only; not in it: rows beyond 20 of a who, and rows whose town is NULL or not declared"
    for query in (
        "SELECT town, COUNT(*) FROM t WHERE town IS NOT NULL GROUP BY town",
        "SELECT COALESCE(town, 'none') AS town, COUNT(*) FROM t GROUP BY COALESCE(town, 'none')",
        "SELECT COUNT(*) FROM t",
    ):
        assert told(query, **keys) == "± is noise only; not in it: rows beyond 20 of a who"


def test_rows_whose_null_is_a_group_are_not_said_to_be_in_none():
    keys, query = {"keys": {"town": ["a", "b", None]}}, "SELECT town, COUNT(*) FROM t GROUP BY 1"
    assert told(query, **keys).endswith("and rows whose town is not declared")
    with_null = Policy.declare("t", COLUMNS, unit="who", **keys)
    without = Policy.declare("t", COLUMNS, unit="who", keys={"town": ["a", "b"]})
    assert null_groups(query, with_null) == ["NULL         rows whose town is NULL have a group of their own"]
    assert 'null_keys = ["town"]' in null_groups(query, without)[-1]
    assert null_groups("SELECT COUNT(*) FROM t", without) == []


@pytest.mark.parametrize(
    ("term", "where", "is_said"),
    [
        ("town", "", True),
        ("UPPER(town)", "", True),
        ("cost * 2", "WHERE town IS NOT NULL", True),
        ("CASE WHEN cost > 3 THEN town ELSE 'z' END", "", True),
        ("town", "WHERE town IS NOT NULL", False),
        ("town", "WHERE town LIKE 'a%'", False),
        ("COALESCE(town, 'none')", "", False),
        ("CASE WHEN town IS NULL THEN 'none' ELSE town END", "", False),
    ],
)
def test_rows_without_a_key_that_is_found_are_named_where_there_can_be_some(tmp_path, term, where, is_said):
    """Whether a row is NULL does not decide it: one table has such rows, the other has none."""
    said = []
    for towns in (["a", "b"], [None, "b"]):
        rows = pd.DataFrame({"who": range(400), "cost": [1.0, 5.0] * 200, "town": towns * 200})
        place = tmp_path / f"{len(said)}.ledger"
        db = dalenius.connect(rows, ledger=place, table="t", unit="who", budget={"epsilon": 9, "delta": "1e-3"})
        query = f"SELECT {term} AS k, COUNT(DISTINCT who) AS n FROM t {where} GROUP BY {term}"
        asked = {"epsilon": 4, "delta": "1e-4", "groups": 1}
        told = str(db.explain(query, **asked)), repr(db.sql(query, **asked))
        said.append(["is NULL" in text and "in no group" in text for text in told])
    assert said == [[is_said, is_said]] * 2


def test_what_gives_rows_without_a_key_a_group_does(tmp_path):
    rows = pd.DataFrame({"who": range(400), "town": ["a", None] * 200})
    terms = {"ledger": tmp_path / "l", "table": "t", "unit": "who", "budget": {"epsilon": 99, "delta": "1e-3"}}
    db = dalenius.connect(rows, **terms)
    asked = {"epsilon": 40, "delta": "1e-4", "groups": 1}
    query = "SELECT {0} AS k, COUNT(DISTINCT who) AS n FROM t GROUP BY {0}"
    assert "GROUP BY COALESCE(town, 'none')" in repr(db.sql(query.format("town"), **asked))
    assert db.sql(query.format("COALESCE(town, 'none')"), **asked).to_arrow().column("k").to_pylist() == ["a", "none"]


def test_keys_of_a_table_beside_the_first_are_told_as_its_own(tmp_path):
    visits, people = pd.DataFrame({"who": [1, 1, 2]}), pd.DataFrame({"who": [1, 2], "sex": ["f", None]})
    db = dalenius.connect(
        {"visits": visits, "people": people},
        unit="who",
        contributions=2,
        keys={"people.sex": ["f", "m"]},
        budget={"epsilon": 9},
        ledger=tmp_path / "l",
    )
    query = "SELECT sex, COUNT(*) AS n FROM people GROUP BY sex"
    assert 'null_keys = ["sex"]' in str(db.explain(query, epsilon=1))
    assert "rows whose sex is NULL or not declared" in str(db.sql(query, epsilon=1))
    joined = "SELECT sex, COUNT(*) AS n FROM visits LEFT JOIN people USING (who) GROUP BY sex"
    assert "sex is NULL have a group of their own" in str(db.explain(joined, epsilon=1))
    assert "rows whose sex is not declared" in str(db.sql(joined, epsilon=1))


def test_what_a_person_adds_up_to_is_named_where_rows_that_count_bound_it():
    inner = "SELECT who, COUNT(*) AS n, SUM(cost) AS s FROM t GROUP BY who"
    assert "what n of a who has beyond 20 rows" in told(f"SELECT AVG(n) FROM ({inner}) AS q")
    assert "what n, s of a who has beyond 20 rows" in told(f"SELECT n, SUM(s) FROM ({inner}) AS q GROUP BY n")
    assert "what" not in told(f"SELECT AVG(CLAMP(n, 0, 3)) FROM ({inner}) AS q")


def test_nothing_is_said_where_nothing_is_cut_off():
    assert told("SELECT COUNT(*) FROM t", unit="row", contributions=None) is None
    assert told("SELECT COUNT(*) FROM t", rows_per_unit="one", contributions=None) is None
    policy = Policy.declare("t", COLUMNS, unit="who", contributions=20)
    assert left_out("SELECT COUNT(DISTINCT who) FROM t", policy, 20, grows=False) is None


@pytest.mark.parametrize("rows", [10, 100_000])
def test_on_a_skewed_table_no_interval_of_the_whole_answer_is_printed(tmp_path, rows):
    """One person owns nearly all rows: the words are the same whatever they own, and the ± is called noise."""
    frame = pd.DataFrame({"who": np.r_[np.zeros(rows, int), np.arange(1, 100)], "town": "a", "cost": 1.0})
    frame["town"] = frame["town"].astype("string")
    db = dalenius.connect(
        frame,
        table="t",
        unit="who",
        contributions=20,
        bounds={"cost": (0, 9)},
        budget={"epsilon": 10},
        ledger=tmp_path / "l",
    )
    answer = db.sql("SELECT COUNT(*) AS n, SUM(cost) AS s FROM t", epsilon=5)
    said = "± is noise only; not in it: rows beyond 20 of a who, and values outside of the bounds of cost"
    assert said in str(answer)
    assert said in answer._repr_html_()
    assert said in str(db.explain("SELECT COUNT(*) AS n, SUM(cost) AS s FROM t", epsilon=5))
    parts = answer.error["n"]
    assert parts.left_out == said
    assert abs(answer["n"] - 119) <= 40
    assert parts.noise[0] < 40
    assert parts.cut_off == (None,)


def test_the_same_text_under_other_terms_is_told_by_those():
    grouped = "SELECT town, COUNT(*) FROM t GROUP BY town"
    assert "whose town" in told(grouped, keys={"town": ["a"]})
    assert "whose town" not in told(grouped)
    inner = "SELECT AVG(n) FROM (SELECT who, COUNT(*) AS n FROM t GROUP BY who) AS q"
    assert "beyond 20 rows" in told(inner)
    assert "beyond 7 rows" in told(inner, contributions=7)
