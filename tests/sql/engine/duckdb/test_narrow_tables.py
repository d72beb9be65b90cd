import duckdb
import pytest

from dalenius.sql.engine.duckdb.dialect import DIALECT
from dalenius.sql.engine.duckdb.narrow_tables import WIDE, narrow_tables


@pytest.mark.parametrize("columns", [3, WIDE, WIDE + 1, 3 * WIDE])
def test_every_column_is_given_once_with_a_table_that_holds_it(columns):
    names = [f'c"{place}' for place in range(columns)]
    with duckdb.connect() as connection:
        listed = ", ".join(f'{place} AS "c""{place}"' for place in range(columns))
        connection.execute(f"CREATE TABLE t AS SELECT {listed}")
        seen = {}
        for table, some in narrow_tables(connection, "t", names):
            listed = ", ".join(map(DIALECT.quoted, some))
            row = connection.execute(f"SELECT {listed} FROM {table}")
            seen |= dict(zip(some, row.fetchone(), strict=True))
            width = len(connection.execute(f"SELECT * FROM {table}").description)
            assert width <= max(WIDE, 40)
        assert seen == {name: place for place, name in enumerate(names)}
        assert connection.execute("SELECT COUNT(*) FROM duckdb_tables()").fetchone() == (1,)
