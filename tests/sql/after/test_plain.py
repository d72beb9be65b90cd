import pytest

from dalenius.sql.after.blocks import BlockScope
from dalenius.sql.after.plain import default_name, is_plain
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
