"""Two views are equal just where they hold the same bounded rows in the same cells, by the way they are written."""

import duckdb
import pytest

from dalenius.neighbors import Metric
from dalenius.sql.planner.bounding_view import Weighting
from dalenius.sql.planner.compile import compile_query
from dalenius.sql.planner.unknown_keys import KeySearch
from dalenius.sql.prepared.compile import compile_prepared
from dalenius.sql.prepared.recipe import Preparation
from tests.sql.cases import policy
from tests.sql.sensitivity import grammar

BASE = "SELECT category, AVG(price) FROM purchases WHERE gift GROUP BY category"


def view(query, unit="user_id", **terms):
    return compile_query(query, policy(unit), **terms).view


@pytest.mark.parametrize(
    "query",
    [
        "SELECT AVG(price) AS other, category AS c FROM purchases WHERE gift GROUP BY category",
        "select category, avg(PRICE), COUNT(*) FROM purchases AS p WHERE p.gift GROUP BY 1 HAVING AVG(price) > 2",
        "SELECT category, COUNT(price), AVG(price), COUNT(DISTINCT user_id) FROM purchases WHERE gift GROUP BY 1",
        "SELECT category, SUM(price), MEDIAN(price) FROM purchases WHERE gift GROUP BY category",
        "SELECT category, VARIANCE(price) FROM purchases WHERE gift GROUP BY category",
    ],
)
def test_names_order_and_what_is_made_of_the_sums_do_not_matter(query):
    assert view(query) == view(BASE)
    assert hash(view(query)) == hash(view(BASE))


def test_the_order_of_values_does_not_matter():
    one, other = "AVG(price)", 'AVG("odd ""name""")'
    assert view(f"SELECT {one}, {other} FROM purchases") == view(f"SELECT {other}, {one} FROM purchases")


@pytest.mark.parametrize(
    "query",
    [
        "SELECT category, AVG(price) FROM purchases GROUP BY category",
        "SELECT category, AVG(price) FROM purchases WHERE NOT gift GROUP BY category",
        "SELECT gift, AVG(price) FROM purchases WHERE gift GROUP BY gift",
        "SELECT category, gift, AVG(price) FROM purchases WHERE gift GROUP BY category, gift",
        "SELECT category, AVG(CLAMP(price, 0, 100)) FROM purchases WHERE gift GROUP BY category",
        "SELECT category, COUNT(*) FROM purchases WHERE gift GROUP BY category",
    ],
)
def test_other_rows_cells_or_whole_numbers_are_another_view(query):
    assert view(query) != view(BASE)


def test_a_sum_around_zero_has_other_whole_numbers_than_a_mean():
    assert view('SELECT SUM("odd ""name""") FROM purchases') != view('SELECT AVG("odd ""name""") FROM purchases')


def test_what_bounds_a_unit_is_part_of_the_view():
    assert view(BASE, "row") != view(BASE)
    assert view(BASE, norm=Metric.L2) != view(BASE)
    assert view(BASE, norm=Metric.L2).weighting is Weighting.NORM
    found = "SELECT note, COUNT(*) FROM purchases GROUP BY note"
    assert view(found, unknown=KeySearch(2)) == view(found, unknown=KeySearch(2))
    assert view(found, unknown=KeySearch(2)) != view(found, unknown=KeySearch(3))


def test_kept_rows_are_another_view_than_weighted_ones():
    terms = grammar.policy()
    query = "SELECT k, AVG(x) FROM t GROUP BY k"
    kept = compile_prepared(query, Preparation.of(terms))
    assert kept is not None
    assert kept.view != compile_query(query, terms).view


def test_the_tree_gives_cell_unit_and_whole_numbers():
    tree = view(BASE).tree
    assert tree.named_selects == ["cell", "unit", "a0"]
    with duckdb.connect() as connection:
        connection.execute('CREATE TABLE "source" (user_id BIGINT, category VARCHAR, price DOUBLE, gift BOOLEAN)')
        connection.execute("""INSERT INTO "source" VALUES (7, 'o''hara', 200, true), (7, 'food', 0, true),
            (8, 'food', 1e300, true), (8, 'toys', 1, true), (9, 'food', 1, false), (NULL, 'food', 1, true)""")
        rows = sorted(connection.execute(tree.sql(dialect="duckdb")).fetchall())
    width = rows[-1][2]
    assert rows == [(0, 7, 0), (0, 8, width), (1, 7, width)]
    assert width.bit_length() > 20
