import duckdb
import pytest

from dalenius.sql.engine import DIALECT
from dalenius.sql.engine.value_statements import PlaceGrid, ScannedValue, weights_by_place, weights_by_place_alone

ROWS = """VALUES (1, 2.5, 'a'), (1, NULL, 'b'), (1, 'nan', 'c'), (1, 7.0, 'd'), (1, 1e300, 'e'), (2, '-inf', 'f'),
    (2, 'inf', 'g'), (3, 'nan', 'h'), (4, 9.99, 'i'), (4, 9.99, 'i'), (5, 0.0, 'j'), (6, -3.0, 'k')"""
FINAL = f"""SELECT 0 AS "cell", who AS "unit", x::DOUBLE AS "of_p0", other AS "of_p1"
    FROM ({ROWS}) AS t(who, x, other)"""


def test_a_number_that_is_nan_is_no_value_and_a_text_is_one():
    assert "ISNAN" in ScannedValue("v", "p", is_number=True).present(DIALECT)
    assert ScannedValue("v", "p", is_number=False).present(DIALECT) == '"v" IS NOT NULL'


@pytest.mark.parametrize("most", [1, 2, 3])
def test_the_quick_statement_gives_the_same_weights_and_reads_its_own_value_alone(most):
    value, grid = ScannedValue("of_p0", "p0", is_number=True), PlaceGrid(0.0, 1.0, 9)
    final = DIALECT.parse(FINAL)
    weights = (6, 6 * most)
    slow, quick = (
        DIALECT.text(write(DIALECT, final, value, grid, weights))
        for write in (weights_by_place, weights_by_place_alone)
    )
    with duckdb.connect() as connection:
        answers = [sorted(connection.sql(text).fetchall()) for text in (slow, quick)]
    assert answers[0] == answers[1]
    own = {1: 3, 2: 2, 4: 2, 5: 1, 6: 1}  # rows of a unit that have a number
    each = {who: min(6, 6 * most // rows) for who, rows in own.items()}
    places = {0: each[2] + each[5] + each[6], 2: each[1], 7: each[1], 9: each[1] + each[2] + 2 * each[4]}
    assert answers[1] == [(0, place, weight) for place, weight in places.items()]
    assert "of_p1" in slow
    assert "of_p1" not in quick


def test_rows_that_a_clause_counts_or_cuts_keep_all_their_columns():
    value, grid = ScannedValue("of_p0", "p0", is_number=True), PlaceGrid(0.0, 1.0, 9)
    distinct = DIALECT.parse(FINAL.replace("SELECT 0", "SELECT DISTINCT 0", 1))
    assert "of_p1" in DIALECT.text(weights_by_place_alone(DIALECT, distinct, value, grid, (6, 6)))
