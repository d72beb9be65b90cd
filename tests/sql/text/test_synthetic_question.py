import pytest

from dalenius.sql.engine import language
from dalenius.sql.text.synthetic_question import read_question


def asked(text):
    return read_question(language.read(text))


def test_a_table_of_counts_is_known_by_its_keys():
    found = asked("SELECT sex, COUNT(*) AS n, Age FROM s GROUP BY age, sex ORDER BY n LIMIT 3")
    assert found.keys == ((0, "sex"), (2, "age"))
    assert found.count == 1
    assert found.tables == ("s",)
    assert found.columns == frozenset({"sex", "age", "n"})


@pytest.mark.parametrize(
    "text",
    [
        "SELECT COUNT(*) FROM s",
        "SELECT sex, COUNT(age) FROM s GROUP BY sex",
        "SELECT sex, COUNT(*) FROM s WHERE age > 3 GROUP BY sex",
        "SELECT sex, COUNT(*) FROM s GROUP BY sex HAVING COUNT(*) > 3",
        "SELECT sex, COUNT(*) FROM s GROUP BY sex, age",
        "SELECT UPPER(sex), COUNT(*) FROM s GROUP BY sex",
        "SELECT sex, COUNT(*) FROM s GROUP BY ROLLUP (sex)",
        "SELECT sex, COUNT(*) FROM s JOIN t USING (x) GROUP BY sex",
        "SELECT sex, COUNT(*) FROM (SELECT * FROM s) GROUP BY sex",
        "SELECT sex, COUNT(*) FROM s GROUP BY sex UNION SELECT 'x', 1",
        "SELECT DISTINCT sex, COUNT(*) FROM s GROUP BY sex",
    ],
)
def test_anything_else_is_no_table_of_counts(text):
    assert asked(text).count is None


def test_all_columns_are_meant_by_a_star():
    assert asked("SELECT * FROM s").columns is None
    assert asked("WITH c AS (SELECT age FROM s) SELECT COUNT(*) FROM c").tables == ("s",)
