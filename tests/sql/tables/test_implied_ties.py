"""A foreign key implies whose rows a query inside reads, and what is added makes it so whatever the keys hold."""

from dataclasses import replace

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from sqlglot import exp

import dalenius
from dalenius.errors import UnboundedQuery
from dalenius.sql.tables import row_subquery

LATE = "EXISTS (SELECT * FROM lines WHERE l_order = o_key AND late)"
ANSWERED = (
    f"SELECT COUNT(*) AS n FROM orders WHERE {LATE}",
    f"SELECT COUNT(*) AS n FROM orders o WHERE NOT {LATE}",
    "SELECT COUNT(*) AS n FROM orders WHERE o_key IN (SELECT l_order FROM lines WHERE late)",
    "SELECT COUNT(*) AS n FROM orders WHERE o_key NOT IN (SELECT l_order FROM lines WHERE late)",
    "SELECT COUNT(*) AS n FROM orders WHERE (SELECT COUNT(*) FROM lines WHERE l_order = o_key) > 2",
    "SELECT COUNT(*) AS n FROM lines a WHERE EXISTS (SELECT 1 FROM lines b WHERE b.l_order = a.l_order AND b.late)",
    "SELECT COUNT(*) AS n FROM lines WHERE EXISTS (SELECT 1 FROM orders WHERE o_key = l_order AND total > 5)",
    "SELECT COUNT(*) AS n FROM people WHERE NOT EXISTS (SELECT * FROM orders WHERE o_person = person)",
    "SELECT COUNT(*) AS n FROM people WHERE EXISTS (SELECT 1 FROM orders JOIN lines ON l_order = o_key "
    "WHERE o_person = person AND late)",
)
REFUSED = (
    "SELECT COUNT(*) AS n FROM orders WHERE EXISTS (SELECT * FROM lines WHERE l_order > o_key)",
    "SELECT COUNT(*) AS n FROM orders WHERE EXISTS (SELECT * FROM lines WHERE part = total)",
    "SELECT COUNT(*) AS n FROM orders WHERE EXISTS (SELECT * FROM lines WHERE l_order = total)",
    "SELECT COUNT(*) AS n FROM orders WHERE EXISTS (SELECT * FROM lines WHERE part = o_key)",
    "SELECT COUNT(*) AS n FROM orders WHERE EXISTS (SELECT * FROM lines WHERE l_order = 5)",
    "SELECT COUNT(*) AS n FROM orders WHERE EXISTS (SELECT * FROM lines WHERE l_order = o_key OR late)",
    "SELECT COUNT(*) AS n FROM orders a WHERE EXISTS (SELECT 1 FROM orders b WHERE b.o_key = a.o_key)",
    "SELECT COUNT(*) AS n FROM people WHERE EXISTS (SELECT 1 FROM lines WHERE l_order = person)",
    "SELECT COUNT(*) AS n FROM orders WHERE total IN (SELECT l_order FROM lines)",
)


def world(shared=False, people=60):
    """Orders and their lines; `shared` order numbers are those of several people."""
    rng = np.random.default_rng(9)
    orders, lines = 150, 500
    return {
        "people": pa.table({"person": np.arange(people)}),
        "orders": pa.table(
            {
                "o_key": np.arange(orders) % (50 if shared else orders),
                "o_person": rng.integers(0, people, orders),
                "total": rng.integers(0, 10, orders),
            }
        ),
        "lines": pa.table(
            {
                "l_order": rng.integers(0, 50 if shared else orders, lines),
                "part": rng.integers(0, 10, lines),
                "late": rng.random(lines) < 0.3,
            }
        ),
    }


def session(folder, tables):
    return dalenius.connect(
        tables,
        unit="person",
        contributions=1000,
        budget={"epsilon": 10**12},
        ledger=folder / "ledger",
        references={"orders.o_person": "people.person", "lines.l_order": "orders.o_key"},
    )


def truth(query, tables):
    with duckdb.connect() as connection:
        for name, table in tables.items():
            connection.register(name, table)
        return connection.execute(query).fetchall()[0][0]


@pytest.mark.parametrize("query", ANSWERED)
def test_a_query_along_a_reference_is_answered_as_duckdb_does(tmp_path, query):
    assert float(session(tmp_path, world()).sql(query, epsilon=10**8).value) == pytest.approx(
        truth(query, world()), abs=0.01
    )


@pytest.mark.parametrize("query", REFUSED)
def test_any_other_condition_lets_one_person_decide_over_others_and_is_refused(tmp_path, query):
    with pytest.raises(UnboundedQuery, match="lets one person decide over the rows of others"):
        session(tmp_path, world()).sql(query, epsilon=1)


def apart_and_together(folder, query):
    """What each person's orders give alone, summed, and what all give together; order numbers are shared."""
    tables, orders = world(shared=True, people=12), world(shared=True, people=12)["orders"]
    found = []
    for person in (*range(12), None):
        own = orders if person is None else orders.filter(pa.array(np.asarray(orders["o_person"]) == person))
        (place := folder / str(person)).mkdir(parents=True)
        found.append(float(session(place, tables | {"orders": own}).sql(query, epsilon=10**8).value))
    return sum(found[:-1]), found[-1]


def test_where_people_share_a_key_each_is_told_by_their_own_rows_and_a_tie_left_out_is_caught(tmp_path, monkeypatch):
    """An order counts if one of its lines names one of more than 5: of the same person, whoever shares its number."""
    query = (
        "SELECT COUNT(*) AS n FROM orders o WHERE EXISTS (SELECT 1 FROM orders b JOIN lines ON l_order = b.o_key "
        "WHERE l_order = o.o_key AND b.total > 5)"
    )
    apart, together = apart_and_together(tmp_path / "tied", query)
    assert together == pytest.approx(apart, abs=0.5)
    assert apart > 12

    def tied_to_nobody(inner, outside):
        return replace(inner, ties=(exp.column(inner.table.unit, table=inner.place, quoted=True),))

    monkeypatch.setattr(row_subquery._Inner, "tied_to", tied_to_nobody)
    apart, together = apart_and_together(tmp_path / "loose", query)
    assert together > apart + 5


def test_the_equality_of_the_unit_stands_in_the_statement(tmp_path):
    db = session(tmp_path, world(shared=True))
    for query in ANSWERED:
        scan = db.plan(query, epsilon=1).compiled.scan
        assert '"inner0"."(unit)" = ' in scan
