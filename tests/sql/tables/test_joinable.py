import math

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dalenius.errors import InvalidParameter, UnknownName
from dalenius.queries import Keys
from dalenius.sql import Policy
from dalenius.sql.tables.joinable import Declared, JoinableTables, read_public
from dalenius.sql.tables.table import QueryTable

ROWS = pa.table({"id": [1, 2, 2, None], "city": ["b", "a", None, "b"], "size": [0.5, math.inf, math.nan, -3.0]})


def test_what_is_known_of_a_public_table_comes_from_its_rows():
    other, source = read_public("shops", ROWS)
    assert other.columns == {"id": "BIGINT", "city": "VARCHAR", "size": "DOUBLE"}
    assert other.keys == {"id": Keys("id", [1, 2]), "city": Keys("city", ["a", "b"])}
    assert other.bounds == {"id": (1.0, 2.0), "size": (-3.0, 0.5)}
    assert other.unique == {"size"}
    assert other.unit is None
    assert source.tables["frame"].select(["id", "city"]).equals(ROWS.select(["id", "city"]))


def test_a_column_of_numbers_that_no_key_may_be_has_no_keys():
    """Ids of 2^53 and more: joined on, and not grouped by."""
    other, _ = read_public("shops", pa.table({"id": [2**53, 1], "near": [2**53 - 1, 1], "far": [-(2**60), 2**62]}))
    assert list(other.keys) == ["near"]
    assert other.unique == {"id", "near", "far"}


def test_tables_with_their_columns_swapped_have_places_of_their_own():
    """Under one place the second would stand in for the first, whose unique column bounds a join."""
    first, second = pa.table({"id": [1, 2], "x": [1, 1]}), pa.table({"x": [1, 2], "id": [1, 1]})
    places = [read_public(name, table)[0].place for name, table in (("a", first), ("b", second))]
    assert places[0] != places[1]


def test_a_public_table_is_named_by_what_it_holds(tmp_path):
    place = read_public("shops", ROWS)[0].place
    assert read_public("other", ROWS)[0].place == place
    assert read_public("shops", ROWS.slice(1))[0].place != place
    assert read_public("shops", ROWS.rename_columns(["id", "town", "size"]))[0].place != place
    pq.write_table(ROWS, tmp_path / "shops.parquet")
    assert read_public("shops", tmp_path / "shops.parquet")[0].columns == read_public("shops", ROWS)[0].columns
    (tmp_path / "shops.csv").write_text("id,city\n1,a\n2,b\n", encoding="utf-8")
    assert read_public("shops", tmp_path / "shops.csv")[0].unique == {"id", "city"}


def test_a_public_table_that_cannot_be_read_is_refused(tmp_path):
    (tmp_path / "broken.parquet").write_bytes(b"no table")
    (tmp_path / "shops.duckdb").write_bytes(b"")
    for data in (tmp_path / "broken.parquet", tmp_path / "none.csv", tmp_path / "shops.duckdb", 3):
        with pytest.raises(InvalidParameter):
            read_public("shops", data)


def test_terms_of_other_tables_are_written_with_their_name():
    said = Declared({"city": ["a"], "People.job": ["x"]}, {"people.age": (0, 9)}, {"x": 1})
    assert said.of("people") == Declared({"job": ["x"]}, {"age": (0, 9)}, {})
    assert said.without(["people"]) == Declared({"city": ["a"]}, {}, {"x": 1})
    assert said.without([]) == said


PEOPLE = {"table people": {"who": "BIGINT", "age": "INTEGER"}}


def main(unit="who"):
    return Policy.declare("t", {"who": "BIGINT"}, unit=unit, contributions=None if unit == "row" else 2)


def test_a_private_table_has_the_unit_and_the_owner_s_terms():
    given = JoinableTables.given({"people": pa.table({"who": [1], "age": [3]})}, None)
    assert list(given.sources) == ["table people"]
    found = given.others(PEOPLE, main(), Declared({}, {"people.age": (0, 120)}, {"people.age": 40}))
    assert found == {
        "people": QueryTable(
            *("people", "table people", PEOPLE["table people"], "who", {}, {"age": (0, 120)}, {"age": 40}), owned=True
        )
    }


def test_bad_tables_are_refused_by_name(tmp_path):
    frame = pa.table({"who": [1]})
    given = JoinableTables.given({"people": frame}, None)
    with pytest.raises(InvalidParameter, match="name the column of people"):
        given.others(PEOPLE, main("row"))
    with pytest.raises(UnknownName, match="who"):
        given.others({"table people": {"age": "INTEGER"}}, main())
    with pytest.raises(UnknownName, match="height"):
        given.others(PEOPLE, main(), Declared({}, {"people.height": (0, 3)}, {}))
    (tmp_path / "people.db").touch()
    with pytest.raises(InvalidParameter, match="not a database"):
        JoinableTables.given({"people": tmp_path / "people.db"}, None)
    with pytest.raises(InvalidParameter, match="'strangers'"):
        given.others(PEOPLE, main(), units={"strangers": "who"})
    with pytest.raises(InvalidParameter, match="one type"):
        given.others({"table people": {"who": "VARCHAR"}}, main())
    with pytest.raises(InvalidParameter, match="names that differ"):
        JoinableTables.given({"T": frame}, None).others({"table T": {"who": "BIGINT"}}, main())
    for bad in (3, [frame], {3: frame}, {"": frame}):
        with pytest.raises(InvalidParameter, match="must be like"):
            JoinableTables.given(None, bad)
