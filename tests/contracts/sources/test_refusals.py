"""Every refusal and every repr over two databases that differ in one row is the same, letter by letter."""

import re
from decimal import Decimal
from pathlib import Path

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import dalenius
from dalenius.errors import DaleniusError
from tests.docs.test_sql_page import REFUSED as LISTED

FIXTURES = Path(__file__).parents[2] / "fixtures" / "sql"
CASE = re.compile(r"^-- .+\n(?:-- unit: \w+\n)?(?:-- groups: \d+\n)?((?:(?!--).*\n)+)--> (\w+): ", re.MULTILINE)
REFUSED = sorted(
    {
        " ".join(query.split())
        for file in FIXTURES.glob("*.sql")
        for query, name in CASE.findall(file.read_text(encoding="utf-8"))
        if hasattr(dalenius.errors, name)
    }
    | {query for query, _ in LISTED}
)
SECRETS = ["anna's rare disease", "12345", "7,3", "8,3"]
_ODD = ("ill", "price", "many", "made", "gone")
_USES = ["COUNT({0})", "SUM({0})", "AVG({0})", "MIN({0})", "MEDIAN({0})", "COUNT(DISTINCT {0})", "MODE({0})"]
_USES += ["COUNT(CAST({0} AS DOUBLE))", "COUNT(UPPER({0}))", "COUNT(YEAR({0}))", "COUNT({0} + 1)", "COUNT({0}[1])"]
OWN = [f"SELECT {use.format(column)} AS n FROM purchases" for column in _ODD for use in _USES]
OWN += [
    f"SELECT COUNT(*) FROM purchases WHERE {column} = {value}" for column in _ODD for value in ("'flu'", "1", "TRUE")
]
OWN += [f"SELECT {column}, COUNT(*) FROM purchases GROUP BY {column}" for column in _ODD]
OWN += [f"SELECT COUNT(*) FROM purchases JOIN pub ON purchases.{column} = pub.k" for column in _ODD]
USUAL = 'user_id BIGINT, category VARCHAR, "odd ""name""" INTEGER, gift BOOLEAN, day DATE, "at" TIMESTAMP, note VARCHAR'


def database(folder, name, ills, digits):
    """A file whose types were made from its rows, as manuals suggest: values of an ENUM, digits of a DECIMAL."""
    place = folder / f"{name}.duckdb"
    with duckdb.connect(str(place)) as connection:
        listed = ", ".join("'" + ill.replace("'", "''") + "'" for ill in ills)
        connection.execute(f"CREATE TYPE ill AS ENUM ({listed})")
        connection.execute(
            f"CREATE TABLE purchases ({USUAL}, weight DOUBLE, ill ill, price DECIMAL({digits}), many ill[], "
            f"made STRUCT(a ill, b DECIMAL({digits})), gone MAP(ill, INTEGER))"
        )
        for number, ill in enumerate(ills):
            values = (number, "food", ill, [ill])
            connection.execute("INSERT INTO purchases (user_id, category, ill, many) VALUES (?, ?, ?, ?)", values)
    return place


def arrow(_folder, _name, ills, digits):
    precision, scale = map(int, digits.split(","))
    size = len(ills)
    return pa.table(
        {
            **{"user_id": range(size), "category": ["food"] * size, "note": ["x"] * size, "weight": [0.5] * size},
            "ill": pa.array(ills).dictionary_encode(),
            "price": pa.array([Decimal(1)] * size, pa.decimal128(precision, scale)),
            "many": pa.array([[ill] for ill in ills], pa.list_(pa.string(), 1)),
            "made": pa.array([{"a": Decimal(1)}] * size, pa.struct([("a", pa.decimal128(precision, scale))])),
            "gone": pa.array([b"x"] * size, pa.binary(1)),
        }
    )


def objects(folder, name, ills, digits):
    columns = arrow(folder, name, ills, digits).to_pydict()
    return pd.DataFrame({column: pd.Series(values, dtype=object) for column, values in columns.items()})


def polars(folder, name, ills, digits):
    held = pl.DataFrame(pl.from_arrow(arrow(folder, name, ills, digits).drop_columns(["gone"])))
    return held.with_columns(pl.col("ill").cast(pl.Enum(ills)), gone=pl.lit(0).cast(pl.Duration("us")))


def said(session, query):
    """All that asking says before anything is paid: a refusal's name and words, its causes, or the plan."""
    try:
        return repr(session.explain(query, epsilon=1)), str(session.explain(query, epsilon=1))
    except DaleniusError as refused:
        return *words(refused), *asked_for_good(session, query)


def words(refused):
    return type(refused), str(refused), repr(refused), repr(refused.__cause__), repr(refused.__context__)


def asked_for_good(session, query):
    """What asking says where explaining refused, and that nothing was paid for it."""
    try:
        session.sql(query, epsilon=1)
    except DaleniusError as refused:
        return *words(refused), str(session.budget)
    return ("answered",)


def everything_said(folder, name, make, ills, digits, queries):
    terms = {"table": "purchases", "unit": "user_id", "contributions": 2, "budget": {"epsilon": 9, "delta": 1e-4}}
    public = {"pub": pa.table({"k": ["a"]})}
    try:
        session = dalenius.connect(
            make(folder, name, ills, digits), **terms, ledger=folder / f"{name}.ledger", public=public
        )
    except DaleniusError as refused:
        return [("connect", str(refused), repr(refused))]
    engine = session._engine
    shown = [repr(one) for one in (session, session.policy, session.policy.columns, engine.columns)]
    shown += [re.sub(r"[ab]\.duckdb|0x\w+", "…", repr(one)) for one in (engine.source, engine)]
    return [*shown, session.policy.columns, *((query, said(session, query)) for query in queries)]


MAKERS = (database, arrow, objects, polars)


@pytest.mark.parametrize("make", MAKERS, ids=[make.__name__ for make in MAKERS])
def test_what_is_said_does_not_depend_on_a_row(make, tmp_path):
    queries = [*OWN, *(REFUSED if make is database else REFUSED[::8])]
    assert len(REFUSED) > 80
    less = everything_said(tmp_path, "a", make, ["cold", "flu"], "2,1", queries)
    more = everything_said(tmp_path, "b", make, ["cold", "flu", "anna's rare disease"], "8,3", queries)
    assert less == more
    assert not [secret for secret in SECRETS if secret in str(more)]
    if make is database:
        assert sum(isinstance(answer[0], type) for query, answer in less[7:]) > len(queries) * 0.7, "most are refusals"
