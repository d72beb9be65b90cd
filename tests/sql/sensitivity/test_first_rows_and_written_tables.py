"""DISTINCT ON, groups that WHERE allows, series, and public tables above the release: what breaks a rule is caught."""

import duckdb
import pyarrow as pa
import pytest
from sqlglot import exp

import dalenius
from dalenius.errors import DaleniusError, UnboundedQuery
from dalenius.sql.after import blocks
from dalenius.sql.engine import language as sql_language
from dalenius.sql.planner import public_keys
from dalenius.sql.planner.compile import compile_query
from dalenius.sql.tables import subquery_windows, written_tables
from dalenius.sql.text import written_series
from tests.sql.sensitivity import grammar, worlds
from tests.sql.sensitivity.test_language import compiled_of, connection, exceeded
from tests.sql.sensitivity.test_newer_rules import counted, neighbors

__all__ = ["connection"]

FIRST = "SELECT COUNT(*) AS n FROM (SELECT DISTINCT ON (who, j) who, note FROM t ORDER BY who, j, flag) AS q WHERE {}"
LAST = "SELECT COUNT(*) AS n FROM (SELECT DISTINCT ON (j) who, note FROM t ORDER BY j, x) AS q"


def test_the_first_row_of_several_people_is_caught(connection):
    """The rows of each j, numbered over all people: who comes first moves another's row out."""
    compiled = compiled_of(FIRST.format("note IS NOT NULL"), 1)
    spoilt = compiled.scan.replace('PARTITION BY "source"."who", ', "PARTITION BY ")
    assert spoilt != compiled.scan
    assert exceeded(connection, compiled, 7, 40) == []
    assert exceeded(connection, compiled, 7, 40, spoilt) == ["COUNT(*)"]


def test_the_first_row_of_a_key_without_the_unit_is_refused_or_caught(connection, monkeypatch):
    with pytest.raises(UnboundedQuery, match="must PARTITION BY who"):
        compiled_of(LAST, 1)
    read = subquery_windows._Over.of

    def blind(window, table, policy):
        """Reads the window as if the unit were in it, and leaves it out."""
        whole = window.copy()
        whole.set("partition_by", [*window.args["partition_by"], exp.column(table.unit, quoted=True)])
        over = read(whole, table, policy)
        over.by.pop()
        return over

    monkeypatch.setattr(subquery_windows._Over, "of", staticmethod(blind))
    assert exceeded(connection, compiled_of(LAST, 1), 7, 40) == ["COUNT(*)"]


def test_a_first_row_by_position_is_caught(connection, monkeypatch):
    query = FIRST.format("note IS NULL").replace("who, j", "who")
    assert exceeded(connection, compiled_of(query, 1), 7, 40) == []
    monkeypatch.setattr(subquery_windows, "tie_breakers", lambda table: [])
    assert exceeded(connection, compiled_of(query, 1), 7, 40) == ["COUNT(*)"]


CASES = "CASE WHEN b = 'x' THEN 'p' WHEN b IS NULL THEN 'q' ELSE 'r' END"
ALLOWED = {
    "months": "SELECT MONTH(d), COUNT(*) FROM t WHERE MONTH(d) > 11 OR MONTH(d) = 2 GROUP BY 1",
    "lengths": "SELECT LENGTH(a), COUNT(*) FROM t WHERE LENGTH(a) BETWEEN 1 AND 2 AND b <> 'x' GROUP BY 1",
    "cases": f"SELECT {CASES}, COUNT(*) FROM t WHERE {CASES} <> 'q' GROUP BY 1",
    "days": "SELECT DAYNAME(d), COUNT(*) FROM t WHERE DAYNAME(d) IN ('Sunday', 'Monday') GROUP BY 1",
}


def check_allowed(connection, asked):
    total, groups = counted(connection, ALLOWED[asked])
    assert total == sum(group[-1] for group in groups) > 0


@pytest.mark.parametrize("asked", ALLOWED)
def test_every_row_whose_group_where_allows_is_in_one_cell(connection, asked):
    check_allowed(connection, asked)


SPOILT = {
    "a value that WHERE allows is left out": lambda values, kept: kept[1:],
    "what WHERE does not allow is kept in its place": lambda values, kept: tuple(
        one for one in values if one not in kept
    ),
}


@pytest.mark.parametrize("mutant", SPOILT)
def test_groups_that_where_allows_and_are_not_listed_are_caught(connection, monkeypatch, mutant):
    allowed = public_keys.allowed_values
    monkeypatch.setattr(
        public_keys,
        "allowed_values",
        lambda node, part, values, *terms: SPOILT[mutant](values, allowed(node, part, values, *terms)),
    )
    with pytest.raises(AssertionError):
        check_allowed(connection, "cases")


def test_a_group_that_is_listed_twice_is_caught(connection):
    """A row would be in two cells, and count twice where rows are units."""
    compiled = compile_query("SELECT MONTH(d), COUNT(*) FROM t WHERE MONTH(d) < 4 GROUP BY 1", grammar.policy("row"))
    listed, pairs = neighbors("row")
    assert "'1|2|3'" in compiled.scan
    twice = compiled.scan.replace("'1|2|3'", "'1|2|2'")
    sound, wrong = (
        worlds.furthest(compiled, worlds.parts_of(connection, compiled, listed, scan), pairs)
        for scan in (compiled.scan, twice)
    )
    assert sound[0] <= compiled.groups[0].steps < wrong[0]


SERIES = [
    "generate_series(DATE '2024-01-31', DATE '2024-12-31', INTERVAL 1 MONTH) AS s(x)",
    "range(DATE '2024-01-31', DATE '2024-05-31', INTERVAL '1 month') AS s(x)",
    "generate_series(DATE '2024-02-01', DATE '2024-02-29', INTERVAL 4 DAY) AS s(x)",
    "generate_series(1, 9, 2) AS s(x)",
]


def is_the_engines(source):
    """Whether a series that is written out has the rows that DuckDB makes of it."""
    text = f"SELECT s.x FROM {source}"
    tree = sql_language.read(text)
    written_series.write_out(tree)
    with duckdb.connect() as plain:
        return plain.execute(sql_language.written(tree)).fetchall() == plain.execute(text).fetchall()


@pytest.mark.parametrize(
    ("name", "broken"),
    [
        ("_steps", lambda steps: lambda *terms: steps(*terms)[:-1]),
        ("_steps", lambda steps: lambda first, last, moved, short: steps(first, last, moved, not short)),
        ("_series", lambda series: lambda node: series(node)[1:]),
    ],
)
def test_a_series_that_is_not_the_engines_is_caught(monkeypatch, name, broken):
    assert all(map(is_the_engines, SERIES))
    monkeypatch.setattr(written_series, name, broken(getattr(written_series, name)))
    assert not all(map(is_the_engines, SERIES))


TWICE = "SELECT COUNT(*) FROM t AS r JOIN (VALUES ('x'), ('-'), ('x')) AS w(b) ON w.b = r.b"


def test_a_written_table_of_which_a_row_meets_two_is_refused_or_caught(connection, monkeypatch):
    with pytest.raises(DaleniusError, match="meet"):
        counted(connection, TWICE)
    monkeypatch.setattr(written_tables, "_apart", lambda *terms: True)
    total, ((expected,),) = counted(connection, TWICE)
    assert total != expected


def test_a_private_table_that_is_taken_for_a_public_one_is_not_read_above_the_release(tmp_path, monkeypatch):
    """The engine above holds released and public tables alone: what it lacks is refused before any charge."""
    db = dalenius.connect(
        pa.table({"who": [1, 2, 3], "k": ["a", "b", "a"]}),
        **{"table": "t", "unit": "who", "contributions": 1, "budget": {"epsilon": 9}, "keys": {"k": ["a", "b"]}},
        tables={"b": pa.table({"who": [1, 2, 3], "z": ["a", "b", "b"]})},
        ledger=tmp_path / "t.ledger",
    )
    query = "SELECT s.k, n, b.who FROM (SELECT k, COUNT(*) AS n FROM t GROUP BY k) AS s JOIN b ON b.z = s.k"
    with pytest.raises(DaleniusError):
        db.sql(query, epsilon=1)
    table = blocks._table
    monkeypatch.setattr(
        blocks, "_table", lambda one: blocks.Block(blocks.Reads.PUBLIC) if one.name == "b" else table(one)
    )
    with pytest.raises(DaleniusError):
        db.sql(query, epsilon=1)
    assert db.budget.epsilon == 9
