import pytest

from dalenius.errors import DaleniusError, InvalidSyntax, UnknownName, UnsupportedQuery
from dalenius.sql.text.synthetic import Creation, LinkedCreation, read_creation


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


def test_two_linked_tables_are_read_with_the_columns_of_each():
    text = "CREATE OR REPLACE SYNTHETIC TABLES p_s, v_s AS SELECT p.age, v.cost, v.kind FROM p JOIN v USING (who)"
    assert read_creation(text, "v") == LinkedCreation(
        ("p_s", "v_s"), True, ("p", "v"), "who", (("age",), ("cost", "kind"))
    )
    every = read_creation("CREATE SYNTHETIC TABLES a, b AS SELECT * FROM p JOIN v USING (who)", "v")
    assert every == LinkedCreation(("a", "b"), False, ("p", "v"), "who", None)


@pytest.mark.parametrize(
    "text",
    [
        "SYNTHETIC TABLES a AS SELECT * FROM p JOIN v USING (who)",
        "SYNTHETIC TABLES a, a AS SELECT * FROM p JOIN v USING (who)",
        "SYNTHETIC TABLES a, b AS SELECT * FROM p",
        "SYNTHETIC TABLES a, b AS SELECT * FROM p JOIN v ON p.who = v.who",
        "SYNTHETIC TABLES a, b AS SELECT * FROM p LEFT JOIN v USING (who)",
        "SYNTHETIC TABLES a, b AS SELECT * FROM p JOIN v USING (who, x)",
        "SYNTHETIC TABLES a, b AS SELECT * FROM p x JOIN v USING (who)",
        "SYNTHETIC TABLES a, b AS SELECT age FROM p JOIN v USING (who)",
        "SYNTHETIC TABLES a, b AS SELECT p.age FROM p JOIN v USING (who) WHERE p.age > 3",
        "SYNTHETIC TABLES a, b AS SELECT p.age + 1 FROM p JOIN v USING (who)",
    ],
)
def test_linked_tables_are_joined_on_one_column_and_copied_as_they_are(text):
    with pytest.raises(DaleniusError):
        read_creation(f"CREATE {text}", "v")
