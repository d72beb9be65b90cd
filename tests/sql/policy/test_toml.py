import tomllib
from fractions import Fraction

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import dalenius
from dalenius.errors import InvalidParameter
from dalenius.sql import Policy
from dalenius.sql.policy.toml import read, write


def test_a_policy_comes_back_from_its_file(tmp_path):
    policy = Policy.declare(
        "t",
        {"who": "BIGINT", 'odd "name"': "VARCHAR", "x": "DOUBLE", "d": "DATE"},
        unit="who",
        keys={'odd "name"': ["a", "\u00e9\n\\", ""]},
        bounds={"x": (-1.5, 3), "d": ("2023-01-01", "2024-01-01")},
        contributions=3,
        fill={"x": 0},
        infinity="null",
        source="t.parquet",
        budget={"epsilon": 0.5},
        version="1",
    )
    policy.save(tmp_path / "policy.toml")
    assert Policy.load(tmp_path / "policy.toml") == policy


def test_a_policy_tells_of_all_tables(tmp_path):
    """What connect takes by tables=, references=, attributes= and public= stands in the file as well."""
    orders = pa.table({"who": [1, 1, 2], "id": [1, 2, 3], "sex": ["f", "f", "m"]})
    items = pa.table({"order_id": [1, 2, 2, 3], "qty": [1, 2, 3, 4], "shop": ["a", "b", "a", "a"]})
    shops = pa.table({"shop": ["a", "b"], "city": ["Lund", "Umeå"]})
    (tmp_path / "data").mkdir()
    for name, table in {"orders": orders, "items": items, "shops": shops}.items():
        pq.write_table(table, tmp_path / "data" / f"{name}.parquet")
    (tmp_path / "policy.toml").write_text(
        """
        table = "orders"
        source = "data/orders.parquet"
        unit = "who"
        contributions = 5
        attributes = ["sex"]
        [budget]
        epsilon = 1000000
        [columns]
        who = "BIGINT"
        id = "BIGINT"
        sex = "VARCHAR"
        [keys]
        sex = ["f", "m"]
        [bounds]
        "items.qty" = [0, 10]
        [tables]
        items = "data/items.parquet"
        [references]
        "items.order_id" = "orders.id"
        [public]
        shops = "data/shops.parquet"
        """,
        encoding="utf-8",
    )
    policy = Policy.load(tmp_path / "policy.toml")
    assert policy.attributes == ("sex",)
    policy.save(tmp_path / "again.toml")
    assert Policy.load(tmp_path / "again.toml") == policy
    db = dalenius.connect(policy=tmp_path / "again.toml", ledger=tmp_path / "l")
    query = "SELECT city, SUM(qty) AS s FROM items JOIN shops USING (shop) GROUP BY city ORDER BY city"
    assert [round(row[1]) for row in db.sql(query, epsilon=10_000).rows] == [8, 2]
    query = "SELECT sex, COUNT(DISTINCT who) AS n FROM orders GROUP BY sex"
    assert [line.sensitivity for line in db.explain(query, epsilon=1).lines] == [1]
    with pytest.raises(InvalidParameter, match="only the owner"):
        dalenius.connect(policy=tmp_path / "again.toml", ledger=tmp_path / "l", public={"shops": shops})
    for name in ("references", "attributes"):
        with pytest.raises(InvalidParameter, match=name):
            dalenius.connect(policy=tmp_path / "again.toml", ledger=tmp_path / "l", **{name: {"a.b": "c.d"}})


@pytest.mark.parametrize("section", ["tables", "public", "references"])
def test_a_section_that_holds_no_texts_is_refused(tmp_path, section):
    text = f'table = "t"\nunit = "row"\n[columns]\nx = "DOUBLE"\n[{section}]\nitems = 3\n'
    (tmp_path / "policy.toml").write_text(text, encoding="utf-8")
    with pytest.raises(InvalidParameter, match=section):
        Policy.load(tmp_path / "policy.toml")


def test_values_of_every_type_are_toml():
    text = write({"a": True, "b": 0.1, "c": Fraction(1, 3), "d": None, "e": {"x y": [1, "z"]}}, {"a": "why"})
    assert tomllib.loads(text) == {"a": True, "b": 0.1, "c": "1/3", "e": {"x y": [1, "z"]}}
    assert text.startswith("# why\n")


@pytest.mark.parametrize("text", ["x = ", "table = 't'", "table = 't'\nunit = 'row'\ncolumns = {}\nbudgets = 3"])
def test_what_is_no_policy_is_refused(tmp_path, text):
    (tmp_path / "policy.toml").write_text(text)
    with pytest.raises(InvalidParameter):
        read(tmp_path / "policy.toml")
    with pytest.raises(InvalidParameter, match="no policy"):
        read(tmp_path / "absent.toml")
