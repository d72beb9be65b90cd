import tomllib
import warnings
from random import Random

import pandas as pd
import pytest

import dalenius
from dalenius.errors import DaleniusError, InvalidParameter
from dalenius.sql import Policy, confirm, policy_text, survey, survey_text, table_places
from tests.sql.surveys.folders import FOLDERS
from tests.sql.surveys.made_folders import MADE_FOLDERS


@pytest.fixture(params=FOLDERS, ids=lambda one: one.name)
def case(request, tmp_path):
    folder = tmp_path / "data"
    folder.mkdir()
    request.param.write(folder, Random(7))
    return request.param, folder, tmp_path


def test_the_person_is_found_or_asked_for_and_what_is_found_is_answered(case):
    """The files written are a policy that connects and answers, and it never protects the number of a row."""
    wanted, folder, home = case
    seen = survey(table_places([str(folder)]))
    assert seen.decision.asks == wanted.asks, seen.decision
    (home / "policy.toml").write_text(policy_text(seen), encoding="utf-8")
    if wanted.asks:
        with pytest.raises(InvalidParameter, match="does not say who is protected"):
            Policy.load(home / "policy.toml")
        return
    policy = Policy.load(home / "policy.toml")
    assert policy.unit.name in wanted.right
    assert policy.rows_per_unit == ("many" if wanted.many else "one")
    assert policy.contributions == (None if wanted.many or policy.unit.column is None else 1)
    assert confirm(home / "policy.toml") == ()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        db = dalenius.connect(policy=home / "policy.toml", ledger=home / "l")
    rows = db.sql(f'SELECT COUNT(*) AS n FROM "{policy.table}"', epsilon=0.9, profile=True).value
    assert abs(rows) < 10_000


def test_every_table_of_orders_belongs_to_customers(tmp_path):
    next(one for one in FOLDERS if one.name.startswith("orders")).write(tmp_path, Random(7))
    seen = survey(table_places([str(tmp_path)]))
    (tmp_path / "p.toml").write_text(policy_text(seen), encoding="utf-8")
    confirm(tmp_path / "p.toml")
    text = (tmp_path / "p.toml").read_text(encoding="utf-8").replace("epsilon = 1\n", "epsilon = 1000000\n")
    text = text.replace('infinity = "clamp"\n', 'infinity = "clamp"\ncontributions = 100\n')
    (tmp_path / "p.toml").write_text(text, encoding="utf-8")
    policy = Policy.load(tmp_path / "p.toml")
    assert policy.beside.units == {"customers": "id"}
    assert (policy.rows_per_unit, policy.beside.rows_per_unit) == ("many", {"customers": "one"})
    assert policy.beside.references == {"items.order_id": "orders.id"}
    assert "customers.city" in policy.beside.declared.attributes
    db = dalenius.connect(policy=tmp_path / "p.toml", ledger=tmp_path / "l")
    items, orders, customers = (
        pd.read_csv(tmp_path / "items.csv"),
        pd.read_parquet(tmp_path / "orders.parquet"),
        pd.read_parquet(tmp_path / "customers.parquet"),
    )
    joined = orders.merge(customers, left_on="customer_id", right_on="id")
    city = "SELECT city, COUNT(*) AS n FROM orders JOIN customers ON orders.customer_id = customers.id GROUP BY city"
    found = {row[0]: round(row[1]) for row in db.sql(city, epsilon=100_000).rows}
    assert found == dict(joined.groupby("city").size())
    assert round(db.sql("SELECT SUM(quantity) FROM items", epsilon=100_000).value) == items.quantity.sum()
    assert round(db.sql("SELECT COUNT(*) FROM customers", epsilon=100_000).value) == len(customers)


def test_an_owner_says_who_is_protected(tmp_path):
    next(one for one in FOLDERS if one.name == "codes").write(tmp_path, Random(7))
    places = table_places([str(tmp_path)])
    seen = survey(places, unit="code")
    assert (seen.relations.unit, seen.relations.rows_per_unit) == ("code", "many")
    assert survey(places, unit="data.code").relations.unit == "code"
    assert 'unit = "row"' in policy_text(survey(places, unit="row"))
    with pytest.raises(InvalidParameter, match="'nobody'"):
        survey(places, unit="nobody")


def test_one_outlier_does_not_widen_bounds_and_no_key_is_left_out_silently(tmp_path):
    rows = 1000
    frame = pd.DataFrame(
        {
            "user_id": [place % 100 for place in range(rows)],
            "cost": [float(place % 500) for place in range(rows - 1)] + [4_326_657.39],
            "code": [f"c{place % 200:03d}" for place in range(rows)],
            "town": [f"t{place}" for place in range(rows)],
            "far": [f"{2020 + place % 4}-05-01" for place in range(rows - 1)] + ["9999-12-31"],
        }
    )
    frame.to_csv(tmp_path / "t.csv", index=False)
    seen = survey({"t": tmp_path / "t.csv"})
    (tmp_path / "p.toml").write_text(policy_text(seen), encoding="utf-8")
    policy = Policy.load(tmp_path / "p.toml")
    assert policy.bounds["cost"] == (0, 500)
    assert policy.bounds["far"] == ("2020-05-01", "2023-05-31")
    assert len(policy.keys["code"]) == 200
    assert "user_id" not in policy.bounds
    assert "user_id" not in policy.keys
    assert "no keys proposed" in survey_text(seen)
    assert {"unit", "columns", "bounds.cost", "keys.code"} <= set(policy.proposed)


def test_dirt_is_told_to_the_owner_and_not_in_the_policy(tmp_path):
    lines = ["id,cost,zip,odd"] + [f"{p},{p}.5,0{p % 10},x" for p in range(200)] + ["7,n/a,01,n/a", '8,"1.234,50",01,y']
    (tmp_path / "people.csv").write_text("\n".join(lines), encoding="utf-8")
    seen = survey({"people": tmp_path / "people.csv"}, unit="id")
    text = survey_text(seen)
    assert "1 value is not of the type DOUBLE and is read" in text
    assert "decimal comma" in text
    assert seen.tables[0].columns == {"id": "BIGINT", "cost": "DOUBLE", "zip": "VARCHAR", "odd": "VARCHAR"}
    assert seen.tables[0].written.nulls == ("n/a",)
    assert "not of the type" not in policy_text(seen)
    assert "of rows are NULL" not in policy_text(seen)


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"user_id": pd.Series([], dtype="int64"), "x": pd.Series([], dtype="float64")}),
        pd.DataFrame({"user_id": [1], "x": [0.5]}),
        pd.DataFrame({"user_id": pd.Series([None, None], dtype="float64"), "x": [1.0, 2.0]}),
        pd.DataFrame({'us"er\t<b>id': [1, 1], "x\n'": [0.5, 0.5], "=1+1": ["a", "b"]}),
    ],
    ids=["no rows", "one row", "nobody", "hostile names"],
)
def test_odd_tables_are_surveyed_or_refused_by_name(tmp_path, frame):
    frame.to_parquet(tmp_path / "t.parquet")
    try:
        seen = survey({"t": tmp_path / "t.parquet"})
    except DaleniusError:
        return
    (tmp_path / "p.toml").write_text(policy_text(seen), encoding="utf-8")
    if not seen.decision.asks:
        Policy.load(tmp_path / "p.toml")


def test_a_table_of_many_columns_is_surveyed(tmp_path):
    pd.DataFrame({f"column_{place}": [1, 2] for place in range(300)}).to_parquet(tmp_path / "t.parquet")
    seen = survey({"t": tmp_path / "t.parquet"}, unit="row")
    assert len(seen.tables[0].columns) == 300


@pytest.mark.parametrize("name", MADE_FOLDERS)
def test_the_person_of_a_made_folder_is_found_or_asked_for(tmp_path, name):
    wanted = MADE_FOLDERS[name]
    wanted.write(tmp_path)
    seen = survey(table_places([str(tmp_path)]))
    if wanted.right is None:
        assert seen.decision.asks, seen.decision
        return
    assert (seen.relations.unit, seen.relations.rows_per_unit) == (wanted.right, "many" if wanted.many else "one")
    assert seen.relations.unprotected == wanted.unprotected
    assert all("public" in why for why in seen.relations.left_out.values())
    proposed = {one for one in seen_terms(policy_text(seen)) if one.startswith("keys.")}
    assert not proposed & {f"keys.{column.partition('.')[2]}" for column in wanted.unprotected}


def seen_terms(text):
    """The names of the proposed terms."""
    return tomllib.loads(text)["proposed"]
