import itertools

import pytest

from dalenius.sql.after.blocks import BlockScope
from dalenius.sql.after.plain import default_name, is_one_select, is_plain
from dalenius.sql.after.split import split
from dalenius.sql.engine import language
from tests.sql.after.test_blocks import TABLES


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("SELECT shop, COUNT(*) * 2 AS n FROM sales s GROUP BY s.shop HAVING n > 3 ORDER BY n DESC LIMIT 3", True),
        ("SELECT shop AS k, COUNT(*) FILTER (WHERE spent > 1) FROM sales GROUP BY k", True),
        ("SELECT Shop AS k, COUNT(*) AS n FROM sales GROUP BY SHOP HAVING n > 1 ORDER BY Shop", True),
        ("SELECT s.Shop, COUNT(*) FROM sales s GROUP BY shop ORDER BY S.shop", True),
        ("SELECT COUNT_IF(spent > 1) / COUNT(*) FROM sales", True),
        ("SELECT shop, ROUND(AVG(spent)) FROM sales GROUP BY shop", False),
        ("SELECT UPPER(shop), COUNT(*) FROM sales GROUP BY shop", False),
        ("SELECT MEDIAN(spent) FROM sales", True),
        ("SELECT MEDIAN(spent) + 1 FROM sales", False),
        ("SELECT shop, COUNT(*) FROM sales GROUP BY ROLLUP (shop)", False),
        ("SELECT shop, COUNT(*) FROM sales GROUP BY shop QUALIFY RANK() OVER (ORDER BY COUNT(*)) = 1", False),
        ("SELECT SUM(COUNT(*)) OVER () FROM sales GROUP BY shop", False),
        ("SELECT DISTINCT shop FROM sales", True),
        ("SELECT DISTINCT shop, COUNT(*) FROM sales GROUP BY shop", False),
        ("SELECT shop, COUNT(*) FROM sales GROUP BY shop ORDER BY ROUND(COUNT(*))", False),
        ("SELECT shop, COUNT(*) FROM sales GROUP BY shop LIMIT 10 PERCENT", False),
    ],
)
def test_what_the_language_for_tables_answers_is_left_to_it(text, plain):
    assert is_plain(language.read(text), BlockScope.of(TABLES, {})) is plain


def test_a_column_without_a_name_is_called_as_in_every_answer():
    assert default_name(language.read("COUNT(*)"), 2) == "count"
    assert default_name(language.read("ROUND(x)"), 2) == "column_2"


_TERMS = (
    "shop",
    "shop AS k",
    "COUNT(*)",
    "COUNT(*) AS shop",
    "SUM(spent) AS n",
    "AVG(sales.spent)",
    "person",
    "SUM(1)",
)
_REST = (
    *("", " GROUP BY shop", " GROUP BY Shop, year", " GROUP BY k", " GROUP BY person", " GROUP BY 1", " GROUP BY ALL"),
    *(" WHERE spent > 1 GROUP BY shop", " WHERE spent > (SELECT AVG(spent) FROM sales)", " GROUP BY shop LIMIT 2"),
    *(" AS s GROUP BY s.shop", " JOIN sales USING (person)", " GROUP BY ROLLUP (shop)", " GROUP BY shop HAVING n > 1"),
)


def test_the_short_way_takes_nothing_that_split_would_split():
    ways = {True: 0, False: 0}
    for terms in itertools.chain(itertools.combinations(_TERMS, 1), itertools.combinations(_TERMS, 2)):
        for start, rest in itertools.product(("sales", "Sales", "kept", "x.sales"), _REST):
            tree = language.read(f"SELECT {', '.join(terms)} FROM {start}{rest}")
            short = is_one_select(tree, TABLES)
            ways[short] += 1
            if short:
                assert split(tree, TABLES, {"kept": ("shop", "n")}, lambda select: ()) is None, tree
    assert ways[True] > 50
    assert ways[False] > 500


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("SELECT category, AVG(amount) FROM purchases GROUP BY category", False),  # of no table that there is
        ("SELECT shop, AVG(spent) AS mean FROM sales WHERE year = 2024 GROUP BY shop", True),
        ("SELECT COUNT(*), SUM(spent) FROM sales", True),
        ("SELECT COUNT(DISTINCT shop) FROM sales", False),
        ("SELECT DISTINCT shop FROM sales", False),
        ("WITH s AS (SELECT * FROM sales) SELECT COUNT(*) FROM sales", False),
    ],
)
def test_the_plainest_questions_take_the_short_way(text, short):
    assert is_one_select(language.read(text), TABLES) is short
