import pytest

from dalenius.errors import InvalidSyntax, UnknownName, UnsupportedQuery
from dalenius.sql.text.synthetic import Creation, read_creation


def test_columns_of_the_table_are_read_and_other_statements_are_not():
    made = read_creation("CREATE SYNTHETIC TABLE v AS SELECT age, sex FROM people", "people")
    assert made == Creation("v", False, ("age", "sex"))
    every = read_creation("create or replace synthetic table v as select * from people", "people")
    assert every == Creation("v", True, None)
    assert read_creation("SELECT COUNT(*) FROM people", "people") is None
    assert read_creation("CREATE PRIVATE VIEW v AS SELECT 1", "people") is None


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("CREATE SYNTHETIC TABLE v", InvalidSyntax),
        ("CREATE SYNTHETIC TABLE v AS SELECT", UnknownName),
        ("CREATE SYNTHETIC TABLE v AS DROP TABLE people", InvalidSyntax),
        ("CREATE SYNTHETIC TABLE v AS SELECT age FROM other", UnknownName),
        ("CREATE SYNTHETIC TABLE v AS SELECT age FROM people WHERE age > 3", UnsupportedQuery),
        ("CREATE SYNTHETIC TABLE v AS SELECT age + 1 FROM people", UnsupportedQuery),
        ("CREATE SYNTHETIC TABLE v AS SELECT age FROM people JOIN people p USING (age)", UnsupportedQuery),
        ("CREATE SYNTHETIC TABLE v AS SELECT DISTINCT age FROM people", UnsupportedQuery),
    ],
)
def test_anything_but_plain_columns_is_refused(text, error):
    with pytest.raises(error):
        read_creation(text, "people")
