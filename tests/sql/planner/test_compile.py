import duckdb
import pytest

from dalenius.sql import Policy
from dalenius.sql.planner.compile import compile_query
from dalenius.sql.types.column_types import KEY_TYPES, UNIT_TYPES

COLUMNS = {"who": "BIGINT", "text": "VARCHAR", "real": "DOUBLE", "flag": "BOOLEAN"}
KEYS = {"text": ["a", "b|", "|it's"]}


def policy(unit="who", contributions=2):
    most = None if unit == "row" else contributions
    return Policy.declare("t", COLUMNS, unit=unit, keys=KEYS, bounds={"real": (-1, 3)}, contributions=most)


def scanned(compiled, rows):
    """The parts of each cell, by name."""
    with duckdb.connect() as connection:
        connection.execute('CREATE TABLE "source" (who BIGINT, text VARCHAR, real DOUBLE, flag BOOLEAN)')
        if rows:
            connection.executemany('INSERT INTO "source" VALUES (?, ?, ?, ?)', rows)
        found = dict.fromkeys(range(compiled.cells), (0,) * len(compiled.parts))
        return found | {cell: parts for cell, *parts in connection.execute(compiled.scan).fetchall()}


def test_few_rows_count_in_full_and_nobodys_rows_do_not():
    compiled = compile_query("SELECT text, COUNT(*) FROM t GROUP BY text", policy())
    rows = [(1, "a", 0.0, True), (1, "b|", 0.0, True), (2, "a", 0.0, True), (None, "a", 0.0, True)]
    assert {compiled.labels(cell)[0]: parts[0] / 2**20 for cell, parts in scanned(compiled, rows).items()} == {
        **{"a": 2, "b|": 1, "|it's": 0}
    }


def test_facts_hold_all_that_the_answer_depends_on_but_the_data():
    base = compile_query("SELECT text, COUNT(*) FROM t GROUP BY text", policy())
    assert base.facts() != compile_query("SELECT text, COUNT(*) FROM t GROUP BY text", policy(contributions=3)).facts()
    assert base.facts()["keys"] == [["text", KEYS["text"]]]


def test_cells_are_numbered_with_the_last_key_fastest():
    compiled = compile_query("SELECT flag, text, COUNT(*) FROM t GROUP BY text, flag", policy("row"))
    assert compiled.cells == 6
    assert [compiled.labels(cell) for cell in (0, 1, 2)] == [("a", False), ("a", True), ("b|", False)]
    assert [column.of for column in compiled.output.columns[:2]] == [1, 0]
    assert scanned(compiled, [(1, "b|", 0.0, True)])[3] == [1]


def test_an_aggregate_that_only_sifts_is_paid_and_named():
    compiled = compile_query(
        "SELECT text, COUNT(*) FROM t GROUP BY text HAVING SUM(real) > 3 ORDER BY AVG(who + 1)",
        Policy.declare("t", COLUMNS, unit="row", keys=KEYS, bounds={"real": (0, 1), "who": (0, 9)}),
    )
    assert len(compiled.groups) == 2
    assert compiled.paid_only_to_sift == ("AVG(who + 1)",)
    assert sum(group.weight for group in compiled.groups) == 1


def test_all_that_is_asked_of_one_expression_is_one_group():
    query = "SELECT COUNT(*), COUNT(real), SUM(real), AVG(real), VARIANCE(real), STDDEV(real) FROM t"
    assert len(compile_query(query, policy()).groups) == 1


def test_fifty_thousand_keys_compile_to_a_short_tree():
    terms = Policy.declare("t", COLUMNS, unit="row", keys={"text": [f"key {i}" for i in range(50_000)]})
    compiled = compile_query("SELECT text, COUNT(*) FROM t GROUP BY text", terms)
    found = scanned(compiled, [(1, "key 49999", 0.0, True)])
    assert found[49_999] == [1]
    assert sum(parts[0] for parts in found.values()) == 1


LITERALS = {"VARCHAR": ("a", "'a'"), "BOOLEAN": (True, "true"), "FLOAT": (0.1, "0.1"), "DOUBLE": (0.1, "0.1")}
PEOPLES_NAMES = {
    "VARCHAR": "'x'",
    "UUID": "'6ec0bd7f-11c0-43da-975e-2a8ad9ebae0b'",
    "DATE": "'2024-02-29'",
}


@pytest.mark.parametrize("kind", sorted(KEY_TYPES))
def test_a_key_of_every_type_finds_its_rows(kind):
    key, literal = LITERALS.get(kind, (1, "1"))
    terms = Policy.declare("t", {"k": kind}, unit="row", keys={"k": [key]})
    statement = compile_query("SELECT k, COUNT(*) FROM t GROUP BY k", terms).scan
    with duckdb.connect() as connection:
        connection.execute(f'CREATE TABLE "source" AS SELECT {literal}::{kind} AS k UNION ALL SELECT NULL')
        assert connection.execute(statement).fetchall() == [(0, 1)]


@pytest.mark.parametrize("kind", sorted(UNIT_TYPES))
def test_a_person_named_in_every_type_is_one_person(kind):
    terms = Policy.declare("t", {"who": kind}, unit="who", contributions=1)
    statement = compile_query("SELECT COUNT(*) FROM t", terms).scan
    with duckdb.connect() as connection:
        name = f"{PEOPLES_NAMES.get(kind, '1')}::{kind}"
        connection.execute(f'CREATE TABLE "source" AS SELECT {name} AS who FROM range(4) UNION ALL SELECT NULL')
        assert connection.execute(statement).fetchall() == [(0, 2**20)]
