import duckdb

from dalenius.sql.engine import DIALECT


def test_no_unit_keeps_more_rows_than_it_may_and_a_light_one_keeps_all():
    with duckdb.connect() as connection:
        connection.execute('CREATE TABLE "source" AS SELECT UNNEST([1, 1, 1, 2, NULL]) AS "who", 7.5 AS "x"')
        kept = DIALECT.text(DIALECT.kept_rows({"who": "INTEGER", "x": "DOUBLE"}, "who", 2, "00" * 32))
        found = connection.execute(f'SELECT "who", COUNT(*) FROM ({kept}) GROUP BY 1 ORDER BY 1').fetchall()
    assert found == [(1, 2), (2, 1)]
