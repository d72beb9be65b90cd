"""Each table's own contribution bound: how much noise follows from it, and that no person moves more than it."""

import re
from dataclasses import replace

import pyarrow as pa
import pytest

import dalenius
from dalenius.errors import InvalidParameter
from dalenius.queries import ONE
from dalenius.sql.planner.compile import compile_query
from tests.sql.sensitivity import language
from tests.sql.sensitivity.test_language import exceeded

OTHERS = language.OTHERS | {"b": replace(language.BESIDE, rows_per_unit="one")}
BOUNDS = {
    "SELECT g, COUNT(*) FROM b GROUP BY g": 1,
    "SELECT g, SUM(z) FROM b GROUP BY g": 1,
    "SELECT COUNT(*) FROM (SELECT who, z FROM b WHERE z > 0) AS q": 1,
    "SELECT region, COUNT(*) FROM b JOIN p ON b.g = p.pk GROUP BY region": 3,
    "SELECT COUNT(*) FROM b CROSS JOIN p": 6,
    "SELECT COUNT(*) FROM b AS one JOIN b ON one.who = b.who": 1,
    "SELECT COUNT(*) FROM b JOIN t ON t.who = b.who": 3,
    "SELECT COUNT(*) FROM t JOIN b ON t.who = b.who": 3,
    "SELECT COUNT(*) FROM (SELECT who, z FROM b UNION ALL SELECT who, z FROM b) AS q": 3,
    "SELECT COUNT(*) FROM t": 3,
    "SELECT COUNT(*) FROM c": 3,
}
"""Questions and how many rows of a person count, where the owner says 3 and that of b each person has one."""


@pytest.fixture(scope="module")
def connection():
    with language.opened() as connected:
        yield connected


@pytest.mark.parametrize("query", BOUNDS)
def test_no_person_moves_more_than_the_bound_of_its_own_table(connection, query):
    """People own up to six rows of b, whatever the owner says: what is promised rests on the weights alone."""
    compiled = compile_query(query, language.policy(3), None, OTHERS)
    (group,) = compiled.groups
    if "COUNT(*)" in query:
        assert group.steps == BOUNDS[query] * ONE
    assert exceeded(connection, compiled, 7, 40) == []


def test_one_row_that_is_taken_at_its_word_is_caught(connection):
    """Without weights whoever owns several rows of the table counts with each of them."""
    compiled = compile_query("SELECT g, COUNT(*) FROM b GROUP BY g", language.policy(3), None, OTHERS)
    scan, changes = re.subn(r"LEAST\(1048576, \d+ // COUNT\(\*\)\)", "1048576", compiled.scan)
    assert changes == 1
    assert exceeded(connection, compiled, 7, 40, scan) == ["COUNT(*)"]


def test_a_column_of_a_table_with_one_row_is_no_attribute_by_that(connection):
    """Who was said to have one row may have two, with two keys: then both count, each for half."""
    compiled = compile_query("SELECT g, COUNT(DISTINCT who) FROM b GROUP BY g", language.policy(3), None, OTHERS)
    assert [key.attribute for key in compiled.keys] == [False]
    assert exceeded(connection, compiled, 7, 40) == []


VISITS = pa.table({"who": [n % 50 for n in range(600)], "x": [float(n % 7) for n in range(600)]})
PEOPLE = pa.table({"who": list(range(50)), "age": [20 + n % 40 for n in range(50)]})


def session(tmp_path, first, other, **terms):
    tables = {"visits": VISITS, "people": PEOPLE}
    return dalenius.connect(
        tables[first],
        table=first,
        tables={other: tables[other]},
        unit="who",
        budget={"epsilon": 100},
        ledger=tmp_path / "people.ledger",
        **terms,
    )


def test_people_are_counted_with_the_noise_of_one_row_and_visits_with_that_of_theirs(tmp_path):
    """16 rows of each of the 12 that a person has: the next power of two; Laplace tails at ε = 1 are known."""
    db = session(tmp_path, "visits", "people", rows_per_unit={"visits": "many", "people": "one"})
    people, visits = (db.sql(f"SELECT COUNT(*) FROM {name}", epsilon=1, profile=True) for name in ("people", "visits"))
    assert people.accuracy(0.05) == pytest.approx(3, abs=0.01)
    assert visits.accuracy(0.05) == pytest.approx(16 * people.accuracy(0.05))


def test_a_table_with_many_rows_beside_one_of_people_is_counted_by_a_histogram_of_its_own(tmp_path):
    db = session(tmp_path, "people", "visits", rows_per_unit={"people": "one", "visits": "many"})
    query = "SELECT COUNT(*) FROM visits JOIN people USING (who)"
    with pytest.raises(InvalidParameter, match=r"rows of visits each who has.*profile=2"):
        db.sql(query, epsilon=1)
    with pytest.raises(InvalidParameter, match="the owner names 'visits' as the first table") as refusal:
        db.sql(query, epsilon=1)
    assert "db.profile" not in str(refusal.value)  # which is about the first table
    answer = db.sql(query, epsilon=1, profile=2)
    assert abs(answer.value - 600) < 16 * 21  # beyond which the noise lies with probability e⁻²¹
    assert answer.accuracy(0.05) == pytest.approx(48, abs=0.1)
    left = db.budget.epsilon
    assert db.sql(query, epsilon=1).value == answer.value
    db.sql("SELECT COUNT(*) FROM visits", epsilon=1)
    assert db.budget.epsilon == left - 1


def test_a_number_of_rows_is_declared_of_the_first_table_and_the_refusal_says_so(tmp_path):
    said = {"people": "one", "visits": "many"}
    with pytest.raises(
        InvalidParameter, match=r"'people', which is the first table, contributions is 1.*name that one"
    ):
        session(tmp_path, "people", "visits", rows_per_unit=said, contributions=12)
    db = session(tmp_path, "visits", "people", rows_per_unit=said, contributions=12)
    assert db.sql("SELECT COUNT(*) FROM visits", epsilon=1).accuracy(0.05) == pytest.approx(36, abs=0.1)


@pytest.mark.parametrize(("said", "why"), [({"peple": "one"}, "none of the private"), ({"items": "one"}, "refer")])
def test_what_is_said_of_no_table_with_people_is_refused(tmp_path, said, why):
    items = pa.table({"visit": [1, 2]})
    with pytest.raises(InvalidParameter, match=why):
        dalenius.connect(
            pa.table({"who": [1], "visit": [2]}),
            table="visits",
            tables={"items": items},
            references={"items.visit": "visits.visit"},
            unit="who",
            budget={"epsilon": 1},
            ledger=tmp_path / "l",
            rows_per_unit=said,
        )
