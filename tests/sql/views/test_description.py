import pyarrow as pa
import pytest

import dalenius
from dalenius.errors import UnknownName, UnprovenClaim
from dalenius.sql import Policy, describe

TABLE = pa.table({"who": [1, 2], "town": ["a", "b"], "x": [0.5, 1.5]})
TERMS = {"unit": "who", "keys": {"town": [*"abcdefghij"]}, "bounds": {"x": (0, 2)}, "contributions": 1}


@pytest.fixture
def db(tmp_path):
    return dalenius.connect(TABLE, table="t", budget={"epsilon": 1}, ledger=tmp_path / "l", **TERMS)


def test_tables_and_columns_are_described_in_sql_for_nothing(db):
    assert db.sql("SHOW TABLES").rows == [("t", "each who", "who, town, x")]
    told = db.sql("describe t;")
    assert told.columns == ("column", "type", "bounds", "keys", "about")
    assert told.rows[0] == ("who", "BIGINT", "", "", "who is protected")
    assert told.rows[1][3] == "a, b, c, d, e, f, g, h and 2 more"
    assert told.rows[2][2] == "0 to 2"
    assert db.sql('DESCRIBE "t"').rows == db.describe("t").rows == told.rows
    assert len(db.ledger.entries("t")) == 0
    assert told.to_pandas().shape == told.to_polars().shape == told.to_arrow().shape == (3, 5)
    assert "town" in str(told)
    assert (told.accuracy(0.05), told.bias) == (0, None)
    with pytest.raises(UnprovenClaim):
        told.interval(0.95)


def test_a_table_that_is_not_there_is_named(db):
    with pytest.raises(UnknownName, match="'s'"):
        db.sql("DESCRIBE s")


def test_a_policy_is_described_without_its_tables(tmp_path):
    (tmp_path / "p.toml").write_text(
        'table = "t"\nunit = "who"\nsource = "absent.parquet"\n[columns]\nwho = "BIGINT"\n"more.id" = "BIGINT"\n'
        '"more.k" = "VARCHAR"\n[keys]\n"more.k" = ["a"]\n[tables]\nmore = "absent.csv"\n[units]\nmore = "id"\n',
        encoding="utf-8",
    )
    tables, first, more = describe(tmp_path / "p.toml")
    assert tables.rows == [("t", "each who", "who"), ("more", "each id", "id, k")]
    assert more.rows[1] == ("k", "VARCHAR", "", "a", "")
    assert describe(tmp_path / "p.toml", "more")[0].rows == more.rows
    assert describe(Policy.load(tmp_path / "p.toml"))[1].rows == first.rows


def test_keys_that_could_be_overlooked_are_told():
    """An empty text, the letters NULL, and both values of a boolean beside its NULL."""
    policy = Policy.declare(
        "t",
        {"who": "BIGINT", "town": "VARCHAR", "owns": "BOOLEAN"},
        unit="who",
        keys={"town": ["", "NULL"]},
        null_keys=["owns", "town"],
    )
    assert [row[3] for row in describe(policy)[-1].rows[-2:]] == ["'', 'NULL', NULL", "False, True, NULL"]
