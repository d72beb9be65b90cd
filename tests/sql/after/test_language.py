import pytest

from dalenius.errors import DaleniusError, UnknownName, UnsupportedQuery
from dalenius.sql.after.language import check
from dalenius.sql.engine import language
from tests.sql.after.world import session

ESCAPES = (
    "SELECT random() FROM m",
    "SELECT now(), n FROM m",
    "SELECT CURRENT_DATE, n FROM m",
    "SELECT current_timestamp FROM m",
    "SELECT uuid() FROM m",
    "SELECT gen_random_uuid() FROM m",
    "SELECT setseed(0.5) FROM m",
    "SELECT getenv('HOME') FROM m",
    "SELECT current_setting('threads') FROM m",
    "SELECT version() FROM m",
    "SELECT current_user FROM m",
    "SELECT read_text('/etc/passwd') FROM m",
    "SELECT * FROM read_csv('/etc/passwd'), m",
    "SELECT * FROM m, '/etc/passwd'",
    "SELECT * FROM m, duckdb_settings()",
    "SELECT * FROM m, glob('/*')",
    "SELECT * FROM m, information_schema.tables",
    "SELECT * FROM m, sqlite_master",
    "SELECT * FROM m, range(1000000000)",
    "SELECT unnest(range(100000000)) FROM m",
    "SELECT repeat('x', 1000000000) FROM m",
    "SELECT list(n) FROM m",
    "SELECT nextval('s') FROM m",
    "SELECT hash(n) FROM m",
    "SELECT query('SELECT 1') FROM m",
    "SELECT * FROM m, query('SELECT 1')",
    "SELECT * FROM m, query_table('m')",
    "SELECT getvariable('x') FROM m",
    "SELECT CAST(n AS BLOB) FROM m",
    "SELECT txid_current() FROM m",
    "SELECT m FROM m",
    "SELECT * FROM m TABLESAMPLE 50 PERCENT",
    "FROM m POSITIONAL JOIN m AS k",
    "SELECT * FROM m LIMIT (SELECT 1)",
    "SELECT COLUMNS('.*') FROM m",
    "SELECT * FROM main.m",
    "PIVOT m ON shop",
    "SELECT apply([1, 2], x -> x + 1) FROM m",
)


@pytest.mark.parametrize("above", ESCAPES)
def test_what_could_draw_tell_the_time_or_leave_the_tables_is_refused_for_nothing(tmp_path, above):
    db = session(tmp_path)
    with pytest.raises(DaleniusError):
        db.sql(f"WITH m AS (SELECT shop, COUNT(*) AS n FROM sales GROUP BY shop) {above}", epsilon=1)
    assert db.budget.epsilon == 10**9


def test_a_table_that_is_neither_released_nor_named_is_unknown():
    check(language.read("WITH a AS (SELECT * FROM m) SELECT * FROM a"), ["m"])
    with pytest.raises(UnknownName):
        check(language.read("SELECT * FROM other"), ["m"])
    with pytest.raises(UnsupportedQuery, match="by their names alone"):
        check(language.read("SELECT * FROM x.m"), ["m"])
