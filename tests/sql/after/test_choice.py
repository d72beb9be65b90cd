import pytest
from sqlglot import exp

from dalenius.sql.after.choice import as_choice
from dalenius.sql.planner.output import KeyColumn
from dalenius.sql.tables.table import QueryTable
from dalenius.sql.text.parse import parse
from tests.sql.after.world import close, session, truth

BY_SHOP = "SELECT shop, COUNT(*) AS n FROM sales GROUP BY shop"
SPENT = "SELECT year AS y, SUM(spent) AS s FROM sales WHERE spent > 5 GROUP BY 1"
MOST_ROWS = "FROM sales GROUP BY shop ORDER BY COUNT(*) DESC LIMIT 1"
CHOICES = (
    (f"SELECT ARG_MAX(shop, n) AS top FROM ({BY_SHOP})", f"SELECT shop {MOST_ROWS}", "top"),
    (
        f"WITH m AS ({BY_SHOP}) SELECT ARG_MAX(x.shop, x.n) FROM m AS x",
        f"SELECT shop {MOST_ROWS}",
        "arg_max(x.shop, x.n)",
    ),
    (
        f"SELECT max_by(y, s) FROM ({SPENT}) AS t",
        "SELECT year FROM sales WHERE spent > 5 GROUP BY year ORDER BY SUM(spent) DESC LIMIT 1",
        "arg_max(y, s)",
    ),
    (
        "SELECT ARG_MAX(shop, n) FROM (SELECT shop, year, COUNT(DISTINCT person) AS n FROM sales GROUP BY shop, year)",
        "SELECT shop FROM sales GROUP BY shop, year ORDER BY COUNT(DISTINCT person) DESC LIMIT 1",
        "arg_max(shop, n)",
    ),
)
NO_CHOICES = (
    f"SELECT ARG_MAX(shop, n) AS top, MAX(n) AS most FROM ({BY_SHOP})",
    f"SELECT ARG_MIN(shop, n) AS least FROM ({BY_SHOP})",
    f"SELECT ARG_MAX(shop, -n) AS least FROM ({BY_SHOP})",
    f"SELECT ARG_MAX(n, n) AS most FROM ({BY_SHOP})",
    f"SELECT ARG_MAX(shop, n) AS top FROM ({BY_SHOP}) WHERE n < 1000",
    f"SELECT ARG_MAX(shop, n) AS top FROM ({BY_SHOP} HAVING COUNT(*) < 1000)",
    f"SELECT ARG_MAX(shop, n) AS top FROM ({BY_SHOP}) AS t(n, shop)",
    f"WITH m(n, shop) AS ({BY_SHOP}) SELECT ARG_MAX(n, shop) AS top FROM m",
    "SELECT ARG_MAX(shop, mean) AS top FROM (SELECT shop, AVG(spent) AS mean FROM sales GROUP BY shop)",
    "SELECT ARG_MAX(shop, less) AS top FROM (SELECT shop, SUM(spent - 50) AS less FROM sales GROUP BY shop)",
)


@pytest.fixture(scope="module")
def db(tmp_path_factory):
    return session(tmp_path_factory.mktemp("choice"))


@pytest.mark.parametrize(("text", "usual", "column"), CHOICES)
def test_the_key_of_the_largest_number_is_the_choice_that_order_by_and_limit_make(db, text, usual, column):
    """The same mechanism at the same price and error; and the key that DuckDB finds."""
    above, plain = db.explain(text, epsilon=0.1), db.explain(usual, epsilon=0.1)
    assert "report noisy max in 1 round" in str(above)
    assert above.lines == plain.lines
    assert above.guarantee == plain.guarantee
    answered = db.sql(text, epsilon=10**5)
    assert close(answered.rows, truth(text))
    assert answered.columns == (column,)


@pytest.mark.parametrize("text", NO_CHOICES)
def test_what_asks_for_more_is_computed_from_the_released_table(db, text):
    assert "report noisy max" not in str(db.explain(text, epsilon=1))
    assert close(db.sql(text, epsilon=10**5).rows, truth(text))


def test_a_table_that_was_released_already_answers_for_nothing(tmp_path):
    db = session(tmp_path)
    db.sql(f"SELECT MAX(n) AS most FROM ({BY_SHOP})", epsilon=1)
    left, text = db.budget, f"SELECT ARG_MAX(shop, n) AS top FROM ({BY_SHOP})"
    assert "report noisy max" not in str(db.explain(text, epsilon=1))
    assert "report noisy max" in str(db.explain(text, epsilon=2))
    assert db.sql(text, epsilon=1).rows == truth(text)
    assert db.budget == left


def test_a_choice_is_charged_and_keeps_its_answer(tmp_path):
    db = session(tmp_path)
    text = f"SELECT ARG_MAX(shop, n) AS top FROM ({BY_SHOP})"
    assert db.known_answer(text, epsilon=2) is None
    before = db.budget
    first = db.sql(text, epsilon=2)
    assert db.budget != before
    after = db.budget
    assert db.sql(text, epsilon=2).rows == first.rows == db.known_answer(text, epsilon=2).rows
    assert db.budget == after


def test_views_and_people_are_no_candidates(tmp_path):
    """A view may hold NULL as a key, which ARG_MAX passes over and ORDER BY does not; people are no candidates."""
    db = session(tmp_path)
    tables = {"sales": QueryTable.first(db.policy)}

    def keys_of(select, *nulls):
        return (KeyColumn("shop", ("north", "south", *nulls)),)

    def choice(text, keys_of=keys_of):
        return as_choice(parse(text), tables, {"kept": ("shop", "n")}, lambda select: True, keys_of)

    assert choice("SELECT ARG_MAX(shop, s) FROM (SELECT shop, SUM(n) AS s FROM kept GROUP BY shop)") is None
    assert choice("SELECT ARG_MAX(person, s) FROM (SELECT person, SUM(spent) AS s FROM sales GROUP BY person)") is None
    taken = choice(f"SELECT ARG_MAX(shop, n) FROM ({BY_SHOP})")
    assert isinstance(taken.outer, exp.Select)
    assert [part.select for part in taken.parts] == [
        'SELECT shop AS "key 1" FROM sales GROUP BY shop ORDER BY COUNT(*) DESC LIMIT 1'
    ]
    with_null = choice(f"SELECT ARG_MAX(shop, n) FROM ({BY_SHOP})", lambda select: keys_of(select, None))
    assert [part.select for part in with_null.parts] == [
        'SELECT shop AS "key 1" FROM sales WHERE NOT shop IS NULL GROUP BY shop ORDER BY COUNT(*) DESC LIMIT 1'
    ]
